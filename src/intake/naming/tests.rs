//! Names, one line a case.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use proptest::prelude::{any, proptest};

use super::nearest::slips;
use super::{Known, KnownLanguage, Reading, ignored, read, student_of_folder};
use crate::domain::ProblemSlug;

fn language(name: &str, extensions: &[&str], unavailable: Option<&str>) -> KnownLanguage {
    KnownLanguage {
        name: name.into(),
        extensions: extensions.iter().map(ToString::to_string).collect(),
        unavailable: unavailable.map(Into::into),
    }
}

fn known() -> Known {
    Known {
        problems: ["curling", "thegame", "game", "the-game", "regions"]
            .iter()
            .map(|slug| ProblemSlug::new(slug).unwrap())
            .collect(),
        languages: vec![
            language("C++17", &["cpp", "cc"], None),
            language("PyPy", &["py"], Some("not installed here")),
            language("Python 3", &["py"], None),
            language("C#", &["cs"], Some("not installed here")),
        ],
    }
}

fn text(path: &str) -> Reading {
    read(OsStr::new(path), &known())
}

#[test]
fn names_that_mean_a_submission() {
    for (path, student, problem, extension) in [
        ("anna/curling.cpp", "anna", "curling", "cpp"),
        ("anna/CURLING.CPP", "anna", "curling", "cpp"),
        ("anna/The_Game.py", "anna", "the-game", "py"),
        ("anna/thegame.cc", "anna", "thegame", "cc"),
        ("anna/curling (1).cpp", "anna", "curling", "cpp"),
        ("anna/curling(12).cpp", "anna", "curling", "cpp"),
        ("anna/anna_curling.cpp", "anna", "curling", "cpp"),
        ("Анна Петрова/regions.py", "Анна Петрова", "regions", "py"),
        ("anna.k/regions.py", "anna.k", "regions", "py"),
        ("anna_curling.cpp", "anna", "curling", "cpp"),
        ("anna_k_curling.cpp", "anna_k", "curling", "cpp"),
        ("anna_the_game.cpp", "anna", "the-game", "cpp"),
        ("anna_the-game.cpp", "anna", "the-game", "cpp"),
        ("anna_b_game.cpp", "anna_b", "game", "cpp"),
        ("anna__game.cpp", "anna_", "game", "cpp"),
        ("刘思_Regions (2).py", "刘思", "regions", "py"),
        ("a.b_curling.cpp", "a.b", "curling", "cpp"),
    ] {
        let Reading::Named {
            student: read_student,
            problem: read_problem,
            extension: read_extension,
        } = text(path)
        else {
            panic!("{path}: {:?}", text(path));
        };
        assert_eq!(
            (
                read_student.as_str(),
                read_problem.as_str(),
                read_extension.as_str()
            ),
            (student, problem, extension),
            "{path}"
        );
    }
}

/// Path, whose it is taken for, and words of the reason.
#[rustfmt::skip]
const REFUSED: &[(&str, Option<&str>, &str)] = &[
    ("anna/curlin.cpp", Some("anna"), "did you mean curling.cpp?"),
    (
        "anna/curlign.cpp",
        Some("anna"),
        "did you mean curling.cpp?",
    ),
    (
        "anna/curling-1.cpp",
        Some("anna"),
        "did you mean curling.cpp?",
    ),
    (
        "anna/poetry.cpp",
        Some("anna"),
        "the problems here are curling, thegame, game",
    ),
    (
        "anna/curling.txt",
        Some("anna"),
        "C++17 (.cpp .cc), Python 3 (.py)",
    ),
    (
        "anna/curling.cs",
        Some("anna"),
        "C# is not installed here; the languages here are",
    ),
    ("anna/curling", Some("anna"), "no extension"),
    ("anna/curling.", Some("anna"), "no extension"),
    (
        "anna/ben_curling.cpp",
        Some("anna"),
        "no problem is called ben_curling",
    ),
    (
        "anna/old/curling.cpp",
        Some("anna"),
        "directly into the student's folder",
    ),
    ("a/b/c/d", Some("a"), "directly into the student's folder"),
    ("curling.cpp", None, "call it <student>_curling.cpp"),
    ("_curling.cpp", None, "call it <student>_curling.cpp"),
    ("_the_game.cpp", None, "call it <student>_the-game.cpp"),
    (
        "anna_curlin.cpp",
        Some("anna"),
        "did you mean anna_curling.cpp?",
    ),
    (
        "anna_k_curlin.cpp",
        Some("anna_k"),
        "did you mean anna_k_curling.cpp?",
    ),
    ("anna_poetry.cpp", Some("anna"), "<student>_<problem>.cpp"),
    ("anna-curling.cpp", None, "<student>_<problem>.cpp"),
    (
        "anna_curling.txt",
        Some("anna"),
        "no language here has the extension .txt",
    ),
    ("anna_curling.cs", Some("anna"), "C# is not installed here"),
    ("notes.txt", None, "no language here"),
    ("a\\b_curling.cpp", None, "is not a student's name"),
    ("a\u{202e}b/curling.cpp", None, "not a student's"),
    ("curling.cpp/x.cpp", None, "is a folder"),
    ("anna_curling.cpp/x.cpp", None, "is a folder"),
];

