//! A package of another system: a folder or a zip file, and the archive of tests that it may hold.

use std::path::{Path, PathBuf};

use super::problem::{Content, Problem};
use crate::domain::Complaint;
use crate::domain::bounds::TEST_FILE_BYTES_MAX;
use crate::util::archive::Source;

/// All that is read of one package, in bytes: published ones have at most some hundred MiB.
const PACKAGE_BYTES_MAX: u64 = 2 << 30;
/// A manifest.
pub const MANIFEST_BYTES_MAX: u64 = 8 << 20;
/// A file that is in memory while it is read: an archive, a set of problems with their tests.
pub const WHOLE_BYTES_MAX: u64 = 256 << 20;
const TESTLIB: &str = "testlib.h";

/// A package, read piece by piece.
pub struct Package<'a> {
    path: PathBuf,
    /// It and the archive in it, and what stands before each path: people zip the folder and not
    /// what is in it.
    sources: Vec<(Source, String)>,
    /// The bytes that may still be read.
    left: u64,
    /// Whether the names of programs can end so here.
    has_language: &'a dyn Fn(&str) -> bool,
}

impl<'a> Package<'a> {
    /// Lists a zip file or a folder, or takes an XML file for all of it; `has_language` says
    /// whether the names of programs can end so here.
    pub fn open(path: &Path, has_language: &'a dyn Fn(&str) -> bool) -> Result<Self, Complaint> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // That of Polygon does not stand for itself.
        let is_file = ending_of(&name) == "xml" && name != "problem.xml";
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
        (self.has_language)(ending_of(path))
    }

    /// Whether it has this manifest, at the top or in a folder there.
    pub fn enter(&mut self, manifest: &str) -> bool {
        let (source, outer) = &mut self.sources[0];
        let paths = source.entries().iter().map(|entry| &entry.path);
        let outers = paths.filter_map(|path| path.strip_suffix(manifest));
        let is_top = |outer: &&str| outer.is_empty() || outer.find('/') == Some(outer.len() - 1);
        let found = outers.filter(is_top).min().map(str::to_owned);
        *outer = found.clone().unwrap_or_default();
        found.is_some()
    }

    /// Its folder, for messages.
    pub fn root(&self) -> PathBuf {
        self.path.join(&self.sources[0].1)
    }

    fn find(&self, path: &str) -> Option<(usize, usize)> {
        let mut sources = self.sources.iter().enumerate();
        sources
            .find_map(|(at, (source, outer))| Some((at, source.find(&format!("{outer}{path}"))?)))
    }

    pub fn has(&self, path: &str) -> bool {
        self.find(path).is_some()
    }

    /// The paths of what lies directly in a folder, whose name ends in `/`.
    pub fn files(&self, folder: &str) -> Vec<String> {
        let (source, outer) = &self.sources[0];
        let paths = source
            .entries()
            .iter()
            .filter_map(|entry| entry.path.strip_prefix(outer));
        let is_direct = |path: &&str| {
            path.strip_prefix(folder)
                .is_some_and(|name| !name.contains('/'))
        };
        paths.filter(is_direct).map(str::to_owned).collect()
    }

    fn read(&mut self, path: &str, bytes_max: u64) -> Result<Vec<u8>, Complaint> {
        let place = self.root().join(path);
        let found = self.find(path);
        let (at, index) =
            found.ok_or_else(|| Complaint::new(&place, "it is not in the package"))?;
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

    /// Takes a program over, with its headers, and says where it lies then.
    pub fn program(
        &mut self,
        to: &mut Problem,
        (path, headers): (&str, &[String]),
        folder: &str,
    ) -> Result<String, Complaint> {
        let source = self.file(path)?;
        let has_testlib = headers.iter().any(|header| name_of(header) == TESTLIB);
        if !has_testlib && String::from_utf8_lossy(&source).contains(TESTLIB) {
            let help = format!("put it into {folder} of the new one");
            let missing = to.wrong(path, "it includes testlib.h, which is not there", help);
            to.missing.push(missing);
        }
        let there = |path: &str| format!("{folder}/{}", name_of(path));
        for header in headers {
            to.file(there(header), Content::File(header.clone()));
        }
        to.file(there(path), Content::Bytes(source));
        Ok(there(path))
    }
}

/// The last part of a path.
pub fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What the name of a file ends in.
pub fn ending_of(path: &str) -> &str {
    name_of(path)
        .rsplit_once('.')
        .map_or("", |(_, ending)| ending)
}
