//! Control groups version 2 on Debian's kernels, in a virtual machine under software emulation,
//! whatever the host has.

mod machine;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Instant;

use serde_json::{Value, json};

use self::machine::{Disk, Part, Said, Tools, boot};
use crate::place::{is_soak, left_to_soak};
use crate::sandbox::{assert_fields, hostile, job, number};
use crate::skips::skipped;

/// How often a tiny program runs to test that one group serves many jobs.
const MANY: u64 = 20;
/// The CPU time of programs that compute for ever: more would show nothing more, and emulation is
/// slow.
const BURN_MS: u64 = 300;

/// Jobs by name, in the order in which they run: some depend on what ran before.
fn jobs() -> Vec<(&'static str, Value)> {
    let memory = json!({ "memory_bytes": 64 << 20, "cpu_ms": 60_000, "wall_ms": 120_000 });
    let burn = json!({ "cpu_ms": BURN_MS, "wall_ms": 120_000, "processes": 16 });
    let free = json!({ "cpu_ms": 60_000, "wall_ms": 120_000 });
    vec![
        ("exit 3", job(&["exit", "3"], free.clone())),
        ("touch-forever", job(&["touch-forever"], memory.clone())),
        ("exit after it", job(&["exit", "0"], memory.clone())),
        ("memory-20", job(&["memory-20"], memory.clone())),
        ("memory-20 of much", job(&["memory-20"], free.clone())),
        ("exit", job(&["exit", "0"], free.clone())),
        ("memory-split", job(&["memory-split"], memory.clone())),
        ("memory-child", job(&["memory-child"], memory.clone())),
        ("reserve", job(&["reserve"], memory.clone())),
        ("busy", job(&["busy"], burn.clone())),
        ("forkbomb", job(&["forkbomb"], burn)),
        ("children-left", job(&["children-left"], free.clone())),
        ("threads", job(&["threads"], free.clone())),
        ("daemon", job(&["daemon"], free.clone())),
        ("daemon-burns", job(&["daemon-burns"], free)),
        ("memory-tmpfs", job(&["memory-tmpfs"], memory)),
    ]
}

fn spec(jobs: Vec<(&str, Value)>, mut spec: Value) -> String {
    let jobs = jobs.into_iter().map(|(_, job)| job);
    spec["jobs"] = jobs.collect();
    spec["app"] = json!([["hostile", "/trial/hostile"]]);
    spec.to_string()
}

/// The outcomes of a part, by job.
struct Outcomes<'a> {
    part: Part<'a>,
    by_name: BTreeMap<&'static str, Value>,
}

impl<'a> Outcomes<'a> {
    fn of(part: Part<'a>) -> Self {
        assert_eq!(part.fact("status"), "0", "{part:#?}");
        let (jobs, outcomes) = (jobs(), part.outcomes());
        assert_eq!(outcomes.len(), jobs.len(), "{part:#?}");
        let names = jobs.into_iter().map(|(name, _)| name);
        let by_name = names.zip(outcomes).collect();
        Self { part, by_name }
    }

    /// Those of these names, parted by `|`.
    fn named(&self, names: &str) -> impl Iterator<Item = (&&'static str, &Value)> {
        let all = self.by_name.iter();
        all.filter(move |(name, _)| names.split('|').any(|one| one == **name))
    }

    fn have(&self, names: &str, expected: &Value) {
        for (name, outcome) in self.named(names) {
            assert_fields(outcome, expected, name);
        }
    }

    fn memory_is_in(&self, names: &str, bytes: RangeInclusive<u64>) {
        for (name, outcome) in self.named(names) {
            let used = number(outcome, "memory_bytes");
            assert!(bytes.contains(&used), "{name} used {used}: {outcome}");
        }
    }

    fn cpu_is_at_least(&self, names: &str, micros: u64) {
        for (name, outcome) in self.named(names) {
            assert!(number(outcome, "cpu_us") >= micros, "{name}: {outcome}");
        }
    }

    /// Checks what holds with and without control groups.
    fn check_any(&self) {
        self.have("exit 3", &json!({ "exited": 3, "stop": null }));
        let exceeded = json!({ "memory_exceeded": true, "fault": null });
        self.have("touch-forever|memory-split", &exceeded);
        let ended = json!({ "exited": 0, "memory_exceeded": false, "stop": null, "fault": null });
        let harmless = "exit after it|memory-20|memory-20 of much|exit|reserve|threads|daemon|\
            daemon-burns|memory-tmpfs";
        self.have(harmless, &ended);
        let burning = "busy|forkbomb";
        self.have(burning, &json!({ "stop": "cpu", "memory_exceeded": false }));
        self.cpu_is_at_least(burning, BURN_MS * 1_000);
        assert_eq!(self.part.count("processes_left"), 0, "{:#?}", self.part);
        assert_eq!(self.part.count("groups_left"), 0, "{:#?}", self.part);
    }

