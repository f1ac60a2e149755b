//! Tables that people keep: CSV files whose first line names the columns.
//!
//! Read once, by the names of their columns; what is wrong says its line. A [`Sheet`] is below it,
//! so a table that is changed keeps every other byte.

use std::io;
use std::path::{Path, PathBuf};

use super::files::read_regular;
use super::sheet::{self, Sheet, SheetRow};
use crate::domain::Complaint;
use crate::util::excerpt::visible_line;

/// The largest file, in bytes.
pub const BYTES_MAX: u64 = 8 * 1024 * 1024;

/// A file with a header.
#[derive(Debug, Clone)]
pub struct Table {
    file: PathBuf,
    /// Its bytes, row by row.
    pub sheet: Sheet,
    /// Which row of the sheet names the columns.
    header: usize,
}

impl Table {
    /// Reads a file. The help says what to do where it cannot be read.
    pub fn load(file: &Path, help: &str) -> Result<Self, Complaint> {
        let bytes =
            read_regular(file, BYTES_MAX).map_err(|error| unreadable(file, &error, help))?;
        Self::read(file, &bytes)
    }

    /// Reads a file that a platform has written, in whatever encoding.
    pub fn of_platform(file: &Path, help: &str) -> Result<Self, Complaint> {
        let bytes =
            read_regular(file, sheet::BYTES_MAX).map_err(|error| unreadable(file, &error, help))?;
        Self::of(file, Sheet::read(file, &bytes)?)
    }

