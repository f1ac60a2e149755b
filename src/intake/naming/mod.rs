//! What a path below the submissions folder means: whose program it is, for which problem, in which language.
//!
//! Pure: the same path and the same known names give the same answer.

mod known;
mod nearest;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

pub use known::{Known, KnownLanguage};
use nearest::{nearest, nearest_flat};

use crate::domain::{ProblemSlug, Student};

/// Digits of the number that a browser puts behind a file it has saved before.
const COPY_DIGITS_MAX: usize = 3;

/// What a path means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// A submission.
    Named {
        /// Whose.
        student: Student,
        /// For which problem.
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
        reason: String,
    },
}

/// Names that editors, browsers, copying programs and systems leave for a moment or for themselves, in any folder.
pub fn ignored(name: &OsStr) -> Option<&'static str> {
    const TEMPORARY: &[&[u8]] = &[
        b"~",
        b".swp",
        b".swo",
        b".swx",
        b".tmp",
        b".temp",
        b".part",
        b".partial",
        b".filepart",
        b".crdownload",
        b".download",
        b".opdownload",
        b"___jb_tmp___",
        b"___jb_old___",
    ];
    const BACKUP: &[&[u8]] = &[b".bak", b".orig"];
    const SYSTEM: &[&[u8]] = &[
        b"thumbs.db",
        b"desktop.ini",
        b"__macosx",
        b"__pycache__",
        b"lost+found",
    ];
    let name = name.as_bytes();
    let ends_in = |ends: &[&[u8]]| {
        ends.iter().any(|end| {
            name.len() >= end.len() && name[name.len() - end.len()..].eq_ignore_ascii_case(end)
        })
    };
    // Hidden names cover vim's `.x.swp`, rsync's `.x.cpp.AbC123`, `.goutputstream-…`, `.nfs…`, `.#x` and `.DS_Store`.
    if name.first() == Some(&b'.') {
        Some("a hidden name")
    } else if ends_in(TEMPORARY)
        || name == b"4913"
        || name.starts_with(b"~$")
        || (name.len() > 1 && name.starts_with(b"#") && name.ends_with(b"#"))
    {
        Some("a temporary name")
    } else if ends_in(BACKUP) {
        Some("a backup")
    } else if SYSTEM.iter().any(|it| name.eq_ignore_ascii_case(it)) {
        Some("a system's own name")
    } else {
        None
    }
}

/// What the path of a file means.
pub fn read(path: &OsStr, known: &Known) -> Reading {
    let names: Vec<&OsStr> = path
        .as_bytes()
        .split(|&byte| byte == b'/')
        .map(OsStr::from_bytes)
        .collect();
    if let Some(why) = names.iter().find_map(|name| ignored(name)) {
        return Reading::Ignored(why);
    }
    match names[..] {
        [name] if is_read_me(name) => Reading::Ignored("a note for people"),
        [name] => read_flat(name, known),
        [folder, name] => match student_of_folder(folder, known) {
            Err(reason) => refused(None, reason),
            Ok(student) => read_in_folder(student, name, known),
        },
        _ => {
            let student = names
                .first()
                .and_then(|folder| student_of_folder(folder, known).ok());
            refused(
                student,
                "it is in a folder inside a student's folder, where nothing is looked at; put it directly into the student's folder".into(),
            )
        }
    }
}

/// Whose folder it is, or why it is nobody's.
pub fn student_of_folder(name: &OsStr, known: &Known) -> Result<Student, String> {
    let text = name.to_str().ok_or_else(not_utf8)?;
    if let Ok((stem, extension)) = split_extension(text)
        && known.language(extension).is_some()
        && (known.problem(stem).is_some() || split_flat(stem, known).is_some())
    {
        return Err(format!(
            "{text} is a folder, but its name is that of a program; hand in the program's file itself"
        ));
    }
    Student::new(text).map_err(|error| format!("the folder's name is not a student's: {error}"))
}

fn refused(student: Option<Student>, reason: String) -> Reading {
    Reading::Refused { student, reason }
}

fn not_utf8() -> String {
    "the name is not UTF-8 text; rename it, best with plain letters".into()
}

fn is_read_me(name: &OsStr) -> bool {
    [
        "README",
        "README.md",
        "README.txt",
        "README.rst",
        "README.html",
    ]
    .iter()
    .any(|it| name.eq_ignore_ascii_case(it))
}

/// Stem and extension, or why there is none.
fn split_extension(name: &str) -> Result<(&str, &str), String> {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && !extension.is_empty() => {
            Ok((stem, extension))
        }
        _ => Err(
            "the name has no extension, so the language is not known; end it in one such as .cpp or .py"
                .into(),
        ),
    }
}