    /// Checks what only control groups can do.
    fn check_groups(&self, name: &str) {
        self.check_any();
        let greedy = "touch-forever|memory-split|memory-child";
        self.have(greedy, &json!({ "memory_exceeded": true, "stop": null }));
        self.memory_is_in(greedy, 60 << 20..=64 << 20);
        // When a job's memory runs out, all of its processes end, even one that waits for its
        // children. If one group serves job after job, only root can exempt init from that.
        let killed = [greedy, "touch-forever"][usize::from(name == "user")];
        self.have(killed, &json!({ "signalled": 9 }));
        // Each job is charged only for itself, whatever ran before it.
        self.memory_is_in("exit after it|exit", 0..=2 << 20);
        self.memory_is_in("memory-20|memory-20 of much", 20 << 20..=24 << 20);
        self.memory_is_in("memory-tmpfs", 10 << 20..=14 << 20);
        // Sixteen processes, the most allowed, need little.
        self.memory_is_in("forkbomb", 0..=16 << 20);
        // CPU time of children that nobody waited for, and of threads.
        self.cpu_is_at_least("children-left|threads", 235_000);
    }
}

/// The protections of `doctor --json`, by name.
fn check_doctor(part: &Part<'_>, hold: &str, how: &str) {
    let outcomes = part.outcomes();
    assert_eq!(outcomes.len(), 1, "{part:#?}");
    let protections = outcomes[0]["protections"].as_array().unwrap();
    for name in ["memory", "processes", "cpu"] {
        let found = protections.iter().find(|found| found["name"] == name);
        let found = found.unwrap_or_else(|| panic!("no {name} in {protections:?}"));
        assert_eq!(found["hold"], hold, "{found}");
        assert!(found["how"].as_str().unwrap().contains(how), "{found}");
    }
    assert_eq!(part.count("groups_left"), 0, "{part:#?}");
}

fn check(said: &Said) {
    for name in ["session", "root-doctor", "service-doctor", "user-doctor"] {
        check_doctor(&said.part(name), "on", "cgroup v2");
    }
    for name in ["root", "user", "session-jobs", "service"] {
        Outcomes::of(said.part(name)).check_groups(name);
    }
    check_doctor(&said.part("plain-doctor"), "weak", "/sys/fs/cgroup/plain");
    for name in ["plain", "without"] {
        Outcomes::of(said.part(name)).check_any();
    }
    let held = said.part("held");
    check_doctor(&held, "on", "cgroup v2");
    assert!(held.count("groups_of_dead") > 0, "{held:#?}");
    // Since 6.12 a peak can be reset, so one group serves all jobs; before, each job has its own.
    let release = said.part("kernel").fact("release");
    let version = release.split(['.', '-']);
    let mut version = version.map(|part| part.parse().unwrap_or(0));
    let recycles = (version.next(), version.next()) >= (Some(6), Some(12));
    assert_eq!(held.count("last_group") < MANY, recycles, "{held:#?}");
}

/// Control groups of version 2 hold on Debian's kernels. Emulated, a sandbox is so slow that beside
/// other tests it would seem not to answer.
pub fn control_groups_version_2() {
    if !is_soak() {
        return left_to_soak("control groups version 2 on Debian's kernels in a virtual machine");
    }
    let tools = match Tools::find() {
        Ok(tools) => tools,
        Err(why) => return skipped(&format!("no cgroup version 2: {why}; `make deps-vm`")),
    };
    let disk = Disk::new(&tools, hostile());
    let weak = json!(["memory", "processes", "cpu"]);
    let caps = json!({ "cpu_ms": 60_000, "wall_ms": 120_000, "repeat": MANY });
    let many = vec![("exit", job(&["exit", "0"], caps))];
    let without = json!({ "allow_missing": weak, "without_cgroups": true });
    for (name, jobs, more) in [
        ("jobs", jobs(), json!({})),
        ("weak", jobs(), json!({ "allow_missing": weak })),
        ("without", jobs(), without),
        ("many", many, json!({ "hold": true })),
    ] {
        disk.write(&format!("trial/{name}.json"), &spec(jobs, more));
    }
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
