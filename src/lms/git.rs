//! When the last commit of a clone was made.
//!
//! Git itself is never run: the configuration of a clone that somebody else has made can start
//! programs. What is read here are the few files that lead to one commit, each up to a bound.

use std::io::Read as _;

use flate2::read::ZlibDecoder;
use jiff::Timestamp;

use crate::util::archive::Source;

/// A file that names commits.
const TEXT_BYTES_MAX: u64 = 1024 * 1024;
/// A pack of objects, or its index.
const PACK_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Packs of one clone.
const PACKS_MAX: usize = 16;
/// A commit, unpacked.
const COMMIT_BYTES_MAX: u64 = 64 * 1024;
/// Objects that an object is made from, one after the other.
const DELTAS_MAX: usize = 50;
/// Bytes of an object's name.
const ID_BYTES: usize = 20;

type Id = [u8; ID_BYTES];

/// The committer's time of the commit that a clone has checked out. It is the clock of whoever made
/// the commit.
pub fn committed_at(source: &mut Source, repository: &str) -> Option<Timestamp> {
    let git = format!("{repository}/.git");
    let name = head(source, &git)?;
    let id = id(&name)?;
    let commit = loose(source, &git, &name).or_else(|| packed(source, &git, &id))?;
    let text = String::from_utf8_lossy(&commit);
    let header = text.split("\n\n").next()?;
    let committer = header
        .lines()
        .find_map(|line| line.strip_prefix("committer "))?;
    let seconds = committer.rsplit(' ').nth(1)?;
    Timestamp::from_second(seconds.parse().ok()?).ok()
}

/// The commit that is checked out, in hexadecimal.
fn head(source: &mut Source, git: &str) -> Option<String> {
    let mut text = |path: &str| {
        let bytes = source.file(&format!("{git}/{path}"), TEXT_BYTES_MAX)?;
        String::from_utf8(bytes).ok()
    };
    let head = text("HEAD")?;
    let Some(branch) = head.trim().strip_prefix("ref: ") else {
        return Some(head.trim().to_owned());
    };
    if !branch.starts_with("refs/") || branch.split('/').any(|part| part == "..") {
        return None;
    }
    if let Some(direct) = text(branch) {
        return Some(direct.trim().to_owned());
    }
    let all = text("packed-refs")?;
    let mut named = all.lines().filter_map(|line| line.split_once(' '));
    named
        .find(|(_, name)| *name == branch)
        .map(|(name, _)| name.to_owned())
}

fn id(hex: &str) -> Option<Id> {
    let mut id = [0; ID_BYTES];
    if hex.len() != 2 * ID_BYTES || !hex.is_ascii() {
        return None;
    }
    for (at, byte) in id.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(id)
}

/// A commit that is a file of its own.
fn loose(source: &mut Source, git: &str, name: &str) -> Option<Vec<u8>> {
    let (first, rest) = name.split_at(2);
    let path = format!("{git}/objects/{first}/{rest}");
    let object = inflated(&source.file(&path, COMMIT_BYTES_MAX)?)?;
    let end = object.iter().position(|&byte| byte == 0)?;
    object
        .starts_with(b"commit ")
        .then(|| object[end + 1..].to_vec())
}

/// A commit in one of the clone's packs.
fn packed(source: &mut Source, git: &str, id: &Id) -> Option<Vec<u8>> {
    let folder = format!("{git}/objects/pack");
    let names = source.names(&folder);
    let indexes = names.iter().filter_map(|name| name.strip_suffix(".idx"));
    for name in indexes.take(PACKS_MAX) {
        let index = source.file(&format!("{folder}/{name}.idx"), PACK_BYTES_MAX)?;
        if let Some(at) = place(&index, id) {
            let pack = source.file(&format!("{folder}/{name}.pack"), PACK_BYTES_MAX)?;
            return object(&pack, &index, at, DELTAS_MAX);
        }
    }
    None
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    usize::try_from(u32::from_be_bytes(four.try_into().ok()?)).ok()
}

