//! What problem.toml settles where one value has a meaning only beside another.

use super::manifest::{DEFAULTS, Manifest, TOLERANCE, foreign_key};
use crate::compare::Mode;
use crate::config::{ConfigError, LimitTable, Place};
use crate::domain::Disclosures;

/// Reads the file and checks what concerns several of its values.
pub(super) fn manifest(place: &Place<'_>, defaults: &LimitTable) -> Result<Manifest, ConfigError> {
    let manifest: Manifest = place.shape(&[DEFAULTS, &defaults.to_toml()], foreign_key)?;
    if manifest.checker.is_some()
        && let Some(span) = place.span_of(&["compare"])
    {
        return Err(place.error(
            span,
            "`[compare]` has no meaning beside `checker`, which does the comparing",
            "take one of the two out",
        ));
    }
    for key in ["absolute", "relative"] {
        if !matches!(manifest.compare.mode, Mode::Float { .. })
            && let Some(span) = place.span_of(&["compare", key])
        {
            return Err(place.error(
                span,
                format!("`{key}` has a meaning only with mode = \"float\""),
                "write `mode = \"float\"` under `[compare]`, or take the key out",
            ));
        }
    }
    if manifest.validator.is_none()
        && manifest.checker.is_none()
        && let Some(span) = place.span_of(&["protocol"])
    {
        return Err(place.error(
            span,
            "`protocol` has a meaning only with `validator` or `checker`",
            "take it out, or name the program that it is about",
        ));
    }
    manifest.limits.check(place)?;
    Ok(manifest)
}

impl Manifest {
    /// How outputs are compared.
    pub(super) fn mode(&self) -> Mode {
        let table = &self.compare;
        let (absolute, relative) = match (table.absolute, table.relative) {
            (None, None) => (TOLERANCE, TOLERANCE),
            (absolute, relative) => (absolute.unwrap_or(0.0), relative.unwrap_or(0.0)),
        };
        match table.mode {
            Mode::Float { .. } => Mode::Float { absolute, relative },
            other => other,
        }
    }

    /// What students are shown.
    pub(super) fn disclosures(&self) -> Disclosures {
        let table = &self.disclosure;
        Disclosures {
            sample: table.sample,
            secret: table.secret,
            hack: table.hack,
            counterexample: table.counterexample,
        }
    }
}

#[cfg(test)]
mod tests;
