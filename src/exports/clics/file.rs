//! The feed's file: what it tells already, and how more is appended.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use serde_json::Value;

use super::shape::Notification;

use crate::util::crash::point;
use crate::util::files::{make_folder, open_to_append, put_aside, was_moved};

/// The file in the staff's folder.
pub const NAME: &str = "event-feed.ndjson";
/// The longest line that is looked at; none of ours is as long.
const LINE_BYTES_MAX: u64 = 64 * 1024;
/// Objects of these kinds are told once, and again when they have changed.
const KEPT: [&str; 6] = [
    "contest",
    "judgement-types",
    "languages",
    "problems",
    "state",
    "teams",
];

/// What a file tells of the objects that others refer to.
#[derive(Debug, Default)]
pub struct Told {
    objects: BTreeMap<(String, String), Value>,
    /// The longest runs of the judgements that are current, by the judgements: they are told again when another one replaces them.
    run_times: BTreeMap<String, f64>,
    /// Whether all of the course has been told as it is now.
    pub has_course: bool,
}

impl Told {
    /// An object as it was told last.
    pub fn get(&self, kind: &str, id: &str) -> Option<&Value> {
        self.objects.get(&(kind.to_owned(), id.to_owned()))
    }

    /// How many objects of a kind were told.
    pub fn count(&self, kind: &str) -> usize {
        self.objects.keys().filter(|(of, _)| of == kind).count()
    }

    /// The longest run of a judgement that is current, where it was told.
    pub fn run_time(&self, judgement: &str) -> Option<f64> {
        self.run_times.get(judgement).copied()
    }

    /// Remembers of a judgement what is told again with its end.
    pub fn judged(&mut self, id: &str, data: &Value) {
        match data["max_run_time"].as_f64() {
            Some(seconds) if data["current"] == true => {
                self.run_times.insert(id.to_owned(), seconds);
            }
            _ => drop(self.run_times.remove(id)),
        }
    }

    /// Remembers an object; says whether it is another one than before.
    pub fn put(&mut self, kind: &str, id: &str, data: &Value) -> bool {
        let before = self
            .objects
            .insert((kind.to_owned(), id.to_owned()), data.clone());
        before.as_ref() != Some(data)
    }
}

/// Each is told again once it is replaced.
pub const JUDGEMENTS: &str = "judgements";

/// The open file.
#[derive(Debug)]
pub struct FeedFile {
    open: File,
    told: Told,
    reached: i64,
    waiting: String,
}

impl FeedFile {
    /// Opens a file, drops what stands behind its last token, and reads what it tells.
    /// One that tells of more events than `last_event` is another store's, and is put aside.
    pub fn open(path: &Path, last_event: i64) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            make_folder(folder)?;
        }
        let file = Self::read(path)?;
        if file.reached <= last_event {
            return Ok(file);
        }
        drop(file);
        put_aside(path)?;
        Self::read(path)
    }

    fn read(path: &Path) -> io::Result<Self> {
        let open = open_to_append(path)?;
        let length = open.metadata()?.len();
        let mut reader = BufReader::new(&open);
        let mut whole = Whole::default();
        let (mut at, mut line) = (0, Vec::new());
        loop {
            line.clear();
            let bytes = reader
                .by_ref()
                .take(LINE_BYTES_MAX)
                .read_until(b'\n', &mut line)?;
            if bytes == 0 || line.last() != Some(&b'\n') {
                break;
            }
            at += bytes as u64;
            whole.line(&line, at);
        }
        if whole.end < length {
            open.set_len(whole.end)?;
        }
        Ok(Self {
            open,
            told: whole.told,
            reached: whole.reached,
            waiting: String::new(),
        })
    }

    /// The last event that it tells of.
    pub fn reached(&self) -> i64 {
        self.reached
    }

    /// What it tells of the objects that others refer to.
    pub fn told(&mut self) -> &mut Told {
        &mut self.told
    }

    /// Has the lines of an event wait to be appended.
    pub fn add(&mut self, mut group: Vec<Notification>, event: i64) {
        if let Some(last) = group.last_mut() {
            last.token = Some(event.to_string());
            self.reached = event;
        }
        for notification in &group {
            let line = serde_json::to_string(notification)
                .expect("strings, numbers and lists of them always have a JSON form");
            self.waiting.push_str(&line);
            self.waiting.push('\n');
        }
    }

    /// Appends what waits. After an error the file is to be opened again.
    pub fn append(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        // Nothing waits for the disk: what a power cut takes away is told again.
        self.open.write_all(self.waiting.as_bytes())?;
        self.waiting.clear();
        point("feed appended");
        Ok(())
    }

    /// Whether another file, or none, has the name by now.
    pub fn was_moved(&self, path: &Path) -> io::Result<bool> {
        was_moved(&self.open, path)
    }
}

/// What was read of a file up to its last token.
#[derive(Default)]
struct Whole {
    told: Told,
    reached: i64,
    end: u64,
    /// Objects behind the last token.
    pending: Vec<(String, String, Value)>,
}

impl Whole {
    fn line(&mut self, line: &[u8], end: u64) {
        let is_kept = KEPT.iter().chain([&JUDGEMENTS]).any(|kind| {
            line.strip_prefix(b"{\"type\":\"")
                .is_some_and(|rest| rest.starts_with(kind.as_bytes()))
        });
        if is_kept && let Ok(mut value) = serde_json::from_slice::<Value>(line) {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let (kind, id) = (text(&value["type"]), text(&value["id"]));
            self.pending.push((kind, id, value["data"].take()));
        }
        let Some(event) = token(line) else { return };
        for (kind, id, data) in self.pending.drain(..) {
            if kind == JUDGEMENTS {
                self.told.judged(&id, &data);
            } else {
                self.told.put(&kind, &id, &data);
            }
        }
        self.reached = event;
        self.end = end;
    }
}

/// The token at the end of a line. Within a text the quotation marks would be escaped.
fn token(line: &[u8]) -> Option<i64> {
    const NAME: &[u8] = b",\"token\":\"";
    let rest = line.strip_suffix(b"\"}\n")?;
    let at = rest.windows(NAME.len()).rposition(|part| part == NAME)?;
    std::str::from_utf8(&rest[at + NAME.len()..])
        .ok()?
        .parse()
        .ok()
}
