//! Filled files, read by the platforms' own rules, which are written down here once more.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use regex::Regex;

use crate::domain::{Complaint, Key, ProblemSlug};
use crate::lms::claim::Who;
use crate::lms::{Feedback, Filled, Marks, PLATFORMS, Wanted, fill, leave_out_repeated, zipped};
use crate::util::samples::{slug, student};
use crate::util::sheet::Sheet;
use crate::util::table::Table;
use crate::util::tests::trials::trials;

/// Ada has 9.5, Bo 10, Cy nothing judged, and two are called Jane Doe, one of them judged.
fn marks() -> Marks {
    let key = |canvas, id| [(Key::Canvas, canvas), (Key::Id, id)];
    let ada = [&key("71", "1001")[..], &[(Key::Email, "ada@x.edu")]].concat();
    Marks::made(&[
        ("ada", Some(950), ("Lovelace", "Ada"), &ada),
        ("bo", Some(1_000), ("O'Brien", "Bo"), &key("72", "1002")),
        ("cy", None, ("Cy", "Cyd"), &key("73", "1003")),
        ("jd1", Some(100), ("Doe", "Jane"), &[]),
        ("jd2", None, ("Doe", "Jane"), &[]),
    ])
}

fn sheet_of(bytes: &[u8]) -> Result<Sheet, Complaint> {
    Sheet::read(Path::new("f.csv"), bytes)
}

fn filled(id: &str, column: Option<&str>, bytes: &[u8]) -> Result<Filled, String> {
    let platform = PLATFORMS.iter().find(|platform| platform.id == id).unwrap();
    let comments = None;
    let wanted = Wanted { column, comments };
    let table = sheet_of(bytes).and_then(|sheet| Table::of(Path::new("f.csv"), sheet));
    let filled = table.and_then(|table| fill(platform, table, &wanted, &marks()));
    filled.map_err(|error| error.to_string())
}

