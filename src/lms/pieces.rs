//! The files that students handed in, unpacked: also those in an archive of their own.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::claim::{Claim, Reading};
use super::people::newcomer;
use crate::domain::ProblemSlug;
use crate::intake::Known;
use crate::util::archive::Entry;
use crate::util::archive::Source;

/// A student's own archive inside the platform's.
const NESTED_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// What is unpacked of one student, one after the other.
const STUDENT_BYTES_MAX: u64 = 2 * NESTED_BYTES_MAX;
/// Programs of all students, which are in memory at the same time. Everybody has an equal share, so
/// that nobody uses up what is there for the others.
const KEPT_BYTES_MAX: u64 = if cfg!(test) { 8 << 20 } else { 256 << 20 };
/// Programs that are taken out of one student's own archives.
const NESTED_PROGRAMS_MAX: usize = 100;

/// What the name of a program says.
#[derive(Debug, Clone)]
pub struct Aim {
    /// The extension as the language spells it, without the dot.
    pub extension: String,
    /// `None` where the name does not match a problem.
    pub problem: Option<ProblemSlug>,
}

impl Aim {
    /// What a file's name says; an error says why it is not a program.
    fn of(file: &str, known: &Known) -> Result<Self, String> {
        let name = file.rsplit('/').next().unwrap_or(file);
        let parts = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
        let (stem, extension) =
            parts.ok_or("the name has no extension, so the language is not known")?;
        let language = known
            .extension(extension)
            .ok_or_else(|| format!("no language is configured for .{extension}"))?;
        Ok(Self {
            extension: language.to_owned(),
            problem: known.problem_of_copy(stem).cloned(),
        })
    }
}

/// A file that somebody handed in, before it is known to be a program.
pub struct Piece {
    /// The entry's name as the archive has it.
    pub raw: Vec<u8>,
    /// The same for people; `archive.zip: file` inside a student's own archive.
    pub shown: String,
    pub claim: Claim,
    /// What its name says, or why it is not a program.
    pub aim: Result<Aim, String>,
    /// The contents of a program, or why they cannot be had.
    pub bytes: Result<Arc<[u8]>, String>,
}

/// Whose a claim is, by what the platform calls the student.
pub fn owner(claim: &Claim) -> &str {
    let student = claim.who.first().and_then(newcomer);
    student.unwrap_or(&claim.hand_in)
}

/// What one student has used of what there is for everybody.
#[derive(Default)]
struct Used {
    unpacked: u64,
    kept: u64,
    /// Whether a program had no room.
    is_full: bool,
    nested: usize,
}

/// How much of an archive is unpacked so far.
pub struct Unpacking<'a> {
    known: &'a Known,
    source_bytes_max: u64,
    /// What may be kept of one student.
    share: u64,
    of_students: HashMap<String, Used>,
    /// Files in students' own archives that are refused without being listed, by student.
    pub unlisted: BTreeMap<String, usize>,
    /// Files that config.toml has passed over.
    pub passed_over: usize,
}

impl<'a> Unpacking<'a> {
    /// Of programs up to so many bytes, nothing is unpacked yet.
    pub fn new(known: &'a Known, source_bytes_max: u64, readings: &[Reading]) -> Self {
        let owners = readings.iter().filter_map(|reading| match reading {
            Reading::Claim(claim) => Some(owner(claim)),
            Reading::Own | Reading::Strange => None,
        });
        let students = owners.collect::<HashSet<&str>>().len().max(1);
        let share = (KEPT_BYTES_MAX / students as u64).min(STUDENT_BYTES_MAX);
        Self {
            known,
            source_bytes_max,
            // One program always has room.
            share: share.max(source_bytes_max),
            of_students: HashMap::new(),
            unlisted: BTreeMap::new(),
            passed_over: 0,
        }
    }

    /// An entry as a piece, or the pieces of a student's own archive.
    pub fn pieces(
        &mut self,
        source: &mut Source,
        index: usize,
        entry: &Entry,
        claim: Claim,
    ) -> Vec<Piece> {
        let name = claim.file.rsplit('/').next().unwrap_or(&claim.file);
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        let is_archive = ending.is_some_and(|ending| ending.eq_ignore_ascii_case("zip"));
        let aim = Aim::of(&claim.file, self.known);
        if aim.is_err() && self.known.ignores(name.as_ref()) {
            self.passed_over += 1;
            return Vec::new();
        }
        if is_archive {
            let pieces = self.nested(source, index, entry, &claim);
            return pieces.unwrap_or_else(|why| vec![Piece::refused(entry, claim, why)]);
        }
        match aim {
            // What is not a program is not even unpacked.
            Err(why) => vec![Piece::refused(entry, claim, why)],
            Ok(aim) => vec![Piece {
                raw: entry.raw.clone(),
                shown: entry.shown(),
                bytes: self.program(source, index, &claim),
                claim,
                aim: Ok(aim),
            }],
        }
    }

