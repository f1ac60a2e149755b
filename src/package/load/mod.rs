//! Reads packages from disk.

mod own;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::contents::{Package, Test};
use super::error::Trouble;
use super::format::{Format, format_of};
use super::hacks;
use super::included::Included;
use super::inputs::{read_test, said_of};
use super::kattis::{self, Expectations, NOT_USED};
use super::manifest::{self, ICPC_ONLY, Protocol, named};
use super::oracle::{Case, Oracle};
use super::outline::{Answers, Found, Outline, Part};
use super::program::{Checker, PackageProgram, Reference, Validator, accepted_examples};
use super::remarks::{Remark, Remarks};
use super::samples::samples;
use super::statement::{statement, statement_in_pdf};
use super::strangers::slugs;
use super::tree::{ACCEPTED_FOLDER, HACKS_FOLDER, Named, Tree, with_facts};
use super::zipped::Home;
use crate::config::Place;
use crate::domain::{Complaint, Digest, Limits, ProblemSlug, Rounds, TestKind, Verdict};
use crate::util::hash::Key;

const NO_CHECKTESTDATA: &str = "checktestdata is a language that config.toml can add, as `Making a problem` in the handbook shows";

const NO_JUDGE: &str = "`checker` has no meaning beside an `interactor` that is asked in the ICPC's way, \
                        which says itself what a program is worth: take one of the two out";

const NONE_RIGHT: &str = "no program here is right on every test of the package, so hacks need their answers, \
                          and no counterexamples are looked for";

/// One folder or zip file in `problems/`: a package, or why it is broken.
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
    home: Home,
    format: Format,
    /// The manifest.
    file: PathBuf,
    /// Its text.
    manifest: Result<String, Trouble>,
    tree: Result<Tree, Trouble>,
    /// A digest of names, sizes and times of the package's files, or of its zip file and its hacks:
    /// it changes when the package should be read again.
    pub fingerprint: Digest,
}

/// Looks at a package.
pub fn look(folder: &Path, slug: &ProblemSlug) -> Seen {
    seen(slug.clone(), Home::of(folder, slug))
}

/// Looks at a package in a folder of another name.
pub fn look_at(root: PathBuf, slug: &ProblemSlug) -> Seen {
    let hacks = root.join(HACKS_FOLDER);
    let home = Home {
        root,
        zip: None,
        hacks,
    };
    seen(slug.clone(), home)
}

fn seen(slug: ProblemSlug, home: Home) -> Seen {
    let root = &home.root;
    let found = format_of(root);
    let (format, file) = found.unwrap_or_else(|| (Format::Own, root.join("problem.toml")));
    let manifest = manifest::read(&file);
    let tree = manifest.clone().and_then(|text| {
        let named = match format {
            Format::Own => named(&Place::new(&text, &file))?,
            Format::Kattis => Named {
                format,
                constants: kattis::constants(&text, &file),
                ..Named::default()
            },
        };
        let mut tree = Tree::read(root, &named)?;
        if home.zip.is_some() {
            tree.add(&home.hacks, HACKS_FOLDER, &named)?;
        }
        Ok(tree)
    });
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
        fingerprint: home.fingerprint().unwrap_or(fingerprint),
        slug,
        home,
        format,
        file,
        manifest,
        tree,
    }
}

impl Seen {
    /// What is to be said of the package beside what is wrong with it; nothing if its manifest
    /// cannot be read, or while it is a zip file that nobody has read.
    pub fn remarks(self, defaults: &Limits) -> Vec<Remark> {
        let outline = self.outline(defaults);
        let remarks = outline.map(|outline| outline.remarks.finish());
        let unread = self.tree.map(Tree::remarks);
        [remarks.unwrap_or_default(), unread.unwrap_or_default()].concat()
    }

    /// What the package says of itself.
    fn outline(&self, defaults: &Limits) -> Result<Outline, Trouble> {
        let (text, tree) = (self.manifest.clone()?, self.tree.as_ref());
        let tree = tree.map_err(Clone::clone)?;
        let (root, file) = (&self.home.root, self.file.as_path());
        match self.format {
            Format::Own => own::outline(root, &Place::new(&text, file), tree, defaults),
            Format::Kattis => {
                let silent = own::silent(file, defaults)?;
                kattis::outline(root, (&text, file), tree, defaults, silent.disclosure)
            }
        }
    }

