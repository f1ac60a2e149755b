//! Names, one line a case.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::LazyLock;

use proptest::prelude::{any, proptest};

use super::{Known, KnownLanguage, Reading, Register, ignored, owner, read, student_of_folder};
use crate::domain::{ProblemSlug, Student};
use crate::util::tests::trials::trials;

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
    for (path, student, problem, extension) in [
        ("alpha/curling.cpp", "alpha", "curling", "cpp"),
        ("alpha/CURLING.CPP", "alpha", "curling", "cpp"),
        ("alpha/The_Game.py", "alpha", "the-game", "py"),
        ("alpha/thegame.cc", "alpha", "thegame", "cc"),
        ("alpha/curling (1).cpp", "alpha", "curling", "cpp"),
        ("alpha/curling(12).cpp", "alpha", "curling", "cpp"),
        ("alpha/alpha_curling.cpp", "alpha", "curling", "cpp"),
        (
            "Студент Первый/regions.py",
            "Студент Первый",
            "regions",
            "py",
        ),
        ("alpha.k/regions.py", "alpha.k", "regions", "py"),
        ("alpha_curling.cpp", "alpha", "curling", "cpp"),
        ("alpha_k_curling.cpp", "alpha_k", "curling", "cpp"),
        ("alpha_the_game.cpp", "alpha", "the-game", "cpp"),
        ("alpha_the-game.cpp", "alpha", "the-game", "cpp"),
        ("alpha_b_game.cpp", "alpha_b", "game", "cpp"),
        ("alpha__game.cpp", "alpha_", "game", "cpp"),
        ("刘思_Regions (2).py", "刘思", "regions", "py"),
        ("a.b_curling.cpp", "a.b", "curling", "cpp"),
        // Saved a second time, by Canvas for one.
        ("alpha/curling-1.cpp", "alpha", "curling", "cpp"),
        ("alpha/the-game-12.cpp", "alpha", "the-game", "cpp"),
        ("alpha/curling - Copy.cpp", "alpha", "curling", "cpp"),
        ("alpha_curling-1.cpp", "alpha", "curling", "cpp"),
        ("alpha/alpha_curling-1.cpp", "alpha", "curling", "cpp"),
        // Separators and case, where no other problem could be meant.
        ("alpha/Cur ling.cpp", "alpha", "curling", "cpp"),
        ("alpha/reg-ions (1).py", "alpha", "regions", "py"),
        ("alpha_Reg ions.py", "alpha", "regions", "py"),
        ("alpha/alpha_cur_ling.py", "alpha", "curling", "py"),
        // Spaces around a name, and letters composed in another way.
        ("S1004 /curling.cpp", "S1004", "curling", "cpp"),
        ("S1004 _curling.cpp", "S1004", "curling", "cpp"),
        ("Jo\u{308}rg/curling.cpp", "J\u{f6}rg", "curling", "cpp"),
        ("Jo\u{308}rg_curling.cpp", "J\u{f6}rg", "curling", "cpp"),
        (
            "J\u{f6}rg/Jo\u{308}rg_curling.cpp",
            "J\u{f6}rg",
            "curling",
            "cpp",
        ),
    ] {
        let Reading::Named(named) = text(path) else {
            panic!("{path}: {:?}", text(path));
        };
        let found = (named.student.as_str(), named.problem.as_str());
        assert_eq!(found, (student, problem), "{path}");
        assert_eq!(named.extension, extension, "{path}");
    }
}

