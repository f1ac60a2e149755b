//! Two jobs that talk with each other: who ended first, and that neither can hold up the other, or
//! us.

use serde_json::{Value, json};

use super::{assert_fields, number, run, text};

/// A shell that is the job, and another one that it talks with.
fn pair(job: &str, with: &str, mut pair: Value) -> Value {
    let shell = |script: &str| json!(["/bin/sh", "-c", script]);
    let mut partner = json!({ "argv": shell(with), "output_bytes": 8 << 20 });
    if let Some(cpu_ms) = pair.as_object_mut().unwrap().remove("with_cpu_ms") {
        partner["cpu_ms"] = cpu_ms;
    }
    pair["argv"] = shell(job);
    pair["with"] = partner;
    pair
}

const ACCEPTS: &str = "read x; exit 42";
const REFUSES: &str = "read x; exit 43";
/// Reads to the end, and is content.
const LISTENS: &str = "cat > /dev/null; exit 42";

#[test]
fn who_ended_first_is_known_and_nobody_is_held_up() {
    let none = || json!({});
    let large = || json!({ "output_bytes": 8 << 20 });
    #[rustfmt::skip]
    let table = [
        // Who refuses ends the other one, whatever that does.
        ("echo 1; read x; exit 5", REFUSES, none(), json!({ "first": "interactor", "stop": "decided" })),
        ("yes", REFUSES, large(), json!({ "first": "interactor", "stop": "decided" })),
        ("echo 1; exec < /dev/null; while :; do :; done", REFUSES, none(), json!({ "first": "interactor", "stop": "decided" })),
        // It may have refused before the other one fails because of that; which end is seen then is
        // chance, and nothing depends on it.
        ("echo 1; read x; exit 1", "read x; echo no; sleep 0.02; exit 43", none(), json!({ "first": "interactor" })),
        // Who accepts lets the other one go on, which is not ended by writing to nobody.
        ("yes | head -c 3000000; exit 3", ACCEPTS, large(), json!({ "first": "interactor", "exited": 3, "printed_bytes": 3_000_000 })),
        ("echo 1; read x; read x; exit 4", "read x; echo y; exit 42", none(), json!({ "first": "interactor", "exited": 4 })),
        ("echo 1; while :; do :; done", ACCEPTS, json!({ "cpu_ms": 100 }), json!({ "first": "interactor", "stop": "cpu" })),
        // One that fails by itself, or at a limit.
        ("exit 7", LISTENS, none(), json!({ "first": "program", "exited": 7 })),
        ("kill -11 $$", LISTENS, none(), json!({ "first": "program", "signalled": 11 })),
        ("yes", LISTENS, json!({ "output_bytes": 100_000 }), json!({ "first": "program", "stop": "output" })),
        ("while :; do :; done", LISTENS, json!({ "cpu_ms": 100 }), json!({ "first": "program", "stop": "cpu" })),
        // Both wait: for words, for an end that nobody has come to, for room.
        ("read x", "read x", json!({ "wall_ms": 200 }), json!({ "first": "program", "stop": "wall" })),
        ("exec >&-; sleep 100", "sleep 100", json!({ "wall_ms": 200 }), json!({ "first": "program", "stop": "wall" })),
        ("yes", "sleep 100", json!({ "output_bytes": 8 << 20, "wall_ms": 200 }), json!({ "first": "program", "stop": "wall" })),
        // Half a line is no line.
        ("printf 5; read x", "read x; exit 43", json!({ "wall_ms": 200 }), json!({ "first": "program", "stop": "wall" })),
        // An output that is closed has an end, also where its program goes on.
        ("while read x; do :; done; exit 0", "echo 1; exec >&-; while read y; do :; done; exit 42", none(), json!({ "first": "program", "exited": 0 })),
        ("exec >&-; read x; exit 0", "while read y; do :; done; exit 43", none(), json!({ "first": "interactor", "stop": "decided" })),
        // What is left running goes with whoever left it.
        ("sleep 100 & exit 0", LISTENS, none(), json!({ "first": "program", "exited": 0 })),
        ("read x; exit 0", "sleep 100 & exit 42", none(), json!({ "first": "interactor", "exited": 0 })),
        ("exec < /dev/null; exit 0", "yes | head -c 3000000; exit 42", none(), json!({ "first": "program", "exited": 0 })),
        // While the other one computed, the job's time did not run, also if that has ended since.
        ("read x; sleep 0.8; exit 0", "i=0; while [ $i -lt 3000000 ]; do i=$((i+1)); done; echo y; exit 42", json!({ "wall_ms": 1_500, "with_cpu_ms": 60_000 }), json!({ "first": "interactor", "exited": 0, "stop": null })),
        // The other one fails, or computes: that is not the job's time.
        ("read x", "kill -9 $$", none(), json!({ "first": "interactor", "stop": "decided" })),
        ("read x", "while :; do :; done", json!({ "wall_ms": 100, "with_cpu_ms": 400 }), json!({ "first": "interactor", "stop": "decided" })),
    ];
    let jobs = |(job, with, more, _): &(&str, &str, Value, Value)| pair(job, with, more.clone());
    let outcomes = run(&table.iter().map(jobs).collect::<Vec<_>>());
    for ((job, with, _, expected), outcome) in table.iter().zip(&outcomes) {
        assert_fields(outcome, expected, &format!("{job:?} with {with:?}"));
    }
    let [.., accepts, killed, computes] = &outcomes[..] else {
        panic!("{outcomes:?}");
    };
    // Nobody reads what it says, and it is not ended for that.
    assert_eq!(accepts["with"]["exited"], 42);
    assert_eq!(killed["with"]["signalled"], 9);
    assert_eq!(computes["with"]["stop"], "cpu");
}

