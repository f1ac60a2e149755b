//! Which problem a file is for.

use super::claim::Claim;
use crate::domain::ProblemSlug;
use crate::intake::Known;

/// Where a program belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The problem.
    pub problem: ProblemSlug,
    /// The extension as the language spells it, without the dot.
    pub extension: String,
}

/// What a file's name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Aim {
    /// A program for this problem.
    Named(Target),
    /// A program in this language; its name says no problem.
    Program {
        /// The extension as the language spells it.
        extension: String,
    },
    /// No program, and why.
    Other(String),
}

/// What a claim's file is by its name alone.
pub fn aim(claim: &Claim, known: &Known) -> Aim {
    let name = claim.file.rsplit('/').next().unwrap_or(&claim.file);
    let Some((stem, extension)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) else {
        return Aim::Other("the name has no extension, so the language is not known".to_owned());
    };
    let Some(extension) = known.extension(extension) else {
        return Aim::Other(format!(".{extension} is no language here"));
    };
    let extension = extension.to_owned();
    match known.problem_of_copy(stem) {
        Some(problem) => Aim::Named(Target {
            problem: problem.clone(),
            extension,
        }),
        None => Aim::Program { extension },
    }
}
