//! What is written is what is read, also after the store was closed.

use std::sync::Arc;
use std::time::Duration;

use super::{opened, program, publication, received};
use crate::domain::{Build, Cause, Change, Digest, End, Manifest, RunFacts, RunKey, Stop, Verdict};
use crate::store::{EventKind, NewFacts, RunRecord};
use crate::util::hash;
use crate::util::samples::{self, file, run};

fn digest(byte: u8) -> Digest {
    Digest([byte; 32])
}

#[test]
fn builds_with_their_files() {
    let (_folder, store) = opened();
    let bytes: Arc<[u8]> = Arc::from(&b"\x7fELF"[..]);
    let kept = hash::digest(&bytes);
    let files = [("Main$1.class", false), ("main", true)];
    let files = files.map(|(name, is_program)| file(name, kept, is_program));
    let built = Build {
        result: Ok(Manifest {
            files: files.into(),
            main: Some("Main".to_owned()),
        }),
        words: b"warning: \xff\0".to_vec(),
        cpu: Duration::from_micros(123_456),
        language_version: "g++ 12.2".to_owned(),
    };
    let mut failed = built.clone();
    failed.result = Err(Cause::CompileMemory);
    let writer = store.writer();
    let files = vec![(kept, Arc::clone(&bytes))];
    let put = |key, build: &Build, files| {
        let mut facts = NewFacts::default();
        facts.built(digest(key), build.clone(), files, 5);
        writer.put_facts(facts)
    };
    put(1, &built, files).unwrap();
    put(2, &failed, vec![]).unwrap();
    let reader = store.reader().unwrap();
    assert_eq!(reader.build(&digest(1)).unwrap(), Some(built.clone()));
    assert_eq!(reader.build(&digest(2)).unwrap(), Some(failed));
    assert_eq!(reader.build(&digest(3)).unwrap(), None);
    assert_eq!(reader.blob(&kept).unwrap(), Some(bytes));

    let mut missing = built;
    if let Ok(manifest) = &mut missing.result {
        manifest.files[0].digest = digest(9);
    }
    // Of a file without its bytes nothing is kept.
    assert!(put(4, &missing, vec![]).is_err());
    assert_eq!(reader.build(&digest(4)).unwrap(), None);
}

fn facts(output: &[u8]) -> RunFacts {
    RunFacts {
        measurements: 3,
        busy: 1,
        waited: Duration::from_micros(2_345),
        output: samples::output(output),
        stderr: b"\xfe\xff".to_vec(),
        ..run()
    }
}

fn record(input: u8, facts: &RunFacts, kept: Option<&[u8]>) -> RunRecord {
    RunRecord {
        key: RunKey {
            build: digest(1),
            input: digest(input),
            policy: digest(2),
        },
        facts: Arc::new(facts.clone()),
        kept: kept.map(Arc::from),
        measured_ms: 7,
    }
}

#[test]
fn a_judgement_and_its_facts_are_kept_together_or_not_at_all() {
    let (_folder, store) = opened();
    let (writer, reader) = (store.writer(), store.reader().unwrap());
    let id = received(&store, "alpha", b"x");
    let publish = |facts| writer.publish(publication(id, 1, Verdict::Accepted), facts);
    let known = || reader.runs_for(&digest(1), &digest(2)).unwrap().len();
    let whole = || record(1, &facts(b"printed"), Some(b"printed"));
    let mut broken = NewFacts::default();
    broken.ran(whole());
    // Of this one the bytes are missing.
    broken.ran(record(2, &facts(b"other"), None));
    assert!(publish(broken).is_err());
    assert_eq!(known(), 0);
    assert!(reader.judgement(id).unwrap().is_none());
    let mut good = NewFacts::about(Some(hash::digest(b"x")));
    good.ran(whole());
    assert!(publish(good).unwrap().is_some());
    assert_eq!(known(), 1);
}

