//! The key of a build: everything that can change the built program or how it is started.

use super::build::environment;
use crate::config::LanguageSpec;
use crate::domain::{Digest, LanguageId};
use crate::util::hash::Key;

/// The key of one source in one language. The file's name counts only as far as the compiler gets
/// to see it.
pub(super) fn build_key(
    id: &LanguageId,
    spec: &LanguageSpec,
    version: &str,
    source_name: &str,
    source: &[u8],
) -> Digest {
    let texts = |kind: &str, texts: &[String]| {
        texts
            .iter()
            .fold(Key::new(kind), |key, text| key.part(text.as_bytes()))
            .finish()
    };
    let commands = |kind: &str, commands: &[Vec<String>]| {
        commands
            .iter()
            .fold(Key::new(kind), |key, words| {
                key.part(&texts("words", words).0)
            })
            .finish()
    };
    let env = environment(spec)
        .iter()
        .fold(Key::new("env"), |key, (name, value)| {
            key.part(name.as_bytes()).part(value.as_bytes())
        });
    Key::new("build")
        .part(id.as_str().as_bytes())
        .part(version.as_bytes())
        .part(&commands("build", &spec.build).0)
        .part(&texts("keep", &spec.keep).0)
        .part(&texts("run", &spec.run).0)
        .part(&texts("static", &spec.static_flags).0)
        .part(&texts("memory", &spec.memory_words).0)
        .part(&env.finish().0)
        .part(&spec.memory_extra_mib.to_le_bytes())
        .part(&spec.stack_mib.unwrap_or(0).to_le_bytes())
        .part(&[u8::from(spec.strip_byte_order_mark)])
        .part(source_name.as_bytes())
        .part(source)
        .finish()
}
