//! What a path below the submissions folder means: whose program it is, for which problem, in which
//! language.
//!
//! Pure: the same path and the same known names give the same answer.

mod copies;
mod ignored;
mod known;
mod register;
mod teach;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

pub use ignored::{ignored, is_misplaced};
pub use known::{Known, KnownLanguage};
pub use register::Register;

use copies::Likeness;

use super::reason::Reason;
use crate::domain::RejectionKind::{Extension, Name, NotAFile, NotOffered, Place, Problem};
use crate::domain::{ProblemSlug, Student};
use crate::util::nearest::{nearest, slips};

/// What a path means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// A submission.
    Named {
        student: Student,
        problem: ProblemSlug,
        /// The extension as the language spells it, without the dot.
        extension: String,
    },
    /// Nothing that anybody handed in, and what it is instead.
    Ignored(&'static str),
    /// Not a submission, and why.
    Refused {
        /// Whose it probably is.
        student: Option<Student>,
        /// Why, and what to do about it.
        reason: Reason,
    },
}

/// What the path of a file means.
pub fn read(path: &OsStr, known: &Known) -> Reading {
    let names = names_of(path);
    if let Some(why) = names.iter().find_map(|name| ignored(name)) {
        return Reading::Ignored(why);
    }
    if let Some((student, problem, extension)) = named(&names, known) {
        if let Some(refusal) = known.register.refusal(&student) {
            return Reading::Refused {
                student: Some(student),
                reason: Name.because(refusal),
            };
        }
        return Reading::Named {
            student,
            problem,
            extension,
        };
    }
    // A program is taken whatever config.toml says of its name: nothing that could be judged is
    // lost in silence.
    if names.last().is_some_and(|name| known.ignores(name)) {
        return Reading::Ignored("a name that config.toml has passed over");
    }
    let (student, reason) = match names[..] {
        [name] => refuse_flat(name, known),
        [folder, name] => match student_of_folder(folder, known) {
            Err(reason) => (None, reason),
            Ok(student) => {
                let reason = refuse_in_folder(name, known);
                (Some(student), reason)
            }
        },
        _ => {
            let student = names
                .first()
                .and_then(|folder| student_of_folder(folder, known).ok());
            let words = "it is in a folder inside a student's folder, where nothing is looked at; put it directly into the student's folder";
            (student, Place.because(words))
        }
    };
    Reading::Refused { student, reason }
}

/// Whose turn it is when this path is looked at, and whether it looks like a program. Cheap,
/// because a folder full of other things must cost nobody anything: unlike [`read`] it finds no
/// words.
pub fn owner(path: &OsStr, known: &Known) -> (bool, String) {
    let names = names_of(path);
    if let Some((student, ..)) = named(&names, known) {
        return (true, student.as_str().to_owned());
    }
    let spelled = match names[..] {
        [name] => name.to_str().and_then(|name| name.rsplit_once('_')),
        _ => None,
    };
    let spelled = match (spelled, names.first()) {
        (Some((spelled, _)), _) => Some(spelled),
        (None, Some(folder)) if names.len() > 1 => folder.to_str(),
        (None, _) => None,
    };
    let student = spelled.and_then(|spelled| known.register.student(spelled).ok());
    // What is nobody's takes its turns together.
    let owner = student.map_or_else(String::new, |student| student.as_str().to_owned());
    (false, owner)
}

fn names_of(path: &OsStr) -> Vec<&OsStr> {
    path.as_bytes()
        .split(|&byte| byte == b'/')
        .map(OsStr::from_bytes)
        .collect()
}

/// Student, problem and extension of a path that names all three.
fn named(names: &[&OsStr], known: &Known) -> Option<(Student, ProblemSlug, String)> {
    let (folder, name) = match *names {
        [name] => (None, name),
        [folder, name] => (Some(folder), name),
        _ => return None,
    };
    let (stem, extension) = split_extension(name.to_str()?).ok()?;
    let (language, spelled) = known.language(extension)?;
    if language.unavailable.is_some() {
        return None;
    }
    let (student, problem) = match folder {
        None => {
            let (student, problem) = copies::find(stem, &known.problems, |stem, like| {
                split_flat(stem, known, like)
            })?;
            (known.register.student(student).ok()?, problem)
        }
        Some(folder) => {
            let student = student_of_folder(folder, known).ok()?;
            let problem = problem_in_folder(stem, &student, known)?;
            (student, problem)
        }
    };
    Some((student, problem.clone(), spelled.to_owned()))
}

