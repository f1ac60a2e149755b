//! The schema files are those of the types, and an independent reader agrees that documents and lines follow them.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::samples::{RECEIVED_MS, failing, line, not_built, report, wrong};
use crate::domain::{Cause, Rejection, RejectionKind, Verdict};
use crate::report::{Document, Entry, LogLine};

/// Set to write the schema files in place of comparing them.
const UPDATE: &str = "UPDATE_SCHEMAS";

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/report")
        .join(name)
}

fn is_current<Shape: JsonSchema>(name: &str) {
    // What is written always has every field, also those that may be null.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<Shape>();
    let mut made = serde_json::to_string_pretty(&schema).unwrap();
    made.push('\n');
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/report")
        .join(name);
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&file, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == made,
        "src/report/{name} is not what the types in src/report/schema.rs say. \
         If the change is meant, run `{UPDATE}=1 cargo test --lib report` and commit the file; \
         a change that old readers would not understand also needs a new VERSION."
    );
}

#[test]
fn the_schema_files_are_current() {
    is_current::<Document>("report.schema.json");
    is_current::<LogLine>("verdicts.schema.json");
}

pub fn check(schema: &str, value: &Value) -> Result<(), String> {
    let schema: Value = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap();
    validator.validate(value).map_err(|error| error.to_string())
}

#[test]
fn documents_follow_the_schema_and_others_do_not() {
    let schema = &std::fs::read_to_string(file("report.schema.json")).unwrap();
    let mut documents: Vec<Document> = Verdict::ALL
        .iter()
        .map(|&verdict| report("alpha", &failing(verdict, Some(Cause::Signal(6)))))
        .collect();
    documents.push(report("刘思", &wrong("1", "2")));
    documents.push(report("alpha", &not_built(Cause::NoEntryPoint, b"\xff")));
    for document in &documents {
        let value = serde_json::from_str(&document.to_json()).unwrap();
        check(schema, &value).unwrap();
    }
    let good = serde_json::to_value(&documents[0]).unwrap();
    let broken = |change: fn(&mut Value)| {
        let mut value = good.clone();
        change(&mut value);
        assert!(check(schema, &value).is_err(), "the schema allows {value}");
        value
    };
    let extra = broken(|value| value["surprise"] = 1.into());
    assert!(Document::from_json(&extra.to_string()).is_err());
    let verdict = broken(|value| value["verdict"] = "IE".into());
    assert!(Document::from_json(&verdict.to_string()).is_err());
    broken(|value| value["version"] = 2.into());
    broken(|value| value["judged_at"] = "yesterday".into());
    broken(|value| value["submission"]["source_digest"] = "abc".into());
}

#[test]
fn log_lines_follow_the_schema_and_others_do_not() {
    let schema = &std::fs::read_to_string(file("verdicts.schema.json")).unwrap();
    let rejection = Rejection {
        student: None,
        path: "x".to_owned(),
        kind: RejectionKind::Extension,
        reason: "y".to_owned(),
        seen_ms: 0,
    };
    let rejected = Entry::of_rejection(&rejection).to_json();
    for line in [
        line(1, &report("alpha", &wrong("1", "2"))),
        LogLine::of_event(2, RECEIVED_MS, &rejected).unwrap(),
    ] {
        let value: Value = serde_json::from_str(&line.to_json()).unwrap();
        check(schema, &value).unwrap();
        let mut without = value.clone();
        without.as_object_mut().unwrap().remove("kind");
        assert!(check(schema, &without).is_err());
        without = value;
        without.as_object_mut().unwrap().remove("event");
        assert!(check(schema, &without).is_err());
    }
}
