//! Reads packages from disk.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use toml::Spanned;

use super::examples::ACCEPTED_FOLDER;
use super::inputs::{ENTRIES_MAX, read_test, test_files};
use super::manifest::{
    CompareTable, DisclosureTable, Level, LimitTable, Manifest, Mode, WrongLayout,
};
use super::program::is_path;
use super::{Checker, Oracle, Package, PackageError, PackageProgram, Reference, Validator, hacks};
use crate::compare;
use crate::config::LimitDefaults;
use crate::domain::bounds::{CONFIG_BYTES_MAX, PROBLEMS_MAX};
use crate::domain::{Digest, Disclosure, Disclosures, Limits, ProblemSlug, TestKind};
use crate::problems;
use crate::util::files::read_regular;
use crate::util::hash::Key;

const MIB: u64 = 1024 * 1024;

/// One folder below `problems/`: a package, or why it is broken.
pub type Loaded = Result<Arc<Package>, PackageError>;

/// Every package of a folder by its name.
pub type Library = BTreeMap<ProblemSlug, Loaded>;

/// The names of the packages below a folder.
pub fn slugs(folder: &Path) -> Result<Vec<ProblemSlug>, PackageError> {
    let entries = std::fs::read_dir(folder).map_err(|error| {
        PackageError::file(
            folder,
            format!("{error}; `problems` in config.toml names this folder"),
        )
    })?;
    let mut slugs = Vec::new();
    for entry in entries.take(4 * PROBLEMS_MAX) {
        let entry = entry.map_err(|error| PackageError::file(folder, error))?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if entry.path().join("problem.toml").is_file()
            && let Ok(slug) = ProblemSlug::new(name)
        {
            slugs.push(slug);
        }
    }
    slugs.sort();
    slugs.truncate(PROBLEMS_MAX);
    Ok(slugs)
}

/// Reads every package below a folder; a broken one does not hide the others.
pub fn load_all(
    folder: &Path,
    defaults: &LimitDefaults,
    oracle: &mut dyn Oracle,
) -> Result<Library, PackageError> {
    Ok(slugs(folder)?
        .into_iter()
        .map(|slug| {
            let loaded = load(folder, &slug, defaults, oracle).map(Arc::new);
            (slug, loaded)
        })
        .collect())
}

/// A digest of names, sizes and times of a package's files: it changes when a package should be read again.
pub fn fingerprint(folder: &Path, slug: &ProblemSlug) -> Digest {
    let root = folder.join(slug.as_str());
    let mut key = Key::new("package-files");
    let mut folders: Vec<PathBuf> = ["", "data/sample", "data/secret", "hacks", ACCEPTED_FOLDER]
        .map(|below| root.join(below))
        .to_vec();
    folders.extend(program_folders(&root));
    for folder in folders {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        let mut files: Vec<PathBuf> = entries
            .take(ENTRIES_MAX)
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        files.sort();
        for file in files {
            let Ok(facts) = std::fs::symlink_metadata(&file) else {
                continue;
            };
            // Results of hacks are ours, and hidden files are nobody's.
            let name = file.file_name().unwrap_or_default();
            let hidden = name.as_encoded_bytes().starts_with(b".");
            let result = name.as_encoded_bytes().ends_with(b".result");
            if facts.is_dir() || hidden || result {
                continue;
            }
            key = key
                .part(file.as_os_str().as_encoded_bytes())
                .part(&facts.len().to_le_bytes())
                .part(&facts.ino().to_le_bytes())
                .part(&facts.mtime().to_le_bytes())
                .part(&facts.mtime_nsec().to_le_bytes())
                .part(&facts.ctime().to_le_bytes())
                .part(&facts.ctime_nsec().to_le_bytes());
        }
    }
    key.finish()
}

/// The folders of the programs that a manifest names: whatever lies beside a program may be compiled with it.
fn program_folders(root: &Path) -> BTreeSet<PathBuf> {
    let Ok((manifest, _)) = read_manifest(&root.join("problem.toml")) else {
        // A broken package is read again when its manifest changes.
        return BTreeSet::new();
    };
    [manifest.reference, manifest.validator, manifest.checker]
        .into_iter()
        .flatten()
        .filter(|path| is_path(path.get_ref()))
        .filter_map(|path| Some(root.join(path.get_ref()).parent()?.to_owned()))
        .filter(|folder| folder != root)
        .collect()
}