/// The problem that a name in a student's folder means.
fn problem_in_folder<'known>(
    stem: &str,
    student: &Student,
    known: &'known Known,
) -> Option<&'known ProblemSlug> {
    copies::find(stem, &known.problems, |stem, like| {
        Some(("", known.problem(stem, like)?))
    })
    .or_else(|| {
        // People also copy `alpha_curling.cpp` into alpha's folder: the folder has said who, so
        // the rest must say the same.
        copies::find(stem, &known.problems, |stem, like| {
            split_flat(stem, known, like)
        })
        .filter(|(spelled, _)| {
            known
                .register
                .student(spelled)
                .is_ok_and(|spelled| spelled == *student)
        })
    })
    .map(|(_, problem)| problem)
}

/// Whose folder it is, or why it is nobody's.
pub fn student_of_folder(name: &OsStr, known: &Known) -> Result<Student, Reason> {
    let text = name.to_str().ok_or_else(not_utf8)?;
    if let Some(why) = is_misplaced(name) {
        return Err(Name.because(format!(
            "the folder's name is {why}, so nothing in it is looked at; rename it, or remove it"
        )));
    }
    if let Ok((stem, extension)) = split_extension(text)
        && known.language(extension).is_some()
        && (known.problem(stem, Likeness::Letters).is_some()
            || split_flat(stem, known, Likeness::Letters).is_some())
    {
        return Err(NotAFile.because(format!(
            "{text} is a folder, but its name is that of a program; hand in the program's file itself"
        )));
    }
    known
        .register
        .student(text)
        .map_err(|error| Name.because(format!("the folder's name is not a student's: {error}")))
}

fn not_utf8() -> Reason {
    Name.because("the name is not UTF-8 text; rename it, best with plain letters")
}

/// Stem and extension, or why there is none.
fn split_extension(name: &str) -> Result<(&str, &str), Reason> {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && !extension.is_empty() => {
            Ok((stem, extension))
        }
        _ => Err(Extension.because(
            "the name has no extension, so the language is not known; end it in one such as .cpp or .py",
        )),
    }
}

/// The language's spelling of an extension, or why it does not count.
fn check_extension<'known>(
    stem: &str,
    extension: &str,
    known: &'known Known,
) -> Result<&'known str, Reason> {
    match known.language(extension) {
        None => Err(Extension.because(teach::unknown_extension(stem, extension, known))),
        Some((language, spelled)) => match &language.unavailable {
            Some(why) => Err(NotOffered.because(format!(
                "{} is {why}; {}",
                language.name,
                known.languages_text()
            ))),
            None => Ok(spelled),
        },
    }
}

/// Why a name in a student's folder is not one of a program.
fn refuse_in_folder(name: &OsStr, known: &Known) -> Reason {
    let parts = name
        .to_str()
        .ok_or_else(not_utf8)
        .and_then(split_extension)
        .and_then(|(stem, extension)| Ok((stem, check_extension(stem, extension, known)?)));
    let (stem, extension) = match parts {
        Ok(parts) => parts,
        Err(reason) => return reason,
    };
    let stem = copies::without_number(stem);
    let hint = nearest(stem, known.slugs()).map_or_else(String::new, |slug| {
        format!(" (did you mean {slug}.{extension}?)")
    });
    Problem.because(format!(
        "no problem is called {stem}{hint}; {}",
        known.problems_text()
    ))
}

