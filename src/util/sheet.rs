//! A CSV file of somebody else's, in which single cells are filled: everything else comes back
//! byte for byte, in its own encoding, with its own separator, quotes and line ends.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;

use crate::domain::Complaint;

/// The largest file, in bytes.
pub const BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Rows of one file.
const ROWS_MAX: usize = 200_000;
/// Cells of one row.
const CELLS_MAX: usize = 2_000;
/// What separates cells. Of equals, the first one is taken.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

/// How a file's text is written as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelling {
    Utf8 { marked: bool },
    Utf16 { big_endian: bool },
    Old(&'static Encoding),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Cell {
    /// Where it stands in the text, with its quotes.
    range: Range<usize>,
    value: String,
}

/// A row, by where it is in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetRow {
    /// The line at which it begins, from 1.
    pub line: usize,
    cells: Vec<Cell>,
    /// Where its line end stands in the text.
    end: Range<usize>,
}

impl SheetRow {
    /// What stands in a cell; "" where the row is too short.
    pub fn get(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", |cell| &cell.value)
    }

    /// What stands in each cell.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.cells.iter().map(|cell| cell.value.as_str())
    }

    /// How many cells it has.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether nothing stands in it, as in an empty line.
    pub fn is_empty(&self) -> bool {
        self.iter().all(|value| value.trim().is_empty())
    }
}

/// A table that was read, and what is to be filled in.
#[derive(Debug, Clone)]
pub struct Sheet {
    text: String,
    spelling: Spelling,
    separator: u8,
    rows: Vec<SheetRow>,
    /// New cells as they are written, by row and column.
    filled: BTreeMap<(usize, usize), String>,
    left_out: BTreeSet<usize>,
    /// The columns that are written; all of them by default.
    columns: Option<BTreeSet<usize>>,
}

impl Sheet {
    /// Reads a file.
    pub fn read(file: &Path, bytes: &[u8]) -> Result<Self, Complaint> {
        let decoded = decoded(bytes);
        let (spelling, text) = decoded.ok_or_else(|| {
            // In no encoding in which it could be written again.
            Complaint::new(file, "it is not text").with_help("save it as \"CSV UTF-8\"")
        })?;
        let separator = separator(&text);
        Ok(Self {
            rows: rows(file, &text, separator)?,
            text,
            spelling,
            separator,
            filled: BTreeMap::new(),
            left_out: BTreeSet::new(),
            columns: None,
        })
    }

    /// All rows, the header included.
    pub fn rows(&self) -> &[SheetRow] {
        &self.rows
    }

    /// What separates its cells.
    pub fn separator(&self) -> u8 {
        self.separator
    }

    /// Fills a cell; false where the row has no such cell.
    pub fn fill(&mut self, row: usize, column: usize, value: &str) -> bool {
        let cells = self.rows.get(row).map(|row| &row.cells);
        let Some((cells, cell)) = cells.and_then(|cells| Some((cells, cells.get(column)?))) else {
            return false;
        };
        if cell.value != value {
            let quoted = self.text[cell.range.clone()].starts_with('"');
            // An empty line would be no row.
            let bare = value.is_empty() && cells.len() == 1;
            let value = self.written(value, quoted || bare);
            self.filled.insert((row, column), value);
        }
        true
    }

    /// A value as a cell has it.
    fn written(&self, value: &str, is_quoted: bool) -> String {
        let special = |c: char| matches!(c, '"' | '\n' | '\r') || c == char::from(self.separator);
        if is_quoted || value.contains(special) || value.trim() != value {
            format!("\"{}\"", value.replace('"', "\"\""))
        } else {
            value.to_owned()
        }
    }

    /// The file with one more row at its end.
    pub fn with_row(&self, cells: &[String]) -> Vec<u8> {
        let mut text = self.text.clone();
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        if !text.ends_with('\n') {
            text.push_str(line_end);
        }
        let cells: Vec<String> = cells.iter().map(|cell| self.written(cell, false)).collect();
        let separator = char::from(self.separator).to_string();
        text.push_str(&cells.join(&separator));
        text.push_str(line_end);
        encoded(self.spelling, &text)
    }

    /// Leaves a row out.
    pub fn leave_out(&mut self, row: usize) {
        self.left_out.insert(row);
    }

    /// Writes these columns only.
    pub fn keep_columns(&mut self, columns: impl IntoIterator<Item = usize>) {
        self.columns = Some(columns.into_iter().collect());
    }

