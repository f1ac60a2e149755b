//! What a path below the submissions folder means: whose program it is, for which problem, in which
//! language.
//!
//! Pure: the same path and the same known names give the same answer.

mod known;
mod refusal;
mod register;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use self::known::Likeness;
use self::refusal::Spelled;
use crate::domain::{NamedFile, ProblemSlug, Student};
use crate::util::archive::ZIP;

pub use known::{Ignored, Known, KnownLanguage, ignored};
pub use refusal::Refusal;
pub use register::Register;

/// What the name of a program says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub student: Student,
    pub problem: ProblemSlug,
    /// The extension as the language spells it, without the dot.
    pub extension: String,
}

impl Named {
    /// The same of a program of several files: their sources say in which language it is.
    pub fn of_files<'k>(self, files: &[NamedFile], known: &'k Known) -> Result<Self, Refusal<'k>> {
        let endings = files.iter().filter_map(|(name, _)| name.rsplit_once('.'));
        let mut languages = endings.filter_map(|(_, ending)| known.language(ending));
        let Some((first, spelled)) = languages.next() else {
            return Err(Refusal::NoSource(known));
        };
        if let Some((other, _)) = languages.find(|(other, _)| other != &first) {
            let languages = (&*first.name, &*other.name);
            return Err(Refusal::SeveralLanguages(languages.0, languages.1));
        }
        if let Some(why) = first.unavailable.as_deref() {
            let language = &first.name;
            return Err(Refusal::NotOffered {
                language,
                why,
                known,
            });
        }
        let extension = spelled.to_owned();
        Ok(Self { extension, ..self })
    }
}

/// Whose a file probably is that is not a submission, and why it is none.
type Refused<'a> = (Option<Student>, Refusal<'a>);

/// What a path means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading<'a> {
    /// A submission.
    Named(Named),
    /// Nothing that anybody handed in.
    Ignored(Ignored),
    /// Not a submission, and whose it probably is.
    Refused(Option<Student>, Refusal<'a>),
}

/// What the path of a file means.
pub fn read<'a>(path: &'a OsStr, known: &'a Known) -> Reading<'a> {
    let names = names_of(path);
    if let Some(why) = names.iter().find_map(|name| ignored(name)) {
        return Reading::Ignored(why);
    }
    match parse(&names, known) {
        Ok(named) => match known.register.refusal(&named.student) {
            None => Reading::Named(named),
            Some(remark) => Reading::Refused(Some(named.student), Refusal::NotOnTheRoster(remark)),
        },
        // A program is taken whatever config.toml says of its name: nothing that could be judged is
        // lost in silence.
        Err(_) if names.last().is_some_and(|name| known.ignores(name)) => {
            Reading::Ignored(Ignored::PassedOver)
        }
        Err((student, refusal)) => Reading::Refused(student, refusal),
    }
}

/// Whose turn it is when this path is looked at, and whether it looks like a program. What is
/// nobody's takes its turns together.
pub fn owner(path: &OsStr, known: &Known) -> (bool, String) {
    let names = names_of(path);
    let (is_program, student) = match parse(&names, known) {
        Ok(named) => (true, Some(named.student)),
        Err((None, _)) if names.len() == 1 => {
            let spelled = names[0].to_str().and_then(|name| name.rsplit_once('_'));
            let student = spelled.and_then(|(spelled, _)| known.register.student(spelled).ok());
            (false, student)
        }
        Err((student, _)) => (false, student),
    };
    let owner = student.map_or_else(String::new, |student| student.as_str().to_owned());
    (is_program, owner)
}

fn names_of(path: &OsStr) -> Vec<&OsStr> {
    path.as_bytes()
        .split(|&byte| byte == b'/')
        .map(OsStr::from_bytes)
        .collect()
}

/// What names mean; or whose they probably are, and what is wrong with them.
fn parse<'a>(names: &[&'a OsStr], known: &'a Known) -> Result<Named, Refused<'a>> {
    match *names {
        [name] => parse_flat(name, known),
        [folder, name] => {
            let student = student_of_folder(folder, known).map_err(|refusal| (None, refusal))?;
            parse_in_folder(name, &student, known).map_err(|refusal| (Some(student), refusal))
        }
        _ => {
            let folder = names.first();
            let student = folder.and_then(|folder| student_of_folder(folder, known).ok());
            Err((student, Refusal::TooDeep))
        }
    }
}

/// A file in a student's folder.
fn parse_in_folder<'a>(
    name: &'a OsStr,
    student: &Student,
    known: &'a Known,
) -> Result<Named, Refusal<'a>> {
    let (stem, extension) = split_extension(name)?;
    let extension = offered_extension(stem, extension, known)?;
    let is_same = |spelled| {
        known
            .register
            .student(spelled)
            .is_ok_and(|one| one == *student)
    };
    // People also copy `alpha_curling.cpp` into alpha's folder: the folder has said who, so the
    // rest must say the same.
    let flat = || find_flat(stem, known).filter(|(spelled, _)| is_same(spelled));
    let problem = known
        .problem_of_copy(stem)
        .or_else(|| flat().map(|(_, problem)| problem));
    let problem = problem.ok_or_else(|| {
        let stem = known::without_number(stem);
        Refusal::UnknownProblem(Spelled {
            stem,
            extension,
            known,
        })
    })?;
    Ok(Named {
        student: student.clone(),
        problem: problem.clone(),
        extension: extension.to_owned(),
    })
}

