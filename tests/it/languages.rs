//! Languages that appear, disappear and fail while the daemon runs: nobody is rejected or given a
//! CE for a fault.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;

use crate::place::{Place, wait_until};
use crate::store::count;

/// The answer to every test of the problem `sum`.
const ADD: &str = "read a b\necho $((a + b))\n";

/// A folder for a compiler, not in /tmp, which the sandbox replaces.
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
    // In one step: a half-written script would be another fault.
    fs::rename(new, tools.join("compile")).unwrap();
}

fn status(place: &Place) -> Value {
    serde_json::from_slice(&place.run(&["status", "--json"]).stdout).unwrap()
}

/// Whether the store keeps a fault of a language.
fn language_fault_kept(place: &Place) -> bool {
    count(place, "faults WHERE submission_id IS NULL") > 0
}

/// What `status` says about languages.
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
    // The command that prints the version is killed, as if memory had run out.
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
    wait_until("the fault", || language_fault_kept(&place));
    let faults = language_faults(&place);
    assert!(
        faults
            .iter()
            .any(|fault| fault.contains("look for Script") && fault.contains("signal 9")),
        "{faults:?}"
    );
    wait_until("the program to be taken", || {
        count(&place, "submissions") == 1
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
    wait_until("the fault to be over", || !language_fault_kept(&place));
    assert_eq!(language_faults(&place), [""; 0]);
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
    wait_until("the fault", || language_fault_kept(&place));
    let faults = language_faults(&place);
    assert!(
        faults.iter().any(|fault| fault.contains("second half")),
        "{faults:?}"
    );
    // Programs that arrive meanwhile wait too.
    place.write("submissions/gamma/sum.script", ADD);
    wait_until("it to be taken", || count(&place, "submissions") == 3);
    assert_eq!(place.verdicts().len(), 1);
    install(tools.path(), "! grep -n mistake \"$1\"");
    assert_eq!(place.wait_for("beta/sum/1"), "AC");
    assert_eq!(place.wait_for("gamma/sum/1"), "AC");
    let verdicts = place.read("staff/verdicts.jsonl");
    assert_eq!(verdicts.matches("\"CE\"").count(), 1, "{verdicts}");
    wait_until("the fault to be over", || !language_fault_kept(&place));
    assert_eq!(language_faults(&place), [""; 0]);
    daemon.stop();
}

#[test]
fn a_compiler_that_was_installed_is_offered_after_a_reload() {
    let tools = tools();
    let place = with_script(tools.path(), "[\"sh\", \"-c\", \"echo 1\"]");
    place.write("submissions/alpha/sum.script", ADD);
    let daemon = place.daemon();
    wait_until("the rejection", || {
        place
            .path("reports/alpha/rejected/sum.script.note.txt")
            .exists()
    });
    install(tools.path(), "exit 0");
    daemon.signal("HUP");
    assert_eq!(place.wait_for("alpha/sum/1"), "AC");
    // A reload reports what is gone.
    daemon.signal("HUP");
    fs::remove_file(tools.path().join("compile")).unwrap();
    daemon.signal("HUP");
    let mut handed_in = 1;
    wait_until("a next program to be rejected", || {
        // The reload takes a moment: programs that arrive before it are received.
        if count(&place, "submissions") == handed_in {
            handed_in += 1;
            let program = format!("{ADD}# {handed_in}\n");
            place.write("submissions/beta/sum.script", program);
        }
        place
            .path("reports/beta/rejected/sum.script.note.txt")
            .exists()
    });
    let said = daemon.stop().said.join("\n");
    assert!(said.contains("languages: Script is new (1)"), "{said}");
    assert!(
        said.contains("languages: Script is no longer offered") && said.contains("write "),
        "{said}"
    );
}

/// Programs that are right only if `ONLINE_JUDGE` is defined in their language's way.
const FOR_ONLINE_JUDGES: [(&str, &str); 5] = [
    (
        "sum.c",
        "#include <stdio.h>\nint main(void) {\n#ifndef ONLINE_JUDGE\n  freopen(\"data.in\", \"r\", stdin);\n#endif\n  \
         long long a, b; scanf(\"%lld %lld\", &a, &b); printf(\"%lld\\n\", a + b); return 0; }\n",
    ),
    (
        "sum.cpp",
        "#include <iostream>\n#ifdef ONLINE_JUDGE\nint main() { long long a, b; std::cin >> a >> b; std::cout << a + b; }\n#endif\n",
    ),
    (
        "sum.py",
        "import os\na, b = map(int, input().split())\nprint(a + b if os.environ.get(\"ONLINE_JUDGE\") else 0)\n",
    ),
    (
        "sum.java",
        "class A { public static void main(String[] x) { var in = new java.util.Scanner(System.in); long s = in.nextLong() + in.nextLong();\n\
         System.out.println(System.getProperty(\"ONLINE_JUDGE\") == null || System.getenv(\"ONLINE_JUDGE\") == null ? 0 : s); } }\n",
    ),
    (
        "sum.pas",
        "var a, b: int64;\nbegin\n{$ifdef ONLINE_JUDGE}\nread(a, b); writeln(a + b);\n{$endif}\nend.\n",
    ),
];

#[test]
fn online_judge_is_defined_as_at_other_judges() {
    let place = Place::new().only(&["c", "cpp", "python3", "java", "pascal"]);
    for (name, program) in FOR_ONLINE_JUDGES {
        let student = name.replace("sum.", "in-");
        place.write(&format!("submissions/{student}/{name}"), program);
    }
    let problem = place.read("problems/sum/problem.toml");
    let roomy = problem.replace("memory_mib = 64", "memory_mib = 256");
    place.write("problems/sum/problem.toml", roomy);
    let verdicts = place.serve_once();
    assert_eq!(verdicts.len(), FOR_ONLINE_JUDGES.len(), "{verdicts:?}");
    assert!(
        verdicts.values().all(|verdict| verdict == "AC"),
        "{verdicts:?}"
    );
}

/// The expected contents of a report.
#[rustfmt::skip]
const TOLD: &[(&str, &[&str])] = &[
        (
            "alpha/sum/1.txt",
            &[
                "| sum.cpp:2:10: error",
                "C++17 (g++ ",
                "g++ -std=gnu++17 -O2 -DONLINE_JUDGE",
            ],
        ),
        (
            "alpha/sum/1.html",
            &[
                "sum.cpp:2:10: error",
                "href=\"#L2\"",
                "C++17 (g++ ",
                "-DONLINE_JUDGE",
            ],
        ),
        (
            "beta/sum/1.txt",
            &["File \"sum.py\", line 2", "python3 sum.py"],
        ),
        ("beta/sum/1.html", &["href=\"#L2\""]),
        ("gamma/sum/1.txt", &["File \"gamma_sum.py\", line 2"]),
        ("delta/sum/1.txt", &["This looks like C++", "ending .cpp"]),
        ("delta/sum/1.html", &["This looks like C++"]),
        ("epsilon/sum/1.txt", &["may end without `return` (sum.cpp:"]),
        (
            "zeta/sum/1.txt",
&["It was compiled as C++17 (g++ ", "-std=gnu++17"],
        ),
];

#[test]
fn reports_name_the_students_file_and_how_it_was_built() {
    let place = Place::new().only(&["c", "cpp", "python3"]);
    let same = "import sys\nraise ValueError(1)\n";
    place.write(
        "submissions/alpha/sum.cpp",
        "int main() {\n  return x;\n}\n",
    );
    place.write("submissions/beta/sum.py", same);
    // The same bytes under another name share the build and the runs.
    place.write("submissions/gamma_sum.py", same);
    place.write(
        "submissions/delta/sum.c",
        "#include <iostream>\nint main() { std::cout << 3; }\n",
    );
    place.write(
        "submissions/epsilon/sum.cpp",
        "int f(int x) {\n  if (x > 1000) return 1;\n}\nint main() { return f(1) == 1 ? 3 : 4; }\n",
    );
    place.write(
        "submissions/zeta/sum.cpp",
        "#include <format>\nint main() {}\n",
    );
    place.serve_once();
    for (file, shown) in TOLD {
        for folder in ["reports", "staff"] {
            let text = place.read(&format!("{folder}/{file}"));
            // The text is wrapped.
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            for words in *shown {
                let words = words.replace(
                    '"',
                    if file.ends_with("html") && !words.starts_with("href") {
                        "&#34;"
                    } else {
                        "\""
                    },
                );
                assert!(text.contains(&words), "{folder}/{file}: {words}\n{text}");
            }
            assert!(
                !text.contains("main.cpp") && !text.contains("/app/"),
                "{text}"
            );
        }
    }
}
