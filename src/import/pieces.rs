//! The files that students handed in, unpacked: also those in an archive of their own.

use std::collections::HashMap;
use std::path::Path;

use super::claim::Claim;
use super::entry::Entry;
use super::people::newcomer;
use super::source::Source;
use super::target::{Aim, aim};
use crate::intake::Known;

/// A student's own archive inside the platform's.
const NESTED_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// What is unpacked of one archive, all together: an archive of bombs ends here too.
const UNPACKED_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// What is unpacked of one student, so that nobody uses up what is there for the others.
const STUDENT_BYTES_MAX: u64 = 2 * NESTED_BYTES_MAX;

/// A file that somebody handed in, before it is known to be a program.
pub struct Piece {
    /// The entry's name as the archive has it.
    pub raw: Vec<u8>,
    /// The same for people; `archive.zip: file` inside a student's own archive.
    pub shown: String,
    pub claim: Claim,
    /// Its contents, or why they cannot be had.
    pub bytes: Result<Vec<u8>, String>,
}

/// How much of an archive is unpacked so far.
pub struct Unpacking<'a> {
    known: &'a Known,
    source_bytes_max: u64,
    all: u64,
    /// By what the platform calls the student.
    of_students: HashMap<String, u64>,
}

impl<'a> Unpacking<'a> {
    /// Of programs up to so many bytes, nothing is unpacked yet.
    pub fn new(known: &'a Known, source_bytes_max: u64) -> Self {
        Self {
            known,
            source_bytes_max,
            all: 0,
            of_students: HashMap::new(),
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
        let piece = |shown, claim, bytes| Piece {
            raw: entry.raw.clone(),
            shown,
            claim,
            bytes,
        };
        let name = claim.file.to_ascii_lowercase();
        if name
            .rsplit_once('.')
            .is_none_or(|(_, ending)| ending != "zip")
        {
            let bytes = match aim(&claim, self.known) {
                // What is no program is not even unpacked.
                Aim::Other(why) => Err(why),
                Aim::Named(_) | Aim::Program { .. } => {
                    self.read(source, index, &claim, self.source_bytes_max)
                }
            };
            return vec![piece(entry.shown(), claim, bytes)];
        }
        let nested = self.read(source, index, &claim, NESTED_BYTES_MAX);
        let nested = nested.and_then(|bytes| {
            let nested = Source::nested(Path::new(&claim.file), bytes);
            nested.map_err(|error| error.to_string())
        });
        let mut nested = match nested {
            Ok(nested) => nested,
            Err(why) => return vec![piece(entry.shown(), claim, Err(why))],
        };
        let mut pieces = Vec::new();
        for (index, inner) in nested.entries().to_vec().into_iter().enumerate() {
            let inner_claim = Claim {
                file: inner.path.clone(),
                ..claim.clone()
            };
            let is_program = !matches!(aim(&inner_claim, self.known), Aim::Other(_));
            if is_program && !inner.is_noise() {
                let bytes = self.read(&mut nested, index, &claim, self.source_bytes_max);
                let shown = format!("{}: {}", entry.shown(), inner.shown());
                pieces.push(piece(shown, inner_claim, bytes));
            }
        }
        if pieces.is_empty() {
            let why = "no program is in this archive".to_owned();
            pieces.push(piece(entry.shown(), claim, Err(why)));
        }
        pieces
    }

    /// The contents of an entry, as far as there is room for them.
    fn read(
        &mut self,
        source: &mut Source,
        index: usize,
        claim: &Claim,
        most: u64,
    ) -> Result<Vec<u8>, String> {
        let student = claim.who.first().and_then(newcomer);
        let student = student.unwrap_or(&claim.hand_in).to_owned();
        let of_student = self.of_students.entry(student).or_default();
        if *of_student + most > STUDENT_BYTES_MAX {
            return Err(format!(
                "this student has handed in more than {} MiB; take out what is no program",
                STUDENT_BYTES_MAX >> 20
            ));
        }
        if self.all + most > UNPACKED_BYTES_MAX {
            return Err(format!(
                "the import holds more than {} MiB; import it in parts",
                UNPACKED_BYTES_MAX >> 20
            ));
        }
        let bytes = source.read(index, most);
        let unpacked = match &bytes {
            Ok(bytes) => bytes.len() as u64,
            Err(error) => error.unpacked(),
        };
        *of_student += unpacked;
        self.all += unpacked;
        bytes.map_err(|error| error.to_string())
    }
}
