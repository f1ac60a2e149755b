//! What an import does with each entry of an archive: whose program it becomes, or why none.
//!
//! Everything is read and checked here, before anything is written.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::claim::{Reading, Who};
use super::people::{Found, People, newcomer};
use super::pieces::{Piece, Unpacking, owner};
use crate::domain::{Digest, ProblemSlug, Student};
use crate::intake::Known;
use crate::util::archive::Entry;
use crate::util::archive::Source;
use crate::util::excerpt::visible_line;
use crate::util::hash::digest;

/// Names that a reason lists.
const LISTED_MAX: usize = 5;
/// Refused entries that are listed of one student; the others are counted.
const REFUSED_MAX: usize = 100;

/// Why nobody gets a program.
const NOBODY: &str = "the platform does not say who handed it in";

/// What an import is told beside the archive.
pub struct Terms<'a> {
    /// Whom the course knows.
    pub people: &'a People,
    /// Problems and languages.
    pub known: &'a Known,
    /// The problem that everything is for, if a person has said so.
    pub problem: Option<&'a ProblemSlug>,
    /// Whether somebody who is not on the roster is refused.
    pub only_roster: bool,
    /// The zone of the platform's clock.
    pub zone: &'a TimeZone,
    /// The largest program, in bytes.
    pub source_bytes_max: u64,
}

/// Where a program belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The problem.
    pub problem: ProblemSlug,
    /// The extension as the language spells it, without the dot.
    pub extension: String,
}

/// A program that is handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandIn {
    /// Whose.
    pub student: Student,
    /// For which problem, in which language.
    pub target: Target,
    /// The source.
    pub bytes: Arc<[u8]>,
    /// When, where the platform says so.
    pub time: Option<Timestamp>,
    /// The platform says "late", without a time.
    pub late: bool,
    /// Whoever imports it says that it was not late.
    pub on_time: bool,
    /// How the platform names the student.
    pub who: Who,
}

/// What becomes of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The entry's name as the archive has it; grades go back under it.
    pub raw: Vec<u8>,
    /// The same for people; `archive.zip: file` inside a student's own archive.
    pub shown: String,
    /// What the platform calls the student; "" where it says nothing.
    pub owner: String,
    /// The program, or the reason why there is none.
    pub outcome: Result<HandIn, String>,
}

/// What an import would do.
#[derive(Debug, Default)]
pub struct Plan {
    /// One row per entry and student, in the order of the entries.
    pub rows: Vec<Row>,
    /// How many entries are refused without being listed, by what the platform calls the student.
    pub unlisted: BTreeMap<String, usize>,
    /// Files of the platform's own and of operating systems, which nobody handed in.
    pub passed_over: usize,
}

/// Makes the plan of an import. `readings` are the platform's, one per entry; `origin` is the name
/// of the archive, which may be a problem's.
pub fn plan(
    source: &mut Source,
    readings: Vec<Reading>,
    origin: &str,
    platform: &str,
    terms: &Terms<'_>,
) -> Plan {
    let mut plan = Plan::default();
    let mut pieces = Vec::new();
    let entries: Vec<Entry> = source.entries().to_vec();
    let mut unpacking = Unpacking::new(terms.known, terms.source_bytes_max, &readings);
    for (index, (entry, reading)) in entries.into_iter().zip(readings).enumerate() {
        if entry.refused.is_none() && (entry.is_noise() || reading == Reading::Own) {
            plan.passed_over += 1;
            continue;
        }
        let refused = match (entry.refused, reading) {
            (Some(why), _) => why.to_owned(),
            (None, Reading::Claim(claim)) => {
                pieces.extend(unpacking.pieces(source, index, &entry, claim));
                continue;
            }
            (None, _) => format!("its name is not what {platform} makes of a student's file"),
        };
        plan.rows.push(Row {
            shown: entry.shown(),
            raw: entry.raw,
            owner: String::new(),
            outcome: Err(refused),
        });
    }
    plan.passed_over += unpacking.passed_over;
    plan.unlisted = unpacking.unlisted;
    let matching = Matching::new(&pieces, origin, terms);
    for piece in &pieces {
        plan.rows.extend(matching.rows(piece));
    }
    plan.rows.sort_by(|one, other| one.shown.cmp(&other.shown));
    refuse_twins(&mut plan.rows);
    plan.list();
    plan
}

