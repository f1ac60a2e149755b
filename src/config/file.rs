//! The shape of config.toml, key by key, before anything is checked or filled in.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

/// A value with its place in the file; `None` where the file does not have the key.
pub(super) type Spot<T> = Option<Spanned<T>>;

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct File {
    pub folders: FolderKeys,
    pub judge: JudgeKeys,
    pub limits: LimitKeys,
    pub intake: IntakeKeys,
    pub build: BuildKeys,
    pub sandbox: SandboxKeys,
    pub overview: OverviewKeys,
    pub web: WebKeys,
    pub languages: BTreeMap<Spanned<String>, LanguageKeys>,
}

/// A file that holds nothing but languages.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LanguagesFile {
    pub languages: BTreeMap<Spanned<String>, LanguageKeys>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct FolderKeys {
    pub submissions: Spot<String>,
    pub problems: Spot<String>,
    pub reports: Spot<String>,
    pub staff: Spot<String>,
    pub state: Spot<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct JudgeKeys {
    pub workers: Spot<i64>,
    pub stop_at_first_failure: Spot<bool>,
    pub skip_superseded: Spot<bool>,
    pub repeat_near_limit: Spot<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LimitKeys {
    pub cpu_s: Spot<f64>,
    pub wall_s: Spot<f64>,
    pub memory_mib: Spot<i64>,
    pub output_mib: Spot<i64>,
    pub processes: Spot<i64>,
    pub open_files: Spot<i64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct IntakeKeys {
    pub source_kib_max: Spot<i64>,
    pub settle_ms: Spot<i64>,
    pub rescan_s: Spot<f64>,
    pub ignore: Option<Vec<Spanned<String>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct BuildKeys {
    pub cpu_s: Spot<f64>,
    pub memory_mib: Spot<i64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct SandboxKeys {
    pub allow_missing: Vec<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OverviewKeys {
    pub counts: Spot<String>,
    pub roster: Spot<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WebKeys {
    pub enabled: Spot<bool>,
    pub students: Spot<String>,
    pub staff: Spot<String>,
    pub staff_token_file: Spot<String>,
    pub hosts: Option<Spanned<Vec<Spanned<String>>>>,
    pub share_reports: Spot<String>,
}

/// One language: see [`super::LanguageSpec`] for what the keys mean.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LanguageKeys {
    pub name: Spot<String>,
    pub extensions: Option<Spanned<Vec<Spanned<String>>>>,
    pub source: Spot<String>,
    pub build: Option<Vec<Spanned<Vec<String>>>>,
    pub keep: Option<Vec<Spanned<String>>>,
    pub run: Spot<Vec<String>>,
    pub version: Spot<Vec<String>>,
    pub install: Option<String>,
    pub echo: Option<String>,
    pub env: Option<BTreeMap<Spanned<String>, Spanned<String>>>,
    pub show: Option<Vec<Spanned<String>>>,
    pub memory_extra_mib: Spot<i64>,
    pub memory_words: Option<Vec<Spanned<String>>>,
    pub stack_mib: Spot<i64>,
    pub static_flags: Option<Vec<String>>,
    pub static_probe: Option<Vec<Spanned<Vec<String>>>>,
    pub strip_byte_order_mark: Option<bool>,
    pub offer: Option<bool>,
}