/// A manifest and its text.
fn read_manifest(file: &Path) -> Result<(Manifest, String), PackageError> {
    let bytes =
        read_regular(file, CONFIG_BYTES_MAX).map_err(|error| PackageError::file(file, error))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| PackageError::file(file, "is not UTF-8; save it as UTF-8"))?;
    let manifest = toml::from_str(&text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        PackageError::at_offset(file, &text, offset, error.message())
    })?;
    Ok((manifest, text))
}

/// Reads one package. The oracle is asked only where the package has programs of its own.
pub fn load(
    folder: &Path,
    slug: &ProblemSlug,
    defaults: &LimitDefaults,
    oracle: &mut dyn Oracle,
) -> Result<Package, PackageError> {
    let root = folder.join(slug.as_str());
    let file = root.join("problem.toml");
    let (manifest, text) = read_manifest(&file)?;
    let at = |span: Range<usize>, reason: String| {
        PackageError::at_offset(&file, &text, span.start, reason)
    };
    let limits = limits_of(&manifest.limits, defaults, &at)?;
    let (mode, wrong_layout) = match &manifest.compare {
        Some(compare) if manifest.checker.is_some() => {
            return Err(at(
                compare.span(),
                "`[compare]` has no meaning beside `checker`, which does the comparing; take one of the two out".into(),
            ));
        }
        Some(compare) => compare_of(compare.get_ref(), &at)?,
        None => compare_of(&CompareTable::default(), &at)?,
    };
    let (reference, validator, checker) = programs_of(&root, &manifest, &file, &at, oracle)?;
    let mut package = Package {
        slug: slug.clone(),
        folder: root,
        title: manifest.title,
        sources: manifest.sources,
        reference,
        validator,
        checker,
        io: manifest.io,
        limits,
        mode,
        wrong_layout,
        disclosures: disclosures_of(&manifest.disclosure),
        tests: Vec::new(),
        hacks: Vec::new(),
    };
    read_tests(&mut package, oracle)?;
    Ok(package)
}

fn disclosures_of(table: &DisclosureTable) -> Disclosures {
    let level = |level| match level {
        Level::VerdictOnly => Disclosure::VerdictOnly,
        Level::FirstFailure => Disclosure::FirstFailure,
        Level::Full => Disclosure::Full,
    };
    let usual = Disclosures::default();
    Disclosures {
        sample: table.sample.map_or(usual.sample, level),
        secret: table.secret.map_or(usual.secret, level),
        hack: table.hack.map_or(usual.hack, level),
    }
}

type Programs = (Reference, Option<Validator>, Option<Checker>);

/// Reads and builds the programs that the manifest names.
fn programs_of(
    root: &Path,
    manifest: &Manifest,
    file: &Path,
    at: &impl Fn(Range<usize>, String) -> PackageError,
    oracle: &mut dyn Oracle,
) -> Result<Programs, PackageError> {
    let mut program = |path: &Spanned<String>| {
        let complain = |reason: String| at(path.span(), reason);
        let program = PackageProgram::read(root, path.get_ref()).map_err(complain)?;
        oracle
            .build(&program)
            .map_err(|fault| PackageError::fault(file, fault))?
            .map_err(|complaint| complain(complaint.reason))?;
        Ok(program)
    };
    let reference = match &manifest.reference {
        None => Reference::Stored,
        Some(path) if is_path(path.get_ref()) => Reference::Program(program(path)?),
        Some(name) => problems::find(name.get_ref())
            .map(Reference::BuiltIn)
            .ok_or_else(|| at(name.span(), unknown_reference(name.get_ref())))?,
    };
    let validator = manifest.validator.as_ref().map(&mut program).transpose()?;
    let checker = manifest.checker.as_ref().map(&mut program).transpose()?;
    if let Some(protocol) = &manifest.protocol
        && validator.is_none()
        && checker.is_none()
    {
        return Err(at(
            protocol.span(),
            "`protocol` has a meaning only with `validator` or `checker`".into(),
        ));
    }
    let protocol_of = |program: &PackageProgram| match &manifest.protocol {
        Some(protocol) => *protocol.get_ref(),
        None => program.likely_protocol(),
    };
    Ok((
        reference,
        validator.map(|program| Validator {
            protocol: protocol_of(&program),
            program,
        }),
        checker.map(|program| Checker {
            protocol: protocol_of(&program),
            program,
        }),
    ))
}

fn unknown_reference(name: &str) -> String {
    let known: Vec<&str> = problems::ALL.iter().map(|task| task.slug()).collect();
    format!(
        "`{name}` is not a built-in problem; there are {}. A program of the package is named by its path, as in `submissions/accepted/main.cpp`. Without `reference` every test needs a stored answer",
        known.join(", ")
    )
}

