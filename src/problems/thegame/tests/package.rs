//! The data files of the package against the solver: answers, normal form, seeds in names,
//! refusals.

use std::fs;
use std::path::{Path, PathBuf};

use crate::problems::find;

use super::super::generate;

/// The files of a data folder with this extension, by name.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("problems/thegame/data")
        .join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

fn stem(path: &Path) -> &str {
    path.file_stem().unwrap().to_str().unwrap()
}

#[test]
fn tests_are_in_normal_form() {
    let tests: Vec<PathBuf> = [files("sample", "in"), files("secret", "in")].concat();
    for path in tests {
        let bytes = fs::read(&path).unwrap();
        let validated = find("thegame").unwrap().validate(&bytes).unwrap();
        assert_eq!(
            (validated.notes.as_slice(), validated.input),
            (&[][..], bytes),
            "{}",
            stem(&path)
        );
    }
}

#[test]
fn generated_tests_are_what_their_names_say() {
    let mut generated = 0;
    for path in files("secret", "in") {
        let Some((before, seed)) = stem(&path).rsplit_once('-') else {
            continue;
        };
        let Ok(seed) = seed.parse() else {
            continue;
        };
        // The longest name wins: `worst-random` is not `random`.
        let families = generate::FAMILIES
            .iter()
            .filter(|family| before.ends_with(&format!("-{}", family.name)));
        let Some(family) = families.max_by_key(|family| family.name.len()) else {
            continue;
        };
        let remade = find("thegame")
            .unwrap()
            .generate(family.name, seed)
            .unwrap();
        assert_eq!(remade, fs::read(&path).unwrap(), "{}", stem(&path));
        generated += 1;
    }
    assert!(
        generated >= 15,
        "only {generated} generated tests were recognised"
    );
}
