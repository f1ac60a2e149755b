//! Where entries come from: a zip file, or a folder that somebody unpacked or cloned.
//!
//! Listing reads no contents. Contents are read one entry at a time, into memory, each up to a
//! bound that the reader gives, whatever the archive says of their size.

mod entry;
mod program;

use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use chardetng::EncodingDetector;
use encoding_rs::Encoding;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::domain::Complaint;
use crate::util::files::read_regular;

pub use entry::Entry;
pub use program::{WrongZip, ZIP, files_of, is_plain, is_zip, read_program, shown};

/// Entries of one archive or folder.
const ENTRIES_MAX: usize = 100_000;
/// The largest archive, in bytes; a course of a thousand students with one photo each is smaller.
const ARCHIVE_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;
/// What to do with what is larger than an import takes.
const IN_PARTS: &str = "import it in parts";
/// Folders inside folders that are entered.
const DEPTH_MAX: usize = 16;

/// Why the contents of one entry cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It goes on beyond the bound.
    #[error("it is larger than {} KiB", .bytes_max.div_ceil(1 << 10))]
    TooLarge { bytes_max: u64 },
    /// It is damaged, encrypted, or gone.
    #[error("it cannot be read: {reason}")]
    Unreadable { reason: String, unpacked: u64 },
}

impl ReadError {
    /// How many bytes were unpacked in vain.
    pub fn unpacked(&self) -> u64 {
        match self {
            Self::TooLarge { bytes_max } => *bytes_max,
            Self::Unreadable { unpacked, .. } => *unpacked,
        }
    }
}

trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

/// An archive or a folder, listed.
pub struct Source {
    entries: Vec<Entry>,
    contents: Contents,
}

enum Contents {
    /// The folder, and each entry's path below it.
    Folder(PathBuf, Vec<PathBuf>),
    /// The archive, and each entry's number in it.
    Zip(ZipArchive<Box<dyn ReadSeek>>, Vec<usize>),
}

impl Source {
    /// Lists a zip file or a folder.
    pub fn open(path: &Path) -> Result<Self, Complaint> {
        Self::listed(path, false)
    }

    /// The same of a zip file in which links are entries too: what is read of one is its target.
    pub fn with_links(path: &Path) -> Result<Self, Complaint> {
        Self::listed(path, true)
    }

    fn listed(path: &Path, has_links: bool) -> Result<Self, Complaint> {
        let failed = |error: io::Error| Complaint::new(path, error);
        let metadata = fs::metadata(path).map_err(failed)?;
        if metadata.is_dir() {
            return Self::folder(path);
        }
        if metadata.len() > ARCHIVE_BYTES_MAX {
            let reason = format!("it is larger than {} GiB", ARCHIVE_BYTES_MAX >> 30);
            return Err(Complaint::new(path, reason).with_help(IN_PARTS));
        }
        let file = File::open(path).map_err(failed)?;
        Self::zip(path, Box::new(file), has_links)
    }

    /// Lists an archive that was an entry of another one; `path` is for messages.
    pub fn nested(path: &Path, bytes: Vec<u8>) -> Result<Self, Complaint> {
        Self::zip(path, Box::new(Cursor::new(bytes)), false)
    }

    /// A file that stands for itself, as an archive of one entry.
    pub fn of_file(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default();
        let entry = Entry::of_archive(name.as_bytes(), &name.to_string_lossy(), None);
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Self {
            entries: vec![entry],
            contents: Contents::Folder(folder, vec![PathBuf::from(name)]),
        }
    }

    /// What it holds, in the order of the paths.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The contents of an entry, up to `bytes_max`.
    pub fn read(&mut self, index: usize, bytes_max: u64) -> Result<Vec<u8>, ReadError> {
        let unreadable = |error: &dyn std::fmt::Display| ReadError::Unreadable {
            reason: error.to_string(),
            unpacked: 0,
        };
        if let Some(why) = self.entries[index].refused {
            return Err(unreadable(&why));
        }
        let (mut bytes, taken) = (Vec::new(), bytes_max.saturating_add(1));
        match &mut self.contents {
            Contents::Folder(folder, paths) => {
                let path = folder.join(&paths[index]);
                let size = fs::symlink_metadata(&path).map_err(|error| unreadable(&error))?;
                if size.len() > bytes_max {
                    return Err(ReadError::TooLarge { bytes_max });
                }
                bytes = read_regular(&path, bytes_max).map_err(|error| unreadable(&error))?;
            }
            Contents::Zip(archive, numbers) => {
                let entry = archive.by_index(numbers[index]);
                let entry = entry.map_err(|error| unreadable(&error))?;
                let read = entry.take(taken).read_to_end(&mut bytes);
                read.map_err(|error| ReadError::Unreadable {
                    reason: error.to_string(),
                    unpacked: bytes.len() as u64,
                })?;
            }
        }
        if bytes.len() as u64 > bytes_max {
            return Err(ReadError::TooLarge { bytes_max });
        }
        Ok(bytes)
    }

    /// A file by its path, also one that is not listed; `None` where there is none that can be had.
    pub fn file(&mut self, path: &str, bytes_max: u64) -> Option<Vec<u8>> {
        if let Contents::Folder(folder, _) = &self.contents {
            return read_regular(&folder.join(path), bytes_max).ok();
        }
        let index = self.find(path)?;
        self.read(index, bytes_max).ok()
    }

