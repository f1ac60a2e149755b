//! Languages that appear, disappear and fail while the daemon runs: nobody is rejected or given a
//! CE for a fault.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::place::{Place, assert_has, wait_until};
use crate::store::count;

/// The answer to every test of the problem `sum`.
const ADD: &str = "read a b\necho $((a + b))\n";

/// A folder for a compiler, not in /tmp, which the sandbox replaces.
fn tools() -> tempfile::TempDir {
    tempfile::tempdir_in("/var/tmp").unwrap()
}

/// A place with one language, whose compiler is a script in that folder.
fn with_script(tools: &Path) -> Place {
    let place = Place::new().only(&[]);
    let table = format!(
        "[languages.script]\nname = \"Script\"\nextensions = [\"script\"]\nsource = \"main.script\"\n\
         build = [[\"{tools}/compile\", \"{{source}}\"]]\nrun = [\"sh\", \"/app/{{source}}\"]\n\
         version = [\"sh\", \"-c\", \"echo 1\"]\ninstall = \"write {tools}/compile\"\necho = \"cat\"\n",
        tools = tools.display(),
    );
    place.configure(&table);
    place
}

/// Installs a compiler.
fn install(tools: &Path, script: &str) {
    let new = tools.join("compile.new");
    fs::write(&new, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
    // In one step: a half-written script would be another fault.
    fs::rename(new, tools.join("compile")).unwrap();
}

/// Whether the store keeps a fault of a language.
fn language_fault_kept(place: &Place) -> bool {
    count(place, "faults WHERE submission_id IS NULL") > 0
}

/// What `status` says about languages.
fn language_faults(place: &Place) -> Vec<String> {
    let status = place.status();
    let faults = status["faulted"].as_array().unwrap();
    let of_languages = faults.iter().filter(|fault| fault["submission"].is_null());
    let of_languages = of_languages.map(|fault| format!("{}: {}", fault["step"], fault["reason"]));
    of_languages.collect()
}

#[test]
fn a_language_that_fails_goes_away_and_comes_back_fails_nobody() {
    let tools = tools();
    let place = with_script(tools.path());
    let hand_in = |student: &str, program: &str| {
        place.write(&format!("submissions/{student}/sum.script"), program);
    };
    let assert_fault = |words: &[&str]| {
        wait_until("the fault", || language_fault_kept(&place));
        assert_has(&language_faults(&place).join("\n"), words);
    };
    let assert_no_fault = || {
        wait_until("the fault to be over", || !language_fault_kept(&place));
        assert_eq!(language_faults(&place), [""; 0]);
    };
    // The command that prints the version is killed, as if memory had run out.
    let flag = place.path("flag").display().to_string();
    let version = format!("test -e {flag} && echo 1 || kill -9 $$");
    place.edit("config.toml", "echo 1", &version);
    install(tools.path(), "exit 0");
    hand_in("alpha", &format!("{ADD}# alpha\n"));
    let daemon = place.daemon();
    assert!(!daemon.before.join("\n").contains("rejected"));
    assert_fault(&["look for Script", "signal 9"]);
    let is_taken = || count(&place, "submissions") == 1;
    wait_until("the program to be taken", is_taken);
    place.says(3, "doctor", &["not tried", "signal 9"]);
    assert_eq!(place.status()["rejected"], 0);
    assert!(place.verdicts().is_empty());
    place.write("flag", "");
    assert_eq!(place.wait_for("alpha/sum/1"), "AC");
    assert_no_fault();

    // A compiler that fails on everything is no compile error.
    install(tools.path(), "! grep -n mistake \"$1\"");
    hand_in("beta", "mistake");
    assert_eq!(place.wait_for("beta/sum/1"), "CE");
    install(tools.path(), "echo 'the second half' >&2; exit 1");
    hand_in("gamma", ADD);
    assert_fault(&["second half"]);
    // Programs that arrive meanwhile wait too.
    hand_in("delta", ADD);
    wait_until("it to be taken", || count(&place, "submissions") == 4);
    assert_eq!(place.verdicts().len(), 2);
    install(tools.path(), "! grep -n mistake \"$1\"");
    assert_eq!(place.wait_for("gamma/sum/1"), "AC");
    assert_eq!(place.wait_for("delta/sum/1"), "AC");
    let log = place.read("staff/verdicts.jsonl");
    assert_eq!(log.matches("\"CE\"").count(), 1, "{log}");
    assert_no_fault();
    // One that is gone is offered again once it is there.
    fs::remove_file(tools.path().join("compile")).unwrap();
    daemon.signal("HUP");
    daemon.wait_to_say("languages: Script is no longer offered");
    install(tools.path(), "exit 0");
    daemon.signal("HUP");
    hand_in("zeta", ADD);
    assert_eq!(place.wait_for("zeta/sum/1"), "AC");
    let told = "fault: languages: look for Script|languages: Script works|write |\
        languages: Script is new (1)";
    assert_has(&daemon.stop().said.join("\n"), &[told]);
}