/// Where an object begins in the pack of this index.
fn place(index: &[u8], id: &Id) -> Option<usize> {
    const HEAD: usize = 8;
    const NAMES: usize = HEAD + 256 * 4;
    if !index.starts_with(b"\xfftOc\0\0\0\x02") {
        return None;
    }
    let all = number(index, NAMES - 4)?;
    let names = index.get(NAMES..all.checked_mul(ID_BYTES)?.checked_add(NAMES)?)?;
    let (names, _) = names.as_chunks::<ID_BYTES>();
    let at = names.binary_search(id).ok()?;
    // After the names stand four bytes of check sum for each, then the places.
    number(index, NAMES + all * (ID_BYTES + 4) + at * 4)
}

/// An object of a pack; made from another one where it is kept as what differs from that.
fn object(pack: &[u8], index: &[u8], begin: usize, deltas: usize) -> Option<Vec<u8>> {
    const COMMIT: u8 = 1;
    const OFFSET_DELTA: u8 = 6;
    const NAMED_DELTA: u8 = 7;
    let mut bytes = pack.get(begin..)?;
    let first = take(&mut bytes)?;
    let mut last = first;
    while last & 0x80 != 0 {
        last = take(&mut bytes)?;
    }
    let base = match (first >> 4) & 7 {
        COMMIT => return inflated(bytes),
        OFFSET_DELTA => begin.checked_sub(offset(&mut bytes)?)?,
        NAMED_DELTA => {
            let (id, rest) = bytes.split_first_chunk::<ID_BYTES>()?;
            bytes = rest;
            place(index, id)?
        }
        _ => return None,
    };
    let base = object(pack, index, base, deltas.checked_sub(1)?)?;
    apply(&base, &inflated(bytes)?)
}

fn take(bytes: &mut &[u8]) -> Option<u8> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(first)
}

/// How far before an object the one lies that it is made from.
fn offset(bytes: &mut &[u8]) -> Option<usize> {
    let mut byte = take(bytes)?;
    let mut offset = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        byte = take(bytes)?;
        offset = offset.checked_add(1)?.checked_mul(128)? | usize::from(byte & 0x7f);
    }
    Some(offset)
}

/// An object from what it differs in from another one.
fn apply(base: &[u8], mut delta: &[u8]) -> Option<Vec<u8>> {
    // The two sizes.
    for _ in 0..2 {
        while take(&mut delta)? & 0x80 != 0 {}
    }
    let mut made = Vec::new();
    while let Some(order) = take(&mut delta) {
        let piece = if order & 0x80 == 0 {
            let (piece, rest) = delta.split_at_checked(usize::from(order))?;
            delta = rest;
            piece
        } else {
            let mut of_bits = |bits: std::ops::Range<u8>, first: u8| {
                let mut value = 0;
                for bit in bits {
                    if order & (1 << bit) != 0 {
                        value |= usize::from(take(&mut delta)?) << (8 * (bit - first));
                    }
                }
                Some(value)
            };
            let (from, size) = (of_bits(0..4, 0)?, of_bits(4..7, 4)?);
            let size = if size == 0 { 0x1_0000 } else { size };
            base.get(from..from.checked_add(size)?)?
        };
        if (made.len() + piece.len()) as u64 > COMMIT_BYTES_MAX {
            return None;
        }
        made.extend_from_slice(piece);
    }
    Some(made)
}

