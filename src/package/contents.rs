//! What a package is once it is read.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::bytes::TestBytes;
use super::constants::Constants;
use super::format::Format;
use super::included::Included;
use super::kattis::Expectations;
use super::manifest::Io;
use super::outline::Found;
use super::program::{Checker, PackageProgram, Reference, Validator};
use super::remarks::Remark;
use super::tree::HACKS_FOLDER;
use crate::compare;
use crate::domain::{
    Digest, Disclosures, Fault, Groups, LanguageId, Limits, Multipliers, ProblemSlug, TestRef,
    TimeFactor,
};
use crate::problems::{Normalisation, Task};
use crate::util::hash::Key;

/// A package that people can be graded on.
#[derive(Clone)]
pub struct Package {
    /// The name of its folder or zip file.
    pub slug: ProblemSlug,
    /// Where it is read.
    pub folder: PathBuf,
    pub format: Format,
    pub title: String,
    /// Its statement, as HTML; `None` if it has none that can be shown.
    pub statement: Option<Arc<str>>,
    /// The same as a PDF.
    pub pdf: Option<PathBuf>,
    /// Where the problem comes from.
    pub sources: Vec<String>,
    /// Who answers its tests.
    pub reference: Reference,
    /// The programs that say whether an input is valid: all of them have to let it pass.
    pub validators: Vec<Validator>,
    /// What else they may be told about an input that is none of the tests: what they are told about
    /// those of some folder.
    pub other_arguments: Vec<Vec<String>>,
    /// The program that says whether an output is right; it takes the place of `mode`.
    pub checker: Option<Checker>,
    /// What is compiled with what people hand in.
    pub included: Arc<Included>,
    /// How programs read and write.
    pub io: Io,
    /// What programs may use.
    pub limits: Limits,
    /// How a CPU limit would follow from its examples.
    pub multipliers: Multipliers,
    /// By how much programs in some languages may take longer, in place of what the course says.
    pub time_factors: BTreeMap<LanguageId, TimeFactor>,
    /// How outputs are compared.
    pub mode: compare::Mode,
    /// What the right words in the wrong layout are.
    pub wrong_layout: compare::WrongLayout,
    /// What students are shown of the tests.
    pub disclosures: Disclosures,
    /// The groups of tests that bring points.
    pub groups: Groups,
    /// The tests in the order in which they are run: samples, secret ones in no group, those of each
    /// group, hacks; all of these in the order in which people count.
    pub tests: Vec<Test>,
    /// What stands in its programs by name.
    pub constants: Constants,
    /// What only tries its own programs.
    pub validation_data: Vec<Found>,
    /// Every file in `hacks/`, and whether it is one of the tests.
    pub hacks: Vec<Hack>,
    /// The programs that it promises to be right, or to be worth some of the points, as the files that
    /// they are.
    pub examples: Vec<PathBuf>,
    /// What its examples have to come to, where more than their folder says it.
    pub expected: Option<Expectations>,
    /// What lies in its folder and is not read.
    pub remarks: Vec<Remark>,
}

#[derive(Clone)]
pub struct Test {
    /// Its name, kind and digests.
    pub name: TestRef,
    /// The file it was read from.
    pub file: PathBuf,
    /// The input in its normal form.
    pub input: TestBytes,
    /// The expected output.
    pub expected: TestBytes,
    /// What had to be normalised in the file.
    pub notes: Vec<Normalisation>,
}

impl Test {
    /// Its input and its answer.
    pub fn read(&self) -> Result<[Arc<[u8]>; 2], Fault> {
        Ok([self.input.read()?, self.expected.read()?])
    }
}

impl Package {
    /// Whether whoever has some of the points counts as accepted, as in a legacy Kattis package with
    /// points: then a program in `submissions/accepted` need not be right.
    pub fn accepts_in_part(&self) -> bool {
        self.format == Format::Kattis && self.expected.is_none() && !self.groups.is_empty()
    }

    /// Whether its checker takes part in the runs, so that nobody can ask it about an output.
    pub fn talks(&self) -> bool {
        let checker = self.checker.as_ref();
        checker.is_some_and(|checker| checker.rounds.is_talk())
    }

    /// Whether nobody can tell what its checker, or a program, would be told on another input than
    /// its tests.
    pub fn knows_only_its_tests(&self) -> bool {
        self.talks() || self.tests.iter().any(|test| test.name.told.is_some())
    }

    /// Whether two tests are the same one. A program that talks may be told what is in the answer.
    pub fn are_twins(&self, one: &TestRef, other: &TestRef) -> bool {
        one.input == other.input
            && one.told == other.told
            && (!self.talks() || one.expected == other.expected)
    }

    /// Where hacks are dropped: beside a zip file too, whose own folder is made anew.
    pub fn hacks_folder(&self) -> PathBuf {
        self.folder
            .with_file_name(self.slug.as_str())
            .join(HACKS_FOLDER)
    }

    /// A program that lies somewhere, as it would be handed in. In an example of this package its
    /// constants have their values.
    pub fn read_program(&self, file: &Path, bytes_max: u64) -> io::Result<(String, Vec<u8>)> {
        let real = |path: &Path| path.canonicalize().ok();
        let folder = real(&self.folder);
        let is_own = real(file).zip(folder);
        if is_own.is_some_and(|(file, folder)| file.starts_with(folder)) {
            return self.constants.program(file, bytes_max);
        }
        Constants::default().program(file, bytes_max)
    }

