//! Problems written as packages of the ICPC's format, and read again: `verdictd export-problem`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::place::{Place, assert_has, below, is_soak, left_to_soak, output, said};
use crate::programs::LUA;

const FORMATS: [&str; 2] = ["legacy", "2025-09"];
/// Problems, and the exit code of the export in each format.
const PROBLEMS: [(&str, [i32; 2]); 9] = [
    ("curling", [0, 0]),
    ("thegame", [0, 0]),
    ("regions", [0, 0]),
    ("adding", [0, 2]),
    ("parting", [0, 0]),
    ("guessing", [0, 0]),
    // They have no statement, or no validator.
    ("hiding", [0, 1]),
    ("counting", [0, 1]),
    ("halving", [2, 0]),
];

/// The files of a folder by their paths in it, with what is in them.
type Files = BTreeMap<String, Vec<u8>>;

fn files(place: &Place, folder: &str) -> Files {
    let root = place.path(folder);
    let files = below(&root).into_iter().filter(|path| path.is_file());
    let named = files.map(|path| {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        (name, fs::read(path).unwrap())
    });
    named.collect()
}

/// The tests' files of this ending.
fn of_tests(files: &Files, ending: &str) -> Files {
    let mut files = files.clone();
    files.retain(|path, _| path.starts_with("data/s") && path.ends_with(ending));
    files
}

#[test]
fn every_problem_is_exported_in_both_formats_and_read_again_as_the_same() {
    let (built_in, packages) = PROBLEMS.split_at(3);
    let place = Place::new().only(&["python3", "cpp"]);
    let built_in = built_in.iter();
    let place = built_in.fold(place, |place, (slug, _)| place.with_problem(slug));
    let packages = packages.iter();
    let place = packages.fold(place, |place, (slug, _)| place.with_package(slug));
    for (number, (slug, codes)) in PROBLEMS.iter().enumerate() {
        for (at, (format, code)) in FORMATS.iter().zip(codes).enumerate() {
            let (written, before) = (format!("problems/{slug}{at}"), format!("problems/{slug}"));
            let line = format!("export-problem {slug} --format {format} --out {written}");
            place.says(*code, &line, &[]);
            if *code == 2 {
                assert!(!place.path(&written).exists(), "{line}");
                continue;
            }
            let [before, after] = [before, written].map(|folder| files(&place, &folder));
            let was_in_it = number > 2 && (at == 1) == (*slug == "halving");
            assert!(!was_in_it || before == after, "{slug} is a copy");
            let [inputs, answers] = [".in", ".ans"].map(|ending| of_tests(&after, ending));
            assert_eq!(inputs, of_tests(&before, ".in"), "{line}");
            let answered = answers.keys().map(|path| path.replace(".ans", ".in"));
            assert!(answered.eq(inputs.keys().cloned()), "{line}");
            let mut stored = of_tests(&before, ".ans").into_iter();
            assert!(
                stored.all(|(path, answer)| answers[&path] == answer),
                "{line}"
            );
            // The real programs are run on what was written.
            if (number + at) % 2 == 0 || is_soak() {
                is_judged_as(&place, &format!("{slug}{at}"), inputs.len());
            }
        }
    }
}

/// Asserts that a package is sound, and has so many tests.
fn is_judged_as(place: &Place, slug: &str, tests: usize) {
    // Others take long, or are in other languages.
    for path in below(&place.path(&format!("problems/{slug}/submissions"))) {
        let name = path.to_string_lossy();
        let is_offered = name.contains("/accepted/") && name.ends_with(".py");
        if path.is_file() && !is_offered && !name.ends_with(".yaml") {
            fs::remove_file(&path).unwrap();
        }
    }
    let rows = place.objects(&format!("check --json {slug}"));
    assert_eq!(rows[0]["count"], tests, "{slug}: {rows:#?}");
    let is_sound = |row: &Value| row["holds"] == true;
    assert!(rows.iter().all(is_sound), "{slug}: {rows:#?}");
    let is_tried = |row: &Value| row["check"] == "example submissions" && row["count"] != 0;
    assert!(rows.iter().any(is_tried), "{slug}: {rows:#?}");
}