fn inflated(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut object = Vec::new();
    let mut unpacked = ZlibDecoder::new(bytes).take(COMMIT_BYTES_MAX + 1);
    unpacked.read_to_end(&mut object).ok()?;
    (object.len() as u64 <= COMMIT_BYTES_MAX).then_some(object)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::{Id, committed_at};
    use crate::util::archive::Source;
    use crate::util::tests::files::write;

    const OLDER: &str = "tree 0\nauthor A <a@x.edu> 1 +0000\ncommitter A <a@x.edu> 1700000000 +0100\n\ncommitter x 5 +0\n";
    const PACK: &str = "objects/pack/p.pack";
    const INDEX: &str = "objects/pack/p.idx";
    const BRANCH: &str = "refs/heads/main";

    fn hex(id: &Id) -> String {
        let digits = |byte: &u8| {
            [byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
        };
        id.iter().flat_map(digits).collect()
    }

    fn deflated(bytes: &[u8]) -> Vec<u8> {
        let mut writer = ZlibEncoder::new(Vec::new(), Compression::fast());
        writer.write_all(bytes).unwrap();
        writer.finish().unwrap()
    }

    /// The time of the commit in a clone with these files.
    fn time(files: &[(&str, &[u8])]) -> Option<i64> {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            write(folder.path(), &format!("r/.git/{name}"), bytes);
        }
        write(folder.path(), "x", b"");
        let mut source = Source::open(folder.path()).unwrap();
        committed_at(&mut source, "r").map(jiff::Timestamp::as_second)
    }

    /// A pack of a whole commit and of one that is made from it, and its index.
    fn pack(ids: [Id; 2]) -> (Vec<u8>, Vec<u8>) {
        let byte = |number: usize| u8::try_from(number).unwrap();
        let mut pack = b"PACK\0\0\0\x02\0\0\0\x02".to_vec();
        let first = pack.len();
        // 0x90: a commit whose size goes on in the next byte.
        pack.extend([0x90 | byte(OLDER.len() & 15), byte(OLDER.len() >> 4)]);
        pack.extend(deflated(OLDER.as_bytes()));
        let second = pack.len();
        let at = OLDER.find("17000").unwrap();
        let mut delta = vec![byte(OLDER.len()), byte(OLDER.len()), 0x90, byte(at), 10];
        delta.extend(b"1800000000");
        delta.extend([0x91, byte(at + 10), byte(OLDER.len() - at - 10)]);
        pack.push(0x60 | byte(delta.len() & 15));
        let back = second - first;
        assert!(back < 128, "it takes one byte");
        pack.push(byte(back));
        pack.extend(deflated(&delta));
        let mut index = b"\xfftOc\0\0\0\x02".to_vec();
        for first in 0..=255 {
            let count = ids.iter().filter(|id| id[0] <= first).count();
            index.extend(u32::try_from(count).unwrap().to_be_bytes());
        }
        index.extend(ids.concat());
        index.extend([0; 8]);
        for at in [first, second] {
            index.extend(u32::try_from(at).unwrap().to_be_bytes());
        }
        (pack, index)
    }

    #[test]
    fn the_commit_that_is_checked_out_is_found_wherever_git_keeps_it() {
        let ids: [Id; 2] = [[0x11; 20], [0xee; 20]];
        let names = ids.map(|id| hex(&id));
        let head = format!("ref: {BRANCH}\n");
        let object = deflated(format!("commit {}\0{OLDER}", OLDER.len()).as_bytes());
        let path = format!("objects/{}/{}", &names[0][..2], &names[0][2..]);
        let loose: (&str, &[u8]) = (&path, &object);
        let branch: (&str, &[u8]) = (BRANCH, names[0].as_bytes());
        let older = Some(1_700_000_000);
        assert_eq!(time(&[("HEAD", head.as_bytes()), branch, loose]), older);
        assert_eq!(time(&[("HEAD", names[0].as_bytes()), loose]), older);
        let (pack, index) = pack(ids);
        let packs: [(&str, &[u8]); 2] = [(PACK, &pack), (INDEX, &index)];
        for (name, expected) in [(&names[0], older), (&names[1], Some(1_800_000_000))] {
            let listed = format!("# pack-refs\n{name} {BRANCH}\n");
            let [head, listed] = [&head, &listed].map(String::as_bytes);
            let [pack, index] = packs;
            let files = [("HEAD", head), ("packed-refs", listed), pack, index];
            assert_eq!(time(&files), expected);
        }
    }

    #[test]
    fn a_clone_of_somebody_who_means_harm_has_no_time() {
        let id = hex(&[0x11; 20]).into_bytes();
        let (pack, index) = pack([[0x11; 20], [0xee; 20]]);
        for cut in (0..pack.len() - 1).chain([pack.len()]) {
            let index = &index[..index.len() * cut / pack.len()];
            let files = [("HEAD", &*id), (PACK, &pack[..cut]), (INDEX, index)];
            assert_eq!(time(&files).is_some(), cut == pack.len(), "{cut}");
        }
        for head in "|zz|ref: ../../x|ref: refs/../../x|ref: refs/heads/none".split('|') {
            assert_eq!(time(&[("HEAD", head.as_bytes())]), None, "{head}");
        }
    }
}
