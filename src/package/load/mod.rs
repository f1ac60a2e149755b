//! Reads packages from disk.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Spanned;

use super::contents::{Package, Remark};
use super::error::PackageError;
use super::folder::{ACCEPTED_FOLDER, ENTRIES_MAX, SECRET_FOLDER};
use super::groups;
use super::hacks;
use super::inputs::{read_test, test_files};
use super::manifest::{Manifest, Named, is_path};
use super::oracle::Oracle;
use super::program::{Checker, PackageProgram, Reference, Validator};
use super::settings;
use super::statement;
use super::strangers;
use super::survey::survey;
use crate::config::{ConfigError, LimitTable, Place, suggestion};
use crate::domain::bounds::{CONFIG_BYTES_MAX, PROBLEMS_MAX};
use crate::domain::{Digest, ProblemSlug, TestKind};
use crate::problems;
use crate::util::files::read_regular;
use crate::util::hash::Key;

/// One folder below `problems/`: a package, or why it is broken.
pub type Loaded = Result<Arc<Package>, PackageError>;

/// Every package of a folder by its name.
pub type Library = BTreeMap<ProblemSlug, Loaded>;

/// The names of the packages below a folder.
pub fn slugs(folder: &Path) -> Result<Vec<ProblemSlug>, PackageError> {
    let entries = std::fs::read_dir(folder).map_err(|error| {
        PackageError::file(
            folder,
            format!("{error}; `problems` under [folders] of the configuration names this folder"),
        )
    })?;
    let mut slugs = Vec::new();
    for entry in entries.take(strangers::ENTRIES_MAX) {
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
    defaults: &LimitTable,
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

/// What lies in a package and is not read; nothing if its manifest cannot be read.
pub fn remarks(folder: &Path, slug: &ProblemSlug) -> Vec<Remark> {
    let root = folder.join(slug.as_str());
    let looked =
        named_in(&root).and_then(|named| survey(&root, &named.programs(), &named.groups()));
    looked.unwrap_or_default()
}

/// A digest of names, sizes and times of a package's files: it changes when a package should be
/// read again.
pub fn fingerprint(folder: &Path, slug: &ProblemSlug) -> Digest {
    let root = folder.join(slug.as_str());
    let mut key = Key::new("package-files");
    let mut folders: Vec<PathBuf> = ["", "data/sample", SECRET_FOLDER, "hacks", ACCEPTED_FOLDER]
        .into_iter()
        .chain(statement::FOLDERS)
        .map(|below| root.join(below))
        .collect();
    // Of a broken manifest nothing is known; the package is read again when that file changes.
    if let Ok(named) = named_in(&root) {
        folders.extend(program_folders(&root, &named));
        let secret = root.join(SECRET_FOLDER);
        folders.extend(named.groups().iter().map(|group| secret.join(group)));
        // Names alone: what is not read is reported again if there is more or less of it.
        key = match survey(&root, &named.programs(), &named.groups()) {
            Ok(remarks) => remarks
                .iter()
                .fold(key, |key, remark| key.part(remark.to_string().as_bytes())),
            Err(error) => key.part(error.in_one_line().as_bytes()),
        };
    }
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

/// The folders of the programs that a manifest names: whatever lies beside a program may be
/// compiled with it.
fn program_folders(root: &Path, named: &Named) -> BTreeSet<PathBuf> {
    named
        .programs()
        .into_iter()
        .filter_map(|path| Some(root.join(path).parent()?.to_owned()))
        .filter(|folder| folder != root)
        .collect()
}

/// Reads a manifest's text, and hands it over for errors with a place.
fn with_manifest<T>(
    root: &Path,
    work: impl FnOnce(&Place<'_>) -> Result<T, PackageError>,
) -> Result<T, PackageError> {
    let file = root.join("problem.toml");
    let bytes = read_regular(&file, CONFIG_BYTES_MAX)
        .map_err(|error| PackageError::unread(&file, error))?;
    work(&Place::new(ConfigError::text_of(&bytes, &file)?, &file))
}

fn named_in(root: &Path) -> Result<Named, PackageError> {
    with_manifest(root, |place| Ok(place.shape(&[], |_| None)?))
}

/// Reads one package. The oracle is asked only if the package has programs of its own.
pub fn load(
    folder: &Path,
    slug: &ProblemSlug,
    defaults: &LimitTable,
    oracle: &mut dyn Oracle,
) -> Result<Package, PackageError> {
    let root = folder.join(slug.as_str());
    let mut package = with_manifest(&root, |place| {
        let manifest = settings::manifest(place, defaults)?;
        // A misspelt name is told where it stands, and not where it is needed.
        groups::check_folders(&manifest.groups, &root.join(SECRET_FOLDER), place)?;
        let groups = groups::groups(&manifest.groups, place)?;
        let named: Named = place.shape(&[], |_| None)?;
        let remarks = survey(&root, &named.programs(), &named.groups())?;
        let (reference, validator, checker) = programs_of(&root, &manifest, place, oracle)?;
        Ok(Package {
            slug: slug.clone(),
            folder: root.clone(),
            io: manifest.io,
            disclosures: manifest.disclosures(),
            limits: manifest.limits.limits(),
            mode: manifest.mode(),
            wrong_layout: manifest.compare.wrong_layout,
            time_factors: manifest.time_factors,
            title: manifest.title,
            statement: statement::statement(&root),
            sources: manifest.sources,
            reference,
            validator,
            checker,
            groups,
            tests: Vec::new(),
            hacks: Vec::new(),
            remarks,
        })
    })?;
    read_tests(&mut package, oracle)?;
    Ok(package)
}

type Programs = (Reference, Option<Validator>, Option<Checker>);

/// Reads and builds the programs that the manifest names.
fn programs_of(
    root: &Path,
    manifest: &Manifest,
    place: &Place<'_>,
    oracle: &mut dyn Oracle,
) -> Result<Programs, PackageError> {
    let mut program = |path: &Spanned<String>| {
        let complain = |reason: String| PackageError::from(place.complaint(path.span(), reason));
        let program = PackageProgram::read(root, path.get_ref()).map_err(complain)?;
        oracle
            .build(&program)
            .map_err(|fault| PackageError::fault(&root.join("problem.toml"), fault))?
            .map_err(|complaint| complain(complaint.reason))?;
        Ok::<_, PackageError>(program)
    };
    let reference = match &manifest.reference {
        None => Reference::Stored,
        Some(path) if is_path(path.get_ref()) => Reference::Program(program(path)?),
        Some(name) => problems::find(name.get_ref())
            .map(Reference::BuiltIn)
            .ok_or_else(|| unknown_reference(place, name))?,
    };
    let validator = manifest.validator.as_ref().map(&mut program).transpose()?;
    let checker = manifest.checker.as_ref().map(&mut program).transpose()?;
    let protocol_of = |program: &PackageProgram| {
        manifest
            .protocol
            .unwrap_or_else(|| program.likely_protocol())
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

fn unknown_reference(place: &Place<'_>, name: &Spanned<String>) -> ConfigError {
    let known: Vec<&str> = problems::ALL.iter().map(|task| task.slug()).collect();
    place.error(
        name.span(),
        format!("`{}` is not a built-in problem", name.get_ref()),
        format!(
            "{}; a program of the package is named by its path, as in \
             `submissions/accepted/main.cpp`; without `reference` every test needs a stored answer",
            suggestion(name.get_ref(), &known)
        ),
    )
}

fn read_tests(package: &mut Package, oracle: &mut dyn Oracle) -> Result<(), PackageError> {
    let alone = [TestKind::Sample, TestKind::Secret];
    let mut folders = alone
        .map(|kind| (kind.word().to_owned(), kind, None))
        .to_vec();
    folders.extend(package.groups.iter().enumerate().map(|(place, group)| {
        let kind = TestKind::Secret;
        (format!("{}/{}", kind.word(), group.name), kind, Some(place))
    }));
    for (folder, kind, group) in folders {
        for file in test_files(&package.folder.join("data").join(&folder))? {
            let answer = file.with_extension("ans");
            let of = (folder.as_str(), kind, group);
            let test = read_test(package, (&file, &answer), of, oracle)?;
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

#[cfg(test)]
mod tests;
