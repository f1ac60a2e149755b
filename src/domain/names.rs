//! Names that come from outside, checked once where they enter.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

use super::limits::bounds::NAME_BYTES_MAX;
use super::{NameError, words};

/// A spelling that is looked at, in bytes: decomposed letters take up to three times the room of
/// composed ones.
const SPELLING_BYTES_MAX: usize = 4 * NAME_BYTES_MAX;

/// Whether a character is invisible, or acts on what stands beside it or on a terminal.
pub fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'
                | '\u{E0000}'..='\u{E007F}'
        )
}

fn check(text: &str, allowed: impl Fn(char) -> bool) -> Result<(), NameError> {
    if text.is_empty() {
        return Err(NameError::Empty);
    }
    if text.len() > NAME_BYTES_MAX {
        return Err(NameError::TooLong);
    }
    if text.starts_with('.') {
        return Err(NameError::Dot);
    }
    match text.chars().find(|&character| !allowed(character)) {
        Some(character) => Err(NameError::Character(character)),
        None => Ok(()),
    }
}

fn is_key(character: char) -> bool {
    character.is_ascii_lowercase() || character.is_ascii_digit() || matches!(character, '-' | '_')
}

/// Makes a type of names: texts that were checked by its `new`, cheap to clone, shown and kept as
/// they are.
macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(into = "String", try_from = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.as_str().to_owned()
            }
        }

        impl TryFrom<String> for $name {
            type Error = NameError;

            fn try_from(text: String) -> Result<Self, NameError> {
                Self::new(&text)
            }
        }
    };
}

name! {
    /// A student's name as the submissions folder spells it: any script, no path separators,
    /// nothing invisible.
    Student
}

impl Student {
    /// The student that a person means by this spelling: spaces around the name do not count, nor
    /// does how its letters are composed (macOS writes an umlaut as two characters). Everything
    /// that comes from outside enters here.
    pub fn spelled(text: &str) -> Result<Self, NameError> {
        // A name that is far too long is not composed first; composing makes none of these short
        // enough.
        let text = text.trim();
        if text.len() > SPELLING_BYTES_MAX {
            return Err(NameError::TooLong);
        }
        Self::new(&text.nfc().collect::<String>())
    }

    /// Checks a name that is as it should be, from the store for one.
    pub fn new(text: &str) -> Result<Self, NameError> {
        check(text, |character| {
            // The two joiners are invisible too, but names in Persian and in Indic scripts are
            // spelt with them.
            let joiner = matches!(character, '\u{200C}' | '\u{200D}');
            joiner || !(is_invisible(character) || matches!(character, '/' | '\\'))
        })?;
        Ok(Self(Arc::from(text)))
    }
}

name! {
    /// A problem's name: its folder below `problems/`, lower-case letters, digits, `-` and `_`.
    ProblemSlug
}

impl ProblemSlug {
    /// Checks a folder name.
    pub fn new(text: &str) -> Result<Self, NameError> {
        check(text, is_key)?;
        Ok(Self(Arc::from(text)))
    }

    /// Whether a student's spelling means this problem: case does not count, `-` and `_` are alike.
    pub fn matches(&self, spelling: &str) -> bool {
        let fold = |byte: u8| match byte {
            b'-' => b'_',
            other => other.to_ascii_lowercase(),
        };
        self.0.len() == spelling.len()
            && self
                .0
                .bytes()
                .zip(spelling.bytes())
                .all(|(mine, theirs)| fold(mine) == fold(theirs))
    }

    /// Whether the letters and digits are the same: `the_game` and `The game` are like `thegame`.
    pub fn is_like(&self, spelling: &str) -> bool {
        letters(&self.0).eq(letters(spelling))
    }
}

/// The bytes of a name without `-`, `_`, spaces and case. What stands between two digits stays:
/// `hw-1-1` is not `hw-11`.
fn letters(name: &str) -> impl Iterator<Item = u8> {
    let bytes = name.as_bytes();
    bytes.iter().enumerate().filter_map(|(at, &byte)| {
        if !matches!(byte, b'-' | b'_' | b' ') {
            return Some(byte.to_ascii_lowercase());
        }
        let is_digit = |at: Option<usize>| {
            at.and_then(|at| bytes.get(at))
                .is_some_and(u8::is_ascii_digit)
        };
        (is_digit(at.checked_sub(1)) && is_digit(at.checked_add(1))).then_some(b'-')
    })
}

name! {
    /// A language's key in the table: `cpp`, `python3`.
    LanguageId
}

impl LanguageId {
    /// Checks a key.
    pub fn new(text: &str) -> Result<Self, NameError> {
        check(text, is_key)?;
        Ok(Self(Arc::from(text)))
    }
}

/// The name of a worker or of a course on the server: 1 to 32 small letters, digits and hyphens, so
/// that it is one token of a subject.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ServerName(Arc<str>);

impl From<ServerName> for String {
    fn from(name: ServerName) -> Self {
        name.as_str().to_owned()
    }
}

