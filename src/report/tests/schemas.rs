//! The schema files are those of the types. What the daemon writes is held against them by
//! `tests/it/schemas`.

use std::path::Path;

use crate::report::{Document, LogLine};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

/// Set to write the schema files in place of comparing them.
const UPDATE: &str = "UPDATE_SCHEMAS";

fn is_current<Shape: JsonSchema>(name: &str) {
    // What is written always has every field, also those that may be null.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<Shape>();
    let mut made = serde_json::to_string_pretty(&schema).unwrap();
    made.push('\n');
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/report/{name}"));
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&file, &made).unwrap();
    }
    assert!(
        std::fs::read_to_string(&file).unwrap_or_default() == made,
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
