//! Names, one line a case.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::{Arc, LazyLock};

use proptest::prelude::{any, proptest};

use super::{Known, KnownLanguage, Reading, ignored, owner, read, student_of_folder};
use crate::domain::Student;
use crate::util::samples::slug;
use crate::util::tests::trials::trials;

pub fn language(name: &str, extensions: &[&str], unavailable: Option<&str>) -> KnownLanguage {
    KnownLanguage {
        name: name.into(),
        extensions: extensions.iter().map(ToString::to_string).collect(),
        unavailable: unavailable.map(Into::into),
    }
}

fn known() -> Known {
    let problems = ["curling", "thegame", "game", "the-game", "regions"];
    Known {
        problems: problems.map(slug).into(),
        languages: vec![
            language("C++17", &["cpp", "cc"], None),
            language("PyPy", &["py"], Some("not installed here")),
            language("Python 3", &["py"], None),
            language("C#", &["cs"], Some("not installed here")),
        ],
        ignore: ["README*", "*.md", "regions.*"].map(str::to_owned).into(),
        ..Known::default()
    }
}

fn text(path: &str) -> Reading<'_> {
    static KNOWN: LazyLock<Known> = LazyLock::new(known);
    read(OsStr::new(path), &KNOWN)
}

#[test]
fn names_that_mean_a_submission() {
    let table = "\
        alpha/curling.cpp | alpha | curling.cpp
        alpha/The_Game.PY | alpha | the-game.py
        alpha/thegame.cc | alpha | thegame.cc
        alpha/alpha_curling.cpp | alpha | curling.cpp
        alpha.k/regions.py | alpha.k | regions.py
        alpha_k_curling.cpp | alpha_k | curling.cpp
        alpha_the_game.cpp | alpha | the-game.cpp
        alpha_b_game.cpp | alpha_b | game.cpp
        alpha__game.cpp | alpha_ | game.cpp
        刘思_Regions (2).py | 刘思 | regions.py
        a.b_curling.cpp | a.b | curling.cpp
        alpha/the-game-12.cpp | alpha | the-game.cpp
        alpha_curling-1.cpp | alpha | curling.cpp
        alpha/alpha_curling-1.cpp | alpha | curling.cpp
        alpha_Reg ions.py | alpha | regions.py
        alpha/alpha_cur_ling.py | alpha | curling.py
        S1004 /curling.cpp | S1004 | curling.cpp
        S1004 _curling.cpp | S1004 | curling.cpp
        Jo\u{308}rg/curling.cpp | J\u{f6}rg | curling.cpp
        Jo\u{308}rg_curling.cpp | J\u{f6}rg | curling.cpp
        J\u{f6}rg/Jo\u{308}rg_curling.cpp | J\u{f6}rg | curling.cpp";
    for row in table.lines() {
        let row: Vec<&str> = row.trim().split(" | ").collect();
        let [path, student, file] = row[..] else {
            panic!("{row:?}");
        };
        let Reading::Named(named) = text(path) else {
            panic!("{path}: {:?}", text(path));
        };
        assert_eq!(named.student.as_str(), student, "{path}");
        let found = format!("{}.{}", named.problem, named.extension);
        assert_eq!(found, file, "{path}");
    }
}

/// Checks that these paths are refused: whose they are, and words of the reason.
fn refused(student: Option<&str>, cases: &[(&str, &str)]) {
    for &(path, words) in cases {
        let Reading::Refused(whose, refusal) = text(path) else {
            panic!("{path}: {:?}", text(path));
        };
        let reason = refusal.to_string();
        assert!(reason.contains(words), "{path}: {reason}");
        assert_eq!(whose.as_ref().map(Student::as_str), student, "{path}");
    }
}

