//! Bounds, corruption and the lock of a worker's cache.

use std::fs;
use std::path::Path;

use super::Cache;
use crate::domain::Digest;
use crate::util::hash::digest;

fn bytes(number: u8, length: usize) -> Vec<u8> {
    vec![number; length]
}

fn put(cache: &Cache, number: u8, length: usize) -> Digest {
    let bytes = bytes(number, length);
    let digest = digest(&bytes);
    cache.put(&digest, &bytes).unwrap();
    digest
}

fn files(folder: &Path) -> usize {
    let entries = fs::read_dir(folder.join("0")).unwrap();
    // The lock is one of them.
    entries.count() - 1
}

#[test]
fn the_least_recently_used_goes_first() {
    // Bounds in bytes and entries, lengths of what is put, whether the first is used in between, and
    // which are left.
    let cases: [(u64, usize, &[usize], bool, &[bool]); 5] = [
        (100, 10, &[40, 40], false, &[true, true]),
        (100, 10, &[40, 40, 40], false, &[false, true, true]),
        (100, 10, &[40, 40, 40], true, &[true, false, true]),
        (100, 2, &[1, 1, 1], false, &[false, true, true]),
        (100, 10, &[40, 101], false, &[true, false]),
    ];
    for (bytes_max, entries_max, lengths, is_used, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path(), bytes_max, entries_max).unwrap();
        let mut digests = Vec::new();
        for (number, length) in lengths.iter().enumerate() {
            if number == 2 && is_used {
                assert!(cache.get(&digests[0]).is_some());
            }
            digests.push(put(&cache, u8::try_from(number).unwrap(), *length));
        }
        let left: Vec<bool> = digests
            .iter()
            .map(|name| cache.get(name).is_some())
            .collect();
        assert_eq!(left, expected, "{bytes_max} {entries_max} {lengths:?}");
        let count = expected.iter().filter(|is_left| **is_left).count();
        assert_eq!(
            files(folder.path()),
            count,
            "nothing else stays on the disk"
        );
    }
}

#[test]
fn what_was_changed_on_the_disk_is_deleted_and_can_be_kept_again() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::open(folder.path(), 1_000, 10).unwrap();
    for damage in [&b"other"[..], b"", b"longer than it was before"] {
        let name = put(&cache, 7, 9);
        let file = folder.path().join("0").join(name.to_string());
        fs::write(&file, damage).unwrap();
        assert_eq!(cache.get(&name), None);
        assert!(!file.exists());
        put(&cache, 7, 9);
        assert_eq!(cache.get(&name), Some(bytes(7, 9)));
    }
}

#[test]
fn another_start_finds_what_is_there_within_its_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let first = Cache::open(folder.path(), 1_000, 10).unwrap();
    let names = [1, 2, 3].map(|number| put(&first, number, 10));
    drop(first);
    fs::write(folder.path().join("0").join(".verdictd-abc"), b"half").unwrap();
    let again = Cache::open(folder.path(), 1_000, 10).unwrap();
    assert!(names.iter().all(|name| again.get(name).is_some()));
    drop(again);
    let smaller = Cache::open(folder.path(), 20, 10).unwrap();
    let left = names.iter().filter(|name| smaller.get(name).is_some());
    assert_eq!(left.count(), 2);
}

#[test]
fn two_workers_have_folders_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let one = Cache::open(folder.path(), 1_000, 10).unwrap();
    let other = Cache::open(folder.path(), 1_000, 10).unwrap();
    let name = put(&one, 1, 10);
    assert_eq!(other.get(&name), None);
    drop(one);
    let next = Cache::open(folder.path(), 1_000, 10).unwrap();
    assert!(next.get(&name).is_some());
}

#[test]
fn a_folder_that_cannot_be_written_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::open(folder.path(), 1_000, 10).unwrap();
    fs::remove_dir_all(folder.path()).unwrap();
    fs::write(folder.path(), b"in the way").unwrap();
    let (one, other) = (bytes(1, 3), bytes(2, 3));
    assert!(cache.put(&digest(&one), &one).is_err());
    assert!(cache.put(&digest(&other), &other).is_ok());
    assert_eq!(cache.get(&digest(&one)), None);
    fs::remove_file(folder.path()).unwrap();
    fs::create_dir(folder.path()).unwrap();
}
