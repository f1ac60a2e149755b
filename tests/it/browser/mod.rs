//! Pages in real Chromium as people open them: from disk, on a phone and on a screen, light and
//! dark, and in print.
//!
//! `VERDICTD_SHOTS=FOLDER` saves a screenshot of every page in every look there.

mod book;
mod dashboard;
mod disk;
mod personal;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::place::{output, root};
use crate::quiet;
use crate::skips::skipped;

/// Where the drivers and their packages are.
fn folder() -> PathBuf {
    root().join("tests/browser")
}

/// Whether there is a browser to drive; without one the test is reported as skipped, and in CI it
/// fails.
fn has_browser() -> bool {
    let modules = folder().join("node_modules/playwright-core");
    let needed = [("Chromium", chromium()), ("the drivers' packages", modules)];
    let missing = needed.iter().filter(|(_, file)| !file.exists());
    let missing: Vec<&str> = missing.map(|(name, _)| *name).collect();
    if !missing.is_empty() {
        let missing = missing.join(" and no ");
        skipped(&format!(
            "no page was opened in a browser: there is no {missing}; `make deps-browser` brings it"
        ));
        return false;
    }
    true
}

fn chromium() -> PathBuf {
    std::env::var_os("CHROMIUM").map_or_else(|| PathBuf::from("/usr/bin/chromium"), PathBuf::from)
}

/// Runs a driver with this argument, which must succeed; returns its output.
fn drive(name: &str, argument: &Value) -> String {
    quiet::share();
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("argument.json");
    std::fs::write(&file, argument.to_string()).unwrap();
    let mut command = Command::new("node");
    command
        .arg(folder().join(name))
        .arg(file)
        .stdin(Stdio::null());
    command.env("CHROMIUM", chromium());
    let output = output(&mut command);
    let [out, said] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{out}{said}");
    out
}

/// Asserts that nothing is wrong with any of these pages of a dashboard, by name and path, in any
/// look; with `token` and `screen` as the driver is told them.
fn assert_good(address: SocketAddr, pages: &[(&str, &str)], mut site: Value) {
    let page =
        |(name, path): &(&str, &str)| ((*name).to_owned(), format!("http://{address}{path}"));
    site["host"] = address.to_string().into();
    assert_nothing_wrong(&pages.iter().map(page).collect::<Vec<_>>(), site);
}

fn assert_nothing_wrong(pages: &[(String, String)], mut argument: Value) {
    let page = |(name, url): &(String, String)| json!({"name": name, "url": url});
    argument["pages"] = pages.iter().map(page).collect();
    argument["shots"] = std::env::var("VERDICTD_SHOTS").ok().into();
    let told = drive("pages.mjs", &argument);
    assert_eq!(told.lines().count(), pages.len(), "every page is reported");
    let of_page = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let wrong: Vec<Value> = told.lines().map(of_page).collect();
    let is_good = wrong.iter().all(|page| page["wrong"] == json!([]));
    assert!(is_good, "{wrong:#?}");
}
