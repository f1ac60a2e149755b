//! Hostile and honest programs in the real sandbox, through the program `tests/fixtures/trial`.

pub mod life;
pub mod limits;
mod meeting;
mod privileges;
mod talk;
mod walls;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::place::{objects, output};
use crate::quiet;

/// The hostile test program, compiled once.
pub fn hostile() -> &'static Path {
    static PROGRAM: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = PROGRAM.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hostile");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/hostile.c");
        let status = Command::new("gcc")
            .args(["-O1", "-w", "-fno-optimize-sibling-calls"])
            .args(["-static", "-pthread", "-o"])
            .arg(&path)
            .arg(source)
            .status()
            .unwrap();
        assert!(status.success(), "gcc");
        (folder, path)
    });
    path
}

/// A scratch folder that other users may read.
fn readable_folder() -> tempfile::TempDir {
    tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .tempdir()
        .unwrap()
}

/// A job that runs the program with these arguments, with further settings.
pub fn job(arguments: &[&str], mut job: Value) -> Value {
    job["argv"] = [&["/app/hostile"], arguments].concat().into();
    job
}

fn trial(spec: Value) -> Vec<Value> {
    let command = Command::new(env!("CARGO_BIN_EXE_sandbox-trial"));
    trial_by(command, hostile(), spec)
}

fn trial_by(command: Command, program: &Path, mut spec: Value) -> Vec<Value> {
    spec["app"] = json!([["hostile", program]]);
    let output = output_of(command, &spec);
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}");
    objects(&output)
}

/// What is to be done, as a file.
fn written(spec: &Value) -> (tempfile::TempDir, PathBuf) {
    quiet::share();
    let folder = readable_folder();
    let file = folder.path().join("spec.json");
    std::fs::write(&file, spec.to_string()).unwrap();
    (folder, file)
}

fn output_of(mut command: Command, spec: &Value) -> Output {
    let (_folder, file) = written(spec);
    output(command.arg(file).stdin(Stdio::null()))
}

fn run(jobs: &[Value]) -> Vec<Value> {
    let outcomes = trial(json!({ "jobs": jobs }));
    assert_eq!(outcomes.len(), jobs.len());
    outcomes
}

fn run_one(arguments: &[&str], more: Value) -> Value {
    run(&[job(arguments, more)]).remove(0)
}

/// Runs these programs, with these settings, and checks fields of their outcomes.
fn check(table: &[(&str, &Value, &Value)]) -> Vec<Value> {
    check_by(table, run)
}

/// The same where jobs are run in another way.
fn check_by(table: &[(&str, &Value, &Value)], run: impl Fn(&[Value]) -> Vec<Value>) -> Vec<Value> {
    let of_row = |(program, more, _): &(&str, &Value, &Value)| {
        let arguments: Vec<&str> = program.split(' ').collect();
        job(&arguments, (*more).clone())
    };
    let outcomes = run(&table.iter().map(of_row).collect::<Vec<_>>());
    for ((program, _, expected), outcome) in table.iter().zip(&outcomes) {
        assert_fields(outcome, expected, program);
    }
    outcomes
}

/// Asserts that an outcome has what is expected of it.
pub fn assert_fields(outcome: &Value, expected: &Value, what: &str) {
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&outcome[key], value, "{key} of {what}: {outcome}");
    }
}

fn text<'a>(outcome: &'a Value, key: &str) -> &'a str {
    outcome[key].as_str().unwrap()
}

pub fn number(outcome: &Value, key: &str) -> u64 {
    outcome[key].as_u64().unwrap()
}
