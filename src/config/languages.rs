//! The tables `[languages.KEY]`, checked one by one. What they lay over the built-in table is checked where the two meet.

use std::collections::BTreeMap;

use toml::Spanned;

use super::error::ConfigError;
use super::file::{LanguageKeys, Spot};
use super::language::LanguageOverride;
use super::place::Place;
use crate::domain::LanguageId;

/// Languages of one file.
const LANGUAGES_MAX: usize = 256;
/// Extensions of one language.
const EXTENSIONS_MAX: usize = 32;
/// Length of an extension or of a source's name, in bytes.
const FILE_NAME_BYTES_MAX: usize = 100;
/// Largest stack or additional memory, in MiB.
const MEMORY_MIB_MAX: u64 = 65_536;

/// Checks every table, and that no two claim one extension.
pub(super) fn resolve(
    place: &Place<'_>,
    tables: BTreeMap<Spanned<String>, LanguageKeys>,
) -> Result<BTreeMap<LanguageId, LanguageOverride>, ConfigError> {
    if let Some((key, _)) = tables.iter().nth(LANGUAGES_MAX) {
        return Err(place.error(
            key.span(),
            format!("there are more than {LANGUAGES_MAX} languages"),
            "take some out",
        ));
    }
    let mut languages = BTreeMap::new();
    let mut claims: BTreeMap<String, String> = BTreeMap::new();
    for (key, table) in tables {
        let id = LanguageId::new(key.get_ref()).map_err(|error| {
            place.error(
                key.span(),
                format!("`{}` cannot be a language's key: {error}", key.get_ref()),
                "use lower-case letters, digits, `-` and `_`, as in `cpp` or `python3`",
            )
        })?;
        claim(place, &mut claims, &id, &table)?;
        languages.insert(id, language(place, &key, table)?);
    }
    Ok(languages)
}

fn claim(
    place: &Place<'_>,
    claims: &mut BTreeMap<String, String>,
    id: &LanguageId,
    table: &LanguageKeys,
) -> Result<(), ConfigError> {
    let Some(extensions) = &table.extensions else {
        return Ok(());
    };
    if table.offer == Some(false) {
        return Ok(());
    }
    for extension in extensions.get_ref() {
        let lower = extension.get_ref().to_ascii_lowercase();
        if let Some(other) = claims.insert(lower, id.to_string()) {
            return Err(place.error(
                extension.span(),
                format!(
                    "the extension `{}` belongs to `{other}` already",
                    extension.get_ref()
                ),
                "an extension says which language a file is in: give it to one language only",
            ));
        }
    }
    Ok(())
}

fn language(
    place: &Place<'_>,
    key: &Spanned<String>,
    table: LanguageKeys,
) -> Result<LanguageOverride, ConfigError> {
    let commands = |name: &str, commands: Option<Vec<Spanned<Vec<String>>>>| {
        commands
            .map(|commands| {
                commands
                    .into_iter()
                    .map(|words| command(place, name, words))
                    .collect::<Result<Vec<_>, _>>()
            })
            .transpose()
    };
    let single = |name: &str, words: Spot<Vec<String>>| {
        words.map(|words| command(place, name, words)).transpose()
    };
    let mib = |name: &str, value: &Spot<i64>| {
        let smallest = u64::from(name == "stack_mib");
        value
            .is_some()
            .then(|| place.whole(name, value.as_ref(), smallest, smallest..=MEMORY_MIB_MAX))
            .transpose()
    };
    Ok(LanguageOverride {
        span: key.span(),
        extensions_span: table.extensions.as_ref().map(Spanned::span),
        name: table
            .name
            .map(|name| filled(place, "name", name))
            .transpose()?,
        extensions: table
            .extensions
            .map(|list| extensions(place, &list))
            .transpose()?,
        source: table
            .source
            .map(|source| file_name(place, "source", source))
            .transpose()?,
        build: commands("build", table.build)?,
        keep: list(table.keep, |name| file_name(place, "keep", name))?,
        run: single("run", table.run)?,
        version: single("version", table.version)?,
        install: table.install,
        echo: table.echo,
        env: table.env.map(|env| environment(place, env)).transpose()?,
        show: list(table.show, |path| absolute(place, path))?,
        memory_extra_mib: mib("memory_extra_mib", &table.memory_extra_mib)?,
        memory_words: list(table.memory_words, |word| {
            filled(place, "memory_words", word)
        })?,
        stack_mib: mib("stack_mib", &table.stack_mib)?,
        static_flags: table.static_flags,
        static_probe: commands("static_probe", table.static_probe)?,
        strip_byte_order_mark: table.strip_byte_order_mark,
        offer: table.offer,
    })
}

