//! `verdicts.log` for people with `tail -f` and `grep`, and `verdicts.jsonl` for programs: one line
//! a verdict, in the order of the store's events.
//!
//! The files follow the store. Each line carries its event's number, so a file's own last line says
//! how far it has come.
//! A file that was moved away is begun anew and goes on after the last number.
//! Where a file is missing or empty at the start, the number that the store remembers counts.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::follower::Follower;
use super::log_schema::{self, Entry, LogLine, VerdictEntry};
use crate::domain::Because;
use crate::util::crash::point;
use crate::util::excerpt::visible_line;
use crate::util::files::{SCRATCH, remove};

/// What is read of a log's end to find its last line, in bytes. No line is as long: everything in
/// one is bounded.
const TAIL_BYTES_MAX: u64 = 256 * 1024;

/// A format of the log: the file's name, what makes a line, and what finds the event's number in
/// one.
#[derive(Debug)]
struct Format {
    name: &'static str,
    line: fn(&LogLine) -> String,
    event: fn(&str) -> Option<i64>,
}

impl Format {
    /// Where a new log lies until it is whole.
    fn scratch(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{SCRATCH}{}", self.name))
    }
}

const FORMATS: [Format; 2] = [
    Format {
        name: "verdicts.log",
        line: text_line,
        event: event_of_text,
    },
    Format {
        name: "verdicts.jsonl",
        line: LogLine::to_json,
        event: log_schema::event_of_json,
    },
];

/// Both logs, open for appending.
#[derive(Debug)]
pub struct Logs {
    files: Vec<LogFile>,
}

impl Logs {
    /// Opens the logs in the staff's folder: they name everybody. `mark` is the event that they had
    /// reached as the store remembers it, 0 for none.
    pub fn open(folder: &Path, mark: i64) -> io::Result<Self> {
        let path = |format: &Format| folder.join(format.name);
        Self::open_as(path, true, mark)
    }

    /// Makes new ones, which are to [`replace`] those in the folder.
    pub fn anew(folder: &Path) -> io::Result<Self> {
        for format in &FORMATS {
            remove(&format.scratch(folder))?;
        }
        Self::open_as(|format| format.scratch(folder), false, 0)
    }

    fn open_as(path: impl Fn(&Format) -> PathBuf, is_synced: bool, mark: i64) -> io::Result<Self> {
        let mut files = Vec::new();
        for format in &FORMATS {
            let mut file = LogFile {
                file: Follower::new(path(format), is_synced),
                format,
                reached: mark,
            };
            file.open()?;
            files.push(file);
        }
        Ok(Self { files })
    }

    /// The event that both files have reached: what comes after it is to be appended.
    pub fn reached(&self) -> i64 {
        self.files
            .iter()
            .map(|file| file.reached)
            .min()
            .unwrap_or(0)
    }

    /// Appends lines, in the order of their events; a file skips what it has. When this returns
    /// they are on the disk, unless the logs are made [anew](Self::anew).
    /// After an error the same lines may be given again.
    pub fn append(&mut self, lines: &[LogLine]) -> io::Result<()> {
        for file in &mut self.files {
            file.append(lines)?;
            point("one log appended");
        }
        Ok(())
    }
}

/// Puts the logs that were made [anew](Logs::anew) in the place of the old ones.
pub fn replace(folder: &Path) -> io::Result<()> {
    for format in &FORMATS {
        let scratch = format.scratch(folder);
        File::open(&scratch)?.sync_all()?;
        std::fs::rename(scratch, folder.join(format.name))?;
        point("one log rebuilt");
    }
    File::open(folder)?.sync_all()
}

#[derive(Debug)]
struct LogFile {
    file: Follower,
    format: &'static Format,
    /// The event of the last line.
    reached: i64,
}

impl LogFile {
    fn append(&mut self, lines: &[LogLine]) -> io::Result<()> {
        if self.file.is_lost()? {
            self.open()?;
        }
        let mut text = String::new();
        let mut reached = self.reached;
        for line in lines.iter().filter(|line| line.event > self.reached) {
            text.push_str(&(self.format.line)(line));
            text.push('\n');
            reached = line.event;
        }
        self.file.append(&text)?;
        self.reached = reached;
        Ok(())
    }