    /// The file with its filled cells. A character that its encoding does not have is written as
    /// HTML writes it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = String::with_capacity(self.text.len());
        let rows = self.rows.iter().enumerate();
        for (index, row) in rows.filter(|(index, _)| !self.left_out.contains(index)) {
            let columns = self.columns.as_ref();
            let is_kept = |column: &usize| columns.is_none_or(|kept| kept.contains(column));
            for (number, column) in (0..row.len()).filter(is_kept).enumerate() {
                if number > 0 {
                    text.push(char::from(self.separator));
                }
                let known = &self.text[row.cells[column].range.clone()];
                let filled = self.filled.get(&(index, column));
                text.push_str(filled.map_or(known, String::as_str));
            }
            text.push_str(&self.text[row.end.clone()]);
        }
        encoded(self.spelling, &text)
    }
}

/// A text as spreadsheet programs are made to take it for text: `="0123"` is 0123.
pub fn unwrapped(value: &str) -> &str {
    let value = value.trim();
    let inner = value
        .strip_prefix("=\"")
        .and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(value)
}

fn decoded(bytes: &[u8]) -> Option<(Spelling, String)> {
    let wide = |big_endian: bool| {
        let (pairs, rest) = bytes[2..].as_chunks();
        let unit = if big_endian {
            u16::from_be_bytes
        } else {
            u16::from_le_bytes
        };
        let units: Vec<u16> = pairs.iter().copied().map(unit).collect();
        let text = String::from_utf16(&units).ok().filter(|_| rest.is_empty());
        Some((Spelling::Utf16 { big_endian }, text?))
    };
    match bytes {
        [0xFF, 0xFE, ..] => return wide(false),
        [0xFE, 0xFF, ..] => return wide(true),
        _ => {}
    }
    let (marked, rest) = match bytes.strip_prefix(b"\xEF\xBB\xBF") {
        Some(rest) => (true, rest),
        None => (false, bytes),
    };
    if let Ok(text) = std::str::from_utf8(rest) {
        return Some((Spelling::Utf8 { marked }, text.to_owned()));
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let old = detector.guess(None, Utf8Detection::Deny);
    let text = old.decode_without_bom_handling_and_without_replacement(bytes)?;
    let spelling = Spelling::Old(old);
    // What cannot be written again as it was is not touched.
    (encoded(spelling, &text) == bytes).then(|| (spelling, text.into_owned()))
}

fn encoded(spelling: Spelling, text: &str) -> Vec<u8> {
    match spelling {
        Spelling::Utf8 { marked: false } => text.as_bytes().to_vec(),
        Spelling::Utf8 { marked: true } => [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
        Spelling::Utf16 { big_endian } => {
            let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
            let bytes = if big_endian {
                u16::to_be_bytes
            } else {
                u16::to_le_bytes
            };
            units.flat_map(bytes).collect()
        }
        Spelling::Old(encoding) => encoding.encode(text).0.into_owned(),
    }
}

/// The separator that the first line with anything in it has most of, outside of quotes.
fn separator(text: &str) -> u8 {
    let first = text
        .trim_start()
        .split(['\r', '\n'])
        .next()
        .unwrap_or_default();
    let outside: String = first.split('"').step_by(2).collect();
    let count = |one: u8| outside.matches(char::from(one)).count();
    let most = SEPARATORS.into_iter().rev().max_by_key(|&one| count(one));
    most.unwrap_or(b',')
}

fn rows(file: &Path, text: &str, separator: u8) -> Result<Vec<SheetRow>, Complaint> {
    let not_closed = |line| {
        let reason = "a quote is opened here and never closed";
        let help = "close it, or write it twice if it is part of the text";
        Complaint::new(file, reason).on(line).with_help(help)
    };
    let bytes = text.as_bytes();
    let (mut rows, mut at, mut line) = (Vec::new(), 0, 1);
    while at < bytes.len() {
        let begin = line;
        let mut cells = Vec::new();
        loop {
            let (cell, lines) = cell(text, at, separator).ok_or_else(|| not_closed(line))?;
            line += lines;
            at = cell.range.end;
            cells.push(cell);
            if cells.len() > CELLS_MAX || rows.len() == ROWS_MAX {
                let reason = format!(
                    "there are more than {ROWS_MAX} rows, or more than {CELLS_MAX} cells in one"
                );
                return Err(Complaint::new(file, reason).on(begin));
            }
            if bytes.get(at) == Some(&separator) {
                at += 1;
            } else {
                break;
            }
        }
        let end = at;
        at += match bytes[at..] {
            [b'\r', b'\n', ..] => 2,
            [_, ..] => 1,
            [] => 0,
        };
        line += 1;
        rows.push(SheetRow {
            line: begin,
            cells,
            end: end..at,
        });
    }
    Ok(rows)
}

/// The cell that begins here, and how many line ends are in it; `None` where its quote is open.
fn cell(text: &str, start: usize, separator: u8) -> Option<(Cell, usize)> {
    let bytes = text.as_bytes();
    let (mut at, mut value) = (start, String::new());
    if bytes.get(at) == Some(&b'"') {
        loop {
            let from = at + 1;
            at = from + text[from..].find('"')?;
            value.push_str(&text[from..at]);
            at += 1;
            // A quote that is written twice is one of the text.
            if bytes.get(at) != Some(&b'"') {
                break;
            }
            value.push('"');
        }
    }
    let ends = |byte: &u8| *byte == separator || matches!(byte, b'\r' | b'\n');
    let end = bytes[at..]
        .iter()
        .position(ends)
        .map_or(bytes.len(), |far| at + far);
    value.push_str(&text[at..end]);
    let lines = text[start..end].matches('\n').count();
    let range = start..end;
    Some((Cell { range, value }, lines))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use std::path::Path;

    use super::Sheet;
    use crate::domain::Complaint;
    use crate::util::tests::trials::trials;

    fn values(sheet: &Sheet) -> Vec<Vec<&str>> {
        let rows = sheet.rows().iter();
        rows.map(|row| row.iter().collect()).collect()
    }

    fn read(bytes: &[u8]) -> Result<Sheet, Complaint> {
        Sheet::read(Path::new("f.csv"), bytes)
    }

    #[test]
    fn encodings_stay_what_they_are() {
        let text = "Nom,Note\r\nGarcía,\r\n";
        let wide = |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
            let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
            units.flat_map(bytes).collect()
        };
        let old = b"Nom,Note\r\nGarc\xEDa,\r\n".to_vec();
        for bytes in [wide(u16::to_le_bytes), wide(u16::to_be_bytes), old] {
            let mut sheet = read(&bytes).unwrap();
            assert_eq!(sheet.rows()[1].get(0), "García");
            assert_eq!(sheet.to_bytes(), bytes);
            sheet.fill(1, 1, "7,5");
            let again = read(&sheet.to_bytes()).unwrap();
            assert_eq!(values(&again)[1], ["García", "7,5"]);
        }
        let error = read(b"\xFF\xFEa").unwrap_err();
        assert!(error.reason.starts_with("it is not text"), "{error}");
    }

    #[test]
    fn lines_are_those_that_an_editor_shows() {
        let sheet = read(b"a,b\n\n\"1\n\n2\",3\n4,5\n").unwrap();
        let lines: Vec<usize> = sheet.rows().iter().map(|row| row.line).collect();
        assert_eq!(lines, [1, 2, 3, 6]);
        assert!(sheet.rows()[1].is_empty());
        assert_eq!(read(b"a\n\"b\n").unwrap_err().place, Some((2, None)));
        let error = read(",".repeat(super::CELLS_MAX).as_bytes()).unwrap_err();
        assert_eq!(error.place, Some((1, None)));
        assert!(error.reason.starts_with("there are more"), "{error}");
    }

    proptest! {
        #![proptest_config(trials(512))]

        #[test]
        fn any_bytes_come_back_as_they_were(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            if let Ok(sheet) = read(&bytes) {
                prop_assert_eq!(sheet.to_bytes(), bytes);
            }
        }

        #[test]
        fn any_table_is_filled_in_one_cell_only(
            text in "(\\PC|[,;\t\r\n\"]){0,60}",
            value in "(\\PC|[,;\t\r\n\"]){0,20}",
            (row, column) in (0_usize..6, 0_usize..6),
        ) {
            let Ok(mut sheet) = read(text.as_bytes()) else { return Ok(()) };
            let before: Vec<Vec<String>> = sheet.rows().iter()
                .map(|row| row.iter().map(str::to_owned).collect()).collect();
            // A header that is filled may change which separator is found.
            if row == 0 || sheet.rows().first().is_none_or(super::SheetRow::is_empty) || !sheet.fill(row, column, &value) { return Ok(()) }
            let again = read(&sheet.to_bytes()).unwrap();
            let mut expected = before;
            expected[row][column] = value;
            prop_assert_eq!(values(&again), expected);
        }
    }
}