fn text(id: &str, column: Option<&str>, before: &str) -> String {
    let filled = filled(id, column, before.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    String::from_utf8(filled.bytes).unwrap()
}

const ENGLISH: &str = "Identifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum Grade\",\"Grade can be changed\",\"Last modified (submission)\",\"Last modified (grade)\",\"Feedback comments\"\r\n\"Participant 17\",\"Ada Lovelace\",ada@x.edu,Submitted,,10.00,Yes,-,-,\r\n\"Participant 18\",\"Bo OBrien\",b@x.edu,Submitted,3.00,10.00,Yes,-,\"Monday, 5 October 2026, 11:00 PM\",\"<p>old</p>\"\r\n\"Participant 19\",\"Cyd Cy\",cy@x.edu,\"No submission\",,10.00,Yes,-,-,\"<p>mine</p>\"\r\n";
const SPANISH: &str = "\u{feff}Identificador;Nombre completo;Estado;Calificación;Calificación máxima;La calificación puede ser cambiada;Última modificación (entrega);Última modificación (calificación);Comentarios de retroalimentación\nParticipante 17;Ada Lovelace;Enviado;;10,00;Sí;-;-;\nParticipante 18;Bo OBrien;Enviado;3,00;10,00;Sí;-;lunes, 5 de octubre de 2026, 23:00;\n";

/// What Moodle's importer takes from a worksheet: by participant, the new grade and the comment.
/// The rules of `mod/assign/feedback/offline/importgradeslib.php`, in the uploader's language.
fn moodle_reads(sheet: &[u8], names: &str, sign: char) -> BTreeMap<String, (f64, String)> {
    let sheet = sheet_of(sheet).unwrap();
    let header = &sheet.rows()[0];
    let column = |name: &str| header.iter().position(|cell| cell == name).unwrap();
    let columns: Vec<usize> = names.split('|').map(column).collect();
    let [identifier, grade, modified, comments] = columns[..] else {
        panic!("{names}");
    };
    let participant = Regex::new(r"^\D+ (\d+)$").unwrap();
    let in_php = Regex::new(r"^(-|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|.*October.*)$").unwrap();
    let mut read = BTreeMap::new();
    for row in &sheet.rows()[1..] {
        let number = participant.captures(row.get(identifier)).unwrap()[1].to_owned();
        let number_text = row.get(grade);
        // `unformat_float` knows the site's decimal sign only.
        let foreign = ['.', ','].into_iter().find(|one| *one != sign).unwrap();
        assert!(!number_text.contains(foreign), "{number_text}");
        // What `strtotime` does not read is a very old date, and the row is skipped.
        let date = row.get(modified);
        assert!(in_php.is_match(date), "{date}");
        if let Ok(value) = number_text.replace(',', ".").parse::<f64>() {
            read.insert(number, (value, row.get(comments).to_owned()));
        }
    }
    read
}

#[test]
fn moodle_reads_grades_and_comments_in_its_own_language() {
    let names = "Identifier|Grade|Last modified (grade)|Feedback comments";
    let english = text("moodle", None, ENGLISH);
    let read = moodle_reads(english.as_bytes(), names, '.');
    let comment = |name: &str| format!("<p>{name}: said \"so\", twice</p>");
    let expected = [("17", 9.5, comment("ada")), ("18", 10.0, comment("bo"))];
    let expected = expected.map(|(number, grade, comment)| (number.to_owned(), (grade, comment)));
    assert_eq!(read, expected.clone().into());
    // Rows of others are as they came, a teacher's comment included.
    let line = |text: &str, number: usize| text.split("\r\n").nth(number).unwrap().to_owned();
    assert_eq!(line(&english, 0), line(ENGLISH, 0));
    assert_eq!(line(&english, 3), line(ENGLISH, 3));
    assert!(english.contains(",9.50,10.00,"), "{english}");
    let names = "Identificador|Calificación|Última modificación (calificación)|\
                 Comentarios de retroalimentación";
    let spanish = text("moodle", None, SPANISH);
    for part in ["\u{feff}", ";9,50;10,00;", ";2026-10-05 23:00:00;"] {
        assert!(spanish.contains(part), "{spanish}");
    }
    let read = moodle_reads(spanish.as_bytes(), names, ',');
    assert_eq!(read, expected.into());
}

/// Whether Moodle attaches a file of this name, and to whom: `feedback/file/importziplib.php`.
fn moodle_attaches(name: &str) -> Option<(String, String)> {
    let plugin =
        Regex::new(r"^[^_]*_(\d+)_(assignsubmission|assignfeedback)_file(?:_(.+))?$").unwrap();
    let parts: Vec<&str> = name.split('/').collect();
    let at = parts.iter().position(|part| plugin.is_match(part))?;
    let number = plugin.captures(parts[at])?[1].to_owned();
    let rest = parts[at + 1..].join("/");
    let hidden = rest.is_empty() || rest.starts_with(['.', '~']);
    (!hidden).then_some((number, rest))
}

proptest! {
    #![proptest_config(trials(128))]

    #[test]
    fn moodle_attaches_every_report_to_its_participant(number in 1_u32..9_999_999, slug in "[a-z][a-z0-9_-]{0,20}") {
        let problem = ProblemSlug::new(&slug).unwrap();
        let who = Who::by(Key::Moodle, number.to_string()).named("Ada_L. O'Brien");
        let name = (PLATFORMS[0].feedback)(&Feedback { who: &who, problem: &problem, entry: None }).unwrap();
        prop_assert_eq!(moodle_attaches(&name), Some((number.to_string(), format!("{slug}.html"))));
    }

    #[test]
    fn any_file_is_filled_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "([A-Za-z,;\"\n\t() 0-9|#]|Student,ID,Section|Username|Display ID,ID|grade){0,40}") {
        for platform in PLATFORMS.iter() {
            for bytes in [bytes.as_slice(), text.as_bytes()] {
                let _ = filled(platform.id, Some("a"), bytes);
            }
        }
    }
}

const GRADEBOOK: &str = "Student,ID,SIS User ID,SIS Login ID,Section,Lab 1 (4711),Lab 2 (4712),Current Score\r\n    Points Possible,,,,,10.00,5.00,(read only)\r\n\"Lovelace, Ada\",71,1001,=\"ada\",CS 1,,4,90\r\n\"O'Brien, Bo\",72,1002,bo,CS 1,3,,80\r\n\"Cy, Cyd\",73,1003,cy,CS 1,7,,70\r\n\"Nobody, Known\",99,,,CS 1,,,\r\n\"Student, Test\",74,,,CS 1,,,\r\n";

/// An empty cell would erase what is there, so nobody has a row who has no grade.
#[test]
fn canvas_gets_the_rows_of_those_who_were_judged_and_erases_nothing() {
    let header: Vec<&str> = GRADEBOOK.split("\r\n").take(2).collect();
    let rows = "\"Lovelace, Ada\",71,1001,=\"ada\",CS 1,9.5,4,90\r\n\"O'Brien, Bo\",72,1002,bo,CS 1,10,,80\r\n";
    for column in ["Lab 1 (4711)", "lab 1", "4711"] {
        let after = text("canvas", Some(column), GRADEBOOK);
        assert_eq!(after, format!("{}\r\n{rows}", header.join("\r\n")));
    }
    let report = filled("canvas", Some("4711"), GRADEBOOK.as_bytes()).unwrap();
    assert_eq!(report.unjudged.len(), 1);
    assert_eq!(report.strangers, [(6, "Nobody, Known".to_owned())]);
    assert_eq!(report.left_out, [student("jd1")]);
}