    /// Opens the file and believes its last whole line.
    fn open(&mut self) -> io::Result<()> {
        let (format, reached) = (self.format, &mut self.reached);
        self.file.open(|file| {
            let begin = file.metadata()?.len().saturating_sub(TAIL_BYTES_MAX);
            file.seek(SeekFrom::Start(begin))?;
            let mut tail = Vec::new();
            file.take(TAIL_BYTES_MAX).read_to_end(&mut tail)?;
            let last = tail.iter().rposition(|&byte| byte == b'\n');
            let whole = last.map_or(0, |last| last + 1);
            // Lines that are not ours, from somebody's editor, are passed over.
            let event = tail[..whole]
                .rsplit(|&byte| byte == b'\n')
                .filter_map(|line| std::str::from_utf8(line).ok())
                .find_map(|line| (format.event)(line));
            if let Some(event) = event {
                *reached = event;
            }
            Ok(begin + whole as u64)
        })
    }
}

/// `time  #event  verdict  student  problem #attempt  language  cpu  memory  first failing test
/// cause`: two spaces or more between columns, names in quotation marks where they hold anything
/// but letters, digits and a few signs.
fn text_line(line: &LogLine) -> String {
    let event = format!("#{}", line.event);
    let mut columns = vec![line.at.clone(), format!("{event:<7}")];
    let begin = |first: &str, name: &str| [format!("{first:<3}"), format!("{name:<16}")];
    match &line.entry {
        Entry::Verdict(entry) => {
            columns.extend(begin(entry.verdict.code(), &word(entry.student.as_str())));
            columns.extend(verdict_columns(entry));
        }
        Entry::Rejection(entry) => {
            let student = entry.student.as_ref().map(|student| word(student.as_str()));
            columns.extend(begin("-", student.as_deref().unwrap_or("-")));
            columns.push(quoted(&entry.path));
            columns.push(format!("rejected: {}", quoted(&entry.reason)));
        }
        Entry::Hack(entry) => {
            columns.extend(begin("-", &word(&entry.name)));
            columns.push(format!("{:<12}", word(&entry.problem)));
            columns.push(entry.state.word().to_owned());
            columns.extend(entry.reason.as_deref().map(quoted));
            columns.extend(entry.fell.map(|count| format!("{count} failed")));
            columns.extend(entry.stood.map(|count| format!("{count} passed")));
            columns.extend(entry.took_ms.map(|took| format!("in {took} ms")));
        }
        Entry::Package(entry) => {
            columns.extend(begin("-", "package"));
            columns.push(format!("{:<12}", word(&entry.problem)));
            columns.push(entry.state.word().to_owned());
            columns.extend(entry.reason.as_deref().map(quoted));
        }
    }
    columns.join("  ")
}

fn verdict_columns(entry: &VerdictEntry) -> Vec<String> {
    let mut columns = vec![
        format!(
            "{:<12}",
            format!("{} #{}", word(entry.problem.as_str()), entry.attempt)
        ),
        format!("{:<8}", word(entry.language.as_str())),
        format!("{:>6} ms", entry.cpu_ms_max),
        format!("{:>7} KiB", entry.memory_kib_max),
    ];
    columns.extend(entry.score.map(|score| score.to_string()));
    columns.extend(entry.first_failing_test.as_deref().map(word));
    columns.extend(entry.cause.as_ref().map(|cause| word(&cause.code())));
    let before = entry.before.filter(|before| *before != entry.verdict);
    columns.extend(before.map(|before| format!("was {before}")));
    // The first judgement needs no mention.
    if entry.because != Because::Received.words() {
        columns.push(format!("because {}", word(&entry.because)));
    }
    columns
}

/// A name as one word of a line that nobody can forge another column with.
fn word(text: &str) -> String {
    let plain = |character: char| {
        character.is_alphanumeric() || matches!(character, '.' | '_' | '-' | '+' | '/' | '~')
    };
    if !text.is_empty() && text != "-" && text.chars().all(plain) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// In quotation marks; single spaces stay, more of them would look like columns.
fn quoted(text: &str) -> String {
    let shown = visible_line(text)
        .replace('"', "\\\"")
        .replace("  ", " \\u{20}");
    format!("\"{shown}\"")
}

fn event_of_text(line: &str) -> Option<i64> {
    let number = line.split_whitespace().nth(1)?;
    number.strip_prefix('#')?.parse().ok()
}
