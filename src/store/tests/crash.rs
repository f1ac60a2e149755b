//! What was acknowledged is there after the process was killed in the middle of writing.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use super::program;
use crate::domain::Submission;
use crate::store::{EventKind, Reader, Receipt, Store};

/// Tells the test binary that it is the child, and which folder is its own.
const CHILD_FOLDER: &str = "VERDICTD_TEST_STORE_FOLDER";
/// The line that the child prints for a submission that was acknowledged.
const ACKNOWLEDGED: &str = "acknowledged ";
/// Acknowledged submissions after which the child is killed.
const KILLED_AFTER: usize = 300;

/// Writes until it is killed, and prints what was acknowledged.
fn write_without_end(folder: &Path) {
    let store = Store::open(folder).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let writer = store.writer();
            scope.spawn(move || {
                let mut line = std::io::stdout();
                for number in 0_u64.. {
                    let new = program(&format!("student{thread}"), &number.to_le_bytes());
                    let Receipt::New(Submission { id, attempt, .. }) = writer.receive(new).unwrap()
                    else {
                        panic!("every source is another one");
                    };
                    writeln!(line, "\n{ACKNOWLEDGED}{} {thread} {attempt}", id.0).unwrap();
                }
            });
        }
    });
}

#[test]
fn everything_acknowledged_survives_a_kill() {
    if let Some(folder) = std::env::var_os(CHILD_FOLDER) {
        // This is the child, which the test starts as the same test.
        return write_without_end(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    for round in 1..=2 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--nocapture"])
            .arg("store::tests::crash::everything_acknowledged_survives_a_kill")
            .env(CHILD_FOLDER, folder.path().join(round.to_string()))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut acknowledged = Vec::new();
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            // The last line may be torn; it has no line feed and fewer parts.
            let parts: Vec<u32> = line
                .strip_prefix(ACKNOWLEDGED)
                .into_iter()
                .flat_map(|rest| rest.split(' ').map_while(|part| part.parse().ok()))
                .collect();
            if let [id, thread, attempt] = parts[..] {
                acknowledged.push((id, thread, attempt));
            }
            if acknowledged.len() == KILLED_AFTER {
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
        assert!(acknowledged.len() >= KILLED_AFTER, "it ended by itself");
        // A torn number could only be the last one.
        acknowledged.truncate(KILLED_AFTER);

        let folder = folder.path().join(round.to_string());
        let looking = Reader::open(&folder).unwrap();
        assert_eq!(looking.check().unwrap(), [""; 0]);
        let store = Store::open(&folder).unwrap();
        let reader = store.reader().unwrap();
        for (id, thread, attempt) in acknowledged {
            let id = crate::domain::SubmissionId(i64::from(id));
            let (submission, source) = reader.submission(id).unwrap().unwrap();
            assert_eq!(submission.student.as_str(), format!("student{thread}"));
            assert_eq!(submission.attempt, attempt);
            assert_eq!(*source.bytes, (u64::from(attempt) - 1).to_le_bytes());
        }
        let attempts = reader.counts().unwrap().received;
        let events = reader
            .latest_events(EventKind::Received, 1_000_000)
            .unwrap();
        assert_eq!(events.len() as u64, attempts);
    }
}
