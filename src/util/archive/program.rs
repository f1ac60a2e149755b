//! A program of several files: a zip that somebody has handed in as one.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Cursor, Write as _};
use std::path::Path;
use std::sync::Arc;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::{ENTRIES_MAX, Entry, ReadError, Source};
use crate::domain::{NamedFile, SourceFile};

/// What the name of such a program ends in.
pub const ZIP: &str = "zip";
/// Files of one program.
pub const FILES_MAX: usize = 64;
/// Length of a file's name, in bytes.
const NAME_BYTES_MAX: usize = 100;
/// All of them together, unpacked, in bytes.
const BYTES_MAX: u64 = 16 << 20;

/// Why a zip is no program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WrongZip {
    #[error("{0}")]
    NotZip(String),
    #[error("it holds no file")]
    Empty,
    #[error("it holds more than {FILES_MAX} files")]
    TooMany,
    #[error("its files are larger than {} MiB in total", BYTES_MAX >> 20)]
    TooLarge,
    #[error("`{0}` is in a subfolder: put all files in one folder")]
    Nested(String),
    #[error(
        "the name of `{0}` is not plain: begin it with a letter or digit, use letters, digits, `_`, `-`, `+` and dots, and at most {NAME_BYTES_MAX}"
    )]
    Name(String),
    #[error("two files are called `{0}`, but for upper and lower case")]
    Twice(String),
    #[error("`{path}` cannot be taken: {why}")]
    Refused { path: String, why: String },
}

/// Whether a name is that of a program of several files.
pub fn is_zip(name: &str) -> bool {
    let ending = Path::new(name).extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case(ZIP))
}

/// The files of a program as it was handed in; where that is one file, this one. Hidden files are
/// left out, and so is one folder around everything.
pub fn files_of(name: &str, bytes: &Arc<[u8]>) -> Result<Vec<NamedFile>, WrongZip> {
    if !is_zip(name) {
        return Ok(vec![(name.to_owned(), Arc::clone(bytes))]);
    }
    let opened = Source::nested(Path::new(name), bytes.to_vec());
    let mut archive = opened.map_err(|complaint| WrongZip::NotZip(complaint.reason))?;
    let is_taken = |path: &str| {
        path.split('/')
            .all(|part| part == ".." || !part.starts_with('.'))
    };
    let entries = archive.entries().iter().enumerate();
    let taken = entries.filter(|(_, entry)| !entry.is_noise() && is_taken(&entry.path));
    let taken: Vec<(usize, String, String)> = taken
        .map(|(index, entry)| (index, entry.path.clone(), entry.shown()))
        .collect();
    let folder = taken.first().and_then(|(_, path, _)| path.split_once('/'));
    let folder = folder.map(|(folder, _)| format!("{folder}/"));
    let folder = folder.filter(|folder| taken.iter().all(|(_, path, _)| path.starts_with(folder)));
    let outer = folder.map_or(0, |folder| folder.len());
    if taken.len() > FILES_MAX {
        return Err(WrongZip::TooMany);
    }
    let (mut files, mut names, mut left) = (Vec::new(), BTreeSet::new(), BYTES_MAX);
    for (index, path, shown) in taken {
        let name = &path[outer..];
        if name.contains('/') {
            return Err(WrongZip::Nested(shown));
        }
        if !is_plain(name) {
            return Err(WrongZip::Name(shown));
        }
        let bytes = archive.read(index, left).map_err(|error| match error {
            ReadError::TooLarge { .. } => WrongZip::TooLarge,
            ReadError::Unreadable { reason, .. } => WrongZip::Refused {
                path: shown.clone(),
                why: reason,
            },
        })?;
        left -= bytes.len() as u64;
        if !names.insert(name.to_ascii_lowercase()) {
            return Err(WrongZip::Twice(shown));
        }
        files.push((name.to_owned(), Arc::from(bytes)));
    }
    if files.is_empty() {
        return Err(WrongZip::Empty);
    }
    Ok(files)
}

/// The program of these files, as one: the same files make the same bytes.
fn packed(files: &[NamedFile]) -> io::Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default());
    for (name, bytes) in files {
        zip.start_file(name.as_str(), options)?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// A program that lies here, as it would be handed in: a folder of files is one of several files. The
/// files of it are at most `bytes_max` together. `read` reads a file up to a bound.
pub fn read_program(
    path: &Path,
    bytes_max: u64,
    read: impl Fn(&Path, u64) -> io::Result<Vec<u8>>,
) -> io::Result<(String, Vec<u8>)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if !path.is_dir() {
        return Ok((name.into_owned(), read(path, bytes_max)?));
    }
    let (mut files, mut left) = (Vec::new(), bytes_max);
    for entry in fs::read_dir(path)?.take(ENTRIES_MAX) {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_noise = Entry::of_archive(name.as_bytes(), &name, None).is_noise();
        if !name.starts_with('.') && !is_noise && files.len() <= FILES_MAX {
            let bytes = read(&entry.path(), left)
                .map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
            left -= bytes.len() as u64;
            files.push((name, Arc::from(bytes)));
        }
    }
    files.sort();
    Ok((format!("{name}.{ZIP}"), packed(&files)?))
}

