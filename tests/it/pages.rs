//! Pages and overviews through the real daemon: they follow a verdict, and a file that has not
//! changed is not written.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::place::{Place, wait_until};
use crate::programs;

fn place() -> Place {
    Place::new().only(&["python3"])
}

/// A file's identity: its inode, and its change time in seconds and nanoseconds, because inodes
/// are reused.
type Identity = (u64, i64, i64);

/// Every page below the two folders, with its identity: a page that is written again has another
/// identity.
fn pages(place: &Place) -> BTreeMap<String, Identity> {
    let mut found = BTreeMap::new();
    let mut folders = vec![place.path("reports"), place.path("staff")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "html") {
                let name = path.strip_prefix(place.path("")).unwrap();
                found.insert(name.display().to_string(), identity(&path));
            }
        }
    }
    found
}

fn identity(path: &Path) -> Identity {
    let file = fs::metadata(path).unwrap();
    (file.ino(), file.ctime(), file.ctime_nsec())
}

/// The pages that were written between two looks.
fn written(before: &BTreeMap<String, Identity>, after: &BTreeMap<String, Identity>) -> Vec<String> {
    let is_new = |(name, file): &(&String, &Identity)| before.get(*name) != Some(*file);
    after
        .iter()
        .filter(is_new)
        .map(|(name, _)| name.clone())
        .collect()
}

#[test]
fn a_verdict_writes_only_its_pages_and_the_overviews_it_is_in() {
    let place = place();
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write("submissions/beta/sum.py", "print(7)\n");
    place.serve_once();
    let first = pages(&place);
    let names: Vec<&str> = first.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "reports/alpha/index.html",
            "reports/alpha/sum/1.html",
            "reports/beta/index.html",
            "reports/beta/sum/1.html",
            "staff/alpha/index.html",
            "staff/alpha/sum/1.html",
            "staff/beta/index.html",
            "staff/beta/sum/1.html",
            "staff/index.html",
            "staff/problems/sum.html",
        ]
    );
    for (page, verdict) in [("alpha", "#sign-AC"), ("beta", "#sign-WA")] {
        let text = place.read(&format!("reports/{page}/index.html"));
        assert!(text.contains(verdict), "{page}");
    }

    let daemon = place.daemon();
    place.write("submissions/beta/sum.py", programs::PYTHON);
    assert_eq!(place.wait_for("beta/sum/2"), "AC");
    wait_until("the overview to tell of it", || {
        let is_told = |page: &str| place.read(page).contains("2 attempts");
        is_told("staff/index.html") && is_told("reports/beta/index.html")
    });
    assert_eq!(daemon.stop().code, Some(0));
    let second = pages(&place);
    assert_eq!(
        written(&first, &second),
        [
            "reports/beta/index.html",
            "reports/beta/sum/2.html",
            "staff/beta/index.html",
            "staff/beta/sum/2.html",
            "staff/index.html",
            "staff/problems/sum.html",
        ]
    );

    place.serve_once();
    assert_eq!(
        written(&second, &pages(&place)),
        [""; 0],
        "a start writes nothing again"
    );
}

#[test]
fn removed_overviews_are_written_again() {
    let place = place();
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.serve_once();
    let before = pages(&place);
    let text = place.read("staff/index.html");
    fs::remove_file(place.path("staff/index.html")).unwrap();
    fs::remove_file(place.path("staff/problems/sum.html")).unwrap();
    place.serve_once();
    let after = pages(&place);
    assert_eq!(
        written(&before, &after),
        ["staff/index.html", "staff/problems/sum.html"]
    );
    assert_eq!(place.read("staff/index.html"), text);
    // One student's overview, and nothing else.
    fs::remove_file(place.path("reports/alpha/index.html")).unwrap();
    place.serve_once();
    assert_eq!(
        written(&after, &pages(&place)),
        ["reports/alpha/index.html"]
    );
}

#[test]
fn overviews_follow_the_setting_of_what_counts_even_between_two_runs() {
    let place = place();
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.serve_once();
    place.write("submissions/alpha/sum.py", "print(7)\n");
    place.serve_once();
    let index = || place.read("staff/problems/sum.html");
    let best = index();
    let config = place.read("config.toml");
    place.write(
        "config.toml",
        format!("{config}\n[overview]\ncounts = \"last\"\n"),
    );
    place.serve_once();
    assert_ne!(index(), best);
    place.write("config.toml", config);
    place.serve_once();
    assert_eq!(index(), best);
}

#[test]
fn a_problems_page_lists_its_hacks_and_who_failed_on_them() {
    let place = place();
    let fragile = "a, b = map(int, input().split())\nprint('oops' if a == 7 else a + b)\n";
    place.write("submissions/alpha/sum.py", fragile);
    place.serve_once();
    assert!(!place.read("staff/problems/sum.html").contains("Hacks"));
    place.write("problems/sum/hacks/evil.ans", "15\n");
    place.write("problems/sum/hacks/evil.in", "7 8\n");
    assert_eq!(place.serve_once()["alpha/sum/1"], "WA");
    let page = place.read("staff/problems/sum.html");
    let (_, hacks) = page.split_once("<h2 id=\"hacks\">").unwrap();
    assert!(hacks.contains("hack/evil"), "{hacks}");
    assert!(hacks.contains("../alpha/sum/1.html"), "{hacks}");
    let own = place.read("reports/alpha/index.html");
    assert!(own.contains("#sign-WA") && !own.contains("hack/evil"));
}

#[test]
fn pages_that_cannot_be_written_delay_no_verdict_and_are_written_later() {
    let place = place();
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    // Folders where the files should be.
    for page in ["staff/index.html", "reports/alpha/sum/1.html"] {
        place.write(&format!("{page}/in-the-way"), "");
    }
    let output = place.run(&["serve", "--once"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("pages"), "{said}");
    assert_eq!(place.verdicts()["alpha/sum/1"], "AC");
    assert!(place.read("reports/alpha/sum/1.txt").contains("AC"));
    assert!(
        place.read("staff/problems/sum.html").contains("alpha"),
        "others are written"
    );

    for page in ["staff/index.html", "reports/alpha/sum/1.html"] {
        fs::remove_dir_all(place.path(page)).unwrap();
    }
    assert_eq!(place.run(&["serve", "--once"]).status.code(), Some(0));
    assert!(place.read("staff/index.html").contains("alpha"));
    assert!(place.read("reports/alpha/sum/1.html").contains("Accepted"));
}
