//! Pages and overviews through the real daemon: they follow a verdict, and a file that has not
//! changed is not written.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use crate::place::{Place, assert_has, below, wait_until};
use crate::programs;

/// A file's identity: its inode, and its change time in seconds and nanoseconds, because inodes
/// are reused.
type Identity = (u64, i64, i64);

/// Every page below the two folders, with its identity: a page that is written again has another
/// identity.
fn pages(place: &Place) -> BTreeMap<String, Identity> {
    let files = ["reports", "staff"].into_iter();
    let files = files.flat_map(|folder| below(&place.path(folder)));
    let pages = files.filter(|path| path.extension().is_some_and(|ending| ending == "html"));
    let identified = |path: PathBuf| {
        let name = path.strip_prefix(place.path("")).unwrap();
        let file = fs::metadata(&path).unwrap();
        let identity = (file.ino(), file.ctime(), file.ctime_nsec());
        (name.display().to_string(), identity)
    };
    pages.map(identified).collect()
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
    let place = Place::new().only(&["lua"]);
    place.write("submissions/alpha/sum.lua", programs::LUA);
    place.write("submissions/beta/sum.lua", "print(7)\n");
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
        assert_has(&text, &[verdict]);
    }

    let daemon = place.daemon();
    place.write("submissions/beta/sum.lua", programs::LUA);
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
    let third = pages(&place);
    let none = [""; 0];
    assert_eq!(
        written(&second, &third),
        none,
        "a start writes nothing again"
    );

    // What was removed is written again, and nothing else.
    let index = place.read("staff/index.html");
    let remove = |page: &str| fs::remove_file(place.path(page)).unwrap();
    let removed = [
        "reports/alpha/index.html",
        "staff/index.html",
        "staff/problems/sum.html",
    ];
    removed.into_iter().for_each(remove);
    place.serve_once();
    assert_eq!(written(&third, &pages(&place)), removed);
    assert_eq!(place.read("staff/index.html"), index);
}

#[test]
fn what_cannot_be_written_delays_no_verdict_and_is_written_later() {
    let place = Place::new().only(&["lua"]);
    let students: Vec<String> = (0..10).map(|number| format!("s{number}")).collect();
    for student in &students {
        place.write(&format!("submissions/{student}/sum.lua"), programs::LUA);
    }
    // Folders where pages should be, and a file where a student's folder should be.
    let in_the_way = ["staff/index.html", "reports/s4/sum/1.html"];
    for page in in_the_way {
        place.write(&format!("{page}/in-the-way"), "");
    }
    place.write("reports/s3", "");
    let folder = place.path("reports/s3/sum").display().to_string();
    let words = ["pages", &format!("write {folder}")];
    place.says(3, "serve --once", &words);
    assert_eq!(place.verdicts().len(), students.len());
    for student in &students {
        let report = place.path(&format!("reports/{student}/sum/1.json"));
        assert_eq!(report.exists(), student != "s3", "{student}");
    }
    assert_has(&place.read("reports/s4/sum/1.txt"), &["AC"]);
    assert_has(&place.read("staff/problems/sum.html"), &["s3", "s4"]);

    for page in in_the_way {
        fs::remove_dir_all(place.path(page)).unwrap();
    }
    fs::remove_file(place.path("reports/s3")).unwrap();
    place.says(0, "serve --once", &[]);
    assert_has(&place.read("staff/index.html"), &["s3", "s4"]);
    assert_has(&place.read("reports/s4/sum/1.html"), &["Accepted"]);
    assert!(place.path("reports/s3/sum/1.json").exists());
    let log = place.read("staff/verdicts.jsonl");
    assert_eq!(log.lines().count(), students.len(), "no verdict twice");
}
