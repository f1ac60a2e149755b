//! What tests read from a place's store, even while a daemon runs, without starting a process each
//! time.

use std::collections::BTreeMap;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use crate::place::Place;

/// How long a read waits for a lock that the daemon holds.
const LOCK_WAIT: Duration = Duration::from_secs(30);

fn store(place: &Place) -> Connection {
    let file = place.path("state/verdictd.db");
    let store = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    store.busy_timeout(LOCK_WAIT).unwrap();
    store
}

/// How many rows there are, for instance in `submissions WHERE judged = 0`.
pub fn count(place: &Place, rows: &str) -> usize {
    let query = format!("SELECT count(*) FROM {rows}");
    let count = store(place).query_row(&query, [], |row| row.get(0));
    let count: isize = count.unwrap();
    count.unsigned_abs()
}

/// A hack's latest state, as in the log: joined, judged, withdrawn.
pub fn hack_state(place: &Place, name: &str) -> Option<String> {
    let store = store(place);
    let events = store.prepare("SELECT json FROM events WHERE kind = 'hack' ORDER BY id DESC");
    let mut events = events.unwrap();
    events
        .query_map([], |row| row.get::<_, String>(0))
        .unwrap()
        .map(|json| serde_json::from_str::<Value>(&json.unwrap()).unwrap())
        .find(|event| event["name"] == name)
        .map(|event| event["state"].as_str().unwrap().to_owned())
}

/// What blocks the daemon, as it recorded it beside the store for `verdictd status`.
pub fn trouble(place: &Place) -> String {
    place.read("state/trouble").trim_end().to_owned()
}

/// The runs and builds in the store by key, each with the time at which it was made.
///
/// A run has one row however often it is made; the time shows whether it was made again.
#[derive(Debug, PartialEq, Eq)]
pub struct Made {
    runs: BTreeMap<String, i64>,
    builds: BTreeMap<String, i64>,
}

impl Made {
    /// What has been made so far.
    pub fn so_far(place: &Place) -> Self {
        let store = store(place);
        let moments = |query: &str| {
            store
                .prepare(query)
                .unwrap()
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
                .unwrap()
                .collect::<Result<_, _>>()
                .unwrap()
        };
        Self {
            runs: moments(
                "SELECT hex(artifact_key) || hex(policy_digest) || hex(input_digest), measured_ms
                 FROM runs",
            ),
            builds: moments("SELECT hex(key), built_ms FROM builds"),
        }
    }

    /// How many runs and builds were made since then for the first time, and how many again; nothing
    /// that was known may be gone.
    pub fn since(&self, before: &Self) -> [(usize, usize); 2] {
        let compare = |now: &BTreeMap<String, i64>, then: &BTreeMap<String, i64>| {
            let lost = then.keys().find(|key| !now.contains_key(*key));
            assert_eq!(lost, None, "something that was made is gone");
            let again = |(key, moment): &(&String, &i64)| then[*key] != **moment;
            let known = now.iter().filter(|(key, _)| then.contains_key(*key));
            (now.len() - then.len(), known.filter(again).count())
        };
        let runs = compare(&self.runs, &before.runs);
        let builds = compare(&self.builds, &before.builds);
        [(runs.0, builds.0), (runs.1, builds.1)]
    }
}

/// Asserts how many runs and builds are new, and that nothing that was known was made again.
pub fn assert_only_new(place: &Place, before: &Made, runs: usize, builds: usize, what: &str) {
    let news = Made::so_far(place).since(before);
    assert_eq!(news, [(runs, builds), (0, 0)], "{what}");
}
