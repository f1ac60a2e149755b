//! Rosters of every kind, and their mistakes.

use super::{Roster, header_of};
use crate::domain::Complaint;

fn read(bytes: &[u8]) -> Result<Roster, Complaint> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("roster.csv");
    std::fs::write(&file, bytes).unwrap();
    Roster::load(&file)
}

fn names(bytes: &[u8]) -> Vec<String> {
    let roster = read(bytes).unwrap_or_else(|error| panic!("{error}"));
    let name = |person: &super::Person| person.student.to_string();
    roster.people().iter().map(name).collect()
}

#[test]
fn rosters_of_every_spreadsheet_program_are_read_in_their_order() {
    for text in [
        "student,last_name\nzoe,Z\nБорис,Б\n",
        "\u{feff}student,last_name\r\nzoe,Z\r\nБорис,Б",
        "LAST_NAME;Student;Remark\nZ;zoe;x\nБ;Борис;\"a;b\"\n",
        "\nlast_name\tstudent\n\nZ\t zoe \nБ\tБорис\n\t\n",
        "\"student\",\"last_name\"\n\"zoe\",\"Z\"\n\"Борис\",\"Б\"\n",
        "student\nzoe\nБорис\n",
    ] {
        assert_eq!(names(text.as_bytes()), ["zoe", "Борис"], "{text}");
    }
    let roster =
        read(b"student,id,first_name,email,section\nzoe,7,\"Zo\x00e, the first\"").unwrap();
    let details = &roster.people()[0].details;
    assert_eq!(details[..], ["", "Zo\\u{0}e, the first", "", "7", ""]);
}

#[test]
fn lists_of_platforms_are_rosters() {
    let person = |one: &super::Person| {
        let keys = one.keys().filter(|(_, value)| !value.is_empty());
        let keys = keys.map(|(key, value)| format!("{}={value}", key.column()));
        let keys = keys.collect::<Vec<String>>().join(" ");
        let (name, section) = (one.name(), &one.details[4]);
        format!("{}|{name}|{keys}|{section}|{}", one.student, one.group)
    };
    // A list, and whom it has.
    #[rustfmt::skip]
    let lists = [
        ("\u{feff}Student,ID,SIS User ID,SIS Login ID,Section,Lab 1 (4711)\r\n    Points Possible,,,,,10.00\r\n\"Doe, Jane\",71,4711,=\"jdoe\",CS 1,9.5\r\n\"García Márquez, José\",72,4712,jgarcia,CS 1,\r\n\"Student, Test\",73,,,CS 1,\r\n",
            "jdoe|Doe, Jane|id=4711 login=jdoe canvas=71|CS 1|; jgarcia|García Márquez, José|id=4712 login=jgarcia canvas=72|CS 1|"),
        ("\"First name\",\"Last name\",\"ID number\",\"Email address\",Groups\nJane,Doe,,jane@x.edu,Blue\nBo,\"O'Brien\",4712,bo@x.edu,\n",
            "jane@x.edu|Doe, Jane|email=jane@x.edu||Blue; 4712|O'Brien, Bo|email=bo@x.edu id=4712||"),
        ("LastName,FirstName,ID,SIS User ID,Section\nDoe,Jane,71,,CS 1\n", "71|Doe, Jane|canvas=71|CS 1|"),
        ("Vorname;Nachname;ID-Nummer;E-Mail-Adresse;Aufgabe: A1 (Punkte)\nJörg;Groß;;j@x.de;7,5\n", "j@x.de|Groß, Jörg|email=j@x.de||"),
        ("Nombre,Apellido(s),Nombre de usuario,Dirección de correo\nAna,Ruiz,aruiz,a@x.es\n", "aruiz|Ruiz, Ana|email=a@x.es login=aruiz||"),
        ("\"identifier\",\"github_username\",\"github_id\",\"name\"\n\"jdoe\",\"octo-cat\",\"1\",\"Jane Doe\"\n\"bo\",\"\",\"\",\"\"\n",
            "jdoe|Doe, Jane|github=octo-cat||; bo||||"),
        // An instructor's own, with the same words.
        ("Student,ID,Section,Group\njane,4711,1,Blue\n", "jane||id=4711|1|Blue"),
    ];
    for (text, expected) in lists {
        let roster = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
        let found: Vec<String> = roster.people().iter().map(person).collect();
        assert_eq!(found.join("; "), expected, "{text}");
    }
}

#[test]
fn a_mistake_has_its_file_its_line_and_the_way_out() {
    let quote = &b"student,email\nzoe,\"z@x.edu\nada,\n"[..];
    for (bytes, reason, help) in [
        (&b""[..], "1: the file is empty", "names the columns"),
        (b"name\nzoe\n", "1: no column is called", "submissions"),
        (quote, "2: a quote is opened here", "close it"),
        (b"student,Student\n", "1: two columns", "rename"),
        (b"student\nzoe\n\nzoe\n", "4: \"zoe\" is", "leave one"),
        (b"student,id\nzoe,1\n,2\n", "3: `student`: the", "write"),
        (b"student\na/b\n", "2: `student`: ", "'/', which is not"),
        (b"student\nzoe\n\xcf\xf0\n", "3: ", "0xcf is not UTF-8"),
    ] {
        let error = read(bytes).unwrap_err().to_string();
        assert!(error.contains(&format!("roster.csv:{reason}")), "{error}");
        assert!(error.contains(help), "{error}");
    }
    let large = vec![b'\n'; usize::try_from(crate::util::table::BYTES_MAX).unwrap() + 1];
    let large = read(&large).unwrap_err().to_string();
    assert!(large.contains("larger than"), "{large}");
    let folder = tempfile::tempdir().unwrap();
    let missing = Roster::load(&folder.path().join("none.csv")).unwrap_err();
    let missing = missing.to_string();
    for words in ["none.csv", "[overview] of the configuration"] {
        assert!(missing.contains(words), "{missing}");
    }
}

#[test]
fn a_header_ends_with_its_line() {
    for (text, expected) in [
        ("student,id\nada,1\n", Some("student,id\n")),
        ("\u{feff}Student\r\nada", Some("\u{feff}Student\r\n")),
        ("\nstudent\nada\n", Some("\nstudent\n")),
        ("student\rada\r", Some("student\r")),
        ("student", Some("student")),
        ("name,id\nstudent,1\n", None),
        ("", None),
    ] {
        let found = header_of(text.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(found.as_deref(), expected, "{text:?}");
    }
}