fn list<T>(
    values: Option<Vec<Spanned<T>>>,
    check: impl Fn(Spanned<T>) -> Result<T, ConfigError>,
) -> Result<Option<Vec<T>>, ConfigError> {
    values
        .map(|values| values.into_iter().map(check).collect())
        .transpose()
}

fn command(
    place: &Place<'_>,
    name: &str,
    words: Spanned<Vec<String>>,
) -> Result<Vec<String>, ConfigError> {
    let program_is_named = words.get_ref().first().is_some_and(|word| !word.is_empty());
    if !program_is_named || words.get_ref().iter().any(|word| word.contains('\0')) {
        return Err(place.error(
            words.span(),
            format!("`{name}` is not a command"),
            "write the program and its arguments as a list: [\"program\", \"argument\"]",
        ));
    }
    Ok(words.into_inner())
}

fn filled(place: &Place<'_>, name: &str, value: Spanned<String>) -> Result<String, ConfigError> {
    if value.get_ref().trim().is_empty() {
        return Err(place.error(
            value.span(),
            format!("`{name}` is empty"),
            "write something between the quotation marks, or take it out",
        ));
    }
    Ok(value.into_inner())
}

fn file_name(place: &Place<'_>, name: &str, value: Spanned<String>) -> Result<String, ConfigError> {
    let text = value.get_ref();
    if text.is_empty()
        || text.len() > FILE_NAME_BYTES_MAX
        || text.starts_with('.')
        || text.contains(['/', '\0'])
    {
        return Err(place.error(
            value.span(),
            format!("`{name}` is not a plain file name"),
            "write a name without folders, as in `main.cpp`",
        ));
    }
    Ok(value.into_inner())
}

fn absolute(place: &Place<'_>, value: Spanned<String>) -> Result<String, ConfigError> {
    let text = value.get_ref();
    if !text.starts_with('/') || text.contains('\0') || text.split('/').any(|part| part == "..") {
        return Err(place.error(
            value.span(),
            format!("`{}` is not an absolute path", text.escape_debug()),
            "write it from `/` on and without `..`: the sandbox shows it at the same place",
        ));
    }
    Ok(value.into_inner())
}

fn extensions(
    place: &Place<'_>,
    list: &Spanned<Vec<Spanned<String>>>,
) -> Result<Vec<String>, ConfigError> {
    if list.get_ref().is_empty() || list.get_ref().len() > EXTENSIONS_MAX {
        return Err(place.error(
            list.span(),
            format!("a language has 1 to {EXTENSIONS_MAX} extensions"),
            "to switch a language off, write `offer = false`",
        ));
    }
    let plain = |character: char| character.is_ascii_alphanumeric() || "+-_".contains(character);
    list.get_ref()
        .iter()
        .map(|extension| {
            let text = extension.get_ref();
            if text.is_empty() || text.len() > FILE_NAME_BYTES_MAX || !text.chars().all(plain) {
                return Err(place.error(
                    extension.span(),
                    format!("`{}` is not an extension", text.escape_debug()),
                    "write it without the dot: letters, digits, `+`, `-` and `_`",
                ));
            }
            Ok(text.to_ascii_lowercase())
        })
        .collect()
}

fn environment(
    place: &Place<'_>,
    env: BTreeMap<Spanned<String>, Spanned<String>>,
) -> Result<BTreeMap<String, String>, ConfigError> {
    env.into_iter()
        .map(|(name, value)| {
            if name.get_ref().is_empty()
                || name.get_ref().contains(['=', '\0'])
                || value.get_ref().contains('\0')
            {
                return Err(place.error(
                    name.span(),
                    "this cannot be an environment variable".to_owned(),
                    "a name has a character or more, and no `=`",
                ));
            }
            Ok((name.into_inner(), value.into_inner()))
        })
        .collect()
}
