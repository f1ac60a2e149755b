//! From the file's shape to the configuration: every value checked where it stands, every default filled in, every path absolute.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File as OpenFile;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::error::ConfigError;
use super::file::{
    BuildKeys, File, FolderKeys, JudgeKeys, LanguagesFile, LimitKeys, OverviewKeys, SandboxKeys,
    Spot,
};
use super::language::LanguageOverride;
use super::place::{Place, suggestion};
use super::{
    Build, Config, Counts, Folders, Judge, LimitDefaults, Overview, SandboxPolicy, languages,
};
use crate::domain::bounds::CONFIG_BYTES_MAX;
use crate::domain::{LanguageId, Limits};
use crate::sandbox::ALLOWED_MISSING;

const MIB: u64 = 1024 * 1024;

/// Reads and resolves a file.
pub fn load(path: &Path) -> Result<Config, ConfigError> {
    let unreadable = |source| ConfigError::Read {
        file: path.to_owned(),
        source,
    };
    let mut bytes = Vec::new();
    OpenFile::open(path)
        .and_then(|file| file.take(CONFIG_BYTES_MAX + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    if bytes.len() as u64 > CONFIG_BYTES_MAX {
        return Err(unreadable(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {CONFIG_BYTES_MAX} bytes"),
        )));
    }
    parse(ConfigError::text_of(&bytes, path)?, path)
}

/// Resolves a text as if it were the content of this file.
pub fn parse(text: &str, file: &Path) -> Result<Config, ConfigError> {
    let place = Place::new(text, file);
    let shape: File = place.shape()?;
    let absolute = std::path::absolute(file).map_err(|source| ConfigError::Read {
        file: file.to_owned(),
        source,
    })?;
    let folder = absolute.parent().unwrap_or(Path::new("/"));
    Ok(Config {
        folders: place.folders(folder, shape.folders)?,
        judge: place.judge(&shape.judge)?,
        limits: place.limits(&shape.limits)?,
        intake: place.intake(&shape.intake)?,
        build: place.build(&shape.build)?,
        sandbox: place.sandbox(&shape.sandbox)?,
        overview: place.overview(folder, shape.overview)?,
        web: place.web(folder, &shape.web)?,
        languages: languages::resolve(&place, shape.languages)?,
        text: Arc::from(text),
        file: absolute,
    })
}

/// Reads a file that holds nothing but languages.
pub fn parse_languages(
    text: &str,
    file: &Path,
) -> Result<BTreeMap<LanguageId, LanguageOverride>, ConfigError> {
    let place = Place::new(text, file);
    let shape: LanguagesFile = place.shape()?;
    languages::resolve(&place, shape.languages)
}

impl Place<'_> {
    fn folders(&self, base: &Path, keys: FolderKeys) -> Result<Folders, ConfigError> {
        let mut taken: Vec<(&str, PathBuf, Range<usize>)> = Vec::new();
        let mut folder = |key: &'static str, value: Spot<String>| {
            let (text, span) = value.map_or_else(
                || (key.to_owned(), 0..0),
                |value| (value.get_ref().clone(), value.span()),
            );
            if text.is_empty() || text.contains('\0') {
                return Err(self.error(
                    span,
                    format!("`{key}` is not a folder"),
                    "write a path; a relative one begins at this file's folder",
                ));
            }
            let path = tidy(&base.join(text));
            let real = real(&path);
            for (other, other_real, other_span) in &taken {
                // The place of a default is not in the file: then the other one is shown.
                let shown = if span.is_empty() {
                    other_span.clone()
                } else {
                    span.clone()
                };
                let relation = if real == *other_real {
                    format!("`{key}` and `{other}` are the same folder")
                } else if real.starts_with(other_real) {
                    format!("`{key}` lies inside `{other}`")
                } else if other_real.starts_with(&real) {
                    format!("`{other}` lies inside `{key}`")
                } else {
                    continue;
                };
                return Err(self.error(
                    shown,
                    relation,
                    "give each of submissions, problems, reports, staff and state a folder of its own, none inside another",
                ));
            }
            taken.push((key, real, span));
            Ok(path)
        };
        Ok(Folders {
            submissions: folder("submissions", keys.submissions)?,
            problems: folder("problems", keys.problems)?,
            reports: folder("reports", keys.reports)?,
            staff: folder("staff", keys.staff)?,
            state: folder("state", keys.state)?,
        })
    }

    fn judge(&self, keys: &JudgeKeys) -> Result<Judge, ConfigError> {
        let workers = self.narrow("workers", keys.workers.as_ref(), 0, 0..=1024)?;
        Ok(Judge {
            workers: NonZeroUsize::new(workers as usize),
            stop_at_first_failure: keys
                .stop_at_first_failure
                .as_ref()
                .is_none_or(|value| *value.get_ref()),
            skip_superseded: keys
                .skip_superseded
                .as_ref()
                .is_some_and(|value| *value.get_ref()),
            repeat_near_limit: keys
                .repeat_near_limit
                .as_ref()
                .is_none_or(|value| *value.get_ref()),
        })
    }

    fn limits(&self, keys: &LimitKeys) -> Result<LimitDefaults, ConfigError> {
        let cpu = self.seconds("cpu_s", keys.cpu_s.as_ref(), 2.0, 0.01..=3_600.0)?;
        let wall = match &keys.wall_s {
            Some(value) if *value.get_ref() != 0.0 => Some((
                self.seconds("wall_s", keys.wall_s.as_ref(), 0.0, 0.0..=86_400.0)?,
                value,
            )),
            _ => None,
        };
        let floor = Limits::wall_floor(cpu);
        if let Some((wall, value)) = &wall
            && *wall < floor
        {
            return Err(self.error(
                value.span(),
                format!(
                    "`wall_s` is {}, which is less than a busy machine needs",
                    value.get_ref()
                ),
                format!(
                    "it is at least 2 × cpu_s + 1 = {} s; 0 stands for just that",
                    floor.as_secs_f64()
                ),
            ));
        }
        Ok(LimitDefaults {
            cpu,
            wall: wall.map(|(wall, _)| wall),
            memory_bytes: MIB * self.whole("memory_mib", keys.memory_mib.as_ref(), 256, 4..=MIB)?,
            output_bytes: MIB * self.whole("output_mib", keys.output_mib.as_ref(), 16, 1..=1024)?,
            processes: self.narrow("processes", keys.processes.as_ref(), 128, 1..=32_768)?,
            open_files: self.narrow("open_files", keys.open_files.as_ref(), 256, 16..=1_048_576)?,
        })
    }

    fn build(&self, keys: &BuildKeys) -> Result<Build, ConfigError> {
        Ok(Build {
            cpu: self.seconds("cpu_s", keys.cpu_s.as_ref(), 30.0, 1.0..=3_600.0)?,
            memory_bytes: MIB
                * self.whole("memory_mib", keys.memory_mib.as_ref(), 1024, 64..=MIB)?,
        })
    }

    fn sandbox(&self, keys: &SandboxKeys) -> Result<SandboxPolicy, ConfigError> {
        let mut allow_missing = BTreeSet::new();
        for name in &keys.allow_missing {
            if !ALLOWED_MISSING.contains(&name.get_ref().as_str()) {
                return Err(self.error(
                    name.span(),
                    format!("no protection is called `{}`", name.get_ref()),
                    suggestion(name.get_ref(), &ALLOWED_MISSING),
                ));
            }
            allow_missing.insert(name.get_ref().clone());
        }
        Ok(SandboxPolicy { allow_missing })
    }

    fn overview(&self, base: &Path, keys: OverviewKeys) -> Result<Overview, ConfigError> {
        let counts = self.choice(
            "counts",
            keys.counts.as_ref(),
            &[("best", Counts::Best), ("last", Counts::Last)],
        )?;
        let roster = match keys.roster {
            None => None,
            Some(path) if path.get_ref().is_empty() => None,
            Some(path) if path.get_ref().contains('\0') => {
                return Err(self.error(
                    path.span(),
                    "`roster` is not a file",
                    "write a path; a relative one begins at this file's folder",
                ));
            }
            Some(path) => Some(tidy(&base.join(path.get_ref()))),
        };
        Ok(Overview { counts, roster })
    }
}

/// Takes `.` and `..` out of an absolute path.
pub(super) fn tidy(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                tidied.pop();
            }
            Component::CurDir => {}
            other => tidied.push(other),
        }
    }
    tidied
}

/// The same path with the symlinks of the part of it that exists followed, so that one folder under two names is seen to be one.
fn real(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (ancestor.canonicalize(), path.strip_prefix(ancestor)) {
            return if rest.as_os_str().is_empty() {
                real
            } else {
                real.join(rest)
            };
        }
    }
    path.to_owned()
}