#[test]
fn brightspace_gets_keys_and_points_and_nothing_else() {
    let before = "OrgDefinedId,Username,Last Name,First Name,Email,Lab 1 Points Grade <Numeric MaxPoints:10 Weight:5>,Quiz Points Grade,End-of-Line Indicator\r\n#1001,#ada,Lovelace,Ada,ada@x.edu,,1,#\r\n#1002,#bo,O'Brien,Bo,b@x.edu,3,,#\r\n#1003,#cy,Cy,Cyd,c@x.edu,7,,#\r\n";
    let after = "OrgDefinedId,Username,Lab 1 Points Grade <Numeric MaxPoints:10 Weight:5>,End-of-Line Indicator\r\n#1001,#ada,9.5,#\r\n#1002,#bo,10,#\r\n";
    let whole = "Lab 1 Points Grade <Numeric MaxPoints:10 Weight:5>";
    for column in ["Lab 1", whole] {
        assert_eq!(text("brightspace", Some(column), before), after);
    }
    let small = before.replace("MaxPoints:10", "MaxPoints:9");
    let error = filled("brightspace", Some("Lab 1"), small.as_bytes()).unwrap_err();
    let words = "f.csv:2: ada has 9.5 points, and the maximum here is 9;";
    assert!(error.starts_with(words), "{error}");
}

#[test]
fn blackboard_keeps_tabs_and_utf_16() {
    let before = "\"Last Name\"\t\"First Name\"\t\"Username\"\t\"Student ID\"\t\"Availability\"\t\"Lab 1 [Total Pts: 100 Score] |1271854\"\n\"Lovelace\"\t\"Ada\"\t\"ada\"\t\"1001\"\t\"Yes\"\t\"\"\n\"Cy\"\t\"Cyd\"\t\"cy\"\t\"1003\"\t\"Yes\"\t\"7\"\n";
    let units = std::iter::once(0xFEFF).chain(before.encode_utf16());
    let bytes: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
    for column in ["Lab 1", "1271854", "Lab 1 [Total Pts: 100 Score] |1271854"] {
        let after = filled("blackboard", Some(column), &bytes).unwrap().bytes;
        assert!(after.starts_with(&[0xFF, 0xFE]));
        let units = after[2..].as_chunks().0.iter().copied();
        let units: Vec<u16> = units.map(u16::from_le_bytes).collect();
        let after = String::from_utf16(&units).unwrap();
        let (header, rest) = after.split_once('\n').unwrap();
        assert_eq!(header, before.split_once('\n').unwrap().0);
        let ada = "\"Lovelace\"\t\"Ada\"\t\"ada\"\t\"1001\"\t\"Yes\"\t\"9.5\"\n";
        assert_eq!(rest, ada);
    }
    let small = before.replace("Lab 1 [Total Pts: 100 ", "Lab 1 [bonus] [Total Pts: 9 ");
    let error = filled("blackboard", Some("1271854"), small.as_bytes()).unwrap_err();
    assert!(error.contains("the maximum here is 9;"), "{error}");
}

#[test]
fn sakai_gets_its_file_back_with_every_row() {
    let before = "\"A1\",\"SCORE_GRADE_TYPE\"\n\"\"\n\"Display ID\",\"ID\",\"Last Name\",\"First Name\",\"grade\",\"Submission date\",\"Late submission\"\n\"ada\",\"ada\",\"Lovelace\",\"Ada\",\"\",\"2026-04-02T04:00:05Z\",\"On time\"\n\"cy\",\"cy\",\"Cy\",\"Cyd\",\"\",\"\",\"\"\n";
    let after = text("sakai", None, before);
    assert_eq!(after, before.replacen("\"Ada\",\"\"", "\"Ada\",\"9.5\"", 1));
}

