//! What an import does with each entry of an archive: whose program it becomes, or why none.
//!
//! Everything is read and checked here, before anything is written.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::claim::{Reading, Who};
use super::entry::Entry;
use super::people::{Found, People, newcomer};
use super::pieces::{Piece, Unpacking, owner};
use super::source::Source;
use super::target::{Aim, Target, aim};
use crate::domain::{Digest, ProblemSlug, Student};
use crate::intake::Known;
use crate::util::excerpt::visible_line;
use crate::util::hash::digest;

/// Names that a reason lists.
const LISTED_MAX: usize = 5;
/// Refused entries that are listed of one student; the others are counted.
const REFUSED_MAX: usize = 100;

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

/// A program that is handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandIn {
    /// Whose.
    pub student: Student,
    /// For which problem, in which language.
    pub target: Target,
    /// The source.
    pub bytes: Vec<u8>,
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
        let refused = match (entry.refused, reading) {
            (Some(why), _) => why.to_owned(),
            (None, _) if entry.is_noise() => {
                plan.passed_over += 1;
                continue;
            }
            (None, Reading::Own) => {
                plan.passed_over += 1;
                continue;
            }
            (None, Reading::Strange) => {
                format!("its name is not what {platform} makes of a student's file")
            }
            (None, Reading::Claim(claim)) => {
                pieces.extend(unpacking.pieces(source, index, &entry, claim));
                continue;
            }
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
    let programs = programs_of(&pieces, terms);
    let names = newcomers(&pieces, terms);
    for piece in pieces {
        let target = target_of(&piece, &programs, origin, terms);
        plan.rows.extend(rows_of(piece, &target, &names, terms));
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

/// How many programs each hand-in has whose names say no problem.
fn programs_of(pieces: &[Piece], terms: &Terms<'_>) -> HashMap<String, [usize; 2]> {
    let mut programs: HashMap<String, [usize; 2]> = HashMap::new();
    for piece in pieces {
        let counts = programs.entry(piece.claim.hand_in.clone()).or_default();
        match aim(&piece.claim, terms.known) {
            Aim::Named(_) => counts[0] += 1,
            Aim::Program { .. } => counts[1] += 1,
            Aim::Other(_) => {}
        }
    }
    programs
}

/// The problem of a piece: what a person has said, else what its name says, else what the
/// assignment or the archive is called, if it is the only program that was handed in.
fn target_of(
    piece: &Piece,
    programs: &HashMap<String, [usize; 2]>,
    origin: &str,
    terms: &Terms<'_>,
) -> Result<Target, String> {
    let counts = programs.get(&piece.claim.hand_in).copied();
    let [named, others] = counts.unwrap_or_default();
    match (aim(&piece.claim, terms.known), terms.problem) {
        (Aim::Other(why), _) => Err(why),
        (Aim::Named(target), None) => Ok(target),
        (Aim::Named(target), Some(problem)) if target.problem == *problem => Ok(target),
        (Aim::Named(target), Some(problem)) => Err(format!(
            "it is for {}, and this import is for {problem}",
            target.problem
        )),
        (Aim::Program { extension }, wanted) => {
            let assignment = piece.claim.assignment.as_deref();
            let mut named_by = [assignment, Some(origin)].into_iter().flatten();
            let known = named_by.find_map(|name| terms.known.problem_of_copy(name));
            match wanted.or(known) {
                None => Err("its name is no problem's; say which one it is with --problem".into()),
                Some(_) if named + others > 1 => Err(format!(
                    "{} programs were handed in together, and this one's name is no problem's",
                    named + others
                )),
                Some(problem) => Ok(Target {
                    problem: problem.clone(),
                    extension,
                }),
            }
        }
    }
}

/// Who is meant by each name that somebody new would get: a name is of use only if it is one
/// person's.
fn newcomers(pieces: &[Piece], terms: &Terms<'_>) -> HashMap<String, Option<Who>> {
    let mut names: HashMap<String, Option<Who>> = HashMap::new();
    for who in pieces.iter().flat_map(|piece| &piece.claim.who) {
        if terms.people.find(who) != Found::Nobody {
            continue;
        }
        if let Some(name) = newcomer(who) {
            let known = names
                .entry(name.to_owned())
                .or_insert_with(|| Some(who.clone()));
            if known.as_ref().is_some_and(|known| known.keys != who.keys) {
                *known = None;
            }
        }
    }
    names
}

fn students_of(
    who: &Who,
    names: &HashMap<String, Option<Who>>,
    terms: &Terms<'_>,
) -> Result<Vec<Student>, String> {
    let shown = || visible_line(newcomer(who).unwrap_or("?"));
    match terms.people.find(who) {
        Found::One(student) => Ok(vec![student]),
        Found::Team(students) => Ok(students),
        Found::Several(students) => {
            let named = students.iter().take(LISTED_MAX).map(Student::as_str);
            let named: Vec<&str> = named.collect();
            Err(format!(
                "{} may be any of {}; write the platform's key into a column of the roster ({})",
                shown(),
                named.join(", "),
                who.keys
                    .first()
                    .map_or("login or email", |(key, _)| key.column()),
            ))
        }
        Found::Nobody => newcomer_of(who, names, terms),
    }
}

/// Whose programs are those of somebody whom the platform's keys do not find.
fn newcomer_of(
    who: &Who,
    names: &HashMap<String, Option<Who>>,
    terms: &Terms<'_>,
) -> Result<Vec<Student>, String> {
    let name = newcomer(who).ok_or("the platform does not say who handed it in")?;
    let shown = visible_line(name);
    let register = &terms.known.register;
    let student = register.student(name);
    let student = student.map_err(|error| format!("{shown}: {error}"))?;
    let is_number = who.name.is_none() && !who.keys.iter().any(|(key, _)| key.is_readable());
    if register.has(&student) {
        // The daemon takes a folder of this name for theirs, so that the manifest has to as well.
        return if is_number {
            Err(format!(
                "{shown} is the platform's number of somebody, and on the roster it is {student}'s for something else; write it into the roster's column of this platform"
            ))
        } else {
            Ok(vec![student])
        };
    }
    if terms.only_roster {
        let hint = terms.people.nearest(name);
        let hint = hint.map_or_else(String::new, |name| format!(" (did you mean {name}?)"));
        return Err(format!("{shown} is not on the roster{hint}"));
    }
    if who.is_ambiguous() {
        let logins: Vec<&str> = who.keys.iter().map(|(_, login)| login.as_str()).collect();
        return Err(format!(
            "nothing says which login its folder has ({}); put the students on a roster",
            visible_line(&logins.join(", "))
        ));
    }
    if names.get(name).is_some_and(Option::is_none) {
        return Err(format!(
            "two people are called {shown}; put them on the roster"
        ));
    }
    Ok(vec![student])
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

/// One row for each student who handed a piece in.
fn rows_of(
    piece: Piece,
    target: &Result<Target, String>,
    names: &HashMap<String, Option<Who>>,
    terms: &Terms<'_>,
) -> Vec<Row> {
    let Piece {
        raw,
        shown,
        claim,
        bytes,
    } = piece;
    let time = claim.time.and_then(|time| time.instant(terms.zone));
    let row = |outcome| Row {
        raw: raw.clone(),
        shown: shown.clone(),
        owner: owner(&claim).to_owned(),
        outcome,
    };
    let hand_ins = |who: &Who| {
        let (bytes, target) = (bytes.clone()?, target.clone()?);
        let students = students_of(who, names, terms)?;
        let hand_in = |student| HandIn {
            bytes: bytes.clone(),
            target: target.clone(),
            who: surely(who, &student, terms),
            student,
            time,
            late: claim.late,
            on_time: false,
        };
        Ok(students.into_iter().map(hand_in).collect::<Vec<HandIn>>())
    };
    if claim.who.is_empty() {
        let why = "the platform does not say who handed it in".to_owned();
        let other = bytes.as_ref().err().or(target.as_ref().err());
        return vec![row(Err(other.cloned().unwrap_or(why)))];
    }
    let rows = claim.who.iter().flat_map(|who| match hand_ins(who) {
        Ok(hand_ins) => hand_ins
            .into_iter()
            .map(|hand_in| row(Ok(hand_in)))
            .collect(),
        Err(why) => vec![row(Err(why))],
    });
    rows.collect()
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