impl Plan {
    /// Keeps of each student's refused entries as many as anybody reads.
    fn list(&mut self) {
        let mut refused: HashMap<String, usize> = HashMap::new();
        let unlisted = &mut self.unlisted;
        self.rows.retain(|row| {
            if row.outcome.is_ok() {
                return true;
            }
            let listed = refused.entry(row.owner.clone()).or_default();
            *listed += 1;
            if *listed > REFUSED_MAX {
                *unlisted.entry(row.owner.clone()).or_default() += 1;
            }
            *listed <= REFUSED_MAX
        });
    }
}

/// Finds problems and students for pieces.
struct Matching<'a> {
    terms: &'a Terms<'a>,
    /// The name of the archive.
    origin: &'a str,
    /// How many programs each hand-in has.
    programs: HashMap<&'a str, usize>,
    /// Who is meant by each name that somebody new would get: a name is of use only if it is one
    /// person's.
    newcomers: HashMap<&'a str, Option<&'a Who>>,
}

impl<'a> Matching<'a> {
    fn new(pieces: &'a [Piece], origin: &'a str, terms: &'a Terms<'a>) -> Self {
        let mut programs = HashMap::new();
        for piece in pieces.iter().filter(|piece| piece.aim.is_ok()) {
            *programs.entry(piece.claim.hand_in.as_str()).or_default() += 1;
        }
        let mut newcomers = HashMap::new();
        let all = pieces.iter().flat_map(|piece| &piece.claim.who);
        for who in all.filter(|who| terms.people.find(who) == Found::Nobody) {
            if let Some(name) = newcomer(who) {
                let known: &mut Option<&Who> = newcomers.entry(name).or_insert(Some(who));
                if known.is_some_and(|known| known.keys != who.keys) {
                    *known = None;
                }
            }
        }
        Self {
            terms,
            origin,
            programs,
            newcomers,
        }
    }

    /// One row for each student who handed a piece in.
    fn rows(&self, piece: &Piece) -> Vec<Row> {
        let claim = &piece.claim;
        let row = |outcome| Row {
            raw: piece.raw.clone(),
            shown: piece.shown.clone(),
            owner: owner(claim).to_owned(),
            outcome,
        };
        let target = self.target(piece);
        if claim.who.is_empty() {
            let why = target.err();
            return vec![row(Err(why.unwrap_or_else(|| NOBODY.to_owned())))];
        }
        let mut rows = Vec::new();
        for who in &claim.who {
            let found = target
                .clone()
                .and_then(|found| Ok((found, self.students(who)?)));
            let ((target, bytes), students) = match found {
                Ok(found) => found,
                Err(why) => {
                    rows.push(row(Err(why)));
                    continue;
                }
            };
            for student in students {
                rows.push(row(Ok(HandIn {
                    target: target.clone(),
                    bytes: Arc::clone(&bytes),
                    time: claim.time.and_then(|time| time.instant(self.terms.zone)),
                    late: claim.late,
                    on_time: false,
                    who: surely(who, &student, self.terms),
                    student,
                })));
            }
        }
        rows
    }

    /// The program of a piece and its problem: what a person has said, else what its name says, else
    /// what the assignment or the archive is called, if it is the only program that was handed in.
    fn target(&self, piece: &Piece) -> Result<(Target, Arc<[u8]>), String> {
        let (aim, bytes) = (piece.aim.clone()?, piece.bytes.clone()?);
        let terms = self.terms;
        let problem = match (aim.problem, terms.problem) {
            (Some(named), Some(wanted)) if named != *wanted => {
                return Err(format!(
                    "it is for {named}, and this import is for {wanted}"
                ));
            }
            (Some(named), _) => named,
            (None, wanted) => {
                let assignment = piece.claim.assignment.as_deref();
                let mut named_by = [assignment, Some(self.origin)].into_iter().flatten();
                let known = named_by.find_map(|name| terms.known.problem_of_copy(name));
                let problem = wanted.or(known);
                let problem =
                    problem.ok_or("the file name does not match a problem; use --problem")?;
                let programs = self.programs.get(piece.claim.hand_in.as_str());
                if let Some(programs) = programs.filter(|programs| **programs > 1) {
                    return Err(format!(
                        "{programs} programs were handed in together, and this one's name does not match a problem"
                    ));
                }
                problem.clone()
            }
        };
        let extension = aim.extension;
        Ok((Target { problem, extension }, bytes))
    }

