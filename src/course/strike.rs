//! Takes a student out of a CSV file that an instructor keeps, and leaves every other byte of it as
//! it is.

use csv::{ByteRecord, ReaderBuilder};

use super::roster::{STUDENT, separator};
use crate::domain::Student;
use crate::util::cell;

/// A file without a student's rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Struck {
    pub bytes: Vec<u8>,
    /// The lines on which the rows stood, from 1.
    pub lines: Vec<u64>,
}

/// Takes out the rows whose column `student` names the student; a file without that column, or
/// without such rows, stays as it is.
pub fn strike(bytes: &[u8], student: &Student) -> Struck {
    let mark = "\u{FEFF}".as_bytes();
    let begin = bytes.strip_prefix(mark).map_or(0, |_| mark.len());
    let text = &bytes[begin..];
    let mut reader = ReaderBuilder::new()
        .delimiter(separator(&String::from_utf8_lossy(text)))
        .has_headers(false)
        .flexible(true)
        .from_reader(text);
    let mut struck = Struck {
        bytes: bytes[..begin].to_vec(),
        lines: Vec::new(),
    };
    let (mut record, mut column, mut at) = (ByteRecord::new(), None, 0);
    // What cannot be read as CSV is kept from there on.
    while reader.read_byte_record(&mut record).unwrap_or(false) {
        let end = end_of_row(text, reader.position().byte());
        let field = |index: usize| {
            let field = String::from_utf8_lossy(record.get(index).unwrap_or_default());
            field.trim().to_owned()
        };
        let Some(column) = column else {
            column = (0..record.len()).find(|&index| field(index).eq_ignore_ascii_case(STUDENT));
            struck.bytes.extend(&text[at..end]);
            at = end;
            continue;
        };
        let named = Student::spelled(cell::read(&field(column)));
        let row = &text[at..end];
        if named.is_ok_and(|named| named == *student) {
            // Empty lines before it stay.
            let empty = row.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
            let empty = empty.count();
            let before = text[..at + empty].iter().filter(|&&byte| byte == b'\n');
            struck.lines.push(before.count() as u64 + 1);
            struck.bytes.extend(&row[..empty]);
        } else {
            struck.bytes.extend(row);
        }
        at = end;
    }
    struck.bytes.extend(&text[at..]);
    struck
}

/// The first row with what stands before it, where it has a column `student`.
pub fn header(bytes: &[u8]) -> Option<&[u8]> {
    let mark = "\u{FEFF}".as_bytes();
    let text = bytes.strip_prefix(mark).unwrap_or(bytes);
    let mut reader = ReaderBuilder::new()
        .delimiter(separator(&String::from_utf8_lossy(text)))
        .has_headers(false)
        .from_reader(text);
    let mut record = ByteRecord::new();
    reader.read_byte_record(&mut record).ok()?;
    let is_student = |field: &[u8]| field.trim_ascii().eq_ignore_ascii_case(STUDENT.as_bytes());
    record.iter().any(is_student).then_some(())?;
    let end = end_of_row(text, reader.position().byte());
    bytes.get(..bytes.len() - text.len() + end)
}

/// Where a row ends with its whole line end; the reader leaves the second half of one of two bytes.
fn end_of_row(text: &[u8], read: u64) -> usize {
    let end = usize::try_from(read).unwrap_or(text.len()).min(text.len());
    let is_halved = text[..end].ends_with(b"\r") && text[end..].starts_with(b"\n");
    end + usize::from(is_halved)
}

#[cfg(test)]
mod tests {
    use super::{header, strike};
    use crate::domain::Student;

    #[test]
    fn rows_of_the_student_go_and_nothing_else_changes() {
        for (before, after, lines) in [
            ("student,id\nada,1\nbo,2\n", "student,id\nbo,2\n", &[2][..]),
            (
                "student,id\r\nbo,2\r\nada,1",
                "student,id\r\nbo,2\r\n",
                &[3],
            ),
            (
                "\u{feff}id;student\n1; ada \n\n2;adam\n3;\"ada\"\n",
                "\u{feff}id;student\n\n2;adam\n",
                &[2, 5],
            ),
            (
                "student,note\nada,\"two\nlines\"\nbo,\"ada\"\n",
                "student,note\nbo,\"ada\"\n",
                &[2],
            ),
            ("student\nbo\n\nada\nzoe\n", "student\nbo\n\nzoe\n", &[4]),
            ("student\n", "student\n", &[]),
            ("name\nada\n", "name\nada\n", &[]),
            ("", "", &[]),
        ] {
            let struck = strike(before.as_bytes(), &Student::new("ada").unwrap());
            assert_eq!(String::from_utf8_lossy(&struck.bytes), after, "{before:?}");
            assert_eq!(struck.lines, lines, "{before:?}");
        }
    }

    #[test]
    fn a_header_ends_with_its_line() {
        for (text, expected) in [
            ("student,id\nada,1\n", Some("student,id\n")),
            (
                "\u{feff}id;Student\r\n1;ada",
                Some("\u{feff}id;Student\r\n"),
            ),
            ("student", Some("student")),
            ("name,id\nstudent,1\n", None),
            ("", None),
        ] {
            let found = header(text.as_bytes()).map(String::from_utf8_lossy);
            assert_eq!(found.as_deref(), expected, "{text:?}");
        }
    }
}