#[test]
fn runs_with_their_facts_and_what_is_kept_of_the_output() {
    let (_folder, store) = opened();
    let (writer, reader) = (store.writer(), store.reader().unwrap());
    let put = |input, facts: &RunFacts, kept: Option<&[u8]>| {
        let mut new = NewFacts::default();
        new.ran(record(input, facts, kept));
        writer.put_facts(new).unwrap();
        let all = reader.runs_for(&digest(1), &digest(2)).unwrap();
        RunFacts::clone(&all[&digest(input)])
    };
    let printed = |facts: &RunFacts| {
        let kept = facts.output.kept;
        kept.and_then(|kept| reader.blob(&kept).unwrap())
    };
    let short = facts(b"4\n-1\n");
    assert_eq!(put(1, &short, Some(b"4\n-1\n")), short);
    assert_eq!(printed(&short).as_deref(), Some(&b"4\n-1\n"[..]));
    let mut ended = facts(b"");
    ended.end = End::Signalled(9);
    ended.stop = Some(Stop::Wall);
    ended.memory_exceeded = true;
    ended.output.file = Some("OUTPUT.TXT".to_owned());
    assert_eq!(put(2, &ended, Some(b"")), ended);
    // A repeat that leaves the earlier measurement in force is written without the bytes, which are
    // known.
    let mut again = short.clone();
    again.measurements = 4;
    again.machine = Arc::from("Linux 6.2");
    assert_eq!(put(1, &again, None), again);
    assert_eq!(printed(&again).as_deref(), Some(&b"4\n-1\n"[..]));
    let mut unkept = facts(b"gone");
    unkept.output.kept = None;
    unkept.stop = Some(Stop::Output);
    assert_eq!(put(3, &unkept, None), unkept);
    let mut long = facts(b"a long output");
    long.output.kept = Some(hash::digest(b"a long"));
    assert_eq!(put(5, &long, Some(b"a long")), long);
    assert_eq!(printed(&long).as_deref(), Some(&b"a long"[..]));
    assert!(!long.output.is_whole() && short.output.is_whole());

    let mut higher = short.clone();
    higher.caps.cpu *= 2;
    assert_eq!(put(1, &higher, None), higher, "newer caps replace");
    let all = reader.runs_for(&digest(1), &digest(2)).unwrap();
    assert_eq!(all.len(), 4);
    assert!(reader.runs_for(&digest(1), &digest(3)).unwrap().is_empty());
}

#[test]
#[rustfmt::skip]
fn points_of_groups_are_kept_and_overviews_are_told_of_them() {
    let (_folder, store) = opened();
    let reader = store.reader().unwrap();
    let mut new = publication(received(&store, "alpha", b"a"), 1, Verdict::RuntimeError);
    // None are of a version that did not keep them.
    for (got, kind) in [
        (None, EventKind::Verdict), (None, EventKind::Report),
        (Some([30, 0]), EventKind::Confirmed), (Some([30, 0]), EventKind::Report),
        (Some([0, 30]), EventKind::Verdict),
    ] {
        new.document.push(' ');
        new.change.published.groups = got.map(|got| samples::groups([30, 70], got));
        let event = store.writer().publish(new.clone(), NewFacts::default()).unwrap();
        let events = reader.events_after(event.unwrap() - 1, &EventKind::ALL, 9).unwrap();
        let row = reader.judgement(new.submission).unwrap().unwrap();
        assert_eq!((events[0].kind, row.published), (kind, new.change.published.clone()));
    }
}

#[test]
#[rustfmt::skip]
fn judgements_their_history_and_their_reports() {
    let (_folder, store) = opened();
    let id = received(&store, "alpha", b"a");
    let (writer, reader) = (store.writer(), store.reader().unwrap());
    let publish = |fold, verdict| {
        let judgement = publication(id, fold, verdict);
        let event = writer.publish(judgement, NewFacts::default()).unwrap()?;
        let events = reader.events_after(event - 1, &EventKind::ALL, 9).unwrap();
        Some(events[0].kind)
    };
    // The clock steps back all the time: the judgement's moment is its fold's number.
    assert_eq!(reader.counts().unwrap().waiting, 1);
    assert_eq!(publish(9, Verdict::Accepted), Some(EventKind::Verdict));
    assert_eq!(reader.counts().unwrap().waiting, 0);
    assert_eq!(publish(9, Verdict::Accepted), None);
    assert_eq!(publish(5, Verdict::Accepted), Some(EventKind::Confirmed));
    assert_eq!(publish(3, Verdict::RuntimeError), Some(EventKind::Verdict));
    let row = reader.judgement(id).unwrap().unwrap();
    let expected = publication(id, 3, Verdict::RuntimeError).change.published;
    assert_eq!((&row.published, row.fold), (&expected, digest(3)));
    let document = "{\"fold\":3}".to_owned();
    assert_eq!(reader.document(id).unwrap(), Some((digest(3), document)));
    assert_eq!(reader.documents().unwrap(), 1);
    let verdict = |change: &Change| (change.published.verdict, change.published.judged_ms);
    let history = reader.history(id).unwrap();
    let history: Vec<_> = history.iter().map(|row| verdict(&row.change)).collect();
    let (right, crashed) = ((Verdict::Accepted, 9), (Verdict::RuntimeError, 3));
    assert_eq!(history, [right, crashed]);
    let latest = reader.latest_verdicts(9).unwrap();
    let latest: Vec<_> = latest.iter().map(|row| verdict(&row.change)).collect();
    assert_eq!(latest, [crashed, right]);
    let rows = |kind| reader.latest_events(kind, 9).unwrap().into_iter();
    let ids = |kind| rows(kind).map(|row| row.id).collect::<Vec<_>>();
    assert_eq!(ids(EventKind::Received), [1]);
    assert_eq!(ids(EventKind::Verdict), [2, 4]);
    assert_eq!(ids(EventKind::Confirmed), [3]);
    assert_eq!(reader.events_after(2, EventKind::OF_LOGS, 9).unwrap().len(), 1);
    // Handed in later, and received in 1970 as the clock says.
    let mut later = program("alpha", b"b");
    later.received_ms = 0;
    let later = writer.receive(later).unwrap().submission();
    assert!(later.id > id && later.attempt == 2);
}
