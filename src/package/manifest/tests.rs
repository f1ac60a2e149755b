//! problem.toml as an instructor meets it: the annotated file, and every mistake with its place.

use std::path::Path;
use std::time::Duration;

use super::{Manifest, Place as Text, TOLERANCE};
use crate::compare::{Mode, WrongLayout};
use crate::domain::{Complaint, Limits};
use crate::package::groups::groups;

const ANNOTATED: &str = include_str!("../../../docs/problem.toml");
const CONFIG: &str = include_str!("../../../config.toml");

fn defaults() -> Limits {
    let config = crate::config::parse(CONFIG, Path::new("/course/config.toml"));
    config.unwrap_or_else(|error| panic!("{error}")).limits
}

/// Everything that a file settles, as text.
fn settled(text: &str) -> Result<String, Complaint> {
    let place = Text::new(text, Path::new("/course/problems/sum/problem.toml"));
    let manifest = Manifest::parse(&place, &defaults())?;
    let groups = groups(&manifest.groups, &place)?;
    Ok(format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {groups:?}",
        manifest.compare.mode(),
        manifest.compare.wrong_layout,
        manifest.io,
        manifest.protocol,
        manifest.disclosure,
        manifest.limits.with_wall_floor(),
        manifest.sources,
    ))
}

/// The annotated file with its examples switched on.
fn with_examples() -> String {
    ANNOTATED
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(rest) if !rest.starts_with(' ') => rest,
            _ => line,
        })
        .fold(String::new(), |text, line| text + line + "\n")
}

#[test]
fn the_annotated_file_says_the_defaults() {
    assert_eq!(
        settled(ANNOTATED).unwrap(),
        settled("title = \"Sum of two numbers\"").unwrap()
    );
}

/// The keys of a table, as the error for an unknown one lists them.
fn keys_of(table: &str) -> Vec<String> {
    let unknown = "no-such-key-anywhere";
    let text = match table {
        "" => format!("{unknown} = 1\n"),
        table => format!("title = \"T\"\n[{table}]\n{unknown} = 1\n"),
    };
    let error = settled(&text).unwrap_err();
    let (_, keys) = error
        .help
        .as_deref()
        .unwrap()
        .split_once("known here: ")
        .unwrap();
    let mut keys: Vec<String> = keys.split(", ").map(str::to_owned).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn the_annotated_file_has_every_key_of_every_table() {
    let value: toml::Table = toml::from_str(&with_examples()).unwrap();
    let sorted = |table: &toml::Table| -> Vec<String> {
        let mut keys: Vec<String> = table.keys().cloned().collect();
        keys.sort_unstable();
        keys
    };
    assert_eq!(sorted(&value), keys_of(""));
    for table in ["limits", "compare", "disclosure"] {
        let present = value[table].as_table().unwrap();
        assert_eq!(sorted(present), keys_of(table), "[{table}]");
    }
    let group = value["groups"][0].as_table().unwrap();
    assert_eq!(sorted(group), keys_of("[groups]"));
}

#[test]
fn every_key_of_the_annotated_file_has_a_word_of_why_above_it() {
    let lines: Vec<&str> = ANNOTATED.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        if line.contains(" = ") && !line.starts_with('#') {
            let above = lines[index - 1];
            assert!(above.starts_with("# ") && above.len() > 40, "{line}");
        }
    }
}

#[test]
fn the_examples_of_the_annotated_file_are_the_defaults_too() {
    let text = with_examples().replace("mode = \"tokens\"", "mode = \"float\"");
    let text = text.replace("checker =", "#").replace("reference =", "#");
    let plain = "title = \"T\"\nvalidator = \"v.py\"\nprotocol = \"icpc\"\n[compare]\nmode = \"float\"\n\
         [[groups]]\nname = \"easy\"\npoints = 30\n";
    assert_eq!(settled(&text).unwrap(), settled(plain).unwrap());
}