/// Whose a name without a folder probably is, and why it is not one of a program.
fn refuse_flat(name: &OsStr, known: &Known) -> (Option<Student>, Reason) {
    let (stem, extension) = match name.to_str().ok_or_else(not_utf8).and_then(split_extension) {
        Ok(parts) => parts,
        Err(reason) => return (None, reason),
    };
    let checked = check_extension(stem, extension, known);
    if let Some((spelled, _)) = copies::find(stem, &known.problems, |stem, like| {
        split_flat(stem, known, like)
    }) {
        return match (known.register.student(spelled), checked) {
            (Err(error), _) => {
                let words = format!("{spelled} is not a student's name: {error}");
                (None, Name.because(words))
            }
            (Ok(student), Err(reason)) => (Some(student), reason),
            // All three are known: it would have been taken.
            (Ok(student), Ok(_)) => (Some(student), unknown_flat(stem, extension, known)),
        };
    }
    let stem = copies::without_number(stem);
    let reason = match checked {
        Err(reason) => reason,
        Ok(extension) => unknown_flat(stem, extension, known),
    };
    (likely_student(stem, known), reason)
}

/// Splits `student_problem` where the problem is known and its name the longest possible.
fn split_flat<'stem, 'known>(
    stem: &'stem str,
    known: &'known Known,
    likeness: Likeness,
) -> Option<(&'stem str, &'known ProblemSlug)> {
    // The longest problem counts, also without a student: `_the_game` is nobody's the-game, not
    // game of a student `_the`.
    stem.match_indices('_')
        .find_map(|(at, _)| {
            known
                .problem(&stem[at + 1..], likeness)
                .map(|problem| (&stem[..at], problem))
        })
        .filter(|(student, _)| !without_student(student).is_empty())
}

/// The student and the problem that a flat name most likely means.
fn nearest_flat<'stem, 'known>(
    stem: &'stem str,
    known: &'known Known,
) -> Option<(&'stem str, &'known str)> {
    let ends = stem.match_indices('_').filter(|&(at, _)| at > 0);
    ends.flat_map(|(at, _)| {
        let near = move |slug| Some((slips(&stem[at + 1..], slug)?, at, slug));
        known.slugs().filter_map(near)
    })
    .min()
    .map(|(_, at, slug)| (&stem[..at], slug))
}

/// Whose a flat name probably is although its problem is not known.
fn likely_student(stem: &str, known: &Known) -> Option<Student> {
    if known
        .problem(without_student(stem), Likeness::Letters)
        .is_some()
    {
        return None;
    }
    let spelled = match nearest_flat(stem, known) {
        Some((spelled, _)) => spelled,
        None => {
            stem.split_once('_')
                .filter(|(_, rest)| !rest.contains('_'))?
                .0
        }
    };
    known.register.student(spelled).ok()
}

/// What is left of a flat name that begins where the student's name should stand with nothing.
fn without_student(stem: &str) -> &str {
    stem.trim_start_matches('_')
}

fn unknown_flat(stem: &str, extension: &str, known: &Known) -> Reason {
    if let Some(slug) = known.problem(without_student(stem), Likeness::Letters) {
        return Name.because(format!(
            "the name does not say whose it is; call it <student>_{slug}.{extension}, or put it into a folder with the student's name"
        ));
    }
    let hint = match nearest_flat(stem, known) {
        Some((student, slug)) => format!(" (did you mean {student}_{slug}.{extension}?)"),
        None => nearest(stem, known.slugs()).map_or_else(String::new, |slug| {
            format!(" (did you mean <student>_{slug}.{extension}?)")
        }),
    };
    // Of `s1054_hello` the end is the name of a problem that is not here, and saying that says
    // most.
    let problem = match stem.split_once('_') {
        Some((student, problem)) if !student.is_empty() && !problem.is_empty() => problem,
        _ => {
            return Name.because(format!(
                "a file here is called <student>_<problem>.{extension}, and {stem}.{extension} is not{hint}; {}",
                known.problems_text()
            ));
        }
    };
    Problem.because(format!(
        "no problem is called {problem}{hint}; a file here is called <student>_<problem>.{extension}; {}",
        known.problems_text()
    ))
}

#[cfg(test)]
mod tests;