/// A file without a folder, which names its student.
fn parse_flat<'a>(name: &'a OsStr, known: &'a Known) -> Result<Named, Refused<'a>> {
    let (stem, extension) = split_extension(name).map_err(|refusal| (None, refusal))?;
    let extension = offered_extension(stem, extension, known);
    let Some((spelled, problem)) = find_flat(stem, known) else {
        let stem = known::without_number(stem);
        let refusal = match extension {
            Ok(extension) => refuse_flat(Spelled {
                stem,
                extension,
                known,
            }),
            Err(refusal) => refusal,
        };
        return Err((likely_student(stem, known), refusal));
    };
    let student = known.register.student(spelled);
    let student = student.map_err(|error| (None, Refusal::NotAStudent { spelled, error }))?;
    match extension {
        Err(refusal) => Err((Some(student), refusal)),
        Ok(extension) => Ok(Named {
            student,
            problem: problem.clone(),
            extension: extension.to_owned(),
        }),
    }
}

/// The student and the problem of a flat name, also where programs have marked it as a copy.
fn find_flat<'a>(stem: &'a str, known: &'a Known) -> Option<(&'a str, &'a ProblemSlug)> {
    known::find(stem, &known.problems, |stem, like| {
        split_flat(stem, known, like)
    })
}

/// Whose folder it is, or why it is nobody's.
pub fn student_of_folder<'a>(name: &'a OsStr, known: &'a Known) -> Result<Student, Refusal<'a>> {
    let text = name.to_str().ok_or(Refusal::NotUtf8)?;
    if let Some(why) = ignored(name).filter(|why| why.may_be_a_students()) {
        return Err(Refusal::MisplacedFolder(why));
    }
    if let Ok((stem, extension)) = split_extension(name)
        && known.extension(extension).is_some()
        && (known.problem(stem, Likeness::Letters).is_some()
            || split_flat(stem, known, Likeness::Letters).is_some())
    {
        return Err(Refusal::FolderLikeProgram(text));
    }
    known
        .register
        .student(text)
        .map_err(Refusal::NotAStudentsFolder)
}

fn split_extension(name: &OsStr) -> Result<(&str, &str), Refusal<'_>> {
    let name = name.to_str().ok_or(Refusal::NotUtf8)?;
    name.rsplit_once('.')
        .filter(|(stem, extension)| !stem.is_empty() && !extension.is_empty())
        .ok_or(Refusal::NoExtension)
}

/// The extension of a language that is offered, as it spells it; or why it does not count. That of a
/// program of several files is inside of it.
fn offered_extension<'a>(
    stem: &'a str,
    extension: &'a str,
    known: &'a Known,
) -> Result<&'a str, Refusal<'a>> {
    if extension.eq_ignore_ascii_case(ZIP) {
        return Ok(ZIP);
    }
    let Some((language, spelled)) = known.language(extension) else {
        return Err(Refusal::UnknownExtension(Spelled {
            stem,
            extension,
            known,
        }));
    };
    match language.unavailable.as_deref() {
        None => Ok(spelled),
        Some(why) => Err(Refusal::NotOffered {
            language: &language.name,
            why,
            known,
        }),
    }
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
        .find_map(|(at, _)| Some((&stem[..at], known.problem(&stem[at + 1..], likeness)?)))
        .filter(|(student, _)| !without_student(student).is_empty())
}

/// Whose a flat name probably is although its problem is not known.
fn likely_student(stem: &str, known: &Known) -> Option<Student> {
    if known
        .problem(without_student(stem), Likeness::Letters)
        .is_some()
    {
        return None;
    }
    // Where the problem is not even nearly one of ours, the only `_` there is stands before it.
    let only = || stem.split_once('_').filter(|(_, rest)| !rest.contains('_'));
    let (spelled, _) = known.nearest_flat(stem).or_else(only)?;
    known.register.student(spelled).ok()
}

/// What is left of a flat name that begins where the student's name should stand with nothing.
fn without_student(stem: &str) -> &str {
    stem.trim_start_matches('_')
}

/// What is wrong with a flat name whose extension is known.
fn refuse_flat(name: Spelled<'_>) -> Refusal<'_> {
    let stem = without_student(name.stem);
    if let Some(slug) = name.known.problem(stem, Likeness::Letters) {
        return Refusal::NoStudent {
            slug,
            extension: name.extension,
        };
    }
    // Of `s1054_hello` the end is the name of a problem that is not here, and saying that says
    // most.
    match name.stem.split_once('_') {
        Some((student, problem)) if !student.is_empty() && !problem.is_empty() => {
            Refusal::UnknownFlatProblem { problem, name }
        }
        _ => Refusal::NeitherStudentNorProblem(name),
    }
}

#[cfg(test)]
pub mod tests;