    /// Whose programs are those of somebody.
    fn students(&self, who: &Who) -> Result<Vec<Student>, String> {
        let shown = || visible_line(newcomer(who).unwrap_or("?"));
        match self.terms.people.find(who) {
            Found::One(student) => Ok(vec![student]),
            Found::Team(students) => Ok(students),
            Found::Several(students) => {
                let named = students.iter().take(LISTED_MAX).map(Student::as_str);
                let named: Vec<&str> = named.collect();
                let key = who.keys.first();
                Err(format!(
                    "{} may be any of {}; write the platform's key into a column of the roster ({})",
                    shown(),
                    named.join(", "),
                    key.map_or("login or email", |(key, _)| key.column()),
                ))
            }
            Found::Nobody => Ok(vec![self.newcomer(who)?]),
        }
    }

    /// Whose programs are those of somebody whom the platform's keys do not find.
    fn newcomer(&self, who: &Who) -> Result<Student, String> {
        let name = newcomer(who).ok_or(NOBODY)?;
        let shown = visible_line(name);
        let register = &self.terms.known.register;
        let student = register.student(name);
        let student = student.map_err(|error| format!("{shown}: {error}"))?;
        let is_number = who.name.is_none() && !who.keys.iter().any(|(key, _)| key.is_readable());
        // The daemon takes a folder of this name for theirs, so that the manifest has to as well.
        if register.has(&student) && !is_number {
            return Ok(student);
        }
        Err(if register.has(&student) {
            format!(
                "{shown} is the platform's number of somebody, and on the roster it is {student}'s for something else; write it into the roster's column of this platform"
            )
        } else if self.terms.only_roster {
            let hint = self.terms.people.nearest(name);
            let hint = hint.map_or_else(String::new, |name| format!(" (did you mean {name}?)"));
            format!("{shown} is not on the roster{hint}")
        } else if who.is_ambiguous() {
            let logins: Vec<&str> = who.keys.iter().map(|(_, login)| login.as_str()).collect();
            format!(
                "nothing says which login its folder has ({}); put the students on a roster",
                visible_line(&logins.join(", "))
            )
        } else if self.newcomers.get(name).is_some_and(Option::is_none) {
            format!("two people are called {shown}; put them on the roster")
        } else {
            return Ok(student);
        })
    }
}

/// What the platform knows a student by, without the logins that are somebody else's or nobody's.
fn surely(who: &Who, student: &Student, terms: &Terms<'_>) -> Who {
    let mut who = who.clone();
    if who.is_ambiguous() {
        let mine = Found::One(student.clone());
        who.keys
            .retain(|(key, login)| terms.people.find(&Who::by(*key, login)) == mine);
    }
    who
}

/// Of two programs that one student handed in at once for one problem, nobody can say which one
/// counts; the same bytes twice are one.
fn refuse_twins(rows: &mut [Row]) {
    type Key = (Student, ProblemSlug, Option<Timestamp>);
    let mut first: BTreeMap<Key, (Digest, String)> = BTreeMap::new();
    for row in rows {
        let Ok(hand_in) = &row.outcome else {
            continue;
        };
        let source = digest(&hand_in.bytes);
        let key = (
            hand_in.student.clone(),
            hand_in.target.problem.clone(),
            hand_in.time,
        );
        match first.get(&key) {
            None => drop(first.insert(key, (source, row.shown.clone()))),
            Some((known, shown)) if *known == source => {
                row.outcome = Err(format!("it is the same as {shown}"));
            }
            Some((_, shown)) => {
                row.outcome = Err(format!(
                    "{shown} is for the same problem, and nothing says which one is newer"
                ));
            }
        }
    }
}
