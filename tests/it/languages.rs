//! Languages that come, go and fail while the daemon runs: nobody is rejected or given a CE for a fault of ours.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;

use crate::place::{Place, wait_until};

/// The answer to every test of the problem `sum`.
const ADD: &str = "read a b\necho $((a + b))\n";

/// A folder for a compiler: /tmp is the sandbox's own.
fn tools() -> tempfile::TempDir {
    tempfile::tempdir_in("/var/tmp").unwrap()
}

/// A place with one language, whose compiler is a script in that folder.
fn with_script(tools: &Path, version: &str) -> Place {
    let place = Place::new().only(&[]);
    let table = format!(
        "{}[languages.script]\nname = \"Script\"\nextensions = [\"script\"]\nsource = \"main.script\"\n\
         build = [[\"{tools}/compile\", \"{{source}}\"]]\nrun = [\"sh\", \"/app/{{source}}\"]\n\
         version = {version}\ninstall = \"write {tools}/compile\"\necho = \"cat\"\n",
        place.read("config.toml"),
        tools = tools.display(),
    );
    place.write("config.toml", table);
    place
}

/// Installs a compiler.
fn install(tools: &Path, script: &str) {
    let new = tools.join("compile.new");
    fs::write(
        &new,
        format!(
            "#!/bin/sh
{script}
"
        ),
    )
    .unwrap();
    fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
    // At once: a script that is half written would be one more fault.
    fs::rename(new, tools.join("compile")).unwrap();
}

fn status(place: &Place) -> Value {
    serde_json::from_slice(&place.run(&["status", "--json"]).stdout).unwrap()
}

/// What `status` says of languages.
fn language_faults(place: &Place) -> Vec<String> {
    let status = status(place);
    let faults = status["faulted"].as_array().unwrap();
    let of_languages = faults.iter().filter(|fault| fault["submission"].is_null());
    of_languages
        .map(|fault| format!("{}: {}", fault["step"], fault["reason"]))
        .collect()
}

#[test]
fn a_language_that_cannot_be_tried_is_tried_again_and_its_programs_wait() {
    let tools = tools();
    let place = with_script(tools.path(), "[\"sh\", \"-c\", \"echo 1\"]");
    // Something ends the command that says the version, as for want of memory.
    let healthy = place.read("config.toml");
    let flag = place.path("flag").display().to_string();
    place.write(
        "config.toml",
        healthy.replace("echo 1", &format!("test -e {flag} && echo 1 || kill -9 $$")),
    );
    install(tools.path(), "exit 0");
    place.write("submissions/alpha/sum.script", ADD);
    let daemon = place.daemon();
    let before = daemon.before.join("\n");
    assert!(!before.contains("rejected"), "{before}");
    wait_until("status to tell of it", || {
        language_faults(&place)
            .iter()
            .any(|fault| fault.contains("look for Script") && fault.contains("signal 9"))
    });
    wait_until("the program to be taken", || {
        status(&place)["received"] == 1
    });
    let doctor = place.run(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(3));
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(
        said.contains("not tried") && said.contains("signal 9"),
        "{said}"
    );
    let told = status(&place);
    assert_eq!((&told["rejected"], &told["judged"]), (&0.into(), &0.into()));
    place.write("flag", "");
    assert_eq!(place.wait_for("alpha/sum/1"), "AC");
    wait_until("status to forget it", || language_faults(&place).is_empty());
    let said = daemon.stop().said.join("\n");
    assert!(said.contains("fault: languages: look for Script"), "{said}");
    assert!(said.contains("languages: Script works"), "{said}");
}

#[test]
fn a_compiler_that_fails_on_everything_is_no_compile_error() {
    let tools = tools();
    let place = with_script(tools.path(), "[\"sh\", \"-c\", \"echo 1\"]");
    install(tools.path(), "! grep -n mistake \"$1\"");
    let daemon = place.daemon();
    place.write("submissions/alpha/sum.script", "mistake");
    assert_eq!(place.wait_for("alpha/sum/1"), "CE");
    install(
        tools.path(),
        "echo 'cannot execute the second half' >&2; exit 1",
    );
    place.write("submissions/beta/sum.script", ADD);
    wait_until("the fault to be told", || {
        language_faults(&place)
            .iter()
            .any(|fault| fault.contains("second half"))
    });
    // What comes meanwhile waits too.
    place.write("submissions/gamma/sum.script", ADD);
    wait_until("it to be taken", || status(&place)["received"] == 3);
    assert_eq!(place.verdicts().len(), 1);
    install(tools.path(), "! grep -n mistake \"$1\"");
    assert_eq!(place.wait_for("beta/sum/1"), "AC");
    assert_eq!(place.wait_for("gamma/sum/1"), "AC");
    let verdicts = place.read("staff/verdicts.jsonl");
    assert_eq!(verdicts.matches("\"CE\"").count(), 1, "{verdicts}");
    wait_until("status to forget it", || language_faults(&place).is_empty());
    daemon.stop();
}

#[test]
fn a_compiler_that_was_installed_is_offered_after_a_reload() {
    let tools = tools();
    let place = with_script(tools.path(), "[\"sh\", \"-c\", \"echo 1\"]");
    place.write("submissions/alpha/sum.script", ADD);
    let daemon = place.daemon();
    wait_until("the rejection", || {
        place.path("reports/alpha/rejected/sum.script.txt").exists()
    });
    install(tools.path(), "exit 0");
    daemon.signal("HUP");
    assert_eq!(place.wait_for("alpha/sum/1"), "AC");
    // A reload that finds nothing says so, and what is gone is told.
    daemon.signal("HUP");
    fs::remove_file(tools.path().join("compile")).unwrap();
    daemon.signal("HUP");
    let mut handed_in = 1;
    wait_until("a next program to be rejected", || {
        // The reload takes its time: what comes before that is taken.
        if status(&place)["received"] == handed_in {
            handed_in += 1;
            let program = format!("{ADD}# {handed_in}\n");
            place.write("submissions/beta/sum.script", program);
        }
        place.path("reports/beta/rejected/sum.script.txt").exists()
    });
    let said = daemon.stop().said.join("\n");
    assert!(said.contains("languages: Script is new (1)"), "{said}");
    assert!(
        said.contains("languages: Script is no longer offered") && said.contains("write "),
        "{said}"
    );
}
