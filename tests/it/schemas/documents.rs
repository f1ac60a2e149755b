//! Documents validated against JSON Schemas, all of them by one process of an independent
//! validator.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::place::root;

/// The exit code of `validate.py` if there is no validator.
const NO_VALIDATOR: i32 = 77;
/// Debian's own Python: another one would not find the package.
const PYTHON: &str = "/usr/bin/python3";

// Schemas: a file, and behind a `#` which part of it.
pub const REPORT: &str = "src/report/report.schema.json";
pub const VERDICTS: &str = "src/report/verdicts.schema.json";
pub const CLICS: &str = "tests/fixtures/schemas/clics.schema.json";
pub const GRADESCOPE: &str = "tests/fixtures/schemas/gradescope.schema.json";

/// The schema of what a command prints with `--json`.
pub fn command(name: &str) -> String {
    format!("tests/fixtures/schemas/commands.schema.json#/$defs/{name}")
}

/// A file of the schemas' folder.
pub fn fixture(name: &str) -> PathBuf {
    root().join("tests/fixtures/schemas").join(name)
}

/// One document.
#[derive(Debug)]
struct Document {
    schema: String,
    what: String,
    text: String,
}

/// Documents, in the order in which they were added.
#[derive(Debug, Default)]
pub struct Documents(Vec<Document>);

impl Documents {
    /// Adds a document.
    pub fn add(&mut self, schema: &str, what: &str, text: &str) {
        let [schema, what, text] = [schema, what, text].map(str::to_owned);
        self.0.push(Document { schema, what, text });
    }

    /// Adds lines that are a document each; there must be some.
    pub fn add_lines<'a>(
        &mut self,
        schema: &str,
        what: &str,
        lines: impl IntoIterator<Item = &'a str>,
    ) {
        let before = self.0.len();
        for line in lines {
            self.add(schema, what, line);
        }
        assert!(self.0.len() > before, "{what}: nothing is there");
    }

    /// Adds what a command printed, and asserts its exit code.
    pub fn add_output(&mut self, schema: &str, output: &Output, code: i32) {
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        match schema {
            // The document as it is stored, over many lines.
            REPORT => self.add(schema, "report --json", &text),
            other => self.add_lines(other, other, text.lines()),
        }
    }

    /// The values of a field in all documents of a schema.
    pub fn words(&self, schema: &str, field: &str) -> BTreeSet<String> {
        let of = self.0.iter().filter(|one| one.schema == schema);
        of.filter_map(|one| {
            let value: Value = serde_json::from_str(&one.text).ok()?;
            Some(value[field].as_str()?.to_owned())
        })
        .collect()
    }

    /// Asserts that every document follows its schema. False where there is no validator.
    pub fn follow(&self) -> bool {
        let Some(complaints) = complaints(&self.0) else {
            return false;
        };
        let pairs = self.0.iter().zip(complaints);
        let wrong: Vec<String> = pairs
            .filter_map(|(one, complaint)| {
                Some(format!("{}: {}\n{}", one.what, complaint?, one.text))
            })
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        true
    }
}

/// What is wrong with each document; `None` if there is no validator.
fn complaints(documents: &[Document]) -> Option<Vec<Option<String>>> {
    let reference = |one: &Document| root().join(&one.schema).display().to_string();
    let asked: String = documents
        .iter()
        .map(|one| json!({"schema": reference(one), "document": one.text}).to_string() + "\n")
        .collect();
    let mut child = Command::new(PYTHON)
        .arg(fixture("validate.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(asked.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let written = writer.join().unwrap();
    if output.status.code() == Some(NO_VALIDATOR) {
        return None;
    }
    written.unwrap();
    assert!(output.status.success(), "{output:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    let complaints = lines.lines();
    let complaints = complaints.map(|line| serde_json::from_str(line).unwrap());
    let complaints: Vec<Option<String>> = complaints.collect();
    assert_eq!(complaints.len(), documents.len());
    Some(complaints)
}
