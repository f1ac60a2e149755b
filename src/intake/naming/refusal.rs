//! Why a file is not a submission: every sentence that its student reads.

use super::known::{Ignored, Known};
use crate::domain::{NameError, ProblemSlug, RejectionKind};
use crate::util::archive::WrongZip;
use crate::util::words::nearest;
use crate::util::{KIB, MIB};

/// From here on sizes are told in KiB, and from there on in MiB; below, a rounded number would say
/// too little.
const SHOWN_KIB_MIN: u64 = 10 * KIB;
const SHOWN_MIB_MIN: u64 = 10 * MIB;
/// Extensions of source files that are named as examples.
const EXAMPLES_MAX: usize = 3;

/// A name that does not mean anything, and the names that do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spelled<'a> {
    pub stem: &'a str,
    pub extension: &'a str,
    pub known: &'a Known,
}

/// Why a file is not a submission, and what to do about it. The sentence is made only where it is
/// read: what it lists costs more than to find the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal<'a> {
    #[error(
        "it is in a folder inside a student's folder, where nothing is looked at; put it directly into the student's folder"
    )]
    TooDeep,
    #[error("the name is not UTF-8 text; rename it, best with plain letters")]
    NotUtf8,
    #[error(
        "the name has no extension, so the language is not known; end it in one such as .cpp or .py"
    )]
    NoExtension,
    #[error("{}", .0.unknown_extension())]
    UnknownExtension(Spelled<'a>),
    #[error("{language} is {why}; {}", .known.languages_text())]
    NotOffered {
        language: &'a str,
        why: &'a str,
        known: &'a Known,
    },
    #[error("no problem is called {}{}; {}", .0.stem, .0.meant_in_folder(), .0.known.problems_text())]
    UnknownProblem(Spelled<'a>),
    #[error(
        "no problem is called {problem}{}; a file here is called <student>_<problem>.{}; {}",
        .name.meant_flat(), .name.extension, .name.known.problems_text()
    )]
    UnknownFlatProblem { problem: &'a str, name: Spelled<'a> },
    #[error(
        "a file here is called <student>_<problem>.{extension}, and {stem}.{extension} is not{}; {}",
        .0.meant_flat(), .0.known.problems_text(), stem = .0.stem, extension = .0.extension
    )]
    NeitherStudentNorProblem(Spelled<'a>),
    #[error(
        "the name does not say whose it is; call it <student>_{slug}.{extension}, or put it into a folder with the student's name"
    )]
    NoStudent {
        slug: &'a ProblemSlug,
        extension: &'a str,
    },
    #[error("{spelled} is not a student's name: {error}")]
    NotAStudent { spelled: &'a str, error: NameError },
    #[error("{0}; use the name that the roster has, or ask the instructor to add yours")]
    NotOnTheRoster(String),
    #[error("the folder's name is not a student's: {0}")]
    NotAStudentsFolder(NameError),
    #[error("the folder's name is {}, so nothing in it is looked at; rename it, or remove it", .0.words())]
    MisplacedFolder(Ignored),
    #[error(
        "{0} is a folder, but its name is that of a program; hand in the program's file itself, or its files as one .zip"
    )]
    FolderLikeProgram(&'a str),
    #[error("the grader may not look into this folder; allow it (chmod a+rx)")]
    UnreadableFolder,
    #[error(
        "the folder has more than {0} names, and the rest is not looked at; remove what is not a program"
    )]
    TooManyInFolder(usize),
    #[error(
        "the submissions folder has more than {files} files or {folders} folders; the rest is not looked at until some are moved away"
    )]
    TooMany { files: usize, folders: usize },
    #[error(
        "it is a folder, and folders inside a student's folder are not looked at; hand in the program's file itself, or its files as one .zip"
    )]
    Folder,
    #[error(
        "it is a symbolic link, and links are not followed; hand in a copy of the file (cp -L)"
    )]
    Symlink,
    #[error("it is a named pipe, not a file; hand in a regular file")]
    Pipe,
    #[error("it is a socket, not a file; hand in a regular file")]
    Socket,
    #[error("it is a device, not a file; hand in a regular file")]
    Device,
    #[error("the file has a second name elsewhere (a hard link); hand in a copy of its own (cp)")]
    HardLink,
    #[error("the file may not be read by the grader; allow it (chmod a+r)")]
    UnreadableFile,
    #[error("the file is empty; save the program and hand it in again")]
    EmptyFile,
    #[error("there is nothing in it but spaces; save the program and hand it in again")]
    Blank,
    #[error(
        "the file has {}; at most {} are taken; hand in the source text alone, without data or compiled files",
        size_text(*.bytes, u64::div_ceil), size_text(*.most, |bytes, unit| bytes / unit)
    )]
    TooLarge { bytes: u64, most: u64 },
    #[error("this zip is not a program: {0}; hand in a zip of the sources of one program")]
    Zip(WrongZip),
    #[error("there is no source of a program in the zip; {}", .0.languages_text())]
    NoSource(&'a Known),
    #[error("the sources in the zip are of several languages, {0} and {1}; a program is in one")]
    SeveralLanguages(&'a str, &'a str),
}