    /// Which entry has this path.
    pub fn find(&self, path: &str) -> Option<usize> {
        let by_path = |entry: &Entry| entry.path.as_str().cmp(path);
        self.entries.binary_search_by(by_path).ok()
    }

    /// The names of the files in a folder, also of one that is not listed.
    pub fn names(&self, folder: &str) -> Vec<String> {
        if let Contents::Folder(root, _) = &self.contents {
            let items = fs::read_dir(root.join(folder)).into_iter().flatten();
            let names = items.filter_map(|item| item.ok()?.file_name().into_string().ok());
            return names.take(ENTRIES_MAX).collect();
        }
        let paths = self.entries.iter().map(|entry| entry.path.as_str());
        let below = paths.filter_map(|path| path.strip_prefix(folder)?.strip_prefix('/'));
        below.map(str::to_owned).collect()
    }

    fn folder(path: &Path) -> Result<Self, Complaint> {
        let mut paths = Vec::new();
        let mut entries = Vec::new();
        let mut folders = vec![(PathBuf::new(), 0)];
        while let Some((below, depth)) = folders.pop() {
            let failed = |error: io::Error| Complaint::new(path.join(&below), error);
            for item in fs::read_dir(path.join(&below)).map_err(failed)? {
                let item = item.map_err(failed)?;
                let kind = item.file_type().map_err(failed)?;
                let name = below.join(item.file_name());
                let text = name.to_string_lossy();
                let refused = (!kind.is_file()).then_some("it is not a regular file");
                let entry = Entry::of_archive(name.as_os_str().as_bytes(), &text, refused);
                if kind.is_dir() {
                    if depth < DEPTH_MAX && !entry.is_noise() {
                        folders.push((name, depth + 1));
                    }
                    continue;
                }
                if entries.len() == ENTRIES_MAX {
                    return Err(too_many(path));
                }
                entries.push(entry);
                paths.push(name);
            }
        }
        let (entries, paths) = in_order(entries, paths);
        Ok(Self {
            entries,
            contents: Contents::Folder(path.to_owned(), paths),
        })
    }

    fn zip(path: &Path, reader: Box<dyn ReadSeek>, has_links: bool) -> Result<Self, Complaint> {
        let not_zip = |error: ZipError| {
            let reason = format!("it is not a zip file that can be read ({error})");
            Complaint::new(path, reason).with_help("unpack it and import the folder")
        };
        let mut archive = ZipArchive::new(reader).map_err(not_zip)?;
        if archive.len() > ENTRIES_MAX {
            return Err(too_many(path));
        }
        // Of several entries of one name, only the last one could be read.
        if archive.has_duplicate_names() {
            let help = "unpack it, keep the right ones and import the folder";
            let repeated = Complaint::new(path, "several entries in it have the same name");
            return Err(repeated.with_help(help));
        }
        // Entries that share bytes are how small archives become endless ones.
        if archive.has_overlapping_files().map_err(not_zip)? {
            let reason = "entries overlap in it, which only hostile archives do";
            return Err(Complaint::new(path, reason).with_help("ask for a new export"));
        }
        let encoding = encoding_of(archive.file_names_raw());
        let (mut entries, mut numbers) = (Vec::new(), Vec::new());
        for number in 0..archive.len() {
            let file = archive.by_index_raw(number).map_err(not_zip)?;
            if file.is_dir() {
                continue;
            }
            let is_link = has_links && file.is_symlink();
            let is_other = !file.is_file() || file.unix_mode().is_some_and(is_special);
            let refused = if is_other && !is_link {
                Some("it is not a regular file")
            } else if file.encrypted() {
                Some("it is encrypted")
            } else {
                None
            };
            let raw = file.name_raw();
            entries.push(Entry {
                is_link,
                ..Entry::of_archive(raw, &text_of(raw, encoding), refused)
            });
            numbers.push(number);
        }
        let (entries, numbers) = in_order(entries, numbers);
        Ok(Self {
            entries,
            contents: Contents::Zip(archive, numbers),
        })
    }
}

fn too_many(path: &Path) -> Complaint {
    let reason = format!("it holds more than {ENTRIES_MAX} files");
    Complaint::new(path, reason).with_help(IN_PARTS)
}

fn in_order<T>(entries: Vec<Entry>, places: Vec<T>) -> (Vec<Entry>, Vec<T>) {
    let mut both: Vec<(Entry, T)> = entries.into_iter().zip(places).collect();
    both.sort_by(|(one, _), (other, _)| one.path.cmp(&other.path));
    both.into_iter().unzip()
}

/// Whether a mode is that of a device, a pipe, a socket or a link. Systems without modes write 0.
fn is_special(mode: u32) -> bool {
    let kind = mode & 0o170_000;
    kind != 0 && kind != 0o100_000 && kind != 0o040_000
}

/// How those names of an archive are encoded that are not in UTF-8: the flag for that is missing in
/// many that are, and older tools wrote the code page of their machine.
fn encoding_of<'n>(names: impl Iterator<Item = &'n [u8]>) -> &'static Encoding {
    let mut detector = EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    for name in names {
        detector.feed(name, false);
        detector.feed(b"\n", false);
    }
    detector.feed(b"", true);
    detector.guess(None, chardetng::Utf8Detection::Deny)
}

fn text_of(raw: &[u8], encoding: &'static Encoding) -> String {
    match std::str::from_utf8(raw) {
        Ok(text) => text.to_owned(),
        Err(_) => encoding.decode(raw).0.into_owned(),
    }
}
