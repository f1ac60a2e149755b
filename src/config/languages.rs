//! The tables `[languages.KEY]` together: those of config.toml laid over the built-in ones.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::Deserializer;
use toml::{Spanned, Table};

use super::error::ConfigError;
use super::language::LanguageSpec;
use super::place::Place;
use super::value::Wrong;
use crate::domain::LanguageId;

/// The built-in table.
pub(super) const BUILT_IN: &str = include_str!("languages.toml");
/// Languages of one file, with the built-in ones.
const LANGUAGES_MAX: usize = 256;

/// Checks every key, and that each language has what it needs.
pub(super) fn languages<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<LanguageId, LanguageSpec>, D::Error> {
    let tables = BTreeMap::<Spanned<String>, LanguageSpec>::deserialize(from)?;
    if tables.len() > LANGUAGES_MAX {
        let message = format!("there are more than {LANGUAGES_MAX} languages");
        return Err(Wrong::new(message, "take some out").error(None));
    }
    let checked = |(key, spec): (Spanned<String>, LanguageSpec)| {
        let name = key.get_ref();
        let id = LanguageId::new(name).map_err(|error| {
            Wrong::new(
                format!("`{name}` cannot be a language's key: {error}"),
                "use lower-case letters, digits, `-` and `_`, as in `cpp` or `python3`",
            )
            .error(Some(key.span()))
        })?;
        Ok((id, (key.span(), spec)))
    };
    let tables: BTreeMap<LanguageId, _> = tables
        .into_iter()
        .map(checked)
        .collect::<Result<_, D::Error>>()?;
    tables
        .into_iter()
        .map(|(id, (span, spec))| match spec.missing() {
            None => Ok((id, spec.completed())),
            Some(missing) => Err(Wrong::new(
                format!("`{id}` is a new language, and it has no `{missing}`"),
                format!(
                    "a new language needs name, extensions, source and run; known ones are {}",
                    built_in().join(", ")
                ),
            )
            .error(Some(span))),
        })
        .collect()
}

/// The keys of the built-in languages.
fn built_in() -> Vec<String> {
    let table: Table = BUILT_IN.parse().unwrap_or_default();
    let languages = table.get("languages").and_then(|value| value.as_table());
    languages.map_or_else(Vec::new, |table| table.keys().cloned().collect())
}

/// Which language an extension means. One that is switched off has what nobody else claims.
pub(super) fn by_extension(
    place: &Place<'_>,
    languages: &BTreeMap<LanguageId, LanguageSpec>,
) -> Result<BTreeMap<String, LanguageId>, ConfigError> {
    let mut extensions: BTreeMap<String, LanguageId> = BTreeMap::new();
    for (id, spec) in languages.iter().filter(|(_, spec)| spec.offer) {
        for extension in &spec.extensions {
            if let Some(other) = extensions.insert(extension.clone(), id.clone()) {
                return Err(twice(place, extension, id, &other));
            }
        }
    }
    for (id, spec) in languages.iter().filter(|(_, spec)| !spec.offer) {
        for extension in &spec.extensions {
            let holder = extensions.entry(extension.clone());
            holder.or_insert_with(|| id.clone());
        }
    }
    Ok(extensions)
}

/// Two languages claim one extension. Built-in ones never do, so one of the two is in the file.
fn twice(place: &Place<'_>, extension: &str, id: &LanguageId, other: &LanguageId) -> ConfigError {
    let claim = |id: &LanguageId| place.value_at(&["languages", id.as_str(), "extensions"]);
    let (list, holder) = match claim(id) {
        Some(list) => (Some(list), other),
        None => (claim(other), id),
    };
    let span = list.map_or(0..0, |list| {
        let elements = list.get_ref().as_array();
        let element = elements.into_iter().flatten().find(|element| {
            let text = element.get_ref().as_str();
            text.is_some_and(|text| text.eq_ignore_ascii_case(extension))
        });
        element.map_or(list.span(), Spanned::span)
    });
    place.error(
        span,
        format!("the extension `{extension}` belongs to `{holder}` already"),
        format!(
            "leave it out, write other `extensions` in [languages.{holder}], or switch that off there with `offer = false`"
        ),
    )
}
