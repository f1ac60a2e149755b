//! A package of another system: a folder or a zip file, and the archive of tests that it may hold.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::problem::{Content, Problem, Read};
use crate::domain::bounds::TEST_FILE_BYTES_MAX;
use crate::domain::{Complaint, ending, is_header};
use crate::util::archive::Source;
use crate::util::words::listed;

/// All that is read of one package, in bytes: published ones have at most some hundred MiB.
const PACKAGE_BYTES_MAX: u64 = 2 << 30;
/// A manifest.
pub const MANIFEST_BYTES_MAX: u64 = 8 << 20;
/// A file that is in memory while it is read: an archive, a set of problems with their tests.
pub const WHOLE_BYTES_MAX: u64 = 256 << 20;
/// Packages that are named where there are several.
const NAMED_MAX: usize = 5;
const TESTLIB: &str = "testlib.h";
pub const ABSENT: &str = "it is not in the package";

/// Whether the names of programs can end so here.
type HasLanguage = Box<dyn Fn(&str) -> bool>;

/// A package, read piece by piece.
pub struct Package {
    path: PathBuf,
    /// It and the archive in it, and what stands before each path: people zip the folder and not
    /// what is in it.
    sources: Vec<(Source, String)>,
    /// The bytes that may still be read.
    left: u64,
    has_language: HasLanguage,
}

impl Package {
    /// Lists a zip file or a folder, or takes an XML file for all of it; `has_language` says
    /// whether the names of programs can end so here.
    pub fn open(path: &Path, has_language: HasLanguage) -> Result<Self, Complaint> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // That of Polygon does not stand for itself.
        let is_file = ending(&name) == "xml" && name != "problem.xml";
        let (source, path) = match path.parent() {
            Some(folder) if is_file => (Source::of_file(path), folder),
            _ => (Source::open(path)?, path),
        };
        Ok(Self {
            path: path.to_owned(),
            sources: vec![(source, String::new())],
            left: PACKAGE_BYTES_MAX,
            has_language,
        })
    }

    /// Whether a file can be a program, by the end of its name.
    pub fn is_program(&self, path: &str) -> bool {
        (self.has_language)(ending(path))
    }

    /// Whether it has this manifest, at the top or in the only folder there that has it.
    pub fn enter(&mut self, manifest: &str) -> Result<bool, Complaint> {
        let (source, outer) = &mut self.sources[0];
        let paths = source.entries().iter().map(|entry| &entry.path);
        let outers = paths.filter_map(|path| path.strip_suffix(manifest));
        let is_top = |outer: &&str| outer.is_empty() || outer.find('/') == Some(outer.len() - 1);
        let found: BTreeSet<&str> = outers.filter(is_top).collect();
        let Some(first) = found.first().map(|first| (*first).to_owned()) else {
            return Ok(false);
        };
        if !first.is_empty() && found.len() > 1 {
            let reason = format!("there are several packages: {}", listed(found, NAMED_MAX));
            return Err(Complaint::new(&self.path, reason).with_help("name one of them"));
        }
        *outer = first;
        Ok(true)
    }

    /// Its folder, for messages.
    pub fn root(&self) -> PathBuf {
        self.path.join(&self.sources[0].1)
    }

    fn find(&self, path: &str) -> Option<(usize, usize)> {
        let sources = self.sources.iter().enumerate();
        let mut found =
            sources.map(|(at, (source, outer))| (at, source.find(&(outer.clone() + path))));
        found.find_map(|(at, index)| Some((at, index?)))
    }

    pub fn has(&self, path: &str) -> bool {
        self.find(path).is_some()
    }

    /// The paths of what lies directly in a folder, whose name ends in `/`.
    pub fn files(&self, folder: &str) -> Vec<String> {
        let (source, outer) = &self.sources[0];
        let entries = source.entries().iter();
        let paths = entries.filter_map(|entry| entry.path.strip_prefix(outer));
        let name = |path: &str| Some(!path.strip_prefix(folder)?.contains('/'));
        let direct = paths.filter(|path| name(path) == Some(true));
        direct.map(str::to_owned).collect()
    }

    /// The same of the folder in which a file lies.
    pub fn beside(&self, path: &str) -> Vec<String> {
        self.files(path.strip_suffix(name_of(path)).unwrap_or_default())
    }

    /// The headers beside a program.
    pub fn headers(&self, path: &str) -> Vec<String> {
        let mut headers = self.beside(path);
        headers.retain(|header| is_header(header));
        headers
    }

    fn read(&mut self, path: &str, bytes_max: u64) -> Result<Vec<u8>, Complaint> {
        let place = self.root().join(path);
        let found = self.find(path);
        let (at, index) = found.ok_or_else(|| Complaint::new(&place, ABSENT))?;
        let bytes = self.sources[at].0.read(index, bytes_max.min(self.left));
        let bytes = bytes.map_err(|error| Complaint::new(&place, error))?;
        self.left -= bytes.len() as u64;
        Ok(bytes)
    }

    /// A file that becomes one of the new package.
    pub fn file(&mut self, path: &str) -> Result<Vec<u8>, Complaint> {
        self.read(path, TEST_FILE_BYTES_MAX)
    }

    pub fn text(&mut self, path: &str, bytes_max: u64) -> Result<String, Complaint> {
        let text = String::from_utf8(self.read(path, bytes_max)?);
        let help = "save it as UTF-8";
        text.map_err(|error| Complaint::new(self.root().join(path), error).with_help(help))
    }

    /// Looks for tests in an archive of the package too.
    pub fn attach(&mut self, path: &str) -> Result<(), Complaint> {
        let bytes = self.read(path, WHOLE_BYTES_MAX)?;
        let archive = Source::nested(&self.root().join(path), bytes)?;
        self.sources.push((archive, String::new()));
        Ok(())
    }

    /// Takes a file over into a folder, if it is there, and says where it lies then.
    pub fn copy(&self, to: &mut Problem, path: &str, folder: &str) -> Option<String> {
        if !self.has(path) {
            to.leave_out(path, ABSENT);
            return None;
        }
        let there = format!("{folder}/{}", name_of(path));
        to.file(&there, Content::File(path.to_owned()));
        Some(there)
    }

    /// Takes a program of testlib over, which a key of problem.toml names, with the headers beside
    /// it.
    pub fn program(&mut self, to: &mut Problem, path: &str, key: &str, folder: &str) -> Read<()> {
        let (source, headers) = (self.file(path)?, self.headers(path));
        let is_there = headers.iter().any(|header| name_of(header) == TESTLIB);
        if !is_there && String::from_utf8_lossy(&source).contains(TESTLIB) {
            let help = format!("put it into {folder} of the new one");
            let missing = to.wrong(path, "it includes testlib.h, which is not there", help);
            to.missing.push(missing);
        }
        for header in &headers {
            self.copy(to, header, folder);
        }
        let there = self.copy(to, path, folder).unwrap_or_default();
        to.set(key, there);
        to.set("protocol", "testlib");
        Ok(())
    }
}

/// The last part of a path.
pub fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