    /// Reads the package. The oracle is asked only if the package has programs of its own.
    pub fn load(mut self, defaults: &Limits, oracle: &mut dyn Oracle) -> Result<Package, Trouble> {
        if let Some(zip) = &self.home.zip {
            // Until then its folder may be an old one, or none.
            self.home.unpack(zip)?;
            self = seen(self.slug, self.home);
        }
        let mut outline = self.outline(defaults)?;
        let (slug, root) = (self.slug, self.home.root);
        let (text, file, tree) = (self.manifest?, self.file, self.tree?);
        let place = &Place::new(&text, &file);
        tree.check_tests()?;
        // A program that problem.toml names is complained of where it stands there.
        let complain = |part: &Part, reason: String| match self.format {
            Format::Own => place.complaint(part.span.clone(), reason),
            Format::Kattis => Complaint::new(root.join(&part.path), reason),
        };
        let (reference, validators, checker) =
            programs_of(&root, &tree, &mut outline, &complain, oracle)?;
        let mut package = Package {
            slug,
            format: outline.format,
            io: outline.io,
            disclosures: outline.disclosure,
            limits: outline.limits.with_wall_floor(),
            multipliers: outline.multipliers,
            mode: outline.mode,
            wrong_layout: outline.wrong_layout,
            time_factors: outline.time_factors,
            title: outline.title,
            statement: None,
            pdf: statement_in_pdf(&tree),
            sources: outline.sources,
            reference,
            validators,
            other_arguments: outline.other_arguments,
            checker,
            included: Arc::new(Included::read(&tree, (&text, &file))?),
            groups: outline.groups,
            tests: Vec::new(),
            constants: tree.constants.clone(),
            validation_data: outline.validation_data,
            hacks: Vec::new(),
            examples: Vec::new(),
            expected: outline.expected,
            remarks: Vec::new(),
            folder: root,
        };
        let is_kattis = package.format == Format::Kattis;
        let samples = is_kattis.then(|| samples(&tree, package.talks()));
        package.statement = statement(&package.folder, &tree, samples);
        package.tests = read_tests(&package, &outline.tests, oracle)?;
        package.examples = vouching(&package, &tree);
        if is_kattis {
            for (file, words) in refused_answers(&package, oracle)? {
                outline.remarks.add(&file, words);
            }
            // What a program says to another one is no answer.
            if !package.talks() {
                package.reference = answerer(&package, oracle, &mut outline.remarks)?;
            }
        }
        hacks::join(&mut package, &tree, oracle)?;
        package.remarks = [outline.remarks.finish(), tree.remarks()].concat();
        Ok(package)
    }
}

fn read_tests(
    package: &Package,
    tests: &[Found],
    oracle: &mut dyn Oracle,
) -> Result<Vec<Test>, Trouble> {
    if tests.is_empty() {
        return Err(Trouble::file(
            &package.folder,
            "there are no tests; put inputs that end in .in into data/sample and data/secret",
        ));
    }
    let read = tests.iter().map(|found| {
        let answer = found.file.with_extension("ans");
        read_test(package, found, &answer, oracle)
    });
    read.collect()
}

type Programs = (Reference, Vec<Validator>, Option<Checker>);

