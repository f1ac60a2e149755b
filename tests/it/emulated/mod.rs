//! cgroup version 2 as kernels of Debian have it, in a virtual machine under software emulation: whatever the machine of the tests has itself.

mod machine;

use std::time::Instant;

use serde_json::{Value, json};

use self::machine::{Disk, Part, Said, Tools, boot};
use crate::sandbox::{hostile, job, number};
use crate::skips::skipped;

/// How often a tiny program runs where it matters that one group serves many jobs.
const MANY: u64 = 20;
/// What programs that compute for ever may use: more of it shows nothing more, and emulation is slow.
const BURN_MS: u64 = 300;

/// Jobs and what must come of them wherever control groups are at hand.
fn jobs() -> Vec<Value> {
    let memory = json!({ "memory_bytes": 64 << 20, "cpu_ms": 60_000, "wall_ms": 120_000 });
    let burn = json!({ "cpu_ms": BURN_MS, "wall_ms": 120_000, "processes": 16 });
    let free = json!({ "cpu_ms": 60_000, "wall_ms": 120_000 });
    vec![
        job(&["exit", "3"], free.clone()),
        job(&["touch-forever"], memory.clone()),
        job(&["exit", "0"], memory.clone()),
        job(&["memory-20"], memory.clone()),
        job(&["memory-20"], free.clone()),
        job(&["exit", "0"], free.clone()),
        job(&["memory-split"], memory.clone()),
        job(&["memory-child"], memory.clone()),
        job(&["reserve"], memory.clone()),
        job(&["busy"], burn.clone()),
        job(&["forkbomb"], burn),
        job(&["children-left"], free.clone()),
        job(&["threads"], free.clone()),
        job(&["daemon"], free.clone()),
        job(&["daemon-burns"], free),
        job(&["memory-tmpfs"], memory),
    ]
}

fn spec(more: Value) -> String {
    let mut spec = json!({ "app": [["hostile", "/trial/hostile"]], "jobs": jobs() });
    if let Value::Object(more) = more {
        spec.as_object_mut().unwrap().extend(more);
    }
    spec.to_string()
}

fn has(part: &Part, index: usize, expected: &Value) {
    let outcome = &part.outcomes[index];
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&outcome[key], value, "{key} of job {index} in {part:#?}");
    }
}

/// What holds with and without control groups.
fn check_any(part: &Part) {
    assert_eq!(part.fact("status"), "0", "{}", part.words);
    assert_eq!(part.outcomes.len(), jobs().len(), "{part:#?}");
    let exceeded = json!({ "memory_exceeded": true, "fault": null });
    let fine = json!({ "exited": 0, "memory_exceeded": false, "stop": null, "fault": null });
    has(part, 0, &json!({ "exited": 3, "stop": null }));
    for index in [1, 6] {
        has(part, index, &exceeded);
    }
    for index in [2, 3, 4, 5, 8, 12, 13, 14, 15] {
        has(part, index, &fine);
    }
    for index in [9, 10] {
        has(
            part,
            index,
            &json!({ "stop": "cpu", "memory_exceeded": false }),
        );
    }
    for index in [9, 10] {
        assert!(number(&part.outcomes[index], "cpu_us") >= BURN_MS * 1_000);
    }
    assert_eq!(part.count("processes_left"), 0, "{part:#?}");
    assert_eq!(part.count("groups_left"), 0, "{part:#?}");
}

