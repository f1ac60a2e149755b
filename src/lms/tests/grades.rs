//! Filled files, read by the platforms' own rules, which are written down here once more.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use regex::Regex;

use crate::domain::{Complaint, Key, ProblemSlug};
use crate::lms::claim::Who;
use crate::lms::{Feedback, Filled, Marks, PLATFORMS, Wanted, fill, leave_out_repeated, zipped};
use crate::util::sheet::Sheet;
use crate::util::table::Table;
use crate::util::tests::trials::trials;

/// Ada has 9.5, Bo 10, Cy nothing judged, and two are called Jane Doe, one of them judged.
fn marks() -> Marks {
    Marks::made(&[
        (
            "ada",
            Some(950),
            ("Lovelace", "Ada"),
            &[
                (Key::Email, "ada@x.edu"),
                (Key::Canvas, "71"),
                (Key::Id, "1001"),
            ],
        ),
        (
            "bo",
            Some(1_000),
            ("O'Brien", "Bo"),
            &[(Key::Canvas, "72"), (Key::Id, "1002")],
        ),
        (
            "cy",
            None,
            ("Cy", "Cyd"),
            &[(Key::Canvas, "73"), (Key::Id, "1003")],
        ),
        ("jd1", Some(100), ("Doe", "Jane"), &[]),
        ("jd2", None, ("Doe", "Jane"), &[]),
    ])
}

fn sheet_of(bytes: &[u8]) -> Result<Sheet, Complaint> {
    Sheet::read(Path::new("f.csv"), bytes)
}

fn filled(id: &str, column: Option<&str>, bytes: &[u8]) -> Result<Filled, String> {
    let platform = PLATFORMS.iter().find(|platform| platform.id == id).unwrap();
    let wanted = Wanted {
        column,
        comments: None,
    };
    sheet_of(bytes)
        .and_then(|sheet| Table::of(Path::new("f.csv"), sheet))
        .and_then(|table| fill(platform, table, &wanted, &marks()))
        .map_err(|error| error.to_string())
}

