//! `decisions.csv` beside config.toml: what an instructor has decided, a line per decision. People
//! edit it, commands add lines to it and take them away; nobody's other lines change.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use csv::{ReaderBuilder, StringRecord, Terminator, WriterBuilder};

use super::decisions::{Action, Decision, Decisions};
use super::points::{POINTS_MAX, Points};
use super::roster::separator;
use crate::domain::{Attempt, ProblemSlug, Student, Verdict};
use crate::util::cell;
use crate::util::excerpt::visible_line;
use crate::util::files::{read_regular, replace};
use crate::util::nearest::nearest;
use crate::util::sheet::{OPEN_QUOTE, open_quote};

/// Its name.
const FILE: &str = "decisions.csv";
/// The largest file, in bytes.
const BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Characters of a reason or a comment that are kept.
pub const REASON_CHARACTERS_MAX: usize = 1_000;
/// Its columns; others are for people.
const COLUMNS: [&str; 7] = [
    "student", "problem", "attempt", "action", "value", "reason", "when",
];
/// Its actions.
const ACTIONS: [&str; 4] = ["verdict", "points", "comment", "exclude"];

/// Why decisions cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DecisionsError {
    /// The file cannot be read or written.
    #[error("{}: {source}", .file.display())]
    Io { file: PathBuf, source: io::Error },
    /// Something in it is wrong.
    #[error("{}:{line}: {reason}", .file.display())]
    Content {
        file: PathBuf,
        /// From 1.
        line: u64,
        reason: String,
    },
}

/// The file as it was read.
pub struct DecisionsFile {
    file: PathBuf,
    text: String,
    /// Where each of [`COLUMNS`] stands, and how many columns there are.
    columns: [usize; COLUMNS.len()],
    width: usize,
    /// Each decision with the bytes of its line.
    rows: Vec<(Decision, std::ops::Range<usize>)>,
    /// Held while the file is changed: commands take turns.
    _turn: Option<File>,
}

