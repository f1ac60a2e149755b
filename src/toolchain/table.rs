//! The embedded table of languages, with what config.toml lays over it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use crate::config::{ConfigError, LanguageOverride, LanguageSpec, parse_languages};
use crate::domain::LanguageId;

const EMBEDDED: &str = include_str!("languages.toml");

/// Keys of config.toml that do not fit the embedded table.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// The embedded table is broken, which a test of this crate excludes.
    #[error("the built-in table of languages: {0}")]
    Embedded(ConfigError),
    /// One table of config.toml does not fit.
    #[error("languages.{key}: {reason}")]
    Entry {
        /// The language's key.
        key: LanguageId,
        /// Where it stands in config.toml.
        span: Range<usize>,
        /// What is wrong.
        reason: String,
        /// The way out.
        help: String,
    },
}

/// All languages, and the one that each extension means.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) languages: BTreeMap<LanguageId, LanguageSpec>,
    pub(super) extensions: BTreeMap<String, LanguageId>,
}

/// Lays config.toml's tables over the embedded ones.
pub(super) fn merge(
    overrides: &BTreeMap<LanguageId, LanguageOverride>,
) -> Result<Table, ToolchainError> {
    let mut entries =
        parse_languages(EMBEDDED, Path::new("languages.toml")).map_err(ToolchainError::Embedded)?;
    let known: Vec<String> = entries.keys().map(ToString::to_string).collect();
    for (id, over) in overrides {
        let merged = entries
            .get(id)
            .map_or_else(|| over.clone(), |embedded| embedded.overlaid(over));
        entries.insert(id.clone(), merged);
    }
    let mut languages = BTreeMap::new();
    for (id, entry) in &entries {
        let spec = entry
            .clone()
            .complete()
            .map_err(|incomplete| ToolchainError::Entry {
                key: id.clone(),
                span: entry.span.clone(),
                reason: format!("`{id}` is a new language, and {incomplete}"),
                help: format!(
                    "a new language needs name, extensions, source and run; known ones are {}",
                    known.join(", ")
                ),
            })?;
        languages.insert(id.clone(), spec);
    }
    let extensions = claims(&languages, overrides)?;
    Ok(Table {
        languages,
        extensions,
    })
}

/// Which language an extension means. One that is switched off has what nobody else claims.
fn claims(
    languages: &BTreeMap<LanguageId, LanguageSpec>,
    overrides: &BTreeMap<LanguageId, LanguageOverride>,
) -> Result<BTreeMap<String, LanguageId>, ToolchainError> {
    let mut extensions: BTreeMap<String, LanguageId> = BTreeMap::new();
    for (id, spec) in languages.iter().filter(|(_, spec)| spec.offer) {
        for extension in &spec.extensions {
            let Some(other) = extensions.insert(extension.clone(), id.clone()) else {
                continue;
            };
            // Two embedded ones never collide, so at least one of the two is in config.toml.
            let span_of = |id: &LanguageId| {
                let over = overrides.get(id)?;
                Some((
                    id.clone(),
                    over.extensions_span.clone().unwrap_or(over.span.clone()),
                ))
            };
            let (key, span) = span_of(id)
                .or_else(|| span_of(&other))
                .unwrap_or_else(|| (id.clone(), 0..0));
            let holder = if key == *id { &other } else { id };
            return Err(ToolchainError::Entry {
                span,
                reason: format!("the extension `{extension}` belongs to `{holder}` already"),
                help: format!(
                    "leave it out, write other `extensions` in [languages.{holder}], or switch that off there with `offer = false`"
                ),
                key,
            });
        }
    }
    for (id, spec) in languages.iter().filter(|(_, spec)| !spec.offer) {
        for extension in &spec.extensions {
            extensions
                .entry(extension.clone())
                .or_insert_with(|| id.clone());
        }
    }
    Ok(extensions)
}