/// A program as people read it: of several files, each with its name above it.
pub fn shown(source: &SourceFile) -> Arc<[u8]> {
    match files_of(&source.name, &source.bytes) {
        Ok(files) if is_zip(&source.name) => {
            let file =
                |(name, bytes): &NamedFile| [format!("=== {name}\n").as_bytes(), bytes].concat();
            let files: Vec<Vec<u8>> = files.iter().map(file).collect();
            Arc::from(files.join(&b"\n"[..]))
        }
        _ => Arc::clone(&source.bytes),
    }
}

/// Whether a name can be an argument of a compiler.
pub fn is_plain(name: &str) -> bool {
    let may = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+".contains(&byte);
    let begins = name.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_');
    name.bytes().all(may) && begins && name.len() <= NAME_BYTES_MAX
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{FILES_MAX, files_of, packed, read_program, shown};
    use crate::domain::{Digest, NamedFile, SourceFile};
    use crate::util::files::read_regular;

    fn files(names: &[&str]) -> Vec<NamedFile> {
        let file = |name: &&str| ((*name).to_owned(), Arc::from(name.as_bytes()));
        names.iter().map(file).collect()
    }

    fn unpacked(names: &[&str]) -> Result<Vec<String>, String> {
        let zip = Arc::from(packed(&files(names)).unwrap());
        let files = files_of("a.ZIP", &zip).map_err(|wrong| wrong.to_string())?;
        Ok(files.into_iter().map(|(name, _)| name).collect())
    }

    #[test]
    fn what_is_packed_is_unpacked_without_a_folder_around_it() {
        for (names, expected) in [
            (&["a.c", "b.h"][..], &["a.c", "b.h"][..]),
            (&["p/a.c", "p/b.h", "__MACOSX/p/._a.c"], &["a.c", "b.h"]),
            (&["a.c", ".git/config", ".idea/x y.xml"], &["a.c"]),
        ] {
            assert_eq!(unpacked(names).unwrap(), expected);
        }
        for (names, words) in [
            (&["a.c", "p/b.c"][..], "`p/b.c` is in a subfolder"),
            (&["-o.c"], "the name of `-o.c` is not plain"),
            (&["a b.c"], "is not plain"),
            (&["a.c", "./A.C"], "two files are called"),
            (&["../a.c"], "leads out of the archive"),
            (&[], "it holds no file"),
            (&vec!["a"; FILES_MAX + 1], "the same name"),
        ] {
            let names: Vec<&str> = names.to_vec();
            if let Ok(zip) = packed(&files(&names)) {
                let wrong = files_of("a.zip", &Arc::from(zip)).unwrap_err().to_string();
                assert!(wrong.contains(words), "{names:?}: {wrong}");
            }
        }
        let many = (0..=FILES_MAX).map(|number| format!("{number}.c"));
        let many: Vec<String> = many.collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(unpacked(&many).unwrap_err().contains("more than 64 files"));
        let damaged = Arc::from(*b"PK\x03\x04 no zip");
        assert!(files_of("a.zip", &damaged).is_err());
        assert_eq!(files_of("a.c", &damaged).unwrap()[0].1, damaged);
    }

    #[test]
    fn a_folder_is_the_same_program_whenever_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("sum");
        std::fs::create_dir(&program).unwrap();
        for name in ["b.py", "main.py", ".hidden"] {
            std::fs::write(program.join(name), name).unwrap();
        }
        let (name, bytes) = read_program(&program, 100, read_regular).unwrap();
        assert_eq!(read_program(&program, 100, read_regular).unwrap().1, bytes);
        assert!(
            read_program(&program, 10, read_regular).is_err(),
            "11 bytes"
        );
        let source = SourceFile {
            name,
            digest: Digest([0; 32]),
            bytes: Arc::from(bytes),
        };
        let text = shown(&source);
        let text = String::from_utf8_lossy(&text);
        assert_eq!(text, "=== b.py\nb.py\n=== main.py\nmain.py");
    }
}
