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

/// One hint with these words is given, or none.
#[track_caller]
fn says(language: &str, source: &str, judgement: &Judgement, words: Option<&str>) {
    let found = hints(language, source.as_bytes(), judgement, Io::Stdio);
    assert_eq!(found.len(), words.iter().len(), "{source}: {found:?}");
    let said = found.concat();
    assert!(said.contains(words.unwrap_or_default()), "{source}: {said}");
}

#[test]
fn a_file_that_is_not_there() {
    let empty = nothing_right(Verdict::WrongAnswer, Some(Cause::Empty));
    let python = "python3";
    let guarded = "#ifndef ONLINE_JUDGE\nfreopen(\"a\", \"r\", stdin);\n#endif";
    for (language, source, name) in [
        ("cpp", r#"freopen("a.in", "r", stdin);"#, Some("“a.in”")),
        ("c", r#"  FILE *f = fopen("a.txt","r");"#, Some("“a.txt”")),
        ("cpp", r#"ifstream in; in.open("x");"#, Some("“x”")),
        (python, "for line in open('in.txt'):", Some("“in.txt”")),
        ("cpp", r#"int x; // freopen("a.in", "r", stdin);"#, None),
        (python, "# open('in.txt')", None),
        ("cpp", r#"freopen("out.txt", "w", stdout);"#, None),
        (python, "open('/dev/stdin')", None),
        ("cpp", guarded, None),
    ] {
        says(language, source, &empty, name);
    }
    let crash = nothing_right(Verdict::RuntimeError, Some(Cause::Signal(11)));
    let source = "freopen(\"data.in\", \"r\", stdin);";
    says("cpp", source, &crash, Some("data.in"));
    // A test was passed: it reads what it should.
    let differs = failing(Verdict::WrongAnswer, Some(Cause::Differs));
    says("cpp", source, &differs, None);
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
    for (header, words) in [
        ("conio.h", Some("<conio.h> belongs to DOS")),
        ("Windows.h", Some("<windows.h>")),
        ("own.h", None),
    ] {
        let source = format!("#include <{header}>");
        says("c", &source, &missing(header), words);
    }
    let broken = not_built(Cause::Compiler, b"stray '\\377' in program");
    for (bytes, is_told) in [
        (&b"\xFF\xFEi\0"[..], true),
        (b"\xFE\xFF\0i", true),
        (b"int", false),
    ] {
        let told = hints("c", bytes, &broken, Io::Stdio);
        assert_eq!(told.iter().any(|hint| hint.contains("UTF-16")), is_told);
    }
}
