//! `verdicts.log` for people with `tail -f` and `grep`, and `verdicts.jsonl` for programs: one line
//! a verdict, in the order of the store's events.
//!
//! The files follow the store. Each line carries its event's number, so a file's own last line says
//! how far it has come.
//! A file that was moved away is begun anew and goes on after the last number.
//! Where a file is missing or empty at the start, the number that the store remembers counts.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::follower::Follower;
use super::log_schema::{self, Entry, HackEntry, LogLine, RejectionEntry, VerdictEntry};
use super::package_entry::PackageEntry;
use super::schema::VERSION;
use crate::domain::{Because, Cause};
use crate::util::clock::utc_text;
use crate::util::crash::point;
use crate::util::excerpt::visible_line;
use crate::util::files::{SCRATCH, file_mode, make_folder};

/// What is read of a log's end to find its last line, in bytes. No line is as long: everything in
/// one is bounded.
const TAIL_BYTES_MAX: u64 = 256 * 1024;

/// A format of the log: the file's name, what makes a line, and what finds the event's number in
/// one.
struct Format {
    name: &'static str,
    line: fn(&LogLine) -> String,
    event: fn(&str) -> Option<i64>,
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

impl LogLine {
    /// The line of an event: its number, its moment, and what the store keeps of it.
    pub fn of_event(event: i64, ms: i64, entry_json: &str) -> Result<Self, serde_json::Error> {
        Ok(Self::new(event, ms, Entry::from_json(entry_json)?))
    }

