//! What searches in idle time cost those who wait for verdicts.
//!
//! - `searching`: from the moment at which a pile of programs is handed in to the last verdict, with
//!   a daemon that is searching when they come, over one that never searches.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::{
    Daemon, JUDGED, OVERVIEW_WRITTEN, Row, Size, median, ms, only_c, verdicts, write,
};

pub const NAME: &str = "idle";

/// Programs that are handed in at once.
const PROGRAMS: usize = 100;
const PROGRAMS_SMALL: usize = 4;
/// Piles, each with and without searches; the medians count.
const PILES: usize = 5;
/// The target of `searching`.
const RATIO_MAX: f64 = 1.05;

pub fn rows(size: Size) -> Vec<Row> {
    let (programs, piles) = size.pick((PROGRAMS, PILES), (PROGRAMS_SMALL, 1));
    let piles: Vec<(Duration, Duration)> = (0..piles)
        .map(|_| (judged(programs, true), judged(programs, false)))
        .collect();
    let with = median(piles.iter().map(|(with, _)| *with));
    let without = median(piles.iter().map(|(_, without)| *without));
    vec![
        Row::new(NAME, "searching", ms(with), "ms")
            .over(ms(without))
            .ratio_at_most(RATIO_MAX),
    ]
}

/// How long a pile of programs takes.
fn judged(programs: usize, searches: bool) -> Duration {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let problems = root.join("problems").display().to_string();
    // One that never ends by itself.
    let searching = only_c().replace("idle = false", "hacks_cpu_s = 3600.0");
    let settings = if searches { searching } else { only_c() };
    let config = format!("{settings}[folders]\nproblems = {problems:?}\n");
    write(&folder.path().join("config.toml"), config);
    let program = root.join("problems/curling/submissions/accepted/deepening.c");
    let program = std::fs::read_to_string(program).expect("an accepted program");
    let hand_in = |number: usize| {
        // Another text, another artifact: no program shares its facts with another one.
        let own = format!("static const int volatile own = {number};\n{program}");
        let file = format!("submissions/s{number}/curling.c");
        write(&folder.path().join(file), own);
    };
    hand_in(0);
    let daemon = Daemon::start(folder.path());
    let awaited = if searches {
        "a search begins"
    } else {
        OVERVIEW_WRITTEN
    };
    daemon.says(JUDGED);
    daemon.says(awaited);
    let began = Instant::now();
    (1..=programs).for_each(hand_in);
    let mut judged = 0;
    loop {
        let (at, line) = daemon.next_line();
        assert!(!line.contains("fault"), "{line}");
        judged += usize::from(line.contains(JUDGED));
        if judged >= programs {
            let expected = [("AC".to_owned(), programs as u64 + 1)].into();
            assert_eq!(verdicts(folder.path()), expected);
            return at.duration_since(began);
        }
    }
}
