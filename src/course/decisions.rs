//! What an instructor has decided about single attempts and problems of somebody: another verdict,
//! other points, a comment, an attempt that does not count. The facts stay beside it.
//!
//! It is kept in `decisions.csv` beside config.toml, a line per decision. People edit it, commands
//! add lines to it and take them away; nobody's other lines change.

use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::points::{POINTS_MAX, Points};
use crate::domain::{Attempt, Complaint, ProblemSlug, Student, Verdict};
use crate::util::excerpt::visible_line;
use crate::util::files::replace;
use crate::util::table::{Table, plain_cell, shown_cell};
use crate::util::words::nearest;

/// What is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The attempt counts as if it had this verdict.
    Verdict(Verdict),
    /// The attempt brings these points, or, where it names no attempt, the problem does. No late
    /// rule changes them.
    Points(Points),
    /// Words for the student.
    Comment,
    /// The attempt does not count.
    Exclude,
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub student: Student,
    pub problem: ProblemSlug,
    /// `None` where it is about the problem as a whole.
    pub attempt: Option<Attempt>,
    pub action: Action,
    /// Why, for the student too.
    pub reason: String,
    /// When it was written, as its author or the command wrote it.
    pub when: String,
}

impl Decision {
    /// The points that it gives.
    pub fn points(&self) -> Option<Points> {
        match self.action {
            Action::Points(points) => Some(points),
            _ => None,
        }
    }
}

/// As the student reads it.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let attempt = self.attempt.map(|attempt| format!("Attempt {attempt}"));
        let subject = attempt.as_deref().unwrap_or("The problem");
        match self.action {
            Action::Verdict(verdict) => write!(f, "{subject} counts as {}: ", verdict.code())?,
            Action::Points(points) => write!(f, "{subject} brings {points} points: ")?,
            Action::Exclude => write!(f, "{subject} does not count: ")?,
            Action::Comment => write!(f, "{subject}: ")?,
        }
        f.write_str(&self.reason)
    }
}

/// All decisions, by student and problem; a later one of the same kind replaces an earlier one.
#[derive(Debug, Default)]
pub struct Decisions(HashMap<(Student, ProblemSlug), Vec<Decision>>);

impl Decisions {
    /// Of decisions in the order in which they were made.
    pub fn new(decisions: impl IntoIterator<Item = Decision>) -> Self {
        let mut all = HashMap::<_, Vec<_>>::new();
        for decision in decisions {
            let key = (decision.student.clone(), decision.problem.clone());
            all.entry(key).or_default().push(decision);
        }
        Self(all)
    }

    /// What is decided about somebody's problem, the earliest first.
    pub fn of(&self, student: &Student, problem: &ProblemSlug) -> &[Decision] {
        if self.0.is_empty() {
            return &[];
        }
        let all = self.0.get(&(student.clone(), problem.clone()));
        all.map_or(&[], Vec::as_slice)
    }

    /// Everybody and every problem that something is decided about.
    pub fn keys(&self) -> impl Iterator<Item = &(Student, ProblemSlug)> {
        self.0.keys()
    }
}

/// Its name.
const FILE: &str = "decisions.csv";
/// Characters of a reason or a comment that are kept.
pub const REASON_CHARACTERS_MAX: usize = 1_000;
/// Its columns; others are for people.
const COLUMNS: [&str; 7] = [
    "student", "problem", "attempt", "action", "value", "reason", "when",
];
/// Its actions.
const ACTIONS: [&str; 4] = ["verdict", "points", "comment", "exclude"];

/// The file as it was read.
pub struct DecisionsFile {
    file: PathBuf,
    table: Table,
    /// Where each of [`COLUMNS`] stands.
    columns: [usize; COLUMNS.len()],
    /// Each decision with its row in the table.
    rows: Vec<(Decision, usize)>,
    /// Held while the file is changed: commands take turns.
    _turn: Option<File>,
}

impl Decisions {
    /// Reads the decisions in the folder of config.toml; none where there is no file.
    pub fn load(folder: &Path) -> Result<Self, Complaint> {
        let file = DecisionsFile::read(folder, None)?;
        Ok(Self::new(file.rows.into_iter().map(|(row, _)| row)))
    }
}

/// Has whoever changes the CSV files of a folder wait until it is dropped.
pub fn take_turn(folder: &Path) -> io::Result<File> {
    let turn = File::open(folder)?;
    turn.lock()?;
    Ok(turn)
}

impl DecisionsFile {
    /// Reads it to change it; another command waits until this is dropped.
    pub fn open(folder: &Path) -> Result<Self, Complaint> {
        let turn = take_turn(folder).map_err(|error| Complaint::new(folder, error))?;
        Self::read(folder, Some(turn))
    }

