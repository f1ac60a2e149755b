//! What a package says of itself, in whichever format it is written: what its tests and its
//! programs are is still to be read.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use super::format::Format;
use super::kattis::Expectations;
use super::manifest::{Gives, Io, Protocol};
use super::remarks::Remarks;
use super::tree::VALIDATION_FOLDERS;
use crate::compare::{Mode, WrongLayout};
use crate::domain::{
    Disclosures, Groups, LanguageId, Limits, Multipliers, Rounds, TestKind, TimeFactor,
};

pub struct Outline {
    pub format: Format,
    pub title: String,
    pub sources: Vec<String>,
    pub io: Io,
    pub limits: Limits,
    pub multipliers: Multipliers,
    pub time_factors: BTreeMap<LanguageId, TimeFactor>,
    pub mode: Mode,
    pub wrong_layout: WrongLayout,
    pub disclosure: Disclosures,
    pub groups: Groups,
    pub reference: Option<Answers>,
    /// All of them have to let an input pass.
    pub validators: Vec<Part>,
    /// What else they may be told about an input that is none of the tests.
    pub other_arguments: Vec<Vec<String>>,
    pub checker: Option<Part>,
    /// Who judges what an interactor has written, where it accepts a program.
    pub judge: Option<Part>,
    /// How the checker judges.
    pub rounds: Rounds,
    /// What the number means that the checker gives to a test.
    pub gives: Option<Gives>,
    /// The tests in the order in which they are run, without hacks.
    pub tests: Vec<Found>,
    /// What only tries the package's own programs: inputs and outputs that they have to let pass, or
    /// to refuse.
    pub validation_data: Vec<Found>,
    /// What examples have to come to, where more than their folder says it.
    pub expected: Option<Expectations>,
    /// What is to be said of the package, beside what lies in it unread.
    pub remarks: Remarks,
}

/// Who answers every test.
pub enum Answers {
    BuiltIn(&'static dyn crate::problems::Task),
    Program(Part),
}

/// A program of the package, to be read.
#[derive(Debug, Clone, Default)]
pub struct Part {
    /// Its path in the package.
    pub path: String,
    /// Where the manifest names it.
    pub span: Range<usize>,
    /// How it is asked, if that does not follow from its source.
    pub protocol: Option<Protocol>,
    /// What it is told beside what its protocol says.
    pub arguments: Vec<String>,
    /// Whether its folder holds nothing but this program: then sources beside it are its parts.
    pub has_own_folder: bool,
    /// Whether the package does without it where there is no such language.
    pub is_optional: bool,
}

/// A test, to be read.
#[derive(Debug, Clone)]
pub struct Found {
    pub file: PathBuf,
    /// With what its name begins, as in `secret/easy`.
    pub folder: String,
    pub kind: TestKind,
    /// The place of its group.
    pub group: Option<usize>,
    /// What validators are told about it; none for what they are told anyway.
    pub arguments: Option<Vec<String>>,
    /// What the checker is told about it; none for what it is told anyway.
    pub told: Option<Vec<String>>,
}

impl Found {
    /// Whether people are judged on it.
    pub fn is_test(&self) -> bool {
        let top = self.folder.split('/').next().unwrap_or_default();
        !VALIDATION_FOLDERS.contains(&top)
    }

    /// Whether its input, or the output beside it, has to be refused.
    pub fn is_invalid(&self) -> bool {
        self.folder.starts_with("invalid")
    }

    /// Whether its input alone is meant.
    pub fn is_input(&self) -> bool {
        self.folder.starts_with(VALIDATION_FOLDERS[0])
    }
}