#[test]
fn with_a_roster_a_folder_is_its_students_whatever_its_case() {
    let people = ["ada", "Bo"].map(|name| Student::new(name).unwrap());
    let aliases = [vec!["ada@x.edu"], vec!["octo-cat"]];
    let known = |rejects| Known {
        register: std::sync::Arc::new(Register::new(people.iter().zip(aliases.clone()), rejects)),
        ..known()
    };
    for (path, student) in [
        ("Ada/curling.cpp", "ada"),
        ("ADA_curling.cpp", "ada"),
        ("ada/Ada_curling.cpp", "ada"),
        ("ada@x.edu/curling.cpp", "ada"),
        ("Octo-Cat/curling.cpp", "Bo"),
        ("bo/curling.cpp", "Bo"),
        ("cy/curling.cpp", "cy"),
    ] {
        let known = known(false);
        let found = match read(OsStr::new(path), &known) {
            Reading::Named(named) => named.student.to_string(),
            other => panic!("{path}: {other:?}"),
        };
        assert_eq!(found, student, "{path}");
        let (_, whose) = owner(OsStr::new(path), &known);
        assert_eq!(whose, student, "{path}");
    }
    for (path, words) in [
        (
            "adda/curling.cpp",
            "adda is not on the roster (did you mean ada?); use the name",
        ),
        (
            "quentin_curling.cpp",
            "quentin is not on the roster; use the name that the roster has, or ask the instructor to add yours",
        ),
    ] {
        let known = known(true);
        let Reading::Refused(student, refusal) = read(OsStr::new(path), &known) else {
            panic!("{path}");
        };
        assert!(
            student.is_some() && refusal.to_string().starts_with(words),
            "{refusal:?}"
        );
    }
    let known = known(true);
    let taken = read(OsStr::new("Ada/curling.cpp"), &known);
    assert!(matches!(taken, Reading::Named(_)), "{taken:?}");
}

/// Checks that these paths are refused: whose they are, and words of the reason.
fn refused(cases: &[(&str, Option<&str>, &str)]) {
    for &(path, student, words) in cases {
        let Reading::Refused(read_student, refusal) = text(path) else {
            panic!("{path}: {:?}", text(path));
        };
        let reason = refusal.to_string();
        assert!(reason.contains(words), "{path}: {reason}");
        let read_student = read_student.as_ref().map(Student::as_str);
        assert_eq!(read_student, student, "{path}");
    }
}

#[test]
fn names_in_folders_that_are_refused_say_why_and_what_to_do() {
    refused(&[
        (
            "alpha/curlin.cpp",
            Some("alpha"),
            "did you mean curling.cpp?",
        ),
        (
            "alpha/curlign.cpp",
            Some("alpha"),
            "did you mean curling.cpp?",
        ),
        (
            "alpha/curlin-1.cpp",
            Some("alpha"),
            "no problem is called curlin-1 (did you mean curling.cpp?); the problems here are",
        ),
        (
            "alpha/notes.hs",
            Some("alpha"),
            "no language here has the extension .hs",
        ),
        (
            "alpha/poetry.cpp",
            Some("alpha"),
            "the problems here are curling, thegame, game",
        ),
        (
            "alpha/the game.cpp",
            Some("alpha"),
            "no problem is called the game (did you mean the",
        ),
        (
            "alpha/curling.txt",
            Some("alpha"),
            "C++17 (.cpp .cc), Python 3 (.py)",
        ),
        (
            "alpha/curling.cs",
            Some("alpha"),
            "C# is not installed here; the languages here are",
        ),
        ("alpha/curling", Some("alpha"), "no extension"),
        ("alpha/curling.", Some("alpha"), "no extension"),
        (
            "alpha/beta_curling.cpp",
            Some("alpha"),
            "no problem is called beta_curling",
        ),
        (
            "alpha/old/curling.cpp",
            Some("alpha"),
            "directly into the student's folder",
        ),
        ("a/b/c/d", Some("a"), "directly into the student's folder"),
        ("a\u{202e}b/curling.cpp", None, "not a student's"),
        ("curling.cpp/x.cpp", None, "is a folder"),
        ("alpha_curling.cpp/x.cpp", None, "is a folder"),
    ]);
}

#[test]
fn what_is_often_handed_in_by_mistake_teaches() {
    refused(&[
        (
            "alpha/curling.zip",
            Some("alpha"),
            "a .zip is an archive: unpack it and hand in the source file (.cpp, .py)",
        ),
        (
            "alpha/curling.tar.gz",
            Some("alpha"),
            "a .tar.gz is an archive",
        ),
        (
            "alpha/curling.DOCX",
            Some("alpha"),
            "a .docx is a word processor's",
        ),
        ("alpha/curling.ipynb", Some("alpha"), "hand in that (.py)"),
        ("alpha/curling.class", Some("alpha"), "compiled Java"),
        ("alpha/curling.exe", Some("alpha"), "what a compiler makes"),
        ("alpha/curling.pdf", Some("alpha"), "a .pdf is"),
    ]);
}

