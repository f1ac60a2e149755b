//! Problems written as packages of the ICPC's format, and read again: `verdictd export-problem`.

use std::fs;
use std::path::Path;
use std::process::Command;

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
fn files(place: &Place, folder: &str) -> Vec<(String, Vec<u8>)> {
    let root = place.path(folder);
    let files = below(&root).into_iter().filter(|path| path.is_file());
    let relative = files.map(|path| path.strip_prefix(&root).unwrap().to_owned());
    let mut files: Vec<_> = relative
        .map(|path| {
            (
                path.display().to_string(),
                fs::read(root.join(path)).unwrap(),
            )
        })
        .collect();
    files.sort();
    files
}

#[test]
fn every_problem_is_exported_in_both_formats_and_read_again_as_the_same() {
    let place = PROBLEMS
        .iter()
        .take(3)
        .fold(Place::new(), |place, (slug, _)| place.with_problem(slug));
    let packages = PROBLEMS.iter().skip(3);
    let place = packages.fold(place, |place, (slug, _)| place.with_package(slug));
    let place = place.only(&["python3", "cpp"]);
    for (number, (slug, codes)) in PROBLEMS.iter().enumerate() {
        for (at, (format, code)) in FORMATS.iter().zip(codes).enumerate() {
            let line = format!("export-problem {slug} --format {format} --out problems/{slug}{at}");
            let text = place.says(*code, &line, &[]);
            let before = files(&place, &format!("problems/{slug}"));
            if *code == 2 {
                assert!(
                    !place.path(&format!("problems/{slug}{at}")).exists(),
                    "{text}"
                );
                continue;
            }
            let after = files(&place, &format!("problems/{slug}{at}"));
            let was_in_it = number > 2 && (at == 1) == (*slug == "halving");
            if was_in_it {
                assert!(before == after, "{slug} is a copy");
            }
            let of = |files: &[(String, Vec<u8>)], ending: &str| -> Vec<(String, Vec<u8>)> {
                let is_test = |path: &str| path.starts_with("data/s") && path.ends_with(ending);
                files
                    .iter()
                    .filter(|(path, _)| is_test(path))
                    .cloned()
                    .collect()
            };
            let names = |tests: &[(String, Vec<u8>)]| -> Vec<String> {
                tests
                    .iter()
                    .map(|(path, _)| path.replace(".ans", ".in"))
                    .collect()
            };
            let inputs = of(&after, ".in");
            assert_eq!(inputs, of(&before, ".in"), "{line}");
            assert_eq!(names(&of(&after, ".ans")), names(&inputs), "{line}");
            let stored = of(&before, ".ans");
            assert!(stored.iter().all(|answer| after.contains(answer)), "{line}");
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
    assert!(
        rows.iter().all(|row| row["holds"] == true),
        "{slug}: {rows:#?}"
    );
    let is_tried =
        |row: &serde_json::Value| row["check"] == "example submissions" && row["count"] != 0;
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
    place.write(
        "problems/shares/statement.md",
        "# A\n\nAdd *a* and `b_1`: 1 ≤ a, 10⁹.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    );
    for test in [
        "sample/1",
        "secret/1",
        "secret/z small/2",
        "secret/z small/10",
        "secret/large/1",
    ] {
        place.write(
            &format!("problems/shares/data/{test}.in"),
            format!("{} 2\n", test.len()),
        );
    }
    place.write("problems/shares/hacks/evil.in", "-7 7\n");
    place
}

#[test]
fn points_hacks_and_names_are_written_and_what_has_no_words_there_is_named() {
    let place = shares();
    let lacks = "the format asks for an input validator";
    let named = [
        lacks,
        "keys without a counterpart: limits.wall_s",
        "have other names there",
    ];
    let text = place.says(
        1,
        "export-problem shares --format legacy --out problems/old",
        &named,
    );
    assert_has(
        &text,
        &["3-large needs secret/2-z-small: there it brings its points without that"],
    );
    place.says(
        1,
        "export-problem shares --format 2025-09 --out problems/new",
        &named,
    );
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
    assert_has(
        &yaml,
        &[
            "name: \"A & B\"",
            "\"time_limit\":1.5",
            "\"time_resolution\":0.1",
            "source: [\"a book\"]",
        ],
    );
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
    place.says(
        1,
        "export-problem shares --format legacy",
        &["staff/exports/legacy/shares, 6 tests"],
    );
    place.says(
        3,
        "export-problem shares --format legacy",
        &["it is not empty"],
    );
    place.edit("problems/shares/problem.toml", "60", "61");
    for (format, words) in [
        ("legacy", "30.5` is not a whole number of points"),
        (
            "2025-09",
            "61 points cannot be divided among 2 tests in whole points",
        ),
    ] {
        let line = format!("export-problem shares --format {format} --out refused");
        place.says(
            2,
            &line,
            &[
                "it cannot be written in this version: data/secret/3-large",
                words,
            ],
        );
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
        place.says(
            0,
            &format!("export-problem {slug} --format 2025-09 --out {slug}"),
            &[],
        );
        let mut command = Command::new(&tool);
        command
            .args(["validate", "--no-bar"])
            .current_dir(place.path(slug));
        // Its warnings are about the problem: an empty answer, two spaces side by side.
        let text = said(
            &output(&mut command),
            1,
            &["Generic Invalidation", "Input validation"],
        );
        assert!(!text.contains("ERROR"), "{text}");
    }
}
