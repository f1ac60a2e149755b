//! Documents validated against JSON Schemas, all of them by one process of an independent
//! validator.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// The exit code of `validate.py` if there is no validator.
const NO_VALIDATOR: i32 = 77;
/// Debian's own Python: another one would not find the package.
const PYTHON: &str = "/usr/bin/python3";

/// The schemas of what commands print with `--json`.
const COMMANDS: &str = "tests/fixtures/schemas/commands.schema.json";

/// A schema: a file, and where in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema {
    file: &'static str,
    pointer: &'static str,
}

impl Schema {
    const fn published(file: &'static str) -> Self {
        Self { file, pointer: "" }
    }

    /// The schema of what a command prints with `--json`.
    pub const fn command(pointer: &'static str) -> Self {
        let file = COMMANDS;
        Self { file, pointer }
    }

    fn reference(self) -> String {
        let file = root().join(self.file).display().to_string();
        match self.pointer {
            "" => file,
            name => format!("{file}#/$defs/{name}"),
        }
    }
}

pub const REPORT: Schema = Schema::published("src/report/report.schema.json");
pub const VERDICTS: Schema = Schema::published("src/report/verdicts.schema.json");
pub const CLICS: Schema = Schema::published("tests/fixtures/schemas/clics.schema.json");
pub const GRADESCOPE: Schema = Schema::published("tests/fixtures/schemas/gradescope.schema.json");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file of the schemas' folder.
pub fn fixture(name: &str) -> PathBuf {
    root().join("tests/fixtures/schemas").join(name)
}

/// One document.
#[derive(Debug, Clone)]
struct Document {
    schema: Schema,
    what: String,
    text: String,
}

/// Documents, in the order in which they were added.
#[derive(Debug, Default)]
pub struct Documents(Vec<Document>);

impl Documents {
    /// Adds a document.
    pub fn add(&mut self, schema: Schema, what: &str, text: &str) {
        self.0.push(Document {
            schema,
            what: what.to_owned(),
            text: text.to_owned(),
        });
    }

    /// Adds lines that are a document each; there must be some.
    pub fn add_lines<'a>(
        &mut self,
        schema: Schema,
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
    pub fn add_output(&mut self, schema: Schema, output: &Output, code: i32) {
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        match schema {
            // The document as it is stored, over many lines.
            REPORT => self.add(schema, "report --json", &text),
            other => self.add_lines(other, other.pointer, text.lines()),
        }
    }

    /// The values of a field in all documents of a schema.
    pub fn words(&self, schema: Schema, field: &str) -> BTreeSet<String> {
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
        let wrong: Vec<String> = self
            .0
            .iter()
            .zip(complaints)
            .filter_map(|(one, complaint)| {
                Some(format!("{}: {}\n{}", one.what, complaint?, one.text))
            })
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        true
    }
}

/// Where a schema takes what it does not name: a field that may be missing, further fields, or a
/// value of any type.
fn loose(schema: &Value, at: &str) -> Vec<String> {
    let inner: Vec<(String, &Value)> = match schema {
        Value::Object(fields) => fields.iter().map(|(key, one)| (key.clone(), one)).collect(),
        Value::Array(items) => (0..).map(|at: usize| at.to_string()).zip(items).collect(),
        _ => Vec::new(),
    };
    let below = inner.into_iter();
    let mut found: Vec<String> = below
        .flat_map(|(key, one)| loose(one, &format!("{at}/{key}")))
        .collect();
    let Some(properties) = schema["properties"].as_object() else {
        return found;
    };
    if schema["additionalProperties"] != false {
        found.push(format!("{at} may have more"));
    }
    for (name, property) in properties {
        let required = schema["required"].as_array();
        if !required.is_some_and(|required| required.contains(&json!(name))) {
            found.push(format!("{at}/{name} may be missing"));
        }
        let kinds = ["type", "$ref", "const", "enum", "anyOf", "oneOf"];
        if !kinds.iter().any(|kind| property.get(kind).is_some()) {
            found.push(format!("{at}/{name} may be of any type"));
        }
    }
    found
}

/// The published schemas are made from the types.
#[test]
fn the_schemas_of_commands_take_only_what_they_name() {
    let text = std::fs::read_to_string(root().join(COMMANDS)).unwrap();
    assert_eq!(loose(&serde_json::from_str(&text).unwrap(), ""), [""; 0]);
}

/// What is wrong with each document; `None` if there is no validator.
fn complaints(documents: &[Document]) -> Option<Vec<Option<String>>> {
    let asked: String = documents
        .iter()
        .map(|one| json!({"schema": one.schema.reference(), "document": one.text}).to_string())
        .map(|line| line + "\n")
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
    let text = String::from_utf8(output.stdout).unwrap();
    let complaints: Vec<Option<String>> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(complaints.len(), documents.len());
    Some(complaints)
}
