//! What is known of a platform, and reports as files that it takes back: zips with the names that
//! it wants.

use std::collections::HashSet;
use std::io::{self, Cursor, Write as _};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::archive::{Archive, Pattern};
use super::claim::{Reading, Who};
use super::columns::{Layout, Wanted};
use crate::domain::{Complaint, ProblemSlug};
use crate::util::table::Table;

/// A learning platform: what comes from there, and what goes back.
pub struct Platform {
    /// What commands call it, and the roster's column of its own keys if it has any.
    pub id: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// What its files are called; the first pattern that fits counts.
    pub files: Vec<Pattern>,
    /// Adds what stands in files of the platform's own.
    pub complete: fn(&mut Archive<'_>, &mut [Reading]),
    /// Where things are in the file that takes grades back.
    pub layout: fn(&Table, &Wanted<'_>) -> Result<Layout, Complaint>,
    /// The file of a zip in which a student's report for a problem goes back; `None` where the
    /// platform takes none.
    pub feedback: fn(&Feedback<'_>) -> Option<String>,
    /// What the filled file is called in that zip, in the outermost folder of the reports; `None`
    /// where it goes back on its own.
    pub table: Option<&'static str>,
}

impl Platform {
    /// A platform whose files are called so, and that takes nothing back.
    pub fn new(id: &'static str, name: &'static str, files: &[&str]) -> Self {
        Self {
            id,
            name,
            files: files
                .iter()
                .map(|text| Pattern::of_platform(text))
                .collect(),
            complete: |_, _| {},
            layout: |table, _| Err(table.wrong(1, "its platform takes no grades back", "")),
            feedback: |_| None,
            table: None,
        }
    }

    /// What each entry of an archive is to it.
    pub fn readings(&self, archive: &mut Archive<'_>) -> Vec<Reading> {
        let reading = |path: &Option<String>| {
            let path = path.as_deref()?;
            let mut all = self.files.iter().map(|pattern| pattern.read(path));
            all.find(|reading| *reading != Reading::Strange)
        };
        let readings = archive.paths.iter().map(reading);
        let mut readings: Vec<Reading> = readings
            .map(|reading| reading.unwrap_or(Reading::Strange))
            .collect();
        (self.complete)(archive, &mut readings);
        readings
    }
}

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
