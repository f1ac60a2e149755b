//! Enums whose variants are words: in the store, in files, in keys. Each word is said once.

/// Why a text is none of an enum's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what}: {word:?}")]
pub struct UnknownWord {
    /// The enum's name.
    pub what: &'static str,
    /// The beginning of the text.
    pub word: String,
}

impl UnknownWord {
    /// Characters of a text that are repeated.
    const CHARACTERS_MAX: usize = 40;

    pub fn new(what: &'static str, word: &str) -> Self {
        let word = word.chars().take(Self::CHARACTERS_MAX).collect();
        Self { what, word }
    }
}

/// Makes an enum with a stable word for each variant: `ALL` of them, a function that gives the
/// word, under the name that the enum gives it, and [`FromStr`](std::str::FromStr), which reads it
/// back.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident by $word:ident {
            $($(#[$doc:meta])* $variant:ident = $text:literal,)+
        }
    ) => {
        $(#[$meta])*
        $vis enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            /// Its word; stable.
            pub const fn $word(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::domain::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                let mut all = Self::ALL.into_iter();
                all.find(|one| one.$word() == word)
                    .ok_or_else(|| $crate::domain::UnknownWord::new(stringify!($name), word))
            }
        }
    };
}

pub(crate) use words;
