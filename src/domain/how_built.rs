//! How a program was built, in words for people.

/// A language and what it was asked to do with a source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HowBuilt {
    /// Name and version: `C++17 (g++ 12.2.0)`.
    pub language: String,
    /// The commands that built it, with the file's own name; empty if its source is what is
    /// started.
    pub build: Vec<String>,
    /// The command that starts it, where that is more than the program itself.
    pub start: Option<String>,
    /// The name that the source had while it was built, as compilers and tracebacks name it.
    pub source_name: String,
    /// The name by which its author knows it.
    pub author_name: String,
}