#[test]
fn names_without_a_folder_that_are_refused_say_why_and_what_to_do() {
    refused(&[
        ("curling.cpp", None, "call it <student>_curling.cpp"),
        ("_curling.cpp", None, "call it <student>_curling.cpp"),
        ("_the_game.cpp", None, "call it <student>_the-game.cpp"),
        ("__curling.cpp", None, "call it <student>_curling.cpp"),
        (
            "alpha_curlin.cpp",
            Some("alpha"),
            "did you mean alpha_curling.cpp?",
        ),
        (
            "alpha_k_curlin.cpp",
            Some("alpha_k"),
            "did you mean alpha_k_curling.cpp?",
        ),
        (
            "alpha_poetry.cpp",
            Some("alpha"),
            "no problem is called poetry; a file here is called <student>_<problem>.cpp",
        ),
        ("alpha-curling.cpp", None, "<student>_<problem>.cpp"),
        (
            "alpha_curling.txt",
            Some("alpha"),
            "a .txt does not say in which language it is",
        ),
        (
            "alpha_curling.cs",
            Some("alpha"),
            "C# is not installed here",
        ),
        ("notes.txt", None, "a .txt does not say"),
        ("a\\b_curling.cpp", None, "is not a student's name"),
    ]);
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
            matches!(text(&format!("alpha/{name}")), Reading::Ignored(_)),
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
        &b"alpha/curl\xff.cpp"[..],
        b"alph\xe9_curling.cpp",
        b"alph\xe9/curling.cpp",
    ] {
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
        assert!(matches!(text(name), Reading::Ignored(_)), "{name}");
        let in_folder = format!("alpha/{name}");
        assert!(matches!(text(&in_folder), Reading::Ignored(_)), "{name}");
    }
    // A pattern also stands for programs, and takes none of them away.
    assert!(matches!(text("alpha/regions.cpp"), Reading::Named(_)));
    assert!(matches!(text("README/curling.cpp"), Reading::Named(_)));
}

#[test]
fn whose_turn_it_is_is_what_the_name_says() {
    for (path, is_program, student) in [
        ("alpha/curling.cpp", true, "alpha"),
        ("alpha_curling.cpp", true, "alpha"),
        ("S1 /curling (1).cpp", true, "S1"),
        ("alpha/curling.cs", false, "alpha"),
        ("alpha/x.zip", false, "alpha"),
        ("alpha /x.zip", false, "alpha"),
        ("team_01_x.zip", false, "team_01"),
        ("x.zip", false, ""),
        ("a\u{202e}/x.zip", false, ""),
    ] {
        let found = owner(OsStr::new(path), &known());
        assert_eq!(found, (is_program, student.to_owned()), "{path}");
    }
}

#[test]
fn a_student_whose_folder_looks_like_a_backup_is_told() {
    for folder in ["alpha~", "alpha.bak", "alpha.tmp"] {
        let known = known();
        let refusal = student_of_folder(OsStr::new(folder), &known).unwrap_err();
        assert!(refusal.to_string().contains("nothing in it is looked at"));
    }
    for folder in [".git", "__pycache__"] {
        let why = ignored(OsStr::new(folder)).unwrap();
        assert!(!why.may_be_a_students(), "{folder}");
    }
}

#[test]
fn folders() {
    assert!(student_of_folder(OsStr::new("alpha"), &known()).is_ok());
    assert!(student_of_folder(OsStr::new("alpha.cpp"), &known()).is_ok());
    assert!(student_of_folder(OsStr::new("Curling.cs"), &known()).is_err());
    assert!(student_of_folder(OsStr::new("a\nb"), &known()).is_err());
}

#[test]
fn an_empty_course_says_so() {
    let empty = Known::default();
    let Reading::Refused(_, refusal) = read(OsStr::new("alpha/x.cpp"), &empty) else {
        panic!();
    };
    assert!(
        refusal.to_string().contains("no language is offered here"),
        "{refusal:?}"
    );
    let many = Known {
        problems: (0..40)
            .map(|number| ProblemSlug::new(&format!("p{number}")).unwrap())
            .collect(),
        languages: known().languages,
        ..Known::default()
    };
    let Reading::Refused(_, refusal) = read(OsStr::new("alpha/x.cpp"), &many) else {
        panic!();
    };
    assert!(
        refusal.to_string().ends_with("p29 and 10 more"),
        "{refusal:?}"
    );
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