#[test]
fn numbers_have_a_tolerance_where_the_file_says_none() {
    let mode = |more: &str| {
        let text = format!("title = \"T\"\n[compare]\nmode = \"float\"\n{more}");
        let place = Text::new(&text, Path::new("problem.toml"));
        let manifest = Manifest::parse(&place, &defaults()).unwrap();
        assert_eq!(manifest.compare.wrong_layout, WrongLayout::Presentation);
        manifest.compare.mode()
    };
    let float = |absolute, relative| Mode::Float { absolute, relative };
    assert_eq!(mode(""), float(TOLERANCE, TOLERANCE));
    assert_eq!(mode("absolute = 0.01\n"), float(0.01, 0.0));
    assert_eq!(mode("relative = 0.01\n"), float(0.0, 0.01));
    // Who wants no tolerance says so.
    assert_eq!(mode("absolute = 0\nrelative = 0\n"), float(0.0, 0.0));
    assert_eq!(defaults().cpu, Duration::from_secs(2));
}

/// What follows `title = "T"`, line, column, words of the message, words of the help.
#[rustfmt::skip]
const MISTAKES: &[(&str, usize, usize, &str, &str)] = &[
    ("[compare]\nmode = \"token\"\n", 3, 8, "`mode` cannot be `token`", "did you mean \"tokens\"?"),
    ("[compare]\nmode = \"diff\"\n", 3, 8, "cannot be `diff`", "\"exact\" or \"float\"; the default is \"tokens\""),
    ("[compare]\nabsolute = 0.1\n", 3, 12, "only with mode = \"float\"", "mode = \"float\""),
    ("[compare]\nmode = \"float\"\nabsolute = -1\n", 4, 12, "cannot be -1", "0 or more"),
    ("[compare]\nmode = \"float\"\nrelative = \"1e-6\"\n", 4, 12, "expected a number", "`relative = 1`"),
    ("[compare]\nwrong_layout = \"pe\"\n", 3, 16, "cannot be `pe`", "\"PE\" or \"WA\""),
    ("[compare]\nmdoe = \"lines\"\n", 3, 1, "unknown key `mdoe`", "`mode`"),
    ("[compare]\ncase_sensitive = false\n", 3, 1, "cannot be compared in this way", "checker"),
    ("[limits]\ncpu_s = 0\n", 3, 9, "`cpu_s` cannot be 0", "from 0.01 to 3600; the default is 2"),
    ("[limits]\ncpu_s = \"2 s\"\n", 3, 9, "expected a number", "`cpu_s = 2`"),
    ("[limits]\nmemory_mib = \"256M\"\n", 3, 14, "expected a whole number", "`memory_mib = 256`"),
    ("[limits]\nmemory_mib = \"1G\"\n", 3, 14, "expected a whole number", "`memory_mib = 1024`"),
    ("[limits]\nmemory_mib = 1\n", 3, 14, "cannot be 1", "the default is 256"),
    ("[time_factors]\npython3 = 0.01\n", 3, 11, "cannot be 0.01", "from 0.1 to 100"),
    ("[time_factors]\nPython = 2\n", 3, 1, "cannot be a language's key", "python3"),
    ("time_factors = 2\n", 2, 16, "", ""),
    ("[limits]\nmemory = 64\n", 3, 1, "unknown key `memory`", "`memory_mib`"),
    ("[limits]\ntime_limit = 2\n", 3, 1, "another name", "cpu_s"),
    ("[limits]\nwall_s = 4.9\n", 3, 10, "cannot be 4.9", "at least 2 × cpu_s + 1 = 5 s"),
    ("[limits]\nprocesses = 0\n", 3, 13, "cannot be 0", "from 1 to 32768"),
    ("[disclosure]\nsecret = \"nothing\"\n", 3, 10, "cannot be `nothing`", "the default is \"first-failure\""),
    ("[disclosure]\nsample = true\n", 3, 10, "expected a string", "quotation marks"),
    ("io = \"file\"\n", 2, 6, "cannot be `file`", "the default is \"stdio\""),
    ("protocol = \"icpc\"\n", 2, 12, "only with `validator` or `checker`", "take it out"),
    ("validator = \"v.py\"\nprotocol = \"kattis\"\n", 3, 12, "cannot be `kattis`", "\"icpc\" or \"testlib\""),
    ("checker = \"c.py\"\n[compare]\n", 3, 1, "no meaning beside `checker`", "one of the two"),
    ("interactive = true\n", 2, 1, "interactive problems are not supported", "standard input"),
    ("type = \"multi-pass\"\n", 2, 1, "problem.yaml", "pass-fail"),
    ("validator_flags = \"x\"\n", 2, 1, "no arguments", "[compare]"),
    ("name = \"Sum\"\n", 2, 1, "another name", "`title`"),
    ("limits = 3\n", 2, 10, "", ""),
    ("points = 3\n", 2, 1, "in another way", "[[groups]]"),
    ("[[groups]]\npoints = 3\n", 2, 1, "the key `name` is missing", "add a line `name"),
    ("[[groups]]\nname = \"a\"\n", 2, 1, "the key `points` is missing", "add a line `points"),
    ("[[groups]]\nname = \"a\"\npoints = -3\n", 4, 10, "`points` cannot be -3", "from 0 to 1000000"),
    ("[[groups]]\nname = \"a\"\npoints = 2.5\n", 4, 10, "expected a whole number", "`points = 2`"),
    ("[[groups]]\nname = \"a\"\npoints = 3\nscore = \"min\"\n", 5, 9, "cannot be `min`", "\"all\" or \"sum\""),
    ("[[groups]]\nname = \"a\"\npoints = 0\n", 3, 8, "no group has any points", "1 or more"),
    ("[[groups]]\nname = \"../a\"\npoints = 1\n", 3, 8, "not the name of a folder", "data/secret/easy"),
    ("[[groups]]\nname = \"a\"\npoints = 1\n[[groups]]\nname = \"a\"\npoints = 1\n", 6, 8, "`a` is here twice", "one of the two"),
    ("[[groups]]\nname = \"a\"\npoints = 1\nneeds = [\"b\"]\n", 5, 10, "there is no group `b`", "take `needs` out"),
    ("[[groups]]\nname = \"easy\"\npoints = 1\n[[groups]]\nname = \"b\"\npoints = 1\nneeds = [\"esay\"]\n", 8, 10, "no group `esay`", "did you mean `easy`?"),
    ("[[groups]]\nname = \"a\"\npoints = 1\nneeds = [\"a\"]\n", 5, 10, "needs itself", "take it out of `needs`"),
    ("[[groups]]\nname = \"a\"\npoints = 1\nneeds = [\"b\"]\n[[groups]]\nname = \"b\"\npoints = 1\n", 5, 10, "`b`, which comes after it", "move [[groups]] of `b` up"),
    ("[[groups]]\nname = \"a\"\npoints = 1\nhacks = true\n[[groups]]\nname = \"b\"\npoints = 1\nhacks = true\n", 9, 9, "hacks belong to the group `a`", "one of the two"),
    ("[groups]\nname = \"a\"\n", 2, 1, "expected a list", ""),
];

#[test]
fn every_mistake_has_its_place_and_the_way_out() {
    for &(text, line, column, message, help) in MISTAKES {
        let error = settled(&format!("title = \"T\"\n{text}")).unwrap_err();
        assert_eq!(error.place, Some((line, Some(column))), "{text:?}\n{error}");
        let shown = error.to_string();
        for words in [message, help, "^", &format!("problem.toml:{line}:{column}")] {
            assert!(shown.contains(words), "{text:?} without {words:?}\n{shown}");
        }
        let one = error.in_one_line();
        let all = one.contains(message) && one.contains(help) && !one.contains('\n');
        assert!(all, "{text:?}\n{one}");
    }
    let untitled = settled("sources = []\n").unwrap_err().to_string();
    assert!(
        untitled.contains("the key `title` is missing"),
        "{untitled}"
    );
    assert!(untitled.contains("add a line `title = …`"), "{untitled}");
}
