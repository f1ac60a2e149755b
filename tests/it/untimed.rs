//! Imports of programs whose platform does not say when they were handed in.

use serde_json::Value;

use crate::crash::tree;
use crate::import::{Entries, course, program, said, zipped};
use crate::place::Place;

/// A course whose only assignment was due long ago, with an export of this name.
fn overdue(archive: &str, entries: Entries<'_>) -> Place {
    let place = course();
    place.write(
        "course.toml",
        "time_zone = \"Europe/Oslo\"\nlate = [{ until = \"1d\", percent = 80 }]\n\
         [[assignments]]\nname = \"a\"\npoints = { sum = 10 }\ndue = \"2025-10-10 23:59\"\n",
    );
    place.write(&format!("in/{archive}"), zipped(entries));
    place
}

#[test]
fn programs_without_a_time_are_not_late_in_silence() {
    let files = ["in/canvas.zip", "in/CS1-A1-4711.zip"];
    let place = overdue(
        "canvas.zip",
        &[
            ("vasca_LATE_178647_16203579_sum.py", &program("ca")),
            ("doe_178648_16203580_sum.py", &program("doe")),
        ],
    );
    let import = |more: &[&str]| place.run(&[&["import", "--json"], more, &files].concat());
    for more in [&[][..], &["--dry-run"]] {
        let run = import(more);
        assert_eq!(run.status.code(), Some(2), "{run:?}");
        let told = String::from_utf8_lossy(&run.stderr).into_owned();
        for part in [
            "2 programs without a time",
            "count for less: ca (sum), mo (sum)",
            "--worksheet FILE",
            "--received \"2026-09-08 23:00\"",
            "--on-time",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(tree(&place.path("submissions")).is_empty());
    }
    let run = import(&["--received", "2099-01-01"]);
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(told.contains("it is in the future"), "{told}");
    let times = |more: &[&str]| -> Vec<Value> {
        let run = import(&[more, &["--dry-run"]].concat());
        assert_eq!(run.status.code(), Some(0), "{run:?}");
        said(&run).iter().map(|said| said["time"].clone()).collect()
    };
    // What Canvas does not mark is on time, and what it marks is never.
    let (late, none) = (Value::from("2025-10-10T21:59:01Z"), Value::Null);
    let at = Value::from("2025-10-10T21:30:00Z");
    assert_eq!(
        times(&["--on-time"]),
        [&none, &late, &none].map(Clone::clone)
    );
    let received = ["--received", "2025-10-10 23:30"];
    assert_eq!(times(&received), [none, late, at]);
    // People read them on the course's clock.
    let run = place.run(&[&["import", "--dry-run"], &received[..], &files].concat());
    let told = String::from_utf8_lossy(&run.stdout).into_owned();
    for part in ["2025-10-10 23:30 CEST", "2025-10-10 23:59 CEST"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(import(&received).status.code(), Some(0));
    // What is there needs no time again.
    assert_eq!(import(&[]).status.code(), Some(0));
}