impl TryFrom<String> for ServerName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::new(&text).ok_or_else(|| {
            format!(
                "`{}` is not a valid name: a name has 1 to {} small letters, digits and hyphens",
                text.escape_debug(),
                Self::BYTES_MAX
            )
        })
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl ServerName {
    /// Longest name, in bytes.
    pub const BYTES_MAX: usize = 32;

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name, if it is one.
    pub fn new(name: &str) -> Option<Self> {
        let is_short = (1..=Self::BYTES_MAX).contains(&name.len());
        let may = |character| character != '_' && is_key(character);
        (is_short && name.chars().all(may)).then(|| Self(Arc::from(name)))
    }

    /// The nearest name to a text, such as that of a folder.
    pub fn like(text: &str) -> Option<Self> {
        let lower = text.to_ascii_lowercase();
        let may = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
        let words: Vec<&str> = lower.split(|letter| !may(letter)).collect();
        let joined = words.join("-");
        let mut short = joined.trim_matches('-');
        short = &short[..short.len().min(Self::BYTES_MAX)];
        Self::new(short.trim_end_matches('-'))
    }
}

words! {
    /// By what a platform knows a student. The words are the names of the roster's columns.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Key by column {
        /// A user name.
        Login = "login",
        /// A mail address.
        Email = "email",
        /// The number that the university gives.
        Id = "id",
        /// A user name of GitHub's.
        Github = "github",
        /// Canvas's own number for a user, the same in every assignment.
        Canvas = "canvas",
        /// Moodle's number for a participant, another one in every assignment.
        Moodle = "moodle",
    }
}

impl Key {
    /// Whether people use it: not one of a platform's own numbers.
    pub const fn is_readable(self) -> bool {
        !matches!(self, Self::Canvas | Self::Moodle)
    }
}

#[cfg(test)]
mod tests {
    use super::{NameError, ProblemSlug, ServerName, Student};

    #[test]
    fn students_have_names_in_any_script() {
        for name in "student-7|Студент Первый|学生|a'b|نام\u{200C}ها|a_b-c.d".split('|')
        {
            assert!(Student::new(name).is_ok(), "{name}");
        }
        for (name, error) in [
            ("", NameError::Empty),
            ("..", NameError::Dot),
            (".hidden", NameError::Dot),
            ("a/b", NameError::Character('/')),
            ("a\u{202E}b", NameError::Character('\u{202E}')),
            ("a\nb", NameError::Character('\n')),
        ] {
            assert_eq!(Student::new(name), Err(error));
        }
        let invisible = "\u{AD}\u{61C}\u{180E}\u{200B}\u{200F}\u{2028}\u{2029}\u{2060}\u{2069}\
                         \u{FEFF}\u{FFF9}\u{E0001}\u{E007F}";
        for invisible in invisible.chars() {
            let name = format!("a{invisible}b");
            assert_eq!(Student::new(&name), Err(NameError::Character(invisible)));
        }
        assert_eq!(Student::new(&"x".repeat(300)), Err(NameError::TooLong));
    }

    #[test]
    fn spellings_of_one_student_are_one() {
        for (spelling, name) in [
            ("S1004", "S1004"),
            ("S1004 ", "S1004"),
            ("\u{3000} S1004\t", "S1004"),
            ("J\u{f6}rg", "J\u{f6}rg"),
            ("Jo\u{308}rg", "J\u{f6}rg"),
            ("\u{212b}sa", "\u{c5}sa"),
            ("\u{1112}\u{1161}\u{11ab}", "\u{d55c}"),
            ("two  words", "two  words"),
        ] {
            let student = Student::spelled(spelling).unwrap();
            assert_eq!(student.as_str(), name, "{spelling:?}");
            assert_eq!(Student::spelled(student.as_str()), Ok(student));
        }
        // Upper and lower case are two students, and so are letters that only look alike.
        assert_ne!(Student::spelled("s1004"), Student::spelled("S1004"));
        assert_ne!(Student::spelled("\u{430}nna"), Student::spelled("anna"));
        assert_eq!(Student::spelled(" \t "), Err(NameError::Empty));
        assert_eq!(Student::spelled(" .x"), Err(NameError::Dot));
        let long = "o\u{308}".repeat(5_000);
        assert_eq!(Student::spelled(&long), Err(NameError::TooLong));
    }

    #[test]
    fn problems_match_without_case_and_with_either_dash() {
        let slug = ProblemSlug::new("the-game_2").unwrap();
        for spelling in ["the-game_2", "THE_GAME-2", "The_Game_2"] {
            assert!(slug.matches(spelling), "{spelling}");
        }
        for spelling in ["thegame2", "the-game_22", "the game_2", ""] {
            assert!(!slug.matches(spelling), "{spelling}");
        }
        for spelling in ["thegame2", "The Game 2", "_the_game-2"] {
            assert!(slug.is_like(spelling), "{spelling}");
        }
        let numbered = ProblemSlug::new("hw-11").unwrap();
        assert!(numbered.is_like("HW11"));
        for spelling in ["hw-1-1", "hw 1 1", "hw1", ""] {
            assert!(!numbered.is_like(spelling), "{spelling}");
        }
    }

    #[test]
    fn a_folder_gives_a_name_on_the_server() {
        let long = "a-very-long-name-of-a-folder-in-the-autumn";
        for (folder, name) in [
            ("algorithms-2026", Some("algorithms-2026")),
            ("Algorithms 2026", Some("algorithms-2026")),
            (" .Kurs_1", Some("kurs-1")),
            ("\u{5b66}\u{751f}", None),
            ("", None),
            (long, Some("a-very-long-name-of-a-folder-in")),
        ] {
            let found = ServerName::like(folder);
            assert_eq!(found.as_ref().map(ServerName::as_str), name, "{folder}");
        }
        assert_eq!(ServerName::new("a_b"), None);
        assert_eq!(ServerName::new("a.b"), None);
        assert_eq!(ServerName::new(&"x".repeat(33)), None);
    }
}
