//! Reads packages from disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Spanned;

use super::contents::Package;
use super::error::Trouble;
use super::groups::{check_folders, groups};
use super::hacks;
use super::inputs::read_test;
use super::manifest::{self, Manifest, is_path, named};
use super::oracle::Oracle;
use super::program::{Checker, PackageProgram, Reference, Validator};
use super::remarks::Remark;
use super::statement::statement;
use super::strangers::slugs;
use super::tree::{Tree, with_facts};
use crate::config::{Place, suggestion};
use crate::domain::bounds::TESTS_MAX;
use crate::domain::{Complaint, Digest, Limits, ProblemSlug, TestKind};
use crate::problems;
use crate::util::hash::Key;

/// One folder below `problems/`: a package, or why it is broken.
pub type Loaded = Result<Arc<Package>, Trouble>;

/// Every package of a folder by its name.
pub type Library = BTreeMap<ProblemSlug, Loaded>;

/// Reads every package below a folder; a broken one does not hide the others.
pub fn load_all(
    folder: &Path,
    defaults: &Limits,
    oracle: &mut dyn Oracle,
) -> Result<Library, Trouble> {
    Ok(slugs(folder)?
        .into_iter()
        .map(|slug| {
            let loaded = look(folder, &slug).load(defaults, oracle).map(Arc::new);
            (slug, loaded)
        })
        .collect())
}

/// A package's folder as it is found at one look: whatever is said of the package comes from it.
pub struct Seen {
    slug: ProblemSlug,
    root: PathBuf,
    /// The text of problem.toml.
    manifest: Result<String, Trouble>,
    tree: Result<Tree, Trouble>,
    /// A digest of names, sizes and times of the package's files: it changes when the package
    /// should be read again.
    pub fingerprint: Digest,
}

/// Looks at a package's folder.
pub fn look(folder: &Path, slug: &ProblemSlug) -> Seen {
    let root = folder.join(slug.as_str());
    let file = root.join("problem.toml");
    let manifest = manifest::read(&file);
    let tree = match &manifest {
        Ok(text) => named(&Place::new(text, &file))
            .map_err(Trouble::from)
            .and_then(|named| Tree::read(&root, &named)),
        Err(trouble) => Err(trouble.clone()),
    };
    // What was read counts, though the file may be newer than that by now.
    let text = manifest.as_deref().unwrap_or_default();
    let key = Key::new("package-files").part(text.as_bytes());
    let fingerprint = match &tree {
        Ok(tree) => tree.fingerprint(key),
        // Of a broken manifest nothing is known; the package is read again when it changes.
        Err(trouble) => {
            let key = key.part(trouble.in_one_line().as_bytes());
            let facts = std::fs::symlink_metadata(&file);
            facts.iter().fold(key, with_facts).finish()
        }
    };
    Seen {
        slug: slug.clone(),
        root,
        manifest,
        tree,
        fingerprint,
    }
}

impl Seen {
    /// What lies in the package and is not read; nothing if its manifest cannot be read.
    pub fn remarks(self) -> Vec<Remark> {
        self.tree.map(Tree::remarks).unwrap_or_default()
    }

    /// Reads the package. The oracle is asked only if the package has programs of its own.
    pub fn load(self, defaults: &Limits, oracle: &mut dyn Oracle) -> Result<Package, Trouble> {
        let Self { slug, root, .. } = self;
        let (text, file) = (self.manifest?, root.join("problem.toml"));
        let place = &Place::new(&text, &file);
        let manifest = Manifest::parse(place, defaults)?;
        let tree = self.tree?;
        // A misspelt name is told where it stands, and not where it is needed.
        check_folders(&manifest.groups, &tree, place)?;
        let groups = groups(&manifest.groups, place)?;
        tree.check_tests()?;
        let (reference, validator, checker) = programs_of(&root, &tree, &manifest, place, oracle)?;
        let mut package = Package {
            slug,
            io: manifest.io,
            disclosures: manifest.disclosure,
            limits: manifest.limits.with_wall_floor(),
            mode: manifest.compare.mode(),
            wrong_layout: manifest.compare.wrong_layout,
            time_factors: manifest.time_factors,
            title: manifest.title,
            statement: statement(&root, &tree),
            sources: manifest.sources,
            reference,
            validator,
            checker,
            groups,
            tests: Vec::new(),
            hacks: Vec::new(),
            examples: tree.accepted(),
            remarks: Vec::new(),
            folder: root,
        };
        read_tests(&mut package, &tree, oracle)?;
        package.remarks = tree.remarks();
        Ok(package)
    }
}

type Programs = (Reference, Option<Validator>, Option<Checker>);

/// Reads and builds the programs that the manifest names.
fn programs_of(
    root: &Path,
    tree: &Tree,
    manifest: &Manifest,
    place: &Place<'_>,
    oracle: &mut dyn Oracle,
) -> Result<Programs, Trouble> {
    let mut program = |path: &Spanned<String>| {
        let complain = |reason: String| Trouble::from(place.complaint(path.span(), reason));
        let program = PackageProgram::read(root, tree, path.get_ref()).map_err(complain)?;
        oracle.build(&program).map_err(|trouble| match trouble {
            Trouble::Ours(fault) => Trouble::fault(&root.join("problem.toml"), &fault),
            Trouble::Theirs(complaint) => complain(complaint.reason),
        })?;
        Ok::<_, Trouble>(program)
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

fn unknown_reference(place: &Place<'_>, name: &Spanned<String>) -> Complaint {
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

fn read_tests(package: &mut Package, tree: &Tree, oracle: &mut dyn Oracle) -> Result<(), Trouble> {
    let alone =
        [TestKind::Sample, TestKind::Secret].map(|kind| (kind.word().to_owned(), kind, None));
    let groups = package.groups.iter().enumerate().map(|(place, group)| {
        let kind = TestKind::Secret;
        (format!("{}/{}", kind.word(), group.name), kind, Some(place))
    });
    let folders: Vec<_> = alone.into_iter().chain(groups).collect();
    for (folder, kind, group) in folders {
        let below = format!("data/{folder}");
        let files = tree.files(&below, &["in"]);
        if files.len() > TESTS_MAX {
            let folder = package.folder.join(below);
            return Err(Trouble::file(
                &folder,
                format!("more than {TESTS_MAX} tests"),
            ));
        }
        for file in files {
            let answer = file.with_extension("ans");
            let of = (folder.as_str(), kind, group);
            let test = read_test(package, (&file, &answer), of, oracle)?;
            package.tests.push(test);
        }
    }
    if package.tests.is_empty() {
        return Err(Trouble::file(
            &package.folder,
            "there are no tests; put inputs that end in .in into data/sample and data/secret",
        ));
    }
    hacks::join(package, tree, oracle)
}

#[cfg(test)]
mod tests;