    fn read(folder: &Path, turn: Option<File>) -> Result<Self, Complaint> {
        let file = folder.join(FILE);
        let mut bytes = Table::bytes(&file)
            .map_err(|error| Complaint::new(&file, error))?
            .unwrap_or_default();
        if bytes.trim_ascii().is_empty() {
            bytes = format!("{}\n", COLUMNS.join(",")).into_bytes();
        }
        let table = Table::read(&file, &bytes)?;
        let help = format!("the first line is {}", COLUMNS.join(","));
        let mut columns = [0; COLUMNS.len()];
        for (column, name) in columns.iter_mut().zip(COLUMNS) {
            *column = table.column(name, &help)?;
        }
        let mut rows = Vec::new();
        for (index, row) in table.rows() {
            let decision = decision(columns.map(|column| row.cell(column)))
                .map_err(|reason| table.wrong(row.line, reason, ""))?;
            rows.push((decision, index));
        }
        Ok(Self {
            file,
            table,
            columns,
            rows,
            _turn: turn,
        })
    }

    /// Adds a decision at the end.
    pub fn add(self, decision: &Decision) -> Result<(), Complaint> {
        let mut cells = vec![String::new(); self.table.header().len()];
        for (column, field) in self.columns.into_iter().zip(fields(decision)) {
            cells[column] = field;
        }
        self.write(&self.table.sheet.with_row(&cells))
    }

    /// Takes away the last decision of which this is true; `None` where there is none.
    pub fn remove_last(
        mut self,
        is_meant: impl Fn(&Decision) -> bool,
    ) -> Result<Option<Decision>, Complaint> {
        let Some(at) = self.rows.iter().rposition(|(row, _)| is_meant(row)) else {
            return Ok(None);
        };
        let (decision, index) = self.rows.remove(at);
        self.table.sheet.leave_out(index);
        self.write(&self.table.sheet.to_bytes())?;
        Ok(Some(decision))
    }

    fn write(&self, bytes: &[u8]) -> Result<(), Complaint> {
        replace(&self.file, bytes).map_err(|error| Complaint::new(&self.file, error))
    }
}

fn fields(decision: &Decision) -> [String; COLUMNS.len()] {
    let (action, value) = match decision.action {
        Action::Verdict(verdict) => ("verdict", verdict.code().to_owned()),
        Action::Points(points) => ("points", points.to_string()),
        Action::Comment => ("comment", String::new()),
        Action::Exclude => ("exclude", String::new()),
    };
    let attempt = decision.attempt;
    [
        plain_cell(decision.student.as_str()),
        plain_cell(decision.problem.as_str()),
        attempt.map_or_else(String::new, |attempt| attempt.to_string()),
        action.to_owned(),
        value,
        shown_cell(&decision.reason),
        decision.when.clone(),
    ]
}