    /// The built-in problem that answers its tests, if one does.
    pub fn task(&self) -> Option<&'static dyn Task> {
        match self.reference {
            Reference::BuiltIn(task) => Some(task),
            Reference::Program(_) | Reference::Stored | Reference::Example(_) => None,
        }
    }

    /// Its programs, and what each is there for.
    pub fn programs(&self) -> impl Iterator<Item = (&'static str, &PackageProgram)> {
        let reference = self.reference.program();
        let validators = self.validators.iter();
        let checkers = self.checker.iter().flat_map(Checker::programs);
        (reference.into_iter().map(|program| ("reference", program)))
            .chain(validators.map(|validator| ("validator", &validator.program)))
            .chain(checkers.map(|program| ("checker", program)))
    }

    /// How comparison is done, as a word that changes when its result may change.
    pub fn compare_key(&self) -> String {
        match &self.checker {
            Some(checker) => checker.key_text(),
            None => format!("{} {}", self.mode.key_text(), self.wrong_layout.key_text()),
        }
    }

    /// How outputs are compared, for people.
    pub fn compare_words(&self) -> String {
        match &self.checker {
            Some(checker) => {
                let (path, rounds) = (&checker.program.path, checker.rounds);
                let passes = match rounds.passes {
                    1 => String::new(),
                    passes => format!(", in up to {passes} passes"),
                };
                if let Some(judge) = &checker.judge {
                    let judge = &judge.program.path;
                    format!("programs talk with {path}, and {judge} judges what that writes")
                } else if rounds.interactive {
                    format!("programs talk with {path}, which judges them{passes}")
                } else {
                    format!("outputs are judged by {path}{passes}")
                }
            }
            None => format!("outputs are compared {}", self.mode.words()),
        }
    }

    /// A digest of everything in the package that a verdict, or what is reported of it, depends on.
    pub fn judging_digest(&self) -> Digest {
        let mut key = Key::new("package")
            .part(self.slug.as_str().as_bytes())
            .part(self.io.key_text().as_bytes())
            .part(self.limits.key_text().as_bytes())
            .part(self.compare_key().as_bytes())
            .part(self.disclosures.key_text().as_bytes());
        for (language, factor) in &self.time_factors {
            let percent = factor.percent().unwrap_or(100);
            key = key.part(format!("time factor {language} {percent}").as_bytes());
        }
        if !self.included.is_empty() {
            key = key.part(&self.included.digest().0);
        }
        for group in self.groups.key_texts() {
            key = key.part(group.as_bytes());
        }
        for test in &self.tests {
            key = key
                .part(test.name.name.as_bytes())
                .part(&test.name.input.0)
                .part(&test.name.expected.0);
            if let Some(place) = test.name.group {
                key = key.part(&(place as u64).to_le_bytes());
            }
            if let Some(told) = &test.name.told {
                let told = told.iter().map(|argument| format!("told {argument}"));
                key = told.fold(key.part(b"told"), |key, argument| {
                    key.part(argument.as_bytes())
                });
            }
        }
        key.finish()
    }
}

/// A file in `hacks/` and what happened to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hack {
    pub file: PathBuf,
    /// The test's name, where it joins: `hack/evil`.
    pub name: String,
    /// Digest of the file as it is.
    pub digest: Digest,
    /// What the instructor says of it, from the file of the same name that ends in `.note`.
    pub note: Option<String>,
    /// Whether it is one of the tests.
    pub outcome: HackOutcome,
}

/// What happened to a hack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HackOutcome {
    /// It is one of the tests.
    Joined {
        /// What was undone to make it one.
        undone: Vec<Normalisation>,
        /// Accepted examples that could not be tried on it here, each with the reason.
        untried: Vec<String>,
    },
    /// It is not, for this reason.
    Refused(String),
    /// It is not, and that is our fault: two algorithms of ours disagree.
    Disagreement(String),
    /// It is valid, and not one of the tests: this accepted example of the package fails on it.
    HeldBack(String),
    /// It is valid, and not one of the tests yet: a fault of ours kept the accepted examples from
    /// being run on it.
    Untried(String),
}

impl HackOutcome {
    /// Why it is not one of the tests; empty if it is.
    pub(super) fn reason(&self) -> &str {
        match self {
            Self::Joined { .. } => "",
            Self::Refused(reason)
            | Self::Disagreement(reason)
            | Self::HeldBack(reason)
            | Self::Untried(reason) => reason,
        }
    }
}

impl Hack {
    /// Whether it is one of the tests.
    pub fn joined(&self) -> bool {
        matches!(self.outcome, HackOutcome::Joined { .. })
    }

    /// Whether it would join if the instructor insisted.
    pub fn held_back(&self) -> bool {
        matches!(
            self.outcome,
            HackOutcome::HeldBack(_) | HackOutcome::Untried(_)
        )
    }

    /// Why it is not, without the file.
    pub fn refusal(&self) -> Option<&str> {
        (!self.joined()).then(|| self.outcome.reason())
    }

    /// Why it is not, with the file.
    pub fn complaint(&self) -> Option<String> {
        let reason = self.refusal()?;
        let word = if self.held_back() {
            "held back"
        } else {
            "refused"
        };
        Some(format!("{}: {word}: {reason}", self.file.display()))
    }
}