    /// The same of what is known.
    pub fn new(event: i64, ms: i64, entry: Entry) -> Self {
        Self {
            version: VERSION,
            event,
            at: utc_text(ms),
            entry,
        }
    }
}

/// Both logs, open for appending.
#[derive(Debug)]
pub struct Logs {
    files: Vec<LogFile>,
}

impl Logs {
    /// Opens the logs in the staff's folder: they name everybody. `mark` is the event that they had
    /// reached as the store remembers it, 0 for none.
    pub fn open(folder: &Path, mark: i64) -> io::Result<Self> {
        let mut files = Vec::new();
        for format in &FORMATS {
            let mut file = LogFile {
                file: Follower::new(folder.join(format.name), true),
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
    /// they are on the disk.
    /// After an error the same lines may be given again.
    pub fn append(&mut self, lines: &[LogLine]) -> io::Result<()> {
        for file in &mut self.files {
            file.append(lines)?;
            point("one log appended");
        }
        Ok(())
    }
}

/// Writes both logs anew, from the first event on, and puts them in place of the old ones.
/// `page` gives the lines after an event, in order, and none at the end. Returns the last event.
pub fn rebuild<E: From<io::Error>>(
    folder: &Path,
    mut page: impl FnMut(i64) -> Result<Vec<LogLine>, E>,
) -> Result<i64, E> {
    make_folder(folder)?;
    let mut scratch = Vec::new();
    for format in &FORMATS {
        let file = tempfile::Builder::new()
            .prefix(SCRATCH)
            .permissions(std::fs::Permissions::from_mode(file_mode(folder)?))
            .tempfile_in(folder)?;
        scratch.push((format, BufWriter::new(file)));
    }
    let mut reached = 0;
    loop {
        let lines = page(reached)?;
        let Some(last) = lines.last() else { break };
        reached = last.event;
        for (format, file) in &mut scratch {
            for line in &lines {
                writeln!(file, "{}", (format.line)(line))?;
            }
        }
    }
    for (format, file) in scratch {
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(folder.join(format.name))
            .map_err(|error| error.error)?;
        point("one log rebuilt");
    }
    File::open(folder)?.sync_all()?;
    Ok(reached)
}

struct LogFile {
    file: Follower,
    format: &'static Format,
    /// The event of the last line.
    reached: i64,
}

impl std::fmt::Debug for LogFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at event {}", self.format.name, self.reached)
    }
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
    let start = format!("{}  {event:<7}", line.at);
    match &line.entry {
        Entry::Verdict(entry) => format!("{start}  {}", verdict_columns(entry)),
        Entry::Rejection(entry) => format!("{start}  {}", rejection_columns(entry)),
        Entry::Hack(entry) => format!("{start}  {}", hack_columns(entry)),
        Entry::Package(entry) => format!("{start}  {}", package_columns(entry)),
    }
}

fn verdict_columns(entry: &VerdictEntry) -> String {
    let mut columns = format!(
        "{:<3}  {:<16}  {:<12}  {:<8}  {:>6} ms  {:>7} KiB",
        entry.verdict.code(),
        word(&entry.student),
        format!("{} #{}", word(&entry.problem), entry.attempt),
        word(&entry.language),
        entry.cpu_ms_max,
        entry.memory_kib_max,
    );
    if let Some(score) = entry.score {
        columns.push_str("  ");
        columns.push_str(&score.short());
    }
    let cause = entry.cause.as_ref().map(Cause::code);
    for more in entry.first_failing_test.iter().chain(&cause) {
        columns.push_str("  ");
        columns.push_str(&word(more));
    }
    if let Some(before) = entry.before.filter(|before| *before != entry.verdict) {
        columns.push_str("  was ");
        columns.push_str(before.code());
    }
    // The first judgement needs no mention.
    if entry.because != Because::Received.words() {
        columns.push_str("  because ");
        columns.push_str(&word(&entry.because));
    }
    columns
}

fn rejection_columns(entry: &RejectionEntry) -> String {
    format!(
        "{:<3}  {:<16}  {}  rejected: {}",
        "-",
        entry
            .student
            .as_deref()
            .map_or_else(|| "-".to_owned(), word),
        quoted(&entry.path),
        quoted(&entry.reason)
    )
}

fn hack_columns(entry: &HackEntry) -> String {
    let mut columns = vec![
        format!("{:<3}", "-"),
        format!("{:<16}", word(&entry.name)),
        format!("{:<12}", word(&entry.problem)),
        entry.state.word().to_owned(),
    ];
    columns.extend(entry.reason.as_deref().map(quoted));
    columns.extend(entry.fell.map(|count| format!("{count} failed")));
    columns.extend(entry.stood.map(|count| format!("{count} passed")));
    columns.extend(entry.took_ms.map(|took| format!("in {took} ms")));
    columns.join("  ")
}

fn package_columns(entry: &PackageEntry) -> String {
    let mut columns = format!(
        "{:<3}  {:<16}  {:<12}  {}",
        "-",
        "package",
        word(&entry.problem),
        entry.state.word()
    );
    if let Some(reason) = &entry.reason {
        columns.push_str("  ");
        columns.push_str(&quoted(reason));
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

/// Whether a line of `verdicts.log` is about a student's program or file.
pub fn is_of_student(line: &str, student: &str) -> bool {
    let columns = line.split("  ").map(str::trim);
    let columns: Vec<&str> = columns.filter(|column| !column.is_empty()).collect();
    let is = |index: usize, text: &str| columns.get(index) == Some(&text);
    // A hack and a package have their name where a student has theirs.
    let is_rejection = columns
        .get(5)
        .is_some_and(|column| column.starts_with("rejected: "));
    is(3, &word(student)) && (!is(2, "-") || is_rejection)
}

fn event_of_text(line: &str) -> Option<i64> {
    let number = line.split_whitespace().nth(1)?;
    number.strip_prefix('#')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::is_of_student;

    #[test]
    fn lines_of_a_student_are_told_from_those_that_have_the_name_elsewhere() {
        let begin = "2026-09-01T10:00:00Z  #1     ";
        for (rest, is_theirs) in [
            (
                "AC   anna              sum #1        C++          3 ms     1024 KiB",
                true,
            ),
            (
                "WA   anna              anna #2       C++          3 ms     1024 KiB  secret/1",
                true,
            ),
            (
                "-    anna              \"anna/x.odt\"  rejected: \"no language\"",
                true,
            ),
            (
                "AC   anna-maria        sum #1        C++          3 ms     1024 KiB",
                false,
            ),
            (
                "AC   anna.k            sum #1        C++          3 ms     1024 KiB",
                false,
            ),
            (
                "AC   bo                anna #1       C++          3 ms     1024 KiB",
                false,
            ),
            ("-    package           anna          ready", false),
            (
                "-    anna              sum           recorded  3 failed",
                false,
            ),
            (
                "-    -                 \"anna.odt\"  rejected: \"no language\"",
                false,
            ),
        ] {
            let line = format!("{begin}  {rest}");
            assert_eq!(is_of_student(&line, "anna"), is_theirs, "{line}");
        }
        let quoted = format!("{begin}  AC   \"Anna K\"          sum #1  C++");
        assert!(is_of_student(&quoted, "Anna K"));
    }
}