/// Reads and builds the programs of a package; `complain` says where one is named.
fn programs_of(
    root: &Path,
    tree: &Tree,
    outline: &mut Outline,
    complain: &dyn Fn(&Part, String) -> Complaint,
    oracle: &mut dyn Oracle,
) -> Result<Programs, Trouble> {
    let mut program = |part: &Part| {
        let program = PackageProgram::read(root, tree, part);
        let program = program.map_err(|reason| complain(part, reason))?;
        oracle.build(&program).map_err(|trouble| match trouble {
            Trouble::Ours(fault) => Trouble::fault(&root.join(&part.path), &fault),
            Trouble::Theirs(complaint) => complain(part, complaint.reason).into(),
        })?;
        Ok::<_, Trouble>(program)
    };
    let reference = match outline.reference.take() {
        None => Reference::Stored,
        Some(Answers::BuiltIn(task)) => Reference::BuiltIn(task),
        Some(Answers::Program(part)) => Reference::Program(program(&part)?),
    };
    let protocol_of = |part: &Part, program: &PackageProgram| {
        part.protocol.unwrap_or_else(|| program.likely_protocol())
    };
    let mut validators = Vec::new();
    for part in &outline.validators {
        let program = match program(part) {
            Err(Trouble::Theirs(why)) if part.is_optional => {
                let words = format!("{NOT_USED}: {}; {NO_CHECKTESTDATA}", why.reason);
                outline.remarks.add(&root.join(&part.path), words);
                continue;
            }
            program => program?,
        };
        validators.push(Validator {
            protocol: protocol_of(part, &program),
            program,
            arguments: part.arguments.clone(),
        });
    }
    let mut checker = |part: &Part| {
        let program = program(part)?;
        Ok::<_, Trouble>(Checker {
            protocol: protocol_of(part, &program),
            program,
            arguments: part.arguments.clone(),
            rounds: Rounds::default(),
            gives: outline.gives,
            judge: None,
        })
    };
    let judge = outline.judge.as_ref().map(&mut checker).transpose()?;
    let found = outline.checker.as_ref().map(&mut checker).transpose()?;
    let Some((part, mut checker)) = outline.checker.as_ref().zip(found) else {
        return Ok((reference, validators, None));
    };
    let is_testlib = checker.protocol == Protocol::Testlib;
    if outline.rounds.passes > 1 && is_testlib {
        let words = format!("it asks for passes, and has to speak as the ICPC's do: {ICPC_ONLY}");
        return Err(complain(part, words).into());
    }
    if let Some(part) = outline.judge.as_ref().filter(|_| !is_testlib) {
        return Err(complain(part, NO_JUDGE.to_owned()).into());
    }
    checker.rounds = outline.rounds;
    // Where another one judges after it, the points are that one's to give.
    checker.gives = outline.gives.filter(|_| judge.is_none());
    checker.judge = judge.map(Box::new);
    Ok((reference, validators, Some(checker)))
}

/// The secret tests whose stored answer the package's own checker does not accept: where that
/// judges, the answer need not be an output. That of a sample has to be, for it is shown as one.
fn refused_answers(
    package: &Package,
    oracle: &mut dyn Oracle,
) -> Result<Vec<(PathBuf, String)>, Trouble> {
    let mut refused = Vec::new();
    for test in &package.tests {
        let expected = test.expected.read()?;
        let case = Case {
            input: &test.input.read()?,
            answer: &expected,
            output: &expected,
            told: test.name.told.as_ref(),
        };
        let said = said_of(package, &test.file, &case, oracle)?;
        let Some(said) = said.filter(|said| said.verdict != Verdict::Accepted) else {
            continue;
        };
        let file = test.file.with_extension("ans");
        let why = said
            .words
            .map_or(String::new(), |words| format!(": {words}"));
        let reason = format!("the package's output validator does not accept this answer{why}");
        if test.name.kind == TestKind::Sample {
            return Err(Trouble::file(&file, reason));
        }
        refused.push((file, reason));
    }
    Ok(refused)
}

/// The programs that the package promises to be right on every test, or that may be where accepted
/// means some of the points.
fn vouching(package: &Package, tree: &Tree) -> Vec<PathBuf> {
    let accepted = tree.below(ACCEPTED_FOLDER).filter(|entry| {
        let name = format!("accepted/{}", entry.name());
        let of_file = |expected: &Expectations| expected.is_right(&name);
        package.expected.as_ref().is_none_or(of_file)
    });
    accepted.map(|entry| entry.file.clone()).collect()
}

/// Who answers hacks in a package whose answers are all stored: the first accepted example that
/// can be built here, and is right where accepted alone does not say so.
fn answerer(
    package: &Package,
    oracle: &mut dyn Oracle,
    remarks: &mut Remarks,
) -> Result<Reference, Trouble> {
    let mut wrong = None;
    for example in accepted_examples(&package.examples, &package.constants)? {
        let program = PackageProgram::of_example(&example, &package.slug, &package.included);
        if !oracle.has_language(&program)? {
            continue;
        }
        match oracle.build(&program) {
            Err(Trouble::Theirs(_)) => continue,
            built => built?,
        }
        if !package.accepts_in_part() {
            return Ok(Reference::Example(program));
        }
        match oracle.prove(package, &example) {
            Ok(()) => return Ok(Reference::Example(program)),
            Err(Trouble::Theirs(why)) => wrong = wrong.or(Some(why.reason)),
            Err(ours) => return Err(ours),
        }
    }
    if let Some(why) = wrong {
        let words = format!("{NONE_RIGHT}; the first one: {why}");
        remarks.add(&package.folder.join(ACCEPTED_FOLDER), words);
    }
    Ok(Reference::Stored)
}

#[cfg(test)]
mod tests;