/// What only control groups can do.
fn check_groups(part: &Part) {
    check_any(part);
    let memory = |index: usize| number(&part.outcomes[index], "memory_bytes");
    for index in [1, 6, 7] {
        has(
            part,
            index,
            &json!({ "memory_exceeded": true, "stop": null }),
        );
        // All processes of a job end when its memory is used up, the one that waits for its children too.
        // Only root can have init spared of that, where one group serves job after job.
        if part.name != "user" || index == 1 {
            has(part, index, &json!({ "signalled": 9 }));
        }
        assert!((60 << 20..=64 << 20).contains(&memory(index)), "{index}");
    }
    // Each job is charged for itself, whatever ran before it.
    for index in [2, 5] {
        assert!(memory(index) < 2 << 20, "{}", part.outcomes[index]);
    }
    for index in [3, 4] {
        assert!((20 << 20..24 << 20).contains(&memory(index)), "{index}");
    }
    assert!((10 << 20..14 << 20).contains(&memory(15)));
    // Sixteen processes, and no more, need little.
    assert!(memory(10) < 16 << 20, "{}", part.outcomes[10]);
    // CPU time of children that nobody waited for, and of threads.
    for index in [11, 12] {
        let cpu_us = number(&part.outcomes[index], "cpu_us");
        assert!(cpu_us >= 235_000, "{}", part.outcomes[index]);
    }
}

/// The protections of `doctor --json`, by name.
fn check_doctor(part: &Part, hold: &str, how: &str) {
    assert_eq!(part.outcomes.len(), 1, "{part:#?}");
    let protections = part.outcomes[0]["protections"].as_array().unwrap();
    for name in ["memory", "processes", "cpu"] {
        let found = protections.iter().find(|found| found["name"] == name);
        let found = found.unwrap_or_else(|| panic!("no {name} in {protections:?}"));
        assert_eq!(found["hold"], hold, "{found}");
        assert!(found["how"].as_str().unwrap().contains(how), "{found}");
    }
    assert_eq!(part.count("groups_left"), 0, "{part:#?}");
}

/// Major and minor version of a release such as `6.1.0-56-cloud-amd64`.
fn version(release: &str) -> (u32, u32) {
    let mut parts = release
        .split(['.', '-'])
        .map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap(), parts.next().unwrap())
}

fn check(said: &Said) {
    for name in ["session", "root-doctor", "service-doctor", "user-doctor"] {
        check_doctor(said.part(name), "on", "cgroup v2");
    }
    for name in ["session-jobs", "root", "service", "user"] {
        check_groups(said.part(name));
    }
    check_doctor(said.part("plain-doctor"), "weak", "/sys/fs/cgroup/plain");
    check_any(said.part("plain"));
    check_any(said.part("without"));
    let held = said.part("held");
    check_doctor(held, "on", "cgroup v2");
    assert!(held.count("groups_of_dead") > 0, "{held:#?}");
    // Since 6.12 a peak can be counted anew, so one group serves all jobs; before, each job has its own.
    let recycles = version(said.part("kernel").fact("release")) >= (6, 12);
    assert_eq!(held.count("last_group") < MANY, recycles, "{held:#?}");
}

#[test]
fn control_groups_version_2_hold_on_debian_kernels() {
    let tools = match Tools::find() {
        Ok(tools) => tools,
        Err(why) => {
            skipped(&format!(
                "no test of cgroup version 2 in a virtual machine: {why}; `make deps-vm` brings it"
            ));
            return;
        }
    };
    let disk = Disk::new(&tools, hostile());
    disk.write("trial/jobs.json", &spec(json!({})));
    let weak = json!(["memory", "processes", "cpu"]);
    disk.write("trial/weak.json", &spec(json!({ "allow_missing": weak })));
    let without = json!({ "allow_missing": weak, "without_cgroups": true });
    disk.write("trial/without.json", &spec(without));
    let many = job(
        &["exit", "0"],
        json!({ "cpu_ms": 60_000, "wall_ms": 120_000, "repeat": MANY }),
    );
    disk.write(
        "trial/many.json",
        &spec(json!({ "jobs": [many], "hold": true })),
    );
    for kernel in &tools.kernels {
        let began = Instant::now();
        let said = boot(kernel, &disk);
        let release = said.part("kernel").fact("release");
        check(&said);
        eprintln!(
            "cgroup version 2 on Linux {release}: {:.0?}",
            began.elapsed()
        );
    }
}