impl Refusal<'_> {
    /// What the store and the logs tell refusals apart by.
    pub fn kind(&self) -> RejectionKind {
        match self {
            Self::TooDeep => RejectionKind::Place,
            Self::NotUtf8
            | Self::NeitherStudentNorProblem(_)
            | Self::NoStudent { .. }
            | Self::NotAStudent { .. }
            | Self::NotOnTheRoster(_)
            | Self::NotAStudentsFolder(_)
            | Self::MisplacedFolder(_) => RejectionKind::Name,
            Self::NoExtension
            | Self::UnknownExtension(_)
            | Self::NoSource(_)
            | Self::SeveralLanguages(..) => RejectionKind::Extension,
            Self::NotOffered { .. } => RejectionKind::NotOffered,
            Self::UnknownProblem(_) | Self::UnknownFlatProblem { .. } => RejectionKind::Problem,
            Self::FolderLikeProgram(_)
            | Self::Folder
            | Self::Symlink
            | Self::Pipe
            | Self::Socket
            | Self::Device
            | Self::Zip(_) => RejectionKind::NotAFile,
            Self::HardLink => RejectionKind::HardLink,
            Self::UnreadableFolder | Self::UnreadableFile => RejectionKind::Unreadable,
            Self::TooManyInFolder(_) | Self::TooMany { .. } => RejectionKind::TooMany,
            Self::EmptyFile | Self::Blank => RejectionKind::Empty,
            Self::TooLarge { .. } => RejectionKind::TooLarge,
        }
    }
}

fn did_you_mean(name: Option<String>) -> String {
    name.map_or_else(String::new, |name| format!(" (did you mean {name}?)"))
}

impl Spelled<'_> {
    fn meant_in_folder(self) -> String {
        let slug = nearest(self.stem, self.known.slugs());
        did_you_mean(slug.map(|slug| format!("{slug}.{}", self.extension)))
    }

    fn meant_flat(self) -> String {
        let slug = || Some(("<student>", nearest(self.stem, self.known.slugs())?));
        let both = self.known.nearest_flat(self.stem).or_else(slug);
        did_you_mean(both.map(|(student, slug)| format!("{student}_{slug}.{}", self.extension)))
    }

    /// What to hand in instead of the files that people most often hand in by mistake.
    fn unknown_extension(self) -> String {
        let known = self.known;
        let extension = self.extension.to_ascii_lowercase();
        let is_tar = self.stem.to_ascii_lowercase().ends_with(".tar");
        let shown = format!("{}.{extension}", if is_tar { ".tar" } else { "" });
        let languages = known.languages_text();
        // What it is, and the extension of the source file that it was made from, where there is one.
        let (what, source) = match extension.as_str() {
            "rar" | "7z" | "tar" | "gz" | "tgz" | "bz2" | "xz" => (
                "an archive: unpack it and hand in the source file, or a .zip of several",
                None,
            ),
            "docx" | "doc" | "odt" | "rtf" | "pages" => (
                "a word processor's document, which no compiler reads: copy the program into a plain text editor and hand in the source file",
                None,
            ),
            "pdf" | "png" | "jpg" | "jpeg" | "heic" => (
                "a picture of a program at best: hand in the source file",
                None,
            ),
            "ipynb" => (
                "a notebook: save it as a script (in Jupyter: File, Save and Export Notebook As, Executable Script) and hand in that",
                Some("py"),
            ),
            "class" | "jar" => ("compiled Java: hand in the source file", Some("java")),
            "pyc" => ("compiled Python: hand in the source file", Some("py")),
            "exe" | "o" | "obj" | "out" | "so" | "dll" | "a" => {
                ("what a compiler makes: hand in the source file", None)
            }
            "txt" => {
                return format!(
                    "a {shown} does not say in which language it is: end its name in the language's extension; {languages}"
                );
            }
            _ => return format!("no language here has the extension {shown}; {languages}"),
        };
        let example = match source {
            None => examples(known),
            Some(source) if known.is_offered(source) => format!(" (.{source})"),
            Some(_) => format!("; {languages}"),
        };
        format!("a {shown} is {what}{example}")
    }
}

/// ` (.c, .cpp, …)`, from the languages that are offered.
fn examples(known: &Known) -> String {
    let offered: Vec<String> = known
        .offered()
        .filter_map(|language| language.extensions.first())
        .map(|extension| format!(".{extension}"))
        .collect();
    let first = offered[..offered.len().min(EXAMPLES_MAX)].join(", ");
    match offered.len() {
        0 => first,
        1..=EXAMPLES_MAX => format!(" ({first})"),
        _ => format!(" ({first}, …)"),
    }
}

/// A size for people. Sizes are rounded up and bounds down, so that a size above its bound never
/// reads like it.
fn size_text(bytes: u64, round: fn(u64, u64) -> u64) -> String {
    match bytes {
        0..SHOWN_KIB_MIN => format!("{bytes} bytes"),
        SHOWN_KIB_MIN..SHOWN_MIB_MIN => format!("{} KiB", round(bytes, KIB)),
        _ => format!("{} MiB", round(bytes, MIB)),
    }
}

#[cfg(test)]
mod tests {
    use super::size_text;

    #[test]
    fn sizes_are_for_people_and_never_read_like_their_bound() {
        let up = |bytes| size_text(bytes, u64::div_ceil);
        let down = |bytes| size_text(bytes, |bytes, unit| bytes / unit);
        for (bytes, bound, expected) in [
            (262_145, 262_144, ["257 KiB", "256 KiB"]),
            (10_240, 10_239, ["10 KiB", "10239 bytes"]),
            (10 << 20, (10 << 20) - 1, ["10 MiB", "10239 KiB"]),
        ] {
            assert_eq!([up(bytes), down(bound)], expected);
        }
        assert_eq!(up(u64::MAX), "17592186044416 MiB");
    }
}
