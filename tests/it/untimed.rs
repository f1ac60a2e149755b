//! Imports of programs whose platform does not say when they were handed in.

use serde_json::Value;

use crate::crash::tree;
use crate::import::{course, program, zipped};
use crate::place::Place;

/// A course whose only assignment was due long ago, with an export of this name.
fn overdue(archive: &str, entries: &[(&str, &str)]) -> Place {
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
    let files = "in/canvas.zip in/CS1-A1-4711.zip";
    let place = overdue(
        "canvas.zip",
        &[
            ("vasca_LATE_178647_16203579_sum.py", &program("ca")),
            ("doe_178648_16203580_sum.py", &program("doe")),
        ],
    );
    let import = |more: &str| format!("import {more} {files}");
    for more in ["", "--dry-run"] {
        let parts = "2 programs without a time|count for less: ca (sum), mo (sum)|\
            --worksheet FILE|--received \"2026-09-08 23:00\"|--on-time";
        place.says(2, &import(more), &[parts]);
        assert!(tree(&place.path("submissions")).is_empty());
    }
    let future = import("--received 2099-01-01");
    place.says(2, &future, &["it is in the future"]);
    let times = |more: &str| -> Vec<Value> {
        let shown = place.objects(&import(&format!("--json --dry-run {more}")));
        shown.iter().map(|shown| shown["time"].clone()).collect()
    };
    // What Canvas does not mark is on time, and what it marks is never.
    let (late, none) = (Value::from("2025-10-10T21:59:01Z"), Value::Null);
    let at = Value::from("2025-10-10T21:30:00Z");
    assert_eq!(times("--on-time"), [&none, &late, &none].map(Clone::clone));
    let received = "--received 2025-10-10T23:30";
    assert_eq!(times(received), [none, late, at]);
    // People read them on the course's clock.
    let shown = ["2025-10-10 23:30 CEST", "2025-10-10 23:59 CEST"];
    place.says(0, &import(&format!("--dry-run {received}")), &shown);
    place.says(0, &import(received), &[]);
    // What is there needs no time again.
    place.says(0, &import(""), &[]);
}