fn decision(fields: [&str; COLUMNS.len()]) -> Result<Decision, String> {
    let [student, problem, attempt, action, value, reason, when] = fields;
    let name = |error| format!("{error}; write names as the submissions folder has them");
    let attempt: Option<Attempt> = match attempt {
        "" => None,
        number => {
            let number: Option<Attempt> = number.parse().ok().filter(|number| *number > 0);
            Some(number.ok_or("`attempt` is a number from 1, or empty for the whole problem")?)
        }
    };
    let action = match action.to_lowercase().as_str() {
        "verdict" => {
            let code = value.to_uppercase();
            let verdict = code.parse::<Verdict>().ok();
            let codes = Verdict::ALL.map(Verdict::code).join(", ");
            Action::Verdict(verdict.ok_or(format!("`value` is one of {codes}, not {value:?}"))?)
        }
        "points" => {
            // Spreadsheet programs write a comma where it is the decimal mark.
            let number = value.replace(',', ".").parse().ok();
            let points = number.and_then(Points::from_number);
            Action::Points(points.ok_or(format!(
                "`value` is a number of points from 0 to {POINTS_MAX}, not {value:?}"
            ))?)
        }
        "comment" => Action::Comment,
        "exclude" => Action::Exclude,
        other => {
            let meant = nearest(other, ACTIONS).map(|meant| format!("; did you mean {meant:?}?"));
            return Err(format!(
                "`action` is one of {}, not {other:?}{}",
                ACTIONS.join(", "),
                meant.unwrap_or_default()
            ));
        }
    };
    if attempt.is_none() && matches!(action, Action::Verdict(_) | Action::Exclude) {
        return Err("this action is about one attempt; write its number in `attempt`".to_owned());
    }
    let reason: String = reason.chars().take(REASON_CHARACTERS_MAX).collect();
    if reason.is_empty() {
        return Err("`reason` is empty; write what the student is to read".to_owned());
    }
    Ok(Decision {
        student: Student::spelled(student).map_err(name)?,
        problem: ProblemSlug::new(problem).map_err(name)?,
        attempt,
        action,
        reason: visible_line(&reason),
        when: visible_line(when),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{DecisionsFile, FILE};
    use crate::course::tests::decision;
    use crate::course::{Action, Decision, Decisions, Points};
    use crate::domain::Verdict;
    use crate::util::samples::{slug, student};

    fn made(attempt: Option<u32>, action: Action, reason: &str) -> Decision {
        Decision {
            reason: reason.to_owned(),
            when: "2026-10-02T10:00:00Z".to_owned(),
            ..decision("sum", attempt, action)
        }
    }

    fn load(folder: &Path) -> Result<Vec<Decision>, String> {
        let all = Decisions::load(folder).map_err(|error| error.to_string())?;
        Ok(all.of(&student("ada"), &slug("sum")).to_vec())
    }

    #[test]
    fn what_is_written_is_read_and_undone_and_others_lines_stay() {
        for before in [
            "",
            "student,problem,attempt,action,value,reason,when\n",
            "\u{feff}note;when;Student;problem;attempt;action;value;reason\r\nx;;ada;sum;1;Exclude;;\"cheated; \r\nsaid so\"\r\n",
            "student,problem,attempt,action,value,reason,when\n\nada,sum,,points,\"1,5\",by mail,\nbo,sum,,comment,,hm,",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join(FILE);
            std::fs::write(&file, before).unwrap();
            let known = load(folder.path()).unwrap();
            let right = Action::Verdict(Verdict::Accepted);
            let new = [
                made(Some(2), right, "=1+1, \"he\" said"),
                made(None, Action::Points(Points::hundredths(725)), "eyes"),
                made(None, Action::Comment, "well done"),
                made(Some(3), Action::Exclude, "-copied"),
            ];
            let open = || DecisionsFile::open(folder.path()).unwrap();
            for decision in &new {
                open().add(decision).unwrap();
            }
            let all = [known.clone(), new.to_vec()].concat();
            assert_eq!(load(folder.path()).unwrap(), all, "{before}");
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(text.starts_with(before.trim_end()), "{text}");
            assert!(!text.contains(",=") && !text.contains("\"="), "{text}");
            for decision in new.iter().rev() {
                let undone = open().remove_last(|one| one.action == decision.action);
                assert_eq!(undone.unwrap().as_ref(), Some(decision));
            }
            assert_eq!(load(folder.path()).unwrap(), known, "{before}");
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(text.starts_with(before.trim_end()), "{text}");
            let none = open().remove_last(|one| one.attempt == Some(9));
            assert_eq!(none.unwrap(), None);
        }
    }

    #[test]
    fn a_mistake_has_its_line_and_the_way_out() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |text: &str| {
            std::fs::write(folder.path().join(FILE), text).unwrap();
            load(folder.path()).unwrap_err()
        };
        let header = "student,problem,attempt,action,value,reason,when\n";
        for (line, part) in [
            ("ada,sum,1,exclud,,why,", "did you mean \"exclude\"?"),
            ("ada,sum,1,verdict,OK,why,", "one of AC, "),
            ("ada,sum,,verdict,AC,why,", "write its number"),
            ("ada,sum,,exclude,,why,", "write its number"),
            ("ada,sum,0,comment,,why,", "a number from 1"),
            ("ada,sum,,points,-1,why,", "number of points from 0"),
            ("ada,sum,,comment,,,", "`reason` is empty"),
            ("ada,S um,,comment,,why,", "as the submissions folder has"),
            (",sum,,comment,,why,", "the name is empty"),
        ] {
            let error = refused(&format!("{header}bo,sum,,comment,,fine,\n{line}\n"));
            assert!(error.contains("decisions.csv:3: "), "{error}");
            assert!(error.contains(part), "{error}");
        }
        // A line that is added to the last one would be part of the reason.
        let open = "bo,sum,,comment,,,\nada,sum,,comment,,\"hm,\n";
        let error = refused(&format!("{header}{open}"));
        assert!(error.contains("decisions.csv:3: a quote"), "{error}");
        assert!(DecisionsFile::open(folder.path()).is_err());
        let error = refused("student,problem\n");
        let part = "decisions.csv:1: no column is called `attempt`";
        assert!(error.contains(part), "{error}");
    }
}