#[test]
fn a_file_that_cannot_be_filled_is_refused_with_its_line() {
    let edited = |from, to| GRADEBOOK.replace(from, to);
    let twice = edited("\"O'Brien, Bo\",72,1002,bo", "\"L, A\",79,1001,x");
    let jane = edited("\"Nobody, Known\"", "\"Doe, Jane\"");
    let small = edited(",10.00,", ",9.00,");
    let reader = edited(",10.00,", ",(read only),");
    let same = edited("Lab 2 (4712)", "Lab 1 (4712)");
    let unknown = "1: no column that can be filled is called \"Lab 9\" (did you mean \"Lab 1\"?)";
    let total = "1: no column that can be filled is called \"Current Score\"";
    let number = "2: \"    Points Possible\" is not a participant's number";
    let canvas = "1: the header is not that of a gradebook of Canvas";
    for (column, before, expected) in [
        ("Lab 9", GRADEBOOK, unknown),
        ("Current Score", GRADEBOOK, total),
        ("Lab 1", &same, "1: several columns are called \"Lab 1\""),
        ("4711", &twice, "4: this is ada, and so is line 3"),
        ("4711", &jane, "6: Doe, Jane may be any of jd1, jd2"),
        ("4711", &small, "3: ada has 9.5 points, and the maximum"),
        ("4711", &reader, "2: \"Lab 1 (4711)\" is read only"),
        ("4711", "a,b\n1,2\n", canvas),
    ] {
        let error = filled("canvas", Some(column), before.as_bytes()).unwrap_err();
        assert!(error.starts_with(&format!("f.csv:{expected}")), "{error}");
    }
    for (id, before, expected) in [
        ("moodle", GRADEBOOK, number),
        ("moodle", "", "1: the file is empty"),
        ("moodle", "Identifier,Grade\n", "1: nobody is in it"),
        ("moodle", "a,b\nP 1,x\nP 2,z\n", "1: no column is a maximum"),
        ("brightspace", GRADEBOOK, "1: the header is not that of B"),
        ("blackboard", GRADEBOOK, "1: the header is not that of Bl"),
        ("sakai", GRADEBOOK, "1: no header of Sakai's grades"),
        ("sakai", "a\n\"b\n", "2: a quote is opened here and never"),
    ] {
        let error = filled(id, Some("x"), before.as_bytes()).unwrap_err();
        assert!(error.starts_with(&format!("f.csv:{expected}")), "{error}");
    }
}

#[test]
fn a_report_goes_back_in_the_folder_of_its_student() {
    // The platform, the student's folder, what was handed in, and what goes back. Of one without a
    // folder nothing does: all students would share what is around it.
    let table = "\
        brightspace | Lab 1/39-64 - Ada L - Oct 10, 2025 1022 AM | /src/sum.py | /sum.html
        brightspace | Lab 1/39-64 - Ada L - Oct 10, 2025 1022 AM - sum.py | |
        sakai | Lab 1 (x)/L, Ada(ada) | /Submission attachment(s)/sum.py | /Feedback Attachment(s)/sum.html
        sakai | L, t (1)/L, Ada(ada) | /Submission attachment(s)/a, b(c)/sum.py | /Feedback Attachment(s)/sum.html
        sakai | L, Ada(ada) | /Submission attachment(s)/a, b(c)/sum.py | /Feedback Attachment(s)/sum.html
        sakai | sum.py | |";
    for row in table.lines() {
        let parts: Vec<&str> = row.split('|').map(str::trim).collect();
        let [id, folder, entry, file] = parts[..] else {
            panic!("{row}");
        };
        let platform = PLATFORMS.iter().find(|platform| platform.id == id).unwrap();
        let name = (platform.feedback)(&Feedback {
            who: &Who::default(),
            problem: &slug("sum"),
            entry: Some(&format!("{folder}{entry}")),
        });
        let expected = (!file.is_empty()).then(|| format!("{folder}{file}"));
        assert_eq!(name, expected, "{row}");
    }
}

#[test]
fn a_zip_has_every_report_and_is_split_where_it_would_be_too_large() {
    let files = ["a", "b", "c"].map(|name| (format!("{name}.html"), vec![b'x'; 20 << 20]));
    assert_eq!(zipped(&files).unwrap().len(), 2);
    assert!(zipped(&[]).unwrap().is_empty());
    // A team shares one entry of the archive.
    let file = |name: &str, text: &[u8]| (name.to_owned(), text.to_owned());
    let mut files = vec![file("a/sum.html", b"1"), file("b.html", b"2")];
    files.push(file("a/sum.html", b"3"));
    assert_eq!(leave_out_repeated(&mut files), 1);
    assert_eq!(files, [file("a/sum.html", b"1"), file("b.html", b"2")]);
    assert_eq!(zipped(&files).unwrap().len(), 1);
}