#[test]
fn names_that_are_refused_say_why_and_what_to_do() {
    for &(path, student, words) in REFUSED {
        let Reading::Refused {
            student: read_student,
            reason,
        } = text(path)
        else {
            panic!("{path}: {:?}", text(path));
        };
        assert!(reason.contains(words), "{path}: {reason}");
        assert_eq!(
            read_student.as_ref().map(crate::domain::Student::as_str),
            student,
            "{path}"
        );
    }
}

#[test]
fn names_that_are_nobodys() {
    for name in [
        ".hidden",
        ".curling.cpp.swp",
        ".curling.cpp.Xa81bQ",
        "curling.cpp~",
        "#curling.cpp#",
        "x.swo",
        "x.SWX",
        "4913",
        "x.tmp",
        "x.part",
        "x.crdownload",
        "x.cpp.bak",
        "x.filepart",
        ".goutputstream-ABC",
        ".nfs0001",
        "~$x.doc",
        "Thumbs.db",
        "desktop.ini",
        "__MACOSX",
    ] {
        assert!(ignored(OsStr::new(name)).is_some(), "{name}");
        assert!(matches!(text(name), Reading::Ignored(_)), "{name}");
        assert!(
            matches!(text(&format!("anna/{name}")), Reading::Ignored(_)),
            "{name}"
        );
    }
    assert!(matches!(text("ReadMe.md"), Reading::Ignored(_)));
    assert!(matches!(text(".git/curling.cpp"), Reading::Ignored(_)));
    for name in ["a#", "4914", "tmp", "curling.cpp", "part.cpp", "#"] {
        assert_eq!(ignored(OsStr::new(name)), None, "{name}");
    }
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    for path in [
        &b"anna/curl\xff.cpp"[..],
        b"ann\xe9_curling.cpp",
        b"ann\xe9/curling.cpp",
    ] {
        let Reading::Refused { reason, .. } = read(OsStr::from_bytes(path), &known()) else {
            panic!("{path:?}");
        };
        assert!(reason.contains("not UTF-8"), "{reason}");
    }
}

#[test]
fn folders() {
    assert!(student_of_folder(OsStr::new("anna"), &known()).is_ok());
    assert!(student_of_folder(OsStr::new("anna.cpp"), &known()).is_ok());
    assert!(student_of_folder(OsStr::new("Curling.cs"), &known()).is_err());
    assert!(student_of_folder(OsStr::new("a\nb"), &known()).is_err());
}

#[test]
fn an_empty_course_says_so() {
    let Reading::Refused { reason, .. } = read(OsStr::new("anna/x.cpp"), &Known::default()) else {
        panic!();
    };
    assert!(reason.contains("no language is offered here"), "{reason}");
    let many = Known {
        problems: (0..40)
            .map(|number| ProblemSlug::new(&format!("p{number}")).unwrap())
            .collect(),
        languages: known().languages,
    };
    let Reading::Refused { reason, .. } = read(OsStr::new("anna/x.cpp"), &many) else {
        panic!();
    };
    assert!(reason.ends_with("p29 and 10 more"), "{reason}");
}

#[test]
fn slips_are_counted() {
    for (spelling, slug, expected) in [
        ("curling", "curling", Some(0)),
        ("Curl-Ing", "curling", Some(0)),
        ("curlign", "curling", Some(1)),
        ("culring", "curling", Some(1)),
        ("curing", "curling", Some(1)),
        ("cutlinf", "curling", Some(2)),
        ("regions", "curling", None),
        ("", "curling", None),
        ("game", "thegame", None),
    ] {
        assert_eq!(slips(spelling, slug), expected, "{spelling} {slug}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(path in proptest::collection::vec(any::<u8>(), 0..60)) {
        let _ = read(OsStr::from_bytes(&path), &known());
    }

    #[test]
    fn what_is_named_is_found_in_the_name(student in "[a-z_]{1,8}", problem in "(curling|the_game|REGIONS)") {
        let path = format!("{student}_{problem}.cpp");
        let Reading::Named { student: found, problem: slug, .. } = text(&path) else {
            panic!("{path}");
        };
        assert!(path.starts_with(found.as_str()));
        assert!(slug.matches(&path[found.as_str().len() + 1..path.len() - 4]), "{path}");
    }
}
