//! Writes that nobody waits for, and judgements that are published with their facts.

use std::sync::Arc;

use super::super::{NewFacts, RunRecord, Store};
use super::{publication_of, received};
use crate::domain::{Digest, RunKey, Verdict};
use crate::util::hash;
use crate::util::samples::{change, run};

#[test]
fn a_judgement_and_its_facts_are_kept_together_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let (writer, reader) = (store.writer(), store.reader().unwrap());
    let (build, policy) = (Digest([1; 32]), Digest([2; 32]));
    let ran = |input, kept: Option<&[u8]>| {
        let mut facts = run();
        facts.output.kept = Some(hash::digest(b"printed"));
        let input = Digest([input; 32]);
        RunRecord {
            key: RunKey {
                build,
                input,
                policy,
            },
            facts: Arc::new(facts),
            kept: kept.map(Arc::from),
            measured_ms: 1,
        }
    };
    let id = received(&store, "alpha", b"x");
    let judged = || publication_of(id, 1, change(Verdict::Accepted, None, 1));
    let publish = |facts| writer.publish(judged(), facts);
    let known = || reader.runs_for(&build, &policy).unwrap().len();
    let mut broken = NewFacts::default();
    broken.ran(ran(1, Some(b"printed")));
    // Of this one the bytes are missing.
    let mut other = ran(2, None);
    Arc::make_mut(&mut other.facts).output.kept = Some(Digest([9; 32]));
    broken.ran(other);
    assert!(publish(broken).is_err());
    assert_eq!(known(), 0);
    assert!(reader.judgement(id).unwrap().is_none());
    let mut whole = NewFacts::about(Some(hash::digest(b"x")));
    whole.ran(ran(1, Some(b"printed")));
    assert!(publish(whole).unwrap().is_changed);
    assert_eq!(known(), 1);
}