fn text(id: &str, column: Option<&str>, before: &str) -> String {
    let filled = filled(id, column, before.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    String::from_utf8(filled.bytes).unwrap()
}

const ENGLISH: &str = "Identifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum Grade\",\"Grade can be changed\",\"Last modified (submission)\",\"Last modified (grade)\",\"Feedback comments\"\r\n\"Participant 17\",\"Ada Lovelace\",ada@x.edu,Submitted,,10.00,Yes,-,-,\r\n\"Participant 18\",\"Bo OBrien\",b@x.edu,Submitted,3.00,10.00,Yes,-,\"Monday, 5 October 2026, 11:00 PM\",\"<p>old</p>\"\r\n\"Participant 19\",\"Cyd Cy\",cy@x.edu,\"No submission\",,10.00,Yes,-,-,\"<p>mine</p>\"\r\n";
const SPANISH: &str = "\u{feff}Identificador;Nombre completo;Estado;Calificación;Calificación máxima;La calificación puede ser cambiada;Última modificación (entrega);Última modificación (calificación);Comentarios de retroalimentación\nParticipante 17;Ada Lovelace;Enviado;;10,00;Sí;-;-;\nParticipante 18;Bo OBrien;Enviado;3,00;10,00;Sí;-;lunes, 5 de octubre de 2026, 23:00;\n";

/// What Moodle's importer takes from a worksheet: by participant, the new grade and the comment.
/// The rules of `mod/assign/feedback/offline/importgradeslib.php`, in the uploader's language.
fn moodle_reads(sheet: &[u8], names: [&str; 4], comma: bool) -> BTreeMap<String, (f64, String)> {
    let sheet = sheet_of(sheet).unwrap();
    let header = &sheet.rows()[0];
    let column = |name: &str| header.iter().position(|cell| cell == name).unwrap();
    let [identifier, grade, modified, comments] = names.map(column);
    let participant = Regex::new(r"^\D+ (\d+)$").unwrap();
    let in_php = r"^(-|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|.*(October|November).*)$";
    let in_php = Regex::new(in_php).unwrap();
    let mut read = BTreeMap::new();
    for row in &sheet.rows()[1..] {
        let number = participant.captures(row.get(identifier)).unwrap()[1].to_owned();
        let number_text = row.get(grade);
        // `unformat_float` knows the site's decimal sign only.
        assert!(
            !number_text.contains(if comma { '.' } else { ',' }),
            "{number_text}"
        );
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
    let names = [
        "Identifier",
        "Grade",
        "Last modified (grade)",
        "Feedback comments",
    ];
    let english = text("moodle", None, ENGLISH);
    let read = moodle_reads(english.as_bytes(), names, false);
    let comment = |name: &str| format!("<p>{name}: said \"so\", twice</p>");
    let expected = [("17", 9.5, comment("ada")), ("18", 10.0, comment("bo"))];
    let expected = expected.map(|(number, grade, comment)| (number.to_owned(), (grade, comment)));
    assert_eq!(read, expected.clone().into());
    // Rows of others are as they came, a teacher's comment included.
    let line = |text: &str, number: usize| text.split("\r\n").nth(number).unwrap().to_owned();
    assert_eq!(line(&english, 0), line(ENGLISH, 0));
    assert_eq!(line(&english, 3), line(ENGLISH, 3));
    assert!(english.contains(",9.50,10.00,"), "{english}");
    let names = [
        "Identificador",
        "Calificación",
        "Última modificación (calificación)",
        "Comentarios de retroalimentación",
    ];
    let spanish = text("moodle", None, SPANISH);
    assert!(
        spanish.starts_with('\u{feff}') && spanish.contains(";9,50;10,00;"),
        "{spanish}"
    );
    assert!(spanish.contains(";2026-10-05 23:00:00;"), "{spanish}");
    assert_eq!(
        moodle_reads(spanish.as_bytes(), names, true),
        expected.into()
    );
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
        let platform = &PLATFORMS[0];
        let name = (platform.feedback)(&Feedback { who: &who, problem: &problem, entry: None }).unwrap();
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

/// What Canvas takes from a gradebook: by user and assignment the new grade, an empty cell included,
/// which erases what is there. The rules of `lib/gradebook_importer.rb`.
fn canvas_reads(sheet: &[u8], assignment: &str) -> BTreeMap<String, String> {
    let sheet = sheet_of(sheet).unwrap();
    let header: Vec<&str> = sheet.rows()[0].iter().collect();
    assert!(header.len() >= 4 && header[0].contains("Student") && header[1].contains("ID"));
    let section = header
        .iter()
        .position(|cell| cell.contains("Section"))
        .unwrap();
    let column = header
        .iter()
        .position(|cell| cell.ends_with(assignment))
        .unwrap();
    assert!(column > section);
    let rows = sheet.rows()[1..].iter();
    let students = rows.filter(|row| !row.get(0).trim_start().starts_with("Points Possible"));
    let read = |row: &crate::util::sheet::Row| {
        let grade = row.get(column).replace(',', ".");
        assert!(
            grade.parse::<f64>().is_ok(),
            "an empty cell erases: {row:?}"
        );
        (row.get(1).to_owned(), grade)
    };
    students.map(read).collect()
}

#[test]
fn canvas_reads_grades_of_those_who_were_judged_and_erases_nothing() {
    for column in ["Lab 1 (4711)", "lab 1", "4711"] {
        let after = text("canvas", Some(column), GRADEBOOK);
        let read = canvas_reads(after.as_bytes(), "(4711)");
        let expected = [("71", "9.5"), ("72", "10")];
        assert_eq!(
            read,
            expected
                .map(|(id, grade)| (id.to_owned(), grade.to_owned()))
                .into()
        );
        let kept: Vec<&str> = GRADEBOOK.split("\r\n").take(2).collect();
        assert!(after.starts_with(&kept.join("\r\n")), "{after}");
        assert!(
            after.contains("\"Lovelace, Ada\",71,1001,=\"ada\",CS 1,9.5,4,90\r\n"),
            "{after}"
        );
    }
    let report = filled("canvas", Some("4711"), GRADEBOOK.as_bytes()).unwrap();
    assert_eq!(report.unjudged.len(), 1);
    assert_eq!(report.strangers, [(6, "Nobody, Known".to_owned())]);
    assert_eq!(
        report
            .left_out
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        ["jd1"]
    );
}

#[test]
fn brightspace_gets_keys_and_points_and_nothing_else() {
    let before = "OrgDefinedId,Username,Last Name,First Name,Email,Lab 1 Points Grade <Numeric MaxPoints:10 Weight:5>,Quiz Points Grade,End-of-Line Indicator\r\n#1001,#ada,Lovelace,Ada,ada@x.edu,,1,#\r\n#1002,#bo,O'Brien,Bo,b@x.edu,3,,#\r\n#1003,#cy,Cy,Cyd,c@x.edu,7,,#\r\n";
    for column in [
        "Lab 1",
        "Lab 1 Points Grade <Numeric MaxPoints:10 Weight:5>",
    ] {
        assert_eq!(
            text("brightspace", Some(column), before),
            "OrgDefinedId,Username,Lab 1 Points Grade <Numeric MaxPoints:10 Weight:5>,End-of-Line Indicator\r\n#1001,#ada,9.5,#\r\n#1002,#bo,10,#\r\n"
        );
    }
    let small = before.replace("MaxPoints:10", "MaxPoints:9");
    let error = filled("brightspace", Some("Lab 1"), small.as_bytes()).unwrap_err();
    assert!(
        error.starts_with("f.csv:2: ada has 9.5 points, and the maximum here is 9;"),
        "{error}"
    );
}

#[test]
fn blackboard_keeps_tabs_and_utf_16() {
    let before = "\"Last Name\"\t\"First Name\"\t\"Username\"\t\"Student ID\"\t\"Availability\"\t\"Lab 1 [Total Pts: 100 Score] |1271854\"\n\"Lovelace\"\t\"Ada\"\t\"ada\"\t\"1001\"\t\"Yes\"\t\"\"\n\"Cy\"\t\"Cyd\"\t\"cy\"\t\"1003\"\t\"Yes\"\t\"7\"\n";
    let units = std::iter::once(0xFEFF).chain(before.encode_utf16());
    let bytes: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
    for column in ["Lab 1", "1271854", "Lab 1 [Total Pts: 100 Score] |1271854"] {
        let after = filled("blackboard", Some(column), &bytes).unwrap().bytes;
        assert!(after.starts_with(&[0xFF, 0xFE]));
        let units = after[2..]
            .as_chunks::<2>()
            .0
            .iter()
            .map(|pair| u16::from_le_bytes(*pair));
        let after = String::from_utf16(&units.collect::<Vec<u16>>()).unwrap();
        let (header, rest) = after.split_once('\n').unwrap();
        assert_eq!(header, before.split_once('\n').unwrap().0);
        assert_eq!(
            rest,
            "\"Lovelace\"\t\"Ada\"\t\"ada\"\t\"1001\"\t\"Yes\"\t\"9.5\"\n"
        );
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

/// Checks that files are refused: platform, column, file, how the message begins.
fn refused(cases: &[(&str, &str, &str, &str)]) {
    for &(id, column, before, expected) in cases {
        let error = filled(id, Some(column), before.as_bytes()).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn a_gradebook_that_cannot_be_filled_is_refused_with_its_line() {
    let unknown = "f.csv:1: no column that can be filled is called";
    let twice = GRADEBOOK.replace("\"O'Brien, Bo\",72,1002,bo", "\"L, A\",79,1001,x");
    let jane = GRADEBOOK.replace("\"Nobody, Known\"", "\"Doe, Jane\"");
    let small = GRADEBOOK.replace(",10.00,", ",9.00,");
    let reader = GRADEBOOK.replace(",10.00,", ",(read only),");
    let same = GRADEBOOK.replace("Lab 2 (4712)", "Lab 1 (4712)");
    let meant = format!("{unknown} \"Lab 9\" (did you mean \"Lab 1\"?)");
    let total = format!("{unknown} \"Current Score\"");
    for (column, before, expected) in [
        ("Lab 9", GRADEBOOK, meant.as_str()),
        ("Current Score", GRADEBOOK, &total),
        (
            "Lab 1",
            &same,
            "f.csv:1: several columns are called \"Lab 1\"",
        ),
        ("4711", &twice, "f.csv:4: this is ada, and so is line 3"),
        ("4711", &jane, "f.csv:6: Doe, Jane may be any of jd1, jd2"),
        (
            "4711",
            &small,
            "f.csv:3: ada has 9.5 points, and the maximum here is 9;",
        ),
        (
            "4711",
            &reader,
            "f.csv:2: \"Lab 1 (4711)\" is read only in Canvas",
        ),
        (
            "4711",
            "a,b\n1,2\n",
            "f.csv:1: the header is not that of a gradebook of Canvas",
        ),
    ] {
        refused(&[("canvas", column, before, expected)]);
    }
}

#[test]
fn a_file_of_another_platform_is_refused_with_its_line() {
    refused(&[
        (
            "moodle",
            "x",
            GRADEBOOK,
            "f.csv:2: \"    Points Possible\" is not a participant's number",
        ),
        (
            "brightspace",
            "x",
            GRADEBOOK,
            "f.csv:1: the header is not that of Brightspace's grades",
        ),
        (
            "blackboard",
            "x",
            GRADEBOOK,
            "f.csv:1: the header is not that of Blackboard's",
        ),
        (
            "sakai",
            "x",
            GRADEBOOK,
            "f.csv:1: no header of Sakai's grades",
        ),
        (
            "sakai",
            "x",
            "a\n\"b\n",
            "f.csv:2: a quote is opened here and never closed",
        ),
    ]);
}

#[test]
fn a_zip_has_every_report_and_is_split_where_it_would_be_too_large() {
    let files: Vec<(String, Vec<u8>)> = ["a", "b", "c"]
        .map(|name| (format!("{name}.html"), vec![b'x'; 20 << 20]))
        .into();
    let zips = zipped(&files).unwrap();
    assert_eq!(zips.len(), 2);
    assert!(zipped(&[]).unwrap().is_empty());
    // A team shares one entry of the archive.
    let file = |name: &str, text: &[u8]| (name.to_owned(), text.to_owned());
    let mut files = vec![file("a/sum.html", b"1"), file("b.html", b"2")];
    files.push(file("a/sum.html", b"3"));
    assert_eq!(leave_out_repeated(&mut files), 1);
    assert_eq!(files, [file("a/sum.html", b"1"), file("b.html", b"2")]);
    assert_eq!(zipped(&files).unwrap().len(), 1);
}