/// A problem whose groups, names and keys the formats cannot all say.
const SHARES: &str = "title = \"A & B\"\nreference = \"submissions/accepted/main.lua\"\nsources = [\"a book\"]\n\
    [limits]\ncpu_s = 1.5\nwall_s = 9\n[compare]\nmode = \"float\"\nabsolute = 0.5\n\
    [[groups]]\nname = \"z small\"\npoints = 40\n\
    [[groups]]\nname = \"large\"\npoints = 60\nscore = \"sum\"\nneeds = [\"z small\"]\nhacks = true\n";

fn shares() -> Place {
    let place = Place::new().only(&["lua"]);
    place.write("problems/shares/problem.toml", SHARES);
    place.write("problems/shares/submissions/accepted/main.lua", LUA);
    let table = "| a | b |\n|---|---|\n| 1 | 2 |\n";
    let statement = format!("# A\n\nAdd *a* and `b_1`: 1 ≤ a, 10⁹.\n\n{table}");
    place.write("problems/shares/statement.md", statement);
    for test in "sample/1|secret/1|secret/z small/2|secret/z small/10|secret/large/1".split('|') {
        let file = format!("problems/shares/data/{test}.in");
        place.write(&file, format!("{} 2\n", test.len()));
    }
    place.write("problems/shares/hacks/evil.in", "-7 7\n");
    place
}

#[test]
fn points_hacks_and_names_are_written_and_what_has_no_words_there_is_named() {
    let place = shares();
    let needs = "3-large needs secret/2-z-small: there it brings its points without that";
    for (format, slug, more) in [("legacy", "old", needs), ("2025-09", "new", "")] {
        let lacks = "the format asks for an input validator";
        let keys = "keys without a counterpart: limits.wall_s|have other names there";
        let line = format!("export-problem shares --format {format} --out problems/{slug}");
        assert_has(&place.says(1, &line, &[]), &[lacks, keys, more]);
    }
    let groups = "100 points: 1-ungrouped 0 (1 tests, all) · 2-z-small 40 (2 tests, all) · 3-large 60 (2 tests, sum)";
    let tolerance = "numbers with a tolerance of 5e-1 absolute or 0e0 relative";
    for slug in ["old", "new"] {
        place.says(0, &format!("check {slug}"), &[groups, tolerance]);
        let hack = format!("problems/{slug}/data/secret/3-large/hack-evil");
        assert_eq!(place.read(&format!("{hack}.ans")), "0\n");
        let folder = place.path(&format!("problems/{slug}/data/secret/2-z-small"));
        assert!(folder.join("1-2.in").is_file() && folder.join("2-10.ans").is_file());
    }
    let yaml = place.read("problems/new/problem.yaml");
    let limits = "\"time_limit\":1.5|\"time_resolution\":0.1";
    assert_has(&yaml, &["name: \"A & B\"|source: [\"a book\"]", limits]);
    let group = place.read("problems/new/data/secret/3-large/test_group.yaml");
    assert_has(&group, &["require_pass: [\"secret/2-z-small\"]"]);
    let latex = place.read("problems/old/problem_statement/problem.en.tex");
    let words = "\\problemname{A \\& B}\n\nAdd \\emph{a} and \\texttt{b\\_1}: 1 $\\le$ a, 10$^9$.\n\n\
        \\begin{tabular}{ll}\na & b\\\\ \\hline\n1 & 2\\\\\n\\end{tabular}";
    assert_eq!(latex.trim(), words);
}

#[test]
fn nothing_is_overwritten_and_what_cannot_be_written_as_what_it_is_is_refused() {
    let place = shares();
    // Without a folder, it is among the staff's files.
    let line = "export-problem shares --format legacy";
    place.says(1, line, &["staff/exports/legacy/shares, 6 tests"]);
    place.says(2, line, &["it is not empty"]);
    place.edit("problems/shares/problem.toml", "60", "61");
    let shares = "61 points cannot be divided among 2 tests in whole points";
    let each = "30.5` is not a whole number of points";
    for (format, words) in [("legacy", each), ("2025-09", shares)] {
        let line = format!("export-problem shares --format {format} --out refused");
        let what = "it cannot be written in this version: data/secret/3-large";
        place.says(2, &line, &[what, words]);
        assert!(!place.path("refused").exists());
    }
}