#[test]
fn what_is_said_arrives_whole_and_in_order() {
    let echo = "while read x; do echo \"$x $x\"; done; exit 42";
    let asks = "for n in 1 2 3; do echo $n; read x; [ \"$x\" = \"$n $n\" ] || exit 9; done";
    // More than all pipes together hold, one way and back.
    let much = "yes | head -c 5000000 & cat | wc -c >&2; wait";
    let back = "head -c 5000000; exit 42";
    let large = json!({ "output_bytes": 8 << 20, "wall_ms": 60_000 });
    let outcomes = run(&[pair(asks, echo, json!({})), pair(much, back, large)]);
    assert_eq!(outcomes[0]["exited"], 0, "{}", outcomes[0]);
    assert_eq!(outcomes[0]["with"]["exited"], 42, "{}", outcomes[0]);
    let said = "> 1\n< 1 1\n> 2\n< 2 2\n> 3\n< 3 3\n";
    assert_eq!(text(&outcomes[0], "said"), said);
    assert_eq!(text(&outcomes[1], "stderr").trim(), "5000000");
    assert_eq!(number(&outcomes[1], "printed_bytes"), 5_000_000);
    assert!(text(&outcomes[1], "said").len() < 100_000);
}

#[test]
fn nothing_but_the_two_streams_leads_from_one_to_the_other() {
    let look =
        "ls /proc/self/fd | tr '\\n' ' ' >&2; ls -d /proc/[0-9]* | wc -l >&2; ls /box /tmp >&2";
    let leaves = format!("touch /box/mine /tmp/mine; echo left; read x; {look}");
    let looks = format!("read x; {look}; echo looked; read x; exit 42");
    let outcome = run(&[pair(&leaves, &looks, json!({}))]).remove(0);
    let (own, other) = (text(&outcome, "stderr"), text(&outcome["with"], "stderr"));
    assert!(own.starts_with("0 1 2 3 ") && own.contains("mine"), "{own}");
    let sees_nothing = other.starts_with("0 1 2 3 ") && !other.contains("mine");
    assert!(sees_nothing, "{other}");
    assert_eq!(outcome["with"]["exited"], 42, "{outcome}");
}

#[test]
fn a_talk_that_nobody_wants_any_more_ends_and_the_next_one_is_as_ever() {
    let cancelled = json!({ "cancel_ms": 50, "wall_ms": 60_000 });
    let next = pair("exit 0", LISTENS, json!({ "repeat": 300 }));
    let outcomes = run(&[pair("read x", "read x", cancelled), next]);
    assert_eq!(outcomes[0]["cancelled"], true, "{}", outcomes[0]);
    assert_eq!(outcomes[1]["with"]["exited"], 42, "{}", outcomes[1]);
}