#[test]
fn names_that_are_refused_say_why_and_what_to_do() {
    let unknown = "no problem is called the game (did you mean the";
    let poetry = "no problem is called poetry; a file here is called <student>_<problem>.cpp";
    let archive = "a .rar is an archive: unpack it and hand in the source file, or a .zip of several (.cpp, .py)";
    let table = [
        ("alpha/curlin-1.cpp", "did you mean curling.cpp?"),
        ("alpha/notes.hs", "no language here has the extension .hs"),
        ("alpha/poetry.cpp", "the problems here are curling, thegame"),
        ("alpha/the game.cpp", unknown),
        ("alpha/curling.txt", "C++17 (.cpp .cc), Python 3 (.py)"),
        ("alpha/curling.cs", "C# is not installed here; the lang"),
        ("alpha/curling", "no extension"),
        ("alpha/curling.", "no extension"),
        ("alpha/beta_curling.cpp", "no problem is called beta_c"),
        ("alpha/old/curling.cpp", "directly into the student's"),
        ("alpha/b/c/d", "directly into the student's folder"),
        ("alpha_curlin.cpp", "did you mean alpha_curling.cpp?"),
        ("alpha_poetry.cpp", poetry),
        ("alpha_curling.txt", "a .txt does not say in which lang"),
        ("alpha_curling.cs", "C# is not installed here"),
        ("alpha/curling.rar", archive),
        ("alpha/curling.tar.gz", "a .tar.gz is an archive"),
        ("alpha/curling.DOCX", "a .docx is a word processor's"),
        ("alpha/curling.ipynb", "hand in that (.py)"),
        ("alpha/curling.class", "compiled Java"),
        ("alpha/curling.exe", "what a compiler makes"),
    ];
    refused(Some("alpha"), &table);
    let table = [
        ("a\u{202e}b/curling.cpp", "not a student's"),
        ("curling.cpp/x.cpp", "is a folder"),
        ("alpha_curling.cpp/x.cpp", "is a folder"),
        ("curling.cpp", "call it <student>_curling.cpp"),
        ("_the_game.cpp", "call it <student>_the-game.cpp"),
        ("__curling.cpp", "call it <student>_curling.cpp"),
        ("alpha-curling.cpp", "<student>_<problem>.cpp"),
        ("notes.txt", "a .txt does not say"),
        ("a\\b_curling.cpp", "is not a student's name"),
    ];
    refused(None, &table);
}

#[test]
fn the_files_of_a_program_say_in_which_language_it_is() {
    let Reading::Named(named) = text("alpha/curling.ZIP") else {
        panic!("a program of several files");
    };
    let known = known();
    let none = "no source of a program in the zip; the languages";
    for (names, expected) in [
        ("main.PY helper.py notes.txt", Ok("py")),
        ("a.cc b.h b.cpp", Ok("cc")),
        ("a.py b.cpp", Err("several languages, Python 3 and C++17")),
        ("a.h", Err(none)),
        ("a.cs", Err("C# is not installed here")),
    ] {
        let file = |name: &str| (name.to_owned(), Arc::from([]));
        let files: Vec<_> = names.split(' ').map(file).collect();
        match (named.clone().of_files(&files, &known), expected) {
            (Ok(named), expected) => assert_eq!(Ok(named.extension.as_str()), expected, "{names}"),
            (Err(refusal), expected) => {
                let reason = refusal.to_string();
                assert!(reason.contains(expected.unwrap_err()), "{names}: {reason}");
            }
        }
    }
}

