//! Pages in real Chromium as people open them: from disk, on a phone and on a screen, light and
//! dark, and in print.
//!
//! `VERDICTD_SHOTS=FOLDER` saves a screenshot of every page in every look there.

mod dashboard;
mod disk;
mod personal;

use std::collections::BTreeMap;
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
        .env("CHROMIUM", chromium())
        .stdin(Stdio::null());
    let output = output(&mut command);
    let [out, said] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{out}{said}");
    out
}

/// The only host that pages may request, and the token for it.
#[derive(Debug, Clone, Default)]
struct Site {
    host: Option<String>,
    token: Option<String>,
    /// The one screen on which all of each page has to be seen; every look otherwise.
    screen: Option<(u32, u32)>,
}

/// What is wrong with each of these pages, in any look.
fn wrong_with(pages: &[(String, String)], site: &Site) -> BTreeMap<String, Vec<String>> {
    let page = |(name, url): &(String, String)| json!({"name": name, "url": url});
    let argument = json!({
        "pages": pages.iter().map(page).collect::<Vec<_>>(),
        "host": site.host,
        "token": site.token,
        "shots": std::env::var("VERDICTD_SHOTS").ok(),
        "screen": site.screen.map(|(width, height)| json!({"width": width, "height": height})),
    });
    let told: BTreeMap<String, Vec<String>> = drive("pages.mjs", &argument)
        .lines()
        .map(|line| {
            let page: Value = serde_json::from_str(line).unwrap();
            let wrong = page["wrong"].as_array().unwrap().iter();
            let wrong = wrong.map(|words| words.as_str().unwrap().to_owned());
            (page["name"].as_str().unwrap().to_owned(), wrong.collect())
        })
        .collect();
    assert_eq!(told.len(), pages.len(), "every page is reported");
    told
}

/// Asserts that nothing is wrong with any of these pages of a dashboard, by name and path.
fn assert_good(address: SocketAddr, pages: &[(&str, &str)], site: &Site) {
    let page =
        |(name, path): &(&str, &str)| ((*name).to_owned(), format!("http://{address}{path}"));
    let pages: Vec<_> = pages.iter().map(page).collect();
    let mut site = site.clone();
    site.host = Some(address.to_string());
    assert_nothing_wrong(&pages, &site);
}

fn assert_nothing_wrong(pages: &[(String, String)], site: &Site) {
    let wrong: Vec<String> = wrong_with(pages, site)
        .into_iter()
        .filter(|(_, wrong)| !wrong.is_empty())
        .map(|(name, wrong)| format!("{name}:\n  {}", wrong.join("\n  ")))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
