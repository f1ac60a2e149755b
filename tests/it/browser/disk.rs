//! Reports and overviews, opened from disk.

use std::path::Path;

use super::{Site, assert_nothing_wrong, has_browser, wrong_with};
use crate::place::Place;
use crate::power::disk::files_below;
use crate::programs;

/// A student's name that is markup.
const HOSTILE: &str = "\"><img src=x onerror=alert(1)>";

/// One program per verdict, one wrong answer per kind of drawing.
fn judged() -> Place {
    let place = Place::new()
        .only(&["python3", "c"])
        .with_problem("curling")
        .with_problem("thegame")
        .with_problem("regions")
        .with_roster("alpha,Wolfeschlegelsteinhausen,Maximiliane\n");
    for (path, source) in [
        ("alpha/sum.py", programs::PYTHON),
        ("alpha/curling.py", "print(-1)\n"),
        ("alpha/thegame.py", "print('Board #1:')\n"),
        ("alpha/regions.py", "print(7)\n"),
        (
            "beta/sum.c",
            "#include <stdio.h>\nint main(void) {\n\tx = 1;\n}\n",
        ),
        (
            "gamma/sum.py",
            "raise ValueError('</pre><script>alert(1)</script>')\n",
        ),
        ("delta/sum.py", "while True: pass\n"),
        ("刘思/sum.py", "print(' 3')\n"),
    ] {
        place.write(&format!("submissions/{path}"), source);
    }
    place.write(
        &format!("submissions/{HOSTILE}/sum.py"),
        "print('<img src=x onerror=alert(1)>\\x1b[2J')\n",
    );
    place.serve_once();
    place
}

/// A file's URL, whatever characters its name has.
fn url(path: &Path) -> String {
    let bytes = path.to_str().unwrap().bytes();
    let escaped: String = bytes
        .map(|byte| match byte {
            b'/' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
            _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect();
    format!("file://{escaped}")
}

#[test]
fn pages_open_from_disk_in_every_look() {
    if !has_browser() {
        return;
    }
    let place = judged();
    let reports = files_below(&place.path("reports"));
    let is_page = |file: &String| Path::new(file).extension().is_some_and(|end| end == "html");
    let (indices, reports): (Vec<_>, Vec<_>) = reports
        .into_keys()
        .filter(is_page)
        .partition(|file| file.ends_with("index.html"));
    assert_eq!((indices.len(), reports.len()), (6, 9), "{reports:?}");
    // A report for each submission, two students' pages, and what staff open.
    let mut files: Vec<String> = reports
        .iter()
        .map(|file| format!("reports/{file}"))
        .collect();
    files.extend([
        "reports/alpha/index.html".to_owned(),
        format!("reports/{HOSTILE}/index.html"),
        "staff/index.html".to_owned(),
        "staff/alpha/index.html".to_owned(),
        "staff/problems/curling.html".to_owned(),
    ]);
    let page = |file: &String| {
        let name = file.replace(HOSTILE, "hostile").replace('/', "-");
        (name, url(&place.path(file)))
    };
    let pages: Vec<_> = files.iter().map(page).collect();
    assert_nothing_wrong(&pages, &Site::default());
}

#[test]
fn defects_of_a_page_are_found() {
    if !has_browser() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.html");
    let page = "<!DOCTYPE html><html><title>x</title><body style=\"background:#222\">\
                <img src=\"https://example.org/x.png\"><div style=\"width:2000px\">wide</div>\
                <p style=\"width:5rem;overflow:hidden;white-space:nowrap\">a caption that is cut off</p>\
                <div style=\"width:5rem;overflow:auto\"><b style=\"display:block;width:20rem\">verdict</b></div>\
                <script>alert(1); throw new Error('boom')</script></body></html>";
    std::fs::write(&file, page).unwrap();
    let told = wrong_with(&[("bad".to_owned(), url(&file))], &Site::default());
    let told = told["bad"].join("\n");
    for wrong in [
        "360 dark: wider than the screen",
        "1440 light: wider than the screen",
        "360 dark: cut off: p. “a caption",
        "360 dark: out of sight: div. “verdict”",
        "360 dark: beyond the edge: div. “wide”",
        "color-contrast",
        "image-alt",
        "html-has-lang",
        "request to https://example.org",
        "dialog: 1",
        "script: boom",
        "in print on rgb(34, 34, 34)",
    ] {
        assert!(told.contains(wrong), "{wrong} is not found in\n{told}");
    }
}
