//! A package of another system: a folder, a zip file, and the archive of tests that it may hold.

use std::path::{Path, PathBuf};

use super::problem::{Content, Problem};
use crate::domain::Complaint;
use crate::domain::bounds::TEST_FILE_BYTES_MAX;
use crate::util::archive::Source;

/// All that is read of one package, in bytes: published ones have at most some hundred MiB.
const PACKAGE_BYTES_MAX: u64 = 2 << 30;
/// An archive within a package, which is in memory while it is read.
const ARCHIVE_BYTES_MAX: u64 = 512 << 20;
/// A manifest or another text; free problem sets hold the tests of all their problems.
pub const TEXT_BYTES_MAX: u64 = 128 << 20;
/// A source, header or picture.
const PROGRAM_BYTES_MAX: u64 = 1 << 20;
/// What headers end in.
const HEADERS: [&str; 3] = [".h", ".hpp", ".hh"];
const TESTLIB: &str = "testlib.h";

/// A package, read piece by piece.
pub struct Package {
    path: PathBuf,
    source: Source,
    /// What stands before each path: people zip the folder, not what is in it.
    outer: String,
    /// The archive of tests.
    archive: Option<(String, Source)>,
    /// The bytes that may still be read.
    left: u64,
}

impl Package {
    /// Lists a zip file or a folder.
    pub fn open(path: &Path) -> Result<Self, Complaint> {
        Ok(Self {
            path: path.to_owned(),
            source: match path.extension().is_some_and(|ending| ending == "xml") {
                true => Source::of_file(path),
                false => Source::open(path)?,
            },
            outer: String::new(),
            archive: None,
            left: PACKAGE_BYTES_MAX,
        })
    }

    /// Whether it has this manifest, at the top or in the only folder there.
    pub fn enter(&mut self, manifest: &str) -> bool {
        let entries = self.source.entries().iter();
        let found = entries.filter_map(|entry| {
            let outer = entry.path.strip_suffix(manifest)?;
            let is_top = outer.is_empty()
                || (outer.ends_with('/') && !outer[..outer.len() - 1].contains('/'));
            is_top.then_some(outer)
        });
        let outer = found.min_by_key(|outer| outer.len()).map(str::to_owned);
        outer.is_some_and(|outer| {
            self.outer = outer;
            true
        })
    }

    /// A file of it, for messages.
    pub fn place(&self, path: &str) -> PathBuf {
        self.path.join(&self.outer).join(path)
    }

    /// What its folder is called.
    pub fn name(&self) -> String {
        let path = self.path.canonicalize();
        let path = path
            .as_ref()
            .unwrap_or(&self.path)
            .join(self.outer.trim_end_matches('/'));
        let name = if path.is_dir() {
            path.file_name()
        } else {
            path.file_stem()
        };
        name.unwrap_or_default().to_string_lossy().into_owned()
    }

    pub fn has(&self, path: &str) -> bool {
        let in_archive = self
            .archive
            .as_ref()
            .and_then(|(_, archive)| archive.find(path));
        self.source.find(&format!("{}{path}", self.outer)).is_some() || in_archive.is_some()
    }

    /// The paths of what lies directly in a folder, which ends in a slash.
    pub fn files(&self, folder: &str) -> Vec<String> {
        let entries = self.source.entries().iter();
        let paths = entries.filter_map(|entry| {
            let path = entry.path.strip_prefix(&self.outer)?;
            let is_direct = !path.strip_prefix(folder)?.contains('/');
            is_direct.then(|| path.to_owned())
        });
        paths.collect()
    }

    /// A file, up to a bound.
    pub fn read(&mut self, path: &str, bytes_max: u64) -> Result<Vec<u8>, Complaint> {
        let (place, left) = (self.place(path), self.left);
        let own = self.source.find(&format!("{}{path}", self.outer));
        let (source, index) = match (own, &mut self.archive) {
            (Some(index), _) => (&mut self.source, Some(index)),
            (None, Some((_, archive))) => {
                let index = archive.find(path);
                (archive, index)
            }
            (None, None) => (&mut self.source, None),
        };
        let index = index.ok_or_else(|| Complaint::new(&place, "it is not in the package"))?;
        let bytes = source.read(index, bytes_max.min(left));
        let bytes = bytes.map_err(|error| Complaint::new(&place, error))?;
        self.left -= bytes.len() as u64;
        if self.left == 0 {
            let reason = format!("with it the package holds {} GiB", PACKAGE_BYTES_MAX >> 30);
            return Err(Complaint::new(&place, reason).with_help("no larger one is imported"));
        }
        Ok(bytes)
    }

    /// A file of a test.
    pub fn test(&mut self, path: &str) -> Result<Vec<u8>, Complaint> {
        self.read(path, TEST_FILE_BYTES_MAX)
    }

    /// A text.
    pub fn text(&mut self, path: &str) -> Result<String, Complaint> {
        let bytes = self.read(path, TEXT_BYTES_MAX)?;
        text_of(bytes, &self.place(path))
    }

    /// Looks for tests in an archive of the package too.
    pub fn attach(&mut self, path: &str) -> Result<(), Complaint> {
        let bytes = self.read(path, ARCHIVE_BYTES_MAX)?;
        let archive = Source::nested(&self.place(path), bytes)?;
        self.archive = Some((path.to_owned(), archive));
        Ok(())
    }

    /// The headers of a folder.
    pub fn headers(&self, folder: &str) -> Vec<String> {
        let mut files = self.files(folder);
        files.retain(|path| HEADERS.iter().any(|ending| path.ends_with(ending)));
        files
    }

    /// Takes a program over, with its headers, and says where it lies then.
    pub fn program(
        &mut self,
        problem: &mut Problem,
        path: &str,
        headers: &[String],
        folder: &str,
    ) -> Result<String, Complaint> {
        let source = self.read(path, PROGRAM_BYTES_MAX)?;
        let there = |path: &str| format!("{folder}/{}", name_of(path));
        let is_of_testlib = String::from_utf8_lossy(&source).contains(TESTLIB);
        if is_of_testlib && !headers.iter().any(|header| name_of(header) == TESTLIB) {
            let missing = Complaint::new(
                self.place(path),
                "it includes testlib.h, which is not in the package",
            );
            problem
                .missing
                .push(missing.with_help(format!("put testlib.h into {folder} of the new package")));
        }
        for header in headers {
            problem
                .files
                .push((there(header), Content::File(header.clone())));
        }
        problem.files.push((there(path), Content::Bytes(source)));
        Ok(there(path))
    }
}

/// The last part of a path.
pub fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Bytes as a text, which has to be UTF-8.
pub fn text_of(bytes: Vec<u8>, file: &Path) -> Result<String, Complaint> {
    String::from_utf8(bytes).map_err(|error| {
        let bytes = error.as_bytes();
        let line = crate::util::text::line_of(bytes, error.utf8_error().valid_up_to());
        Complaint::new(file, "it is not UTF-8")
            .on(line)
            .with_help("save it as UTF-8")
    })
}
