//! What is known of a platform.

use super::archive::{Archive, Pattern};
use super::claim::Reading;
use super::columns::{Layout, Wanted};
use super::feedback::Feedback;
use crate::domain::Complaint;
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