    /// The programs in a student's own archive; an error says why it is refused as a whole.
    fn nested(
        &mut self,
        source: &mut Source,
        index: usize,
        entry: &Entry,
        claim: &Claim,
    ) -> Result<Vec<Piece>, String> {
        let bytes = self.read(source, index, claim, NESTED_BYTES_MAX)?;
        let nested = Source::nested(Path::new(&claim.file), bytes);
        let mut nested = nested.map_err(|error| error.to_string())?;
        let inner = nested.entries().iter().enumerate();
        let programs = inner.filter(|(_, inner)| !inner.is_noise());
        let programs = programs
            .filter_map(|(index, inner)| Some((index, Aim::of(&inner.path, self.known).ok()?)));
        let mut programs: Vec<(usize, Aim)> = programs.collect();
        if programs.is_empty() {
            return Err("no program is in this archive".to_owned());
        }
        // Those whose names say a problem come first.
        programs.sort_by_key(|(_, aim)| aim.problem.is_none());
        let used = self.used(claim);
        let room = NESTED_PROGRAMS_MAX.saturating_sub(used.nested);
        used.nested += programs.len().min(room);
        let (count, mut pieces) = (programs.len(), Vec::new());
        for (index, aim) in programs.into_iter().take(room) {
            let inner = &nested.entries()[index];
            let shown = format!("{}: {}", entry.shown(), inner.shown());
            let claim = Claim {
                file: inner.path.clone(),
                ..claim.clone()
            };
            let bytes = if aim.problem.is_none() && count > 1 {
                Err(format!(
                    "{count} programs are in this archive, and this one's name does not match a problem"
                ))
            } else {
                self.program(&mut nested, index, &claim)
            };
            pieces.push(Piece {
                raw: entry.raw.clone(),
                shown,
                claim,
                aim: Ok(aim),
                bytes,
            });
        }
        if count > room {
            *self.unlisted.entry(owner(claim).to_owned()).or_default() += count - room;
        }
        Ok(pieces)
    }

    /// A program, as far as there is room for it in the student's share.
    fn program(
        &mut self,
        source: &mut Source,
        index: usize,
        claim: &Claim,
    ) -> Result<Arc<[u8]>, String> {
        let share = self.share;
        let full = || {
            let share = share >> 10;
            format!(
                "this student's programs have more than {share} KiB together; import them alone"
            )
        };
        if self.used(claim).is_full {
            return Err(full());
        }
        let bytes = self.read(source, index, claim, self.source_bytes_max)?;
        let used = self.used(claim);
        used.kept += bytes.len() as u64;
        used.is_full = used.kept > share;
        if used.is_full {
            Err(full())
        } else {
            Ok(bytes.into())
        }
    }

    fn used(&mut self, claim: &Claim) -> &mut Used {
        self.of_students.entry(owner(claim).to_owned()).or_default()
    }

    /// The contents of an entry, as far as they may be unpacked.
    fn read(
        &mut self,
        source: &mut Source,
        index: usize,
        claim: &Claim,
        most: u64,
    ) -> Result<Vec<u8>, String> {
        let used = self.used(claim);
        if used.unpacked + most > STUDENT_BYTES_MAX {
            return Err(format!(
                "this student has handed in more than {} MiB; remove files that are not source code",
                STUDENT_BYTES_MAX >> 20
            ));
        }
        let bytes = source.read(index, most);
        used.unpacked += match &bytes {
            Ok(bytes) => bytes.len() as u64,
            Err(error) => error.unpacked(),
        };
        bytes.map_err(|error| error.to_string())
    }
}

impl Piece {
    fn refused(entry: &Entry, claim: Claim, why: String) -> Self {
        Self {
            raw: entry.raw.clone(),
            shown: entry.shown(),
            claim,
            bytes: Err(why.clone()),
            aim: Err(why),
        }
    }
}
