//! A source as its compiler gets it: its name, its bytes, what is found out by looking at it, and
//! the key of its build.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use super::java;
use crate::config::LanguageSpec;
use crate::domain::{Digest, LanguageId, ending};
use crate::util::hash::Key;

pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

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
    /// The names of the other sources of the same language.
    pub others: Vec<String>,
}

impl Prepared<'_> {
    /// The sources that a compiler gets beside it.
    pub fn compiled_with(&self, spec: &LanguageSpec) -> &[String] {
        if spec.all_sources { &self.others } else { &[] }
    }
}

/// Whether something has to be found in the source before it can be started.
pub(super) fn needs_main(spec: &LanguageSpec) -> bool {
    spec.run.iter().any(|word| word.contains("{main}"))
}

/// Whether the program is its source.
pub(super) fn runs_its_source(spec: &LanguageSpec) -> bool {
    spec.run.iter().any(|word| word.contains("{source}"))
}

/// The environment of every command and of every program, before the language's own.
pub(super) fn environment(spec: &LanguageSpec) -> BTreeMap<String, String> {
    let usual = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", "/box"),
        ("LANG", "C.UTF-8"),
        ("TMPDIR", "/tmp"),
        // As at other judges; what a compiler can be told as well stands in the table.
        ("ONLINE_JUDGE", "true"),
    ];
    let usual = usual.map(|(name, value)| (name.to_owned(), value.to_owned()));
    usual.into_iter().chain(spec.env.clone()).collect()
}

/// Looks at a source, and at the names of what lies beside it. A source that has others beside it
/// keeps its name, which they may have in them.
pub(super) fn prepare<'a>(
    spec: &LanguageSpec,
    (file_name, source): (&str, &'a [u8]),
    beside: &[(&str, &[u8])],
) -> Prepared<'a> {
    let bytes = without_mark(spec, source);
    let sketch = if needs_main(spec) {
        java::sketch(bytes)
    } else {
        java::Sketch::default()
    };
    let stem = sketch.file_stem.as_deref().unwrap_or("Main");
    let others = beside.iter().filter(|(name, _)| is_source(spec, name));
    let mut all = others.clone().map(|(_, bytes)| *bytes).chain([bytes]);
    let encoding = if all.all(|bytes| std::str::from_utf8(bytes).is_ok()) {
        "UTF-8"
    } else {
        "ISO-8859-1"
    };
    let others: Vec<String> = others.map(|(name, _)| (*name).to_owned()).collect();
    let name = if others.is_empty() {
        let name = spec.source.replace("{main}", stem);
        name.replace("{extension}", &extension(spec, file_name))
    } else {
        file_name.to_owned()
    };
    Prepared {
        name,
        bytes,
        main: sketch.main,
        encoding,
        others,
    }
}

/// Whether a file is a source of a language.
pub(super) fn is_source(spec: &LanguageSpec, name: &str) -> bool {
    let ending = ending(name).to_ascii_lowercase();
    spec.extensions.contains(&ending) || ending == module_ending(spec)
}

/// What the names of its sources end in where another source names them: that by which one is built.
pub(super) fn module_ending(spec: &LanguageSpec) -> &str {
    match ending(&spec.source) {
        built if !built.contains('}') => built,
        _ => spec.extensions.first().map_or("", String::as_str),
    }
}

/// The source as the compiler gets it.
pub(super) fn without_mark<'a>(spec: &LanguageSpec, source: &'a [u8]) -> &'a [u8] {
    match source.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) if spec.strip_byte_order_mark => rest,
        _ => source,
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

/// The key of one source in one language: everything that can change the built program or how it
/// is started. The file's name counts only as far as the compiler gets to see it.
pub(super) fn build_key(
    id: &LanguageId,
    spec: &LanguageSpec,
    version: &str,
    source: &Prepared<'_>,
) -> Digest {
    let texts = |kind: &str, texts: &[String]| {
        let key = texts
            .iter()
            .fold(Key::new(kind), |key, text| key.part(text.as_bytes()));
        key.finish()
    };
    let commands = spec.build.iter().fold(Key::new("build"), |key, words| {
        key.part(&texts("words", words).0)
    });
    let env = environment(spec)
        .iter()
        .fold(Key::new("env"), |key, (name, value)| {
            key.part(name.as_bytes()).part(value.as_bytes())
        });
    let key = Key::new("build")
        .part(id.as_str().as_bytes())
        .part(version.as_bytes())
        .part(&commands.finish().0)
        .part(&texts("keep", &spec.keep).0)
        .part(&texts("run", &spec.run).0)
        .part(&texts("static", &spec.static_flags).0)
        .part(&texts("memory", &spec.memory_words).0)
        .part(&env.finish().0)
        .part(&spec.memory_extra_mib.to_le_bytes())
        .part(&spec.stack_mib.unwrap_or(0).to_le_bytes())
        .part(&[u8::from(spec.strip_byte_order_mark)])
        .part(source.name.as_bytes())
        .part(source.bytes);
    // With which file a program begins; most languages have no such word, and keep their keys.
    let key = match spec.unit_word.as_str() {
        "" => key,
        word => key.part(word.as_bytes()),
    };
    key.finish()
}
