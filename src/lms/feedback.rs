//! Reports as files that a platform takes back: zips with the names that it wants.

use std::collections::HashSet;
use std::io::{self, Cursor, Write as _};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::claim::Who;
use crate::domain::ProblemSlug;

/// A report that goes back.
pub struct Feedback<'a> {
    /// Who it is to the platform.
    pub who: &'a Who,
    pub problem: &'a ProblemSlug,
    /// The exact name of the entry that the program came in, if it was imported.
    pub entry: Option<&'a str>,
}

/// The contents of one zip file, in bytes: platforms unpack for two minutes and have limits of their
/// own for what is uploaded.
const CONTENTS_BYTES_MAX: usize = 50 * 1024 * 1024;

/// Leaves out every file whose name is that of an earlier one, and says how many they are.
pub fn leave_out_repeated(files: &mut Vec<(String, Vec<u8>)>) -> usize {
    let (mut names, before) = (HashSet::new(), files.len());
    files.retain(|(name, _)| names.insert(name.clone()));
    before - files.len()
}

/// These files as zip files, as many as are needed.
pub fn zipped(files: &[(String, Vec<u8>)]) -> io::Result<Vec<Vec<u8>>> {
    let mut zips = Vec::new();
    let mut rest = files;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fitting = rest.iter().take_while(|(_, file)| {
            bytes += file.len();
            bytes <= CONTENTS_BYTES_MAX
        });
        // A file that is larger than that goes alone.
        let count = fitting.count().max(1);
        let (now, later) = rest.split_at(count);
        zips.push(one(now)?);
        rest = later;
    }
    Ok(zips)
}

fn one(files: &[(String, Vec<u8>)]) -> io::Result<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(name.as_str(), SimpleFileOptions::default())?;
        writer.write_all(bytes)?;
    }
    Ok(writer.finish()?.into_inner())
}