impl Decisions {
    /// Reads the decisions in the folder of config.toml; none where there is no file.
    pub fn load(folder: &Path) -> Result<Self, DecisionsError> {
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
    pub fn open(folder: &Path) -> Result<Self, DecisionsError> {
        let turn = take_turn(folder).map_err(|source| DecisionsError::Io {
            file: folder.to_owned(),
            source,
        })?;
        Self::read(folder, Some(turn))
    }

    fn read(folder: &Path, turn: Option<File>) -> Result<Self, DecisionsError> {
        let file = folder.join(FILE);
        let bytes = match read_regular(&file, BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(DecisionsError::Io { file, source }),
        };
        let text = String::from_utf8(bytes).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.split(|&byte| byte == b'\n').count() as u64;
            let reason = "it is not UTF-8; save it as \"CSV UTF-8\"".to_owned();
            let file = file.clone();
            DecisionsError::Content { file, line, reason }
        })?;
        let mut read = Self {
            file,
            text: if text.trim().is_empty() {
                format!("{}\n", COLUMNS.join(","))
            } else {
                text
            },
            columns: [0; COLUMNS.len()],
            width: COLUMNS.len(),
            rows: Vec::new(),
            _turn: turn,
        };
        read.parse()?;
        Ok(read)
    }

    fn wrong(&self, line: u64, reason: String) -> DecisionsError {
        let file = self.file.clone();
        DecisionsError::Content { file, line, reason }
    }

    fn parse(&mut self) -> Result<(), DecisionsError> {
        let mark = self.text.len() - self.text.trim_start_matches('\u{FEFF}').len();
        let body = &self.text[mark..];
        let delimiter = separator(body);
        if let Some(line) = open_quote(body, delimiter) {
            return Err(self.wrong(line, OPEN_QUOTE.to_owned()));
        }
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .flexible(true)
            .from_reader(body.as_bytes());
        let header = reader.headers().cloned();
        let header = header.map_err(|error| self.wrong(1, error.to_string()))?;
        let mut columns = [0; COLUMNS.len()];
        for (column, name) in columns.iter_mut().zip(COLUMNS) {
            let mut names = header.iter().map(|name| name.trim().to_ascii_lowercase());
            *column = names.position(|found| found == name).ok_or_else(|| {
                let all = COLUMNS.join(",");
                let reason = format!("no column is called `{name}`; the first line is {all}");
                self.wrong(1, reason)
            })?;
        }
        let mut rows = Vec::new();
        let mut record = StringRecord::new();
        loop {
            let begin = reader.position().byte();
            let more = reader.read_record(&mut record).map_err(|error| {
                let line = error.position().map_or(1, csv::Position::line);
                self.wrong(line, error.to_string())
            })?;
            if !more {
                break;
            }
            if record.iter().all(|field| field.trim().is_empty()) {
                continue;
            }
            let line = record.position().map_or(1, csv::Position::line);
            let fields = columns.map(|column| {
                let field = record.get(column).unwrap_or_default().trim();
                cell::read(field).to_owned()
            });
            let decision = decision(&fields).map_err(|reason| self.wrong(line, reason))?;
            let [begin, end] = [begin, reader.position().byte()]
                .map(|byte| mark + usize::try_from(byte).unwrap_or(usize::MAX));
            rows.push((decision, begin..end));
        }
        (self.columns, self.width, self.rows) = (columns, header.len(), rows);
        Ok(())
    }

    /// Adds a decision at the end.
    pub fn add(mut self, decision: &Decision) -> Result<(), DecisionsError> {
        let mut record = vec![String::new(); self.width];
        for (column, field) in self.columns.into_iter().zip(fields(decision)) {
            record[column] = field;
        }
        let mut writer = WriterBuilder::new()
            .delimiter(separator(self.text.trim_start_matches('\u{FEFF}')))
            .terminator(if self.text.contains("\r\n") {
                Terminator::CRLF
            } else {
                Terminator::Any(b'\n')
            })
            .from_writer(Vec::new());
        let line = writer.write_record(&record).map_err(io::Error::from);
        let line = line.and_then(|()| {
            writer
                .into_inner()
                .map_err(|error| io::Error::other(error.to_string()))
        });
        let line = line.map_err(|source| self.failed(source))?;
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(&String::from_utf8_lossy(&line));
        self.write()
    }

    /// Takes away the last decision of which this is true; `None` where there is none.
    pub fn remove_last(
        mut self,
        is_meant: impl Fn(&Decision) -> bool,
    ) -> Result<Option<Decision>, DecisionsError> {
        let Some(index) = self.rows.iter().rposition(|(row, _)| is_meant(row)) else {
            return Ok(None);
        };
        let (decision, bytes) = self.rows.remove(index);
        self.text.replace_range(bytes, "");
        self.write()?;
        Ok(Some(decision))
    }

    fn write(&self) -> Result<(), DecisionsError> {
        replace(&self.file, self.text.as_bytes()).map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> DecisionsError {
        let file = self.file.clone();
        DecisionsError::Io { file, source }
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
        cell::plain(decision.student.as_str()),
        cell::plain(decision.problem.as_str()),
        attempt.map_or_else(String::new, |attempt| attempt.to_string()),
        action.to_owned(),
        value,
        cell::shown(&decision.reason),
        decision.when.clone(),
    ]
}

