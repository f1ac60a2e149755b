//! Reports and overviews, opened from disk.

use std::path::Path;

use serde_json::json;

use super::{assert_nothing_wrong, has_browser};
use crate::place::Place;
use crate::power::disk::files_below;
use crate::programs;

/// A student's name that is markup.
const HOSTILE: &str = "\"><img src=x onerror=alert(1)>";

/// One program per verdict, one wrong answer per kind of drawing.
fn judged() -> Place {
    let place = Place::new().only(&["python3", "c"]).with_problem("curling");
    let place = place.with_problem("thegame").with_problem("regions");
    let place = place.with_roster("alpha,Wolfeschlegelsteinhausen,Maximiliane\n");
    let in_c = "#include <stdio.h>\nint main(void) {\n\tx = 1;\n}\n";
    let hostile = "raise ValueError('</pre><script>alert(1)</script>')\n";
    for (path, source) in [
        ("alpha/sum.py", programs::PYTHON),
        ("alpha/curling.py", "print(-1)\n"),
        ("alpha/thegame.py", "print('Board #1:')\n"),
        ("alpha/regions.py", "print(7)\n"),
        ("beta/sum.c", in_c),
        ("gamma/sum.py", hostile),
        ("delta/sum.py", "while True: pass\n"),
        ("刘思/sum.py", "print(' 3')\n"),
    ] {
        place.write(&format!("submissions/{path}"), source);
    }
    let program = "print('<img src=x onerror=alert(1)>\\x1b[2J')\n";
    place.write(&format!("submissions/{HOSTILE}/sum.py"), program);
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
    let pages = reports.into_keys().filter(is_page);
    let is_index = |file: &String| file.ends_with("index.html");
    let (indices, reports): (Vec<_>, Vec<_>) = pages.partition(is_index);
    assert_eq!((indices.len(), reports.len()), (6, 9), "{reports:?}");
    // A report for each submission, two students' pages, and what staff open.
    let files = reports.iter().map(|file| format!("reports/{file}"));
    let others = format!(
        "reports/alpha/index.html|reports/{HOSTILE}/index.html|staff/index.html|\
         staff/alpha/index.html|staff/problems/curling.html"
    );
    let files = files.chain(others.split('|').map(str::to_owned));
    let files: Vec<String> = files.collect();
    let page = |file: &String| {
        let name = file.replace(HOSTILE, "hostile").replace('/', "-");
        (name, url(&place.path(file)))
    };
    let pages: Vec<_> = files.iter().map(page).collect();
    assert_nothing_wrong(&pages, json!({}));
}
