//! Finds where a Java program begins: the class with the `main` method, whatever the file is called
//! and whatever stands around it.

mod outline;
mod tokens;

use outline::Outline;

/// What a source says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Sketch {
    /// The class to start, with its package: `pkg.Outer$Inner`.
    pub main: Option<String>,
    /// The file's name without `.java`, as the compiler demands it.
    pub file_stem: Option<String>,
}

/// Longest class name that still makes a file name, in bytes.
const CLASS_BYTES_MAX: usize = 200;

/// Reads the outline of a source.
pub(super) fn sketch(source: &[u8]) -> Sketch {
    let text = match std::str::from_utf8(source) {
        Ok(text) => text.to_owned(),
        Err(_) => source.iter().map(|&byte| char::from(byte)).collect(),
    };
    let characters: Vec<char> = text.trim_start_matches('\u{FEFF}').chars().collect();
    let outline = Outline::of(&tokens::tokens(&characters));
    let starts = outline
        .mains
        .iter()
        .min_by_key(|main| (main.is_nested, !main.is_public, main.path != "Main"));
    let stem = outline
        .public_type
        .clone()
        .or_else(|| starts.map(|main| main.outermost.clone()))
        .filter(|stem| stem.len() <= CLASS_BYTES_MAX);
    Sketch {
        main: starts.map(|main| format!("{}{}", outline.package, main.path)),
        file_stem: stem,
    }
}

#[cfg(test)]
mod tests;
