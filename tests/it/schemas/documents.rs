//! Documents validated against JSON Schemas, all of them by one process of an independent
//! validator.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Map, Value, json};

/// The exit code of `validate.py` if there is no validator.
const NO_VALIDATOR: i32 = 77;
/// Debian's own Python: another one would not find the package.
const PYTHON: &str = "/usr/bin/python3";

/// A schema, and the fields for which it is not strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema {
    file: &'static str,
    pointer: &'static str,
    /// Fields that a document may lack.
    optional: &'static [&'static str],
    /// Fields whose objects may have further fields; the empty string is the document itself.
    open: &'static [&'static str],
}

impl Schema {
    const fn published(file: &'static str) -> Self {
        Self {
            file,
            pointer: "",
            optional: &[],
            open: &[],
        }
    }

    /// The schema of what a command prints with `--json`.
    pub const fn command(pointer: &'static str) -> Self {
        Self {
            pointer,
            ..Self::published("tests/fixtures/schemas/commands.schema.json")
        }
    }

    fn reference(self) -> String {
        let file = root().join(self.file).display().to_string();
        match self.pointer {
            "" => file,
            name => format!("{file}#/$defs/{name}"),
        }
    }
}

pub const REPORT: Schema = Schema {
    optional: &["judge_message"],
    ..Schema::published("src/report/report.schema.json")
};
/// Lines may get further fields without a new version.
pub const VERDICTS: Schema = Schema {
    open: &[""],
    ..Schema::published("src/report/verdicts.schema.json")
};
pub const CLICS: Schema = Schema {
    optional: &["token", "entry_point", "max_run_time", "frozen", "thawed"],
    ..Schema::published("tests/fixtures/schemas/clics.schema.json")
};
pub const GRADESCOPE: Schema = Schema {
    optional: &["*"],
    open: &["extra_data"],
    ..Schema::published("tests/fixtures/schemas/gradescope.schema.json")
};
pub const STATUS: Schema = Schema {
    optional: &["AC", "PE", "WA", "TLE", "MLE", "OLE", "RE", "CE"],
    open: &["latest"],
    ..Schema::command("status")
};
pub const JUDGE: Schema = Schema {
    optional: REPORT.optional,
    ..Schema::command("judge")
};

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

    /// Asserts that every document follows its schema, and that none of them would with another
    /// field, one field less, or one of another type. False where there is no validator.
    pub fn follow(&self) -> bool {
        let broken = self.broken();
        let asked: Vec<&Document> = self.0.iter().chain(&broken).collect();
        let Some(complaints) = complaints(&asked) else {
            return false;
        };
        let (good, bad) = complaints.split_at(self.0.len());
        let wrong: Vec<String> = self
            .0
            .iter()
            .zip(good)
            .filter_map(|(one, complaint)| {
                let complaint = complaint.as_ref()?;
                Some(format!("{}: {complaint}\n{}", one.what, one.text))
            })
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        let allowed: Vec<&str> = broken
            .iter()
            .zip(bad)
            .filter(|(_, complaint)| complaint.is_none())
            .map(|(one, _)| one.what.as_str())
            .collect();
        assert!(!broken.is_empty(), "nothing was tried");
        assert!(allowed.is_empty(), "allowed: {allowed:#?}");
        true
    }

    /// One document of each kind, broken in every way near its root.
    fn broken(&self) -> Vec<Document> {
        let mut seen = Vec::new();
        let mut made = Vec::new();
        for one in &self.0 {
            let Ok(value) = serde_json::from_str::<Value>(&one.text) else {
                continue;
            };
            let word = |field: &str| value[field].as_str().map(str::to_owned);
            let kind = word("kind").or_else(|| word("type"));
            let kind = (one.schema, kind, value["valid"].as_bool());
            if !seen.contains(&kind) {
                seen.push(kind);
                for (how, value) in breaks(&value, one.schema, "", true) {
                    made.push(Document {
                        schema: one.schema,
                        what: format!("{} with {how}", one.what),
                        text: value.to_string(),
                    });
                }
            }
        }
        made
    }
}

/// Copies of a value with one defect each: in each field of an object, in the first element of an
/// array.
fn breaks(value: &Value, schema: Schema, name: &str, below: bool) -> Vec<(String, Value)> {
    let mut made = Vec::new();
    let Some(object) = value.as_object() else {
        let first = value.as_array().and_then(|items| items.first());
        let inside = first.map(|first| breaks(first, schema, name, below));
        return inside
            .unwrap_or_default()
            .into_iter()
            .map(|(how, broken)| (how, json!([broken])))
            .collect();
    };
    let mut broken = |how: String, change: &dyn Fn(&mut Map<String, Value>)| {
        let mut object = object.clone();
        change(&mut object);
        made.push((how, object.into()));
    };
    if !schema.open.contains(&name) {
        broken(format!("more in `{name}`"), &|object| {
            object.insert("surprise".to_owned(), json!(1));
        });
    }
    for (field, inner) in object {
        if !schema.optional.contains(&field.as_str()) && schema.optional != ["*"] {
            broken(format!("no `{field}`"), &|object| {
                object.remove(field);
            });
        }
        let other = match inner {
            Value::Object(_) => json!("surprise"),
            _ => json!({"surprise": 1}),
        };
        broken(format!("another type of `{field}`"), &|object| {
            object.insert(field.clone(), other.clone());
        });
    }
    if below {
        for (field, inner) in object {
            if schema.open.contains(&field.as_str()) {
                continue;
            }
            for (how, inner) in breaks(inner, schema, field, false) {
                let mut object = object.clone();
                object.insert(field.clone(), inner);
                made.push((format!("{how} in `{field}`"), object.into()));
            }
        }
    }
    made
}

/// What is wrong with each document; `None` if there is no validator.
fn complaints(documents: &[&Document]) -> Option<Vec<Option<String>>> {
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
