//! Forgetting a student: nothing is left of them, and everything of everybody else.

use std::path::Path;
use std::sync::Arc;

use super::{program, received};
use crate::domain::{Build, Cause, Digest};
use crate::store::{NewFacts, Store, StoreError, forget};
use crate::util::hash;
use crate::util::samples::student;

fn has(folder: &Path, words: &[u8]) -> bool {
    let mut files = std::fs::read_dir(folder).unwrap();
    files.any(|file| {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        bytes.windows(words.len()).any(|part| part == words)
    })
}

/// A failed build that is kept for a program, with its compiler's words.
fn build(store: &Store, key: u8, source: &[u8], words: &[u8]) {
    let build = Build {
        result: Err(Cause::Compiler),
        words: words.to_vec(),
        cpu: std::time::Duration::ZERO,
        language_version: "g++".to_owned(),
    };
    let mut facts = NewFacts::about(Some(hash::digest(source)));
    facts.built(Digest([key; 32]), build, vec![], 1);
    store.writer().put_facts(facts).unwrap();
}

#[test]
fn nothing_of_the_student_is_left_and_everything_of_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let own = &b"int adas_own_program;"[..];
    let shared = &b"int the_same_program;"[..];
    let other = received(&store, "bo", shared);
    received(&store, "ada", own);
    received(&store, "ada", shared);
    build(&store, 1, own, b"adas_own_program is unused");
    build(&store, 2, shared, b"the_same_program is unused");
    for (key, source, said) in [(3, own, "said of adas_own"), (4, shared, "said of both")] {
        let mut facts = NewFacts::about(Some(hash::digest(source)));
        facts.opinion(Digest([key; 32]), Arc::from(said.as_bytes()), 1);
        store.writer().put_facts(facts).unwrap();
    }
    let in_use = forget(folder.path(), &student("ada"));
    assert!(matches!(in_use, Err(StoreError::Locked { .. })));
    let before = store.reader().unwrap().traces(&student("ada")).unwrap();
    drop(store);

    for expected in [before, crate::store::Traces::default()] {
        let found = forget(folder.path(), &student("ada")).unwrap();
        assert_eq!(found, expected);
        assert!(!has(folder.path(), b"ada"), "a byte of ada is left");
        assert!(has(folder.path(), shared), "bo's program is gone");
    }
    let store = Store::open(folder.path()).unwrap();
    let reader = store.reader().unwrap();
    let (submission, source) = reader.submission(other).unwrap().unwrap();
    assert_eq!(
        (submission.student, &*source.bytes),
        (student("bo"), shared)
    );
    assert!(reader.build(&Digest([1; 32])).unwrap().is_none());
    assert!(reader.build(&Digest([2; 32])).unwrap().is_some());
    assert!(reader.answer(&Digest([4; 32])).unwrap().is_some());
    assert_eq!(reader.check().unwrap(), Vec::<String>::new());
    let again = store.writer().receive(program("ada", own)).unwrap();
    assert_eq!((again.is_new, again.submission.attempt), (true, 1));
}