    /// The bytes of a file; `None` where there is none.
    pub fn bytes(file: &Path) -> io::Result<Option<Vec<u8>>> {
        match read_regular(file, BYTES_MAX) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads the bytes of a file, which are UTF-8.
    pub fn read(file: &Path, bytes: &[u8]) -> Result<Self, Complaint> {
        if let Err(error) = std::str::from_utf8(bytes) {
            let before = &bytes[..error.valid_up_to()];
            let line = before.split(|&byte| byte == b'\n').count();
            let reason = format!("the byte 0x{:02x} is not UTF-8", bytes[before.len()]);
            let complaint = Complaint::new(file, reason).on(line);
            return Err(complaint.with_help("save it as \"CSV UTF-8\""));
        }
        Self::of(file, Sheet::read(file, bytes)?)
    }

    /// The table that a sheet is.
    pub fn of(file: &Path, sheet: Sheet) -> Result<Self, Complaint> {
        let header = sheet.rows().iter().position(|row| !row.is_empty());
        let Some(header) = header else {
            let empty = Complaint::new(file, "the file is empty").on(1);
            return Err(empty.with_help("its first line names the columns"));
        };
        let file = file.to_owned();
        Ok(Self {
            file,
            sheet,
            header,
        })
    }

    /// The same table, whose columns another row names.
    #[must_use]
    pub fn with_header(&self, header: usize) -> Self {
        Self {
            header,
            ..self.clone()
        }
    }

    /// The row that names the columns.
    pub fn header(&self) -> &SheetRow {
        &self.sheet.rows()[self.header]
    }

    /// Where the column of this name stands, in any case.
    pub fn find(&self, name: &str) -> Result<Option<usize>, Complaint> {
        let header = self.header();
        let names = header.iter().enumerate();
        let mut found = names.filter(|(_, found)| found.trim().eq_ignore_ascii_case(name));
        let first = found.next();
        if found.next().is_some() {
            let reason = format!("two columns are called `{name}`");
            return Err(self.wrong(header.line, reason, "rename one of them"));
        }
        Ok(first.map(|(column, _)| column))
    }

    /// Where a column stands that has to be there; otherwise the help says what the header is.
    pub fn column(&self, name: &str, help: &str) -> Result<usize, Complaint> {
        self.find(name)?.ok_or_else(|| {
            let reason = format!("no column is called `{name}`");
            self.wrong(self.header().line, reason, help)
        })
    }

    /// The rows below the header in which something stands, by their number in the sheet.
    pub fn rows(&self) -> impl Iterator<Item = (usize, &SheetRow)> {
        let rows = self.sheet.rows().iter().enumerate();
        rows.skip(self.header + 1)
            .filter(|(_, row)| !row.is_empty())
    }

    /// The file with nothing below its header.
    pub fn without_rows(&mut self) -> Vec<u8> {
        for row in self.header + 1..self.sheet.rows().len() {
            self.sheet.leave_out(row);
        }
        self.sheet.to_bytes()
    }

    /// Something is wrong in a line.
    pub fn wrong(&self, line: usize, reason: impl Into<String>, help: &str) -> Complaint {
        helped(Complaint::new(&self.file, reason.into()).on(line), help)
    }
}

fn unreadable(file: &Path, error: &io::Error, help: &str) -> Complaint {
    helped(Complaint::new(file, error), help)
}

fn helped(complaint: Complaint, help: &str) -> Complaint {
    match help {
        "" => complaint,
        help => complaint.with_help(help),
    }
}

impl SheetRow {
    /// What stands in a column as it is meant: without the apostrophe that keeps spreadsheet programs
    /// from computing it.
    pub fn cell(&self, column: usize) -> &str {
        read_cell(self.get(column).trim())
    }
}

/// Characters of one cell; spreadsheet programs hold no more than 32,767.
const CHARACTERS_MAX: usize = 1_000;

/// Whether a spreadsheet program would compute a text that begins like this. The wide forms are
/// taken for the narrow ones where Chinese or Japanese is typed.
fn is_formula(character: char) -> bool {
    matches!(
        character,
        '=' | '+' | '-' | '@' | '\u{FF1D}' | '\u{FF0B}' | '\u{FF0D}' | '\u{FF20}' | '\u{2212}'
    )
}

fn begins_like_a_formula(text: &str) -> bool {
    text.trim_start().starts_with(is_formula)
}

/// Whether only apostrophes stand before what would be a formula.
fn has_apostrophes(text: &str) -> bool {
    begins_like_a_formula(text.trim_start_matches('\''))
}

/// The text of a cell: one line, harmless, bounded. What a spreadsheet program would compute gets an
/// apostrophe in front, as a person would type it there; [`SheetRow::cell`] takes it off again, so
/// that a grade book can be read as a roster.
pub fn shown_cell(text: &str) -> String {
    let head: String = text.chars().take(CHARACTERS_MAX).collect();
    plain_cell(&visible_line(&head))
}

/// The same for a name that was checked: nothing in it needs to be made visible, and it stays what
/// it is.
pub fn plain_cell(name: &str) -> String {
    if has_apostrophes(name) {
        format!("'{name}")
    } else {
        name.to_owned()
    }
}

/// What [`plain_cell`] was given.
fn read_cell(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) if has_apostrophes(rest) => rest,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Table, begins_like_a_formula, read_cell, shown_cell};

    fn read(text: &str) -> Result<Table, String> {
        Table::read(Path::new("t.csv"), text.as_bytes()).map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn columns_are_found_by_name_and_rows_have_their_lines() {
        let table = read("\u{feff}\n Name ;note\n\n'-ada;\"two\nlines\"\n;\nbo\n").unwrap();
        let name = table.column("name", "").unwrap();
        let rows = table.rows().map(|(_, row)| (row.line, row.cell(name)));
        assert!(rows.eq([(4, "-ada"), (7, "bo")]));
        assert_eq!(table.find("id").unwrap(), None);
    }

    #[test]
    fn nothing_is_computed_and_everything_is_read_back() {
        let texts = "=1+1|+1|-Иван|@SUM(A1)|＝1|－x|  =1|'=1|''-x|plain|O'Neill|'quoted'||−5";
        for text in texts.split('|') {
            let cell = shown_cell(text);
            assert!(!begins_like_a_formula(&cell), "{cell}");
            assert_eq!(read_cell(&cell), text);
        }
        assert_eq!(shown_cell("plain"), "plain");
        assert_eq!(shown_cell("\t=1\r\n\u{202e}"), "\\t=1\\n\\u{202e}");
        assert_eq!(shown_cell(&"x".repeat(10_000)).len(), 1_000);
    }
}