/// The language's spelling of an extension, or why it does not count.
fn check_extension(extension: &str, known: &Known) -> Result<String, String> {
    match known.language(extension) {
        None => Err(format!(
            "no language here has the extension .{extension}; {}",
            known.languages_text()
        )),
        Some((language, spelled)) => match &language.unavailable {
            Some(why) => Err(format!(
                "{} is {why}; {}",
                language.name,
                known.languages_text()
            )),
            None => Ok(spelled.to_owned()),
        },
    }
}

fn read_in_folder(student: Student, name: &OsStr, known: &Known) -> Reading {
    let parts = name
        .to_str()
        .ok_or_else(not_utf8)
        .and_then(split_extension)
        .and_then(|(stem, extension)| {
            check_extension(extension, known).map(|extension| (stem, extension))
        });
    let (stem, extension) = match parts {
        Ok(parts) => parts,
        Err(reason) => return refused(Some(student), reason),
    };
    let stem = without_copy_number(stem);
    if let Some(problem) = known.problem(stem) {
        return Reading::Named {
            student,
            problem: problem.clone(),
            extension,
        };
    }
    // People also copy `alpha_curling.cpp` into alpha's folder: the folder has said who, so the rest must say the same.
    if let Some((spelled, problem)) = split_flat(stem, known)
        && spelled == student.as_str()
    {
        return Reading::Named {
            student,
            problem: problem.clone(),
            extension,
        };
    }
    let hint = nearest(stem, known).map_or_else(String::new, |slug| {
        format!("; did you mean {slug}.{extension}?")
    });
    refused(
        Some(student),
        format!(
            "no problem is called {stem}{hint}; {}",
            known.problems_text()
        ),
    )
}

fn read_flat(name: &OsStr, known: &Known) -> Reading {
    let (stem, extension) = match name.to_str().ok_or_else(not_utf8).and_then(split_extension) {
        Ok(parts) => parts,
        Err(reason) => return refused(None, reason),
    };
    let stem = without_copy_number(stem);
    let split = split_flat(stem, known);
    let checked = check_extension(extension, known);
    match (split, checked) {
        (Some((spelled, problem)), checked) => match (Student::new(spelled), checked) {
            (Err(error), _) => refused(None, format!("{spelled} is not a student's name: {error}")),
            (Ok(student), Err(reason)) => refused(Some(student), reason),
            (Ok(student), Ok(extension)) => Reading::Named {
                student,
                problem: problem.clone(),
                extension,
            },
        },
        (None, Err(reason)) => refused(likely_student(stem, known), reason),
        (None, Ok(extension)) => refused(
            likely_student(stem, known),
            unknown_flat(stem, &extension, known),
        ),
    }
}

/// Splits `student_problem` where the problem is known and its name the longest possible.
fn split_flat<'stem, 'known>(
    stem: &'stem str,
    known: &'known Known,
) -> Option<(&'stem str, &'known ProblemSlug)> {
    // The longest problem counts, also without a student: `_the_game` is nobody's the-game, not game of a student `_the`.
    stem.match_indices('_')
        .find_map(|(at, _)| {
            known
                .problem(&stem[at + 1..])
                .map(|problem| (&stem[..at], problem))
        })
        .filter(|(student, _)| !without_student(student).is_empty())
}

/// Whose a flat name probably is although its problem is not known.
fn likely_student(stem: &str, known: &Known) -> Option<Student> {
    if known.problem(without_student(stem)).is_some() {
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
    Student::new(spelled).ok()
}

/// What is left of a flat name that begins where the student's name should stand with nothing.
fn without_student(stem: &str) -> &str {
    stem.trim_start_matches('_')
}

fn unknown_flat(stem: &str, extension: &str, known: &Known) -> String {
    if let Some(slug) = known.problem(without_student(stem)) {
        return format!(
            "the name does not say whose it is; call it <student>_{slug}.{extension}, or put it into a folder with the student's name"
        );
    }
    let hint = match nearest_flat(stem, known) {
        Some((student, slug)) => format!("; did you mean {student}_{slug}.{extension}?"),
        None => nearest(stem, known).map_or_else(String::new, |slug| {
            format!("; did you mean <student>_{slug}.{extension}?")
        }),
    };
    format!(
        "{stem} does not end in _ and a problem's name{hint}; a file here is called <student>_<problem>.{extension}; {}",
        known.problems_text()
    )
}

/// Drops what browsers put behind the name of a file that they have saved before: ` (1)`, `(2)`.
fn without_copy_number(stem: &str) -> &str {
    let digits = stem
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once('('));
    match digits {
        Some((front, digits))
            if (1..=COPY_DIGITS_MAX).contains(&digits.len())
                && digits.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            front.trim_end_matches(' ')
        }
        _ => stem,
    }
}

#[cfg(test)]
mod tests;
