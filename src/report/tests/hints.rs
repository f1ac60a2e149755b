//! Hints: which mistakes are recognised, and that nothing else is.

use super::samples::{failing, judged, not_built, report_of, test, wrong};
use crate::domain::{Cause, Judgement, Verdict};
use crate::package::Io;

fn hints(language: &str, source: &[u8], judgement: &Judgement, io: Io) -> Vec<String> {
    report_of("alpha", language, source, judgement, io).hints
}

fn nothing_right(verdict: Verdict, cause: Option<Cause>) -> Judgement {
    judged(vec![test("sample/1", verdict, cause)])
}

/// The hint for a program of which nothing was right, or none.
fn hint(language: &str, source: &str, judgement: &Judgement) -> Option<String> {
    let found = hints(language, source.as_bytes(), judgement, Io::Stdio);
    assert!(found.len() <= 1, "{found:?}");
    found.into_iter().next()
}

#[track_caller]
fn says(language: &str, source: &str, judgement: &Judgement, words: Option<&str>) {
    let hint = hint(language, source, judgement);
    match words {
        None => assert_eq!(hint, None, "{source}"),
        Some(words) => {
            let hint = hint.unwrap_or_else(|| panic!("no hint for {source}"));
            assert!(hint.contains(words), "{source}: {hint}");
        }
    }
}

#[test]
fn a_file_that_is_not_there() {
    let empty = nothing_right(Verdict::WrongAnswer, Some(Cause::Empty));
    for (language, source, name) in [
        (
            "cpp",
            "freopen(\"data.in\", \"r\", stdin);",
            Some("“data.in”"),
        ),
        ("c", "  FILE *f = fopen(\"a.txt\",\"r\");", Some("“a.txt”")),
        ("cpp", "ifstream in; in.open(\"x\");", Some("“x”")),
        ("python3", "for line in open('in.txt'):", Some("“in.txt”")),
        ("cpp", "// freopen(\"data.in\", \"r\", stdin);", None),
        ("cpp", "int x; // freopen(\"data.in\", \"r\", stdin);", None),
        ("python3", "# open('in.txt')", None),
        ("cpp", "freopen(\"out.txt\", \"w\", stdout);", None),
        ("python3", "open('/dev/stdin')", None),
        (
            "cpp",
            "#ifndef ONLINE_JUDGE\nfreopen(\"data.in\", \"r\", stdin);\n#endif",
            None,
        ),
        ("cpp", "int main() {}", None),
    ] {
        says(language, source, &empty, name);
    }
    let crash = nothing_right(Verdict::RuntimeError, Some(Cause::Signal(11)));
    let source = "freopen(\"data.in\", \"r\", stdin);";
    says("cpp", source, &crash, Some("data.in"));
    // A test was passed: it reads what it should.
    says(
        "cpp",
        source,
        &failing(Verdict::WrongAnswer, Some(Cause::Differs)),
        None,
    );
    let file = b"open('INPUT.TXT')";
    assert_eq!(hints("python3", file, &empty, Io::Stdio).len(), 1);
    assert!(hints("python3", file, &empty, Io::StdioOrFiles).is_empty());
}

#[test]
fn functions_that_nobody_calls() {
    let empty = nothing_right(Verdict::WrongAnswer, Some(Cause::Empty));
    let source =
        "\"\"\"A sum.\nfor you\n\"\"\"\nimport sys\n\ndef solve(\n    x\n):\n    print(1)\n# end\n";
    says("python3", source, &empty, Some("“solve”"));
    for called in ["solve(1)\n", "if __name__ == '__main__':\n    solve(1)\n"] {
        says("python3", &(source.to_owned() + called), &empty, None);
    }
    says("python3", "import sys\n", &empty, None);
    says("cpp", source, &empty, None);
    let differs = nothing_right(Verdict::WrongAnswer, Some(Cause::Differs));
    says("python3", source, &differs, None);
}

#[test]
fn prompts_and_other_forms_of_the_right_value() {
    for (expected, got, words) in [
        ("3", "Enter two numbers: 3", Some("meant for a person")),
        ("3", "The answer is: 3", Some("meant for a person")),
        ("enter: 3", "enter: 4", None),
        ("3", "3.0", Some("the same number in another form")),
        ("0", "-0", Some("the same number in another form")),
        ("3", "3.5", None),
        ("yes 1", "yes 2", None),
        ("YES", "Yes", Some("upper and lower case matter")),
        ("4", "4,", Some("only the punctuation differs")),
        ("4", "", None),
        ("4", "NaN", None),
    ] {
        says("cpp", "", &wrong(expected, got), words);
    }
}

#[test]
fn files_that_do_not_compile() {
    let missing = |header: &str| {
        let words = format!("main.c:1:10: fatal error: {header}: No such file or directory");
        not_built(Cause::Compiler, words.as_bytes())
    };
    says(
        "c",
        "#include <conio.h>",
        &missing("conio.h"),
        Some("<conio.h> belongs to DOS"),
    );
    says(
        "c",
        "#include <Windows.h>",
        &missing("Windows.h"),
        Some("<windows.h>"),
    );
    says("c", "#include <own.h>", &missing("own.h"), None);
    let broken = not_built(Cause::Compiler, b"stray '\\377' in program");
    for (bytes, is_told) in [
        (&b"\xFF\xFEi\0"[..], true),
        (b"\xFE\xFF\0i", true),
        (b"int", false),
    ] {
        let told = hints("c", bytes, &broken, Io::Stdio);
        assert_eq!(told.iter().any(|hint| hint.contains("UTF-16")), is_told);
    }
    assert!(
        hint(
            "c",
            "freopen(\"x\")",
            &judged(vec![test("sample/1", Verdict::Accepted, None)])
        )
        .is_none()
    );
}