fn decision(fields: &[String; COLUMNS.len()]) -> Result<Decision, String> {
    let [student, problem, attempt, action, value, reason, when] = fields;
    let name = |error| format!("{error}; write names as the submissions folder has them");
    let attempt: Option<Attempt> = match attempt.as_str() {
        "" => None,
        number => {
            let number: Option<Attempt> = number.parse().ok().filter(|number| *number > 0);
            Some(number.ok_or("`attempt` is a number from 1, or empty for the whole problem")?)
        }
    };
    let action = match action.to_lowercase().as_str() {
        "verdict" => {
            let code = value.to_uppercase();
            let verdict = Verdict::from_code(&code);
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
    use crate::course::{Action, Decision, Decisions, Points};
    use crate::domain::Verdict;
    use crate::util::samples::{slug, student};

    fn made(attempt: Option<u32>, action: Action, reason: &str) -> Decision {
        Decision {
            student: student("ada"),
            problem: slug("sum"),
            attempt,
            action,
            reason: reason.to_owned(),
            when: "2026-10-02T10:00:00Z".to_owned(),
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
            let new = [
                made(
                    Some(2),
                    Action::Verdict(Verdict::Accepted),
                    "=1+1, \"he\" said",
                ),
                made(None, Action::Points(Points::hundredths(725)), "eyes"),
                made(None, Action::Comment, "well done"),
                made(Some(3), Action::Exclude, "-copied"),
            ];
            for decision in &new {
                DecisionsFile::open(folder.path())
                    .unwrap()
                    .add(decision)
                    .unwrap();
            }
            let all = [known.clone(), new.to_vec()].concat();
            assert_eq!(load(folder.path()).unwrap(), all, "{before}");
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(text.starts_with(before.trim_end()), "{text}");
            assert!(!text.contains(",=") && !text.contains("\"="), "{text}");
            for decision in new.iter().rev() {
                let open = DecisionsFile::open(folder.path()).unwrap();
                let undone = open.remove_last(|one| one.action == decision.action);
                assert_eq!(undone.unwrap().as_ref(), Some(decision));
            }
            assert_eq!(load(folder.path()).unwrap(), known, "{before}");
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(text.starts_with(before.trim_end()), "{text}");
            let open = DecisionsFile::open(folder.path()).unwrap();
            assert_eq!(
                open.remove_last(|one| one.attempt == Some(9)).unwrap(),
                None
            );
        }
    }

    #[test]
    fn a_mistake_has_its_line_and_the_way_out() {
        let folder = tempfile::tempdir().unwrap();
        let header = "student,problem,attempt,action,value,reason,when\n";
        for (line, part) in [
            ("ada,sum,1,exclud,,why,", "did you mean \"exclude\"?"),
            ("ada,sum,1,verdict,OK,why,", "one of AC, "),
            ("ada,sum,,verdict,AC,why,", "write its number"),
            ("ada,sum,,exclude,,why,", "write its number"),
            ("ada,sum,0,comment,,why,", "a number from 1"),
            ("ada,sum,,points,-1,why,", "number of points from 0"),
            ("ada,sum,,comment,,,", "`reason` is empty"),
            (
                "ada,S um,,comment,,why,",
                "as the submissions folder has them",
            ),
            (",sum,,comment,,why,", "the name is empty"),
        ] {
            let text = format!("{header}bo,sum,,comment,,fine,\n{line}\n");
            std::fs::write(folder.path().join(FILE), text).unwrap();
            let error = load(folder.path()).unwrap_err();
            assert!(error.contains("decisions.csv:3: "), "{error}");
            assert!(error.contains(part), "{error}");
        }
        // A line that is added to it would be part of the reason.
        let open = format!(
            "{header}bo,sum,,comment,,fine,\nada,sum,,comment,,\"hm,\nada,sum,,comment,,ok,\n"
        );
        std::fs::write(folder.path().join(FILE), open).unwrap();
        let error = load(folder.path()).unwrap_err();
        assert!(error.contains("decisions.csv:3: a quote"), "{error}");
        assert!(DecisionsFile::open(folder.path()).is_err());
        std::fs::write(folder.path().join(FILE), "student,problem\n").unwrap();
        let error = load(folder.path()).unwrap_err();
        assert!(
            error.contains("decisions.csv:1: no column is called `attempt`"),
            "{error}"
        );
    }
}