#[test]
fn names_that_are_nobodys() {
    let names = ".hidden .curling.cpp.swp .curling.cpp.Xa81bQ curling.cpp~ #curling.cpp# x.swo x.SWX \
                 4913 x.tmp x.part x.crdownload x.cpp.bak x.filepart .goutputstream-ABC .nfs0001 \
                 ~$x.doc Thumbs.db desktop.ini __MACOSX";
    for name in names.split(' ') {
        assert!(ignored(OsStr::new(name)).is_some(), "{name}");
        for path in [name, &format!("alpha/{name}")] {
            assert!(matches!(text(path), Reading::Ignored(_)), "{path}");
        }
    }
    assert!(matches!(text(".git/curling.cpp"), Reading::Ignored(_)));
    for name in ["a#", "4914", "tmp", "curling.cpp", "part.cpp", "#"] {
        assert_eq!(ignored(OsStr::new(name)), None, "{name}");
    }
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let paths = b"alpha/curl\xff.cpp|alph\xe9_curling.cpp|alph\xe9/curling.cpp";
    for path in paths.split(|&byte| byte == b'|') {
        let known = known();
        let Reading::Refused(_, refusal) = read(OsStr::from_bytes(path), &known) else {
            panic!("{path:?}");
        };
        assert!(refusal.to_string().contains("not UTF-8"), "{refusal:?}");
    }
}

#[test]
fn what_config_toml_has_passed_over_is_passed_over_unless_it_is_a_program() {
    for name in ["readme.txt", "ReadMe", "notes.md", "regions.class"] {
        for path in [name, &format!("alpha/{name}")] {
            assert!(matches!(text(path), Reading::Ignored(_)), "{path}");
        }
    }
    // A pattern also stands for programs, and takes none of them away.
    for path in ["alpha/regions.cpp", "README/curling.cpp"] {
        assert!(matches!(text(path), Reading::Named(_)), "{path}");
    }
}

#[test]
fn whose_turn_it_is_is_what_the_name_says() {
    for (path, is_program, student) in [
        ("alpha/curling.cpp", true, "alpha"),
        ("S1 /curling (1).cpp", true, "S1"),
        ("alpha/curling.cs", false, "alpha"),
        ("alpha /x.rar", false, "alpha"),
        ("team_01_x.rar", false, "team_01"),
        ("x.rar", false, ""),
        ("a\u{202e}/x.rar", false, ""),
    ] {
        let found = owner(OsStr::new(path), &known());
        assert_eq!(found, (is_program, student.to_owned()), "{path}");
    }
}

#[test]
fn a_folder_is_a_students_or_it_is_said_why_not() {
    let known = known();
    let told = |folder| student_of_folder(OsStr::new(folder), &known);
    assert!(told("alpha").is_ok() && told("alpha.cpp").is_ok());
    assert!(told("Curling.cs").is_err() && told("a\nb").is_err());
    for folder in ["alpha~", "alpha.bak", "alpha.tmp"] {
        let why = told(folder).unwrap_err().to_string();
        assert!(why.contains("nothing in it is looked at"), "{why}");
    }
    for folder in [".git", "__pycache__"] {
        let why = ignored(OsStr::new(folder)).unwrap();
        assert!(!why.may_be_a_students(), "{folder}");
    }
}

#[test]
fn an_empty_course_says_so_and_a_large_one_names_some_of_its_problems() {
    let many = Known {
        problems: (0..40).map(|number| slug(&format!("p{number}"))).collect(),
        languages: known().languages,
        ..Known::default()
    };
    let none = Known::default();
    for (known, words) in [(none, "no language is offered"), (many, "p29 and 10 more")] {
        let Reading::Refused(_, refusal) = read(OsStr::new("alpha/x.cpp"), &known) else {
            panic!("it is taken");
        };
        assert!(refusal.to_string().contains(words), "{refusal:?}");
    }
}

proptest! {
    #![proptest_config(trials(256))]

    #[test]
    fn any_bytes_are_read(path in proptest::collection::vec(any::<u8>(), 0..60)) {
        let _ = read(OsStr::from_bytes(&path), &known());
    }

    #[test]
    fn what_is_named_is_found_in_the_name(student in "_{0,2}[a-z][a-z_]{0,6}", problem in "(curling|the_game|REGIONS)") {
        let path = format!("{student}_{problem}.cpp");
        let Reading::Named(named) = text(&path) else {
            panic!("{path}");
        };
        let found = named.student.as_str();
        assert!(path.starts_with(found));
        assert!(named.problem.matches(&path[found.len() + 1..path.len() - 4]), "{path}");
    }
}