#[test]
fn bapctools_accepts_what_is_exported() {
    let tool = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("bapctools/bin/bt");
    if !is_soak() || !tool.is_file() {
        return left_to_soak("packages in the format 2025-09 are looked at by BAPCtools");
    }
    for slug in ["curling", "thegame", "regions"] {
        let place = Place::new().with_problem(slug);
        let line = format!("export-problem {slug} --format 2025-09 --out {slug}");
        place.says(0, &line, &[]);
        let mut command = Command::new(&tool);
        let command = command.args(["validate", "--no-bar"]);
        // Its warnings are about the problem: an empty answer, two spaces side by side.
        let parts = ["Generic Invalidation", "Input validation"];
        let text = said(&output(command.current_dir(place.path(slug))), 1, &parts);
        assert!(!text.contains("ERROR"), "{text}");
    }
}

#[test]
fn programs_of_testlib_are_called_as_the_format_says() {
    let place = Place::new().only(&["cpp", "lua"]);
    let begin = "#include <cstdio>\nint number(const char *path) {\nint n = 0;\nFILE *file = path ? fopen(path, \"r\") : stdin;\n\
        fscanf(file, \"%d\", &n);\nreturn n;\n}\nint main(int argc, char **argv) {\nif (argc > 4) return 5;\n";
    let end = "fputs(\"not twice as much\", stderr);\nreturn n == right ? 0 : n < 0 ? 3 : 1;\n}\n";
    let validator = "int n = number(0) > 0 ? 1 : -1, right = 1;\n";
    let checker = "int n = number(argv[2]), right = number(argv[3]);\n";
    let interactor = "printf(\"%d\\n\", number(argv[1]));\nfflush(stdout);\n\
        fclose(fopen(argv[2], \"w\"));\nint n = number(0), right = number(argv[3]);\n";
    let remark = "wrong layout is WA there, and never PE";
    for (slug, kind, source, words) in [
        ("quiet", "checker", checker, remark),
        ("talking", "interactor", interactor, "written"),
    ] {
        let write = |path: &str, text: &str| place.write(&format!("problems/{slug}/{path}"), text);
        let manifest = format!(
            "title = \"Twice\"\nvalidator = \"valid.cpp\"\n{kind} = \"it.cpp\"\nprotocol = \"testlib\"\n"
        );
        write("problem.toml", &manifest);
        write("valid.cpp", &format!("{begin}{validator}{end}"));
        write("it.cpp", &format!("{begin}{source}{end}"));
        write("statement.md", "Print twice as much.");
        write("data/sample/1.in", "3\n");
        write("data/sample/1.ans", "6\n");
        write("submissions/accepted/a.lua", "print(2 * io.read('n'))\n");
        for format in FORMATS {
            let written = format!("{slug}{}", &format[..2]);
            let line = format!("export-problem {slug} --format {format} --out problems/{written}");
            place.says(0, &line, &[words]);
            place.says(0, &format!("check {written}"), &[]);
            if format == "legacy" {
                let yaml = format!("problems/{written}/problem.yaml");
                place.edit(&yaml, "name:", "validator_flags: a b\nname:");
            }
            for (program, verdict, code) in [("2", "AC", 0), ("1", "WA", 1), ("-1", "", 3)] {
                place.write("p.lua", format!("print({program} * io.read('n'))\n"));
                let line = format!("judge --problem {written} p.lua");
                place.says(code, &line, &[verdict]);
            }
            for (input, code) in [("7\n", 0), ("0\n", 1)] {
                place.write("7.in", input);
                place.says(code, &format!("validate {written} 7.in"), &[]);
            }
        }
    }
}