fn read_tests(package: &mut Package, oracle: &mut dyn Oracle) -> Result<(), PackageError> {
    for kind in [TestKind::Sample, TestKind::Secret] {
        for file in test_files(&package.folder.join("data").join(kind.word()))? {
            let test = read_test(package, &file, kind, oracle)?;
            package.tests.push(test);
        }
    }
    if package.tests.is_empty() {
        return Err(PackageError::file(
            &package.folder,
            "there are no tests; put inputs that end in .in into data/sample and data/secret",
        ));
    }
    hacks::join(package, oracle)
}

fn limits_of(
    table: &LimitTable,
    defaults: &LimitDefaults,
    at: &impl Fn(Range<usize>, String) -> PackageError,
) -> Result<Limits, PackageError> {
    let seconds = |value: &Option<Spanned<f64>>, name: &str| match value {
        None => Ok(None),
        Some(value) if (0.01..=3600.0).contains(value.get_ref()) => {
            Ok(Some(Duration::from_secs_f64(*value.get_ref())))
        }
        Some(value) => Err(at(
            value.span(),
            format!("`{name}` must be from 0.01 to 3600 seconds"),
        )),
    };
    let mebibytes = |value: &Option<Spanned<u64>>, name: &str, least: u64| match value {
        None => Ok(None),
        Some(value) if (least..=1024 * 1024).contains(value.get_ref()) => {
            Ok(Some(value.get_ref() * MIB))
        }
        Some(value) => Err(at(
            value.span(),
            format!("`{name}` must be from {least} to 1048576 MiB"),
        )),
    };
    let cpu = seconds(&table.cpu_s, "cpu_s")?.unwrap_or(defaults.cpu);
    let floor = Limits::wall_floor(cpu);
    let wall = match (&table.wall_s, seconds(&table.wall_s, "wall_s")?) {
        (Some(span), Some(wall)) if wall < floor => {
            return Err(at(
                span.span(),
                format!(
                    "`wall_s` must be at least 2 × cpu_s + 1 = {} seconds, so that a busy machine costs no student a verdict",
                    floor.as_secs_f64()
                ),
            ));
        }
        (_, Some(wall)) => wall,
        (_, None) => defaults.wall.unwrap_or(floor).max(floor),
    };
    let processes = match &table.processes {
        None => defaults.processes,
        Some(value) if (1..=4096).contains(value.get_ref()) => *value.get_ref(),
        Some(value) => {
            return Err(at(
                value.span(),
                "`processes` must be from 1 to 4096".into(),
            ));
        }
    };
    Ok(Limits {
        cpu,
        wall,
        memory_bytes: mebibytes(&table.memory_mib, "memory_mib", 4)?
            .unwrap_or(defaults.memory_bytes),
        output_bytes: mebibytes(&table.output_mib, "output_mib", 1)?
            .unwrap_or(defaults.output_bytes),
        processes,
        open_files: defaults.open_files,
    })
}

fn compare_of(
    table: &CompareTable,
    at: &impl Fn(Range<usize>, String) -> PackageError,
) -> Result<(compare::Mode, compare::WrongLayout), PackageError> {
    let tolerance = |value: &Option<Spanned<f64>>, name: &str| match value {
        None => Ok(0.0),
        Some(value) if table.mode != Mode::Float => Err(at(
            value.span(),
            format!("`{name}` has a meaning only with mode = \"float\""),
        )),
        Some(value) if value.get_ref().is_finite() && *value.get_ref() >= 0.0 => {
            Ok(*value.get_ref())
        }
        Some(value) => Err(at(
            value.span(),
            format!("`{name}` must be a number that is not negative"),
        )),
    };
    let absolute = tolerance(&table.absolute, "absolute")?;
    let relative = tolerance(&table.relative, "relative")?;
    let mode = match table.mode {
        Mode::Exact => compare::Mode::Exact,
        Mode::Lines => compare::Mode::Lines,
        Mode::Tokens => compare::Mode::Tokens,
        Mode::Float => compare::Mode::Float { absolute, relative },
    };
    let wrong_layout = match table.wrong_layout {
        None | Some(WrongLayout::Presentation) => compare::WrongLayout::Presentation,
        Some(WrongLayout::Wrong) => compare::WrongLayout::Wrong,
    };
    Ok((mode, wrong_layout))
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
