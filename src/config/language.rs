//! A language as languages.toml and config.toml describe it.

use std::collections::BTreeMap;
use std::ops::Range;

/// One language, complete.
///
/// These words in a command stand for something else:
/// - `{source}`: the source's name in the working folder,
/// - `{main}`: the Java main class, where there is one in the source,
/// - `{memory_mib}`: the memory limit of what is started,
/// - `{encoding}`: `UTF-8` where the source is that, else `ISO-8859-1`, in which every byte is a character,
/// - `{static}`, as a word of its own: the words of `static_flags` where this machine can link statically, else nothing.
///
/// The first word of a command is a program that is looked up on this machine, unless it begins with `/app/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguageSpec {
    /// Name for people: `C++17`.
    pub name: String,
    /// File extensions without the dot, in lower case, the usual one first.
    pub extensions: Vec<String>,
    /// The source's name in the working folder while it is built: `main.cpp`, `{main}.java`, `main.{extension}`.
    pub source: String,
    /// The compile commands, one after the other; for an interpreted language its syntax check, or none.
    pub build: Vec<Vec<String>>,
    /// The built files that the program consists of; empty for all of them.
    pub keep: Vec<String>,
    /// The start command, in the working folder; the built files are in `/app`.
    /// Where it has `{source}`, the program consists of the source alone.
    pub run: Vec<String>,
    /// The command that prints the version.
    pub version: Vec<String>,
    /// What a person does to get it: `apt-get install g++`.
    pub install: String,
    /// A program that copies its standard input to its standard output; without one the language is offered untried.
    pub echo: Option<String>,
    /// Environment beside the usual one.
    pub env: BTreeMap<String, String>,
    /// Files and folders beside the system's own that it needs to see; those that are not there are left out. A `*` in the last part stands for any characters.
    pub show: Vec<String>,
    /// Memory of the language's own run-time system, on top of the problem's limit, in MiB.
    pub memory_extra_mib: u64,
    /// Words on standard error by which its run-time system says that the memory is used up.
    pub memory_words: Vec<String>,
    /// Stack of the first thread in MiB, where as much as the memory limit does not suit it.
    pub stack_mib: Option<u64>,
    /// What `{static}` stands for.
    pub static_flags: Vec<String>,
    /// Commands that each print the path of a file that static linking needs.
    pub static_probe: Vec<Vec<String>>,
    /// Whether a byte order mark is taken off the source, because the compiler does not know it.
    pub strip_byte_order_mark: bool,
    /// Whether it is offered at all.
    pub offer: bool,
}

/// What one table of a file says of a language: everything that it leaves out is as it was.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LanguageOverride {
    /// Where the table's name stands in the file, for errors.
    pub span: Range<usize>,
    /// Where the extensions stand in the file, for errors.
    pub extensions_span: Option<Range<usize>>,
    /// [`LanguageSpec::name`]
    pub name: Option<String>,
    /// [`LanguageSpec::extensions`]
    pub extensions: Option<Vec<String>>,
    /// [`LanguageSpec::source`]
    pub source: Option<String>,
    /// [`LanguageSpec::build`]
    pub build: Option<Vec<Vec<String>>>,
    /// [`LanguageSpec::keep`]
    pub keep: Option<Vec<String>>,
    /// [`LanguageSpec::run`]
    pub run: Option<Vec<String>>,
    /// [`LanguageSpec::version`]
    pub version: Option<Vec<String>>,
    /// [`LanguageSpec::install`]
    pub install: Option<String>,
    /// [`LanguageSpec::echo`]
    pub echo: Option<String>,
    /// [`LanguageSpec::env`]
    pub env: Option<BTreeMap<String, String>>,
    /// [`LanguageSpec::show`]
    pub show: Option<Vec<String>>,
    /// [`LanguageSpec::memory_extra_mib`]
    pub memory_extra_mib: Option<u64>,
    /// [`LanguageSpec::memory_words`]
    pub memory_words: Option<Vec<String>>,
    /// [`LanguageSpec::stack_mib`]
    pub stack_mib: Option<u64>,
    /// [`LanguageSpec::static_flags`]
    pub static_flags: Option<Vec<String>>,
    /// [`LanguageSpec::static_probe`]
    pub static_probe: Option<Vec<Vec<String>>>,
    /// [`LanguageSpec::strip_byte_order_mark`]
    pub strip_byte_order_mark: Option<bool>,
    /// [`LanguageSpec::offer`]
    pub offer: Option<bool>,
}

/// A language without something that it must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it has no `{field}`")]
pub struct Incomplete {
    /// The field's key.
    pub field: &'static str,
}

impl LanguageOverride {
    /// Lays another table over this one.
    #[must_use]
    pub fn overlaid(&self, over: &Self) -> Self {
        let mut merged = over.clone();
        macro_rules! keep_where_unset {
            ($($field:ident),*) => {$(
                if merged.$field.is_none() {
                    merged.$field.clone_from(&self.$field);
                }
            )*};
        }
        keep_where_unset!(
            name,
            extensions,
            source,
            build,
            keep,
            run,
            version,
            install,
            echo,
            env,
            show,
            memory_extra_mib,
            memory_words,
            stack_mib,
            static_flags,
            static_probe,
            strip_byte_order_mark,
            offer
        );
        merged
    }

    /// The language, where nothing is missing that it must have.
    pub fn complete(self) -> Result<LanguageSpec, Incomplete> {
        let need = |field| Incomplete { field };
        let run = self.run.ok_or(need("run"))?;
        let build = self.build.unwrap_or_default();
        let program = build
            .first()
            .unwrap_or(&run)
            .first()
            .cloned()
            .unwrap_or_default();
        Ok(LanguageSpec {
            name: self.name.ok_or(need("name"))?,
            extensions: self.extensions.ok_or(need("extensions"))?,
            source: self.source.ok_or(need("source"))?,
            version: self
                .version
                .unwrap_or_else(|| vec![program.clone(), "--version".to_owned()]),
            install: self
                .install
                .unwrap_or_else(|| format!("install `{program}`")),
            echo: self.echo,
            build,
            run,
            keep: self.keep.unwrap_or_default(),
            env: self.env.unwrap_or_default(),
            show: self.show.unwrap_or_default(),
            memory_extra_mib: self.memory_extra_mib.unwrap_or(0),
            memory_words: self.memory_words.unwrap_or_default(),
            stack_mib: self.stack_mib,
            static_flags: self.static_flags.unwrap_or_default(),
            static_probe: self.static_probe.unwrap_or_default(),
            strip_byte_order_mark: self.strip_byte_order_mark.unwrap_or(false),
            offer: self.offer.unwrap_or(true),
        })
    }
}
