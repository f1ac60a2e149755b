//! A source as its compiler gets it: its name, its bytes, and what is found out by looking at it.

use std::borrow::Cow;
use std::path::Path;

use super::java;
use crate::config::LanguageSpec;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A source, ready to be laid into the working folder.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    /// Its name there.
    pub name: String,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// The class to start, in a language that has one.
    pub main: Option<String>,
    /// The encoding by which every byte of it is a character.
    pub encoding: &'static str,
}

/// Whether something has to be found in the source before it can be started.
pub(super) fn needs_main(spec: &LanguageSpec) -> bool {
    spec.run.iter().any(|word| word.contains("{main}"))
}

/// Looks at a source.
pub(super) fn prepare<'a>(spec: &LanguageSpec, file_name: &str, source: &'a [u8]) -> Prepared<'a> {
    let bytes = match source.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) if spec.strip_byte_order_mark => rest,
        _ => source,
    };
    let sketch = if needs_main(spec) {
        java::sketch(bytes)
    } else {
        java::Sketch::default()
    };
    let stem = sketch.file_stem.as_deref().unwrap_or("Main");
    let encoding = match std::str::from_utf8(bytes) {
        Ok(_) => "UTF-8",
        Err(_) => "ISO-8859-1",
    };
    Prepared {
        name: spec
            .source
            .replace("{main}", stem)
            .replace("{extension}", &extension(spec, file_name)),
        bytes,
        main: sketch.main,
        encoding,
    }
}

/// The file's own extension where it is one of the language's, else the usual one.
fn extension<'s>(spec: &'s LanguageSpec, file_name: &str) -> Cow<'s, str> {
    let own = Path::new(file_name)
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    match own {
        Some(own) if spec.extensions.contains(&own) => Cow::Owned(own),
        _ => Cow::Borrowed(spec.extensions.first().map_or("", String::as_str)),
    }
}
