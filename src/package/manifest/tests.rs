//! problem.toml as an instructor meets it: the annotated file, and every mistake with its place.

use std::path::Path;
use std::time::Duration;

use super::{Manifest, Place as Text, TOLERANCE};
use crate::compare::{Mode, WrongLayout};
use crate::domain::{Complaint, Limits};
use crate::package::groups::groups;
use crate::util::tests::annotated::{UNKNOWN, keys_of, sorted, with_examples};

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

#[test]
fn the_annotated_file_says_the_defaults() {
    let plain = settled("title = \"Sum of two numbers\"");
    assert_eq!(settled(ANNOTATED).unwrap(), plain.unwrap());
}

#[test]
fn the_annotated_file_has_every_key_of_every_table() {
    let value: toml::Table = toml::from_str(&with_examples(ANNOTATED)).unwrap();

    let unknown = |table: &str| settled(&format!("title = \"T\"\n{table}{UNKNOWN}")).unwrap_err();
    assert_eq!(sorted(&value), keys_of(&unknown("")));
    for table in ["limits", "compare", "disclosure"] {
        let present = value[table].as_table().unwrap();
        let unknown = unknown(&format!("[{table}]\n"));
        assert_eq!(sorted(present), keys_of(&unknown), "[{table}]");
    }
    let group = value["groups"][0].as_table().unwrap();
    assert_eq!(sorted(group), keys_of(&unknown("[[groups]]\n")));
}

#[test]
fn the_examples_of_the_annotated_file_are_the_defaults_too() {
    let text = with_examples(ANNOTATED).replace("mode = \"tokens\"", "mode = \"float\"");
    let of_others = "checker =|interactor =|passes =|gives =|reference =".split('|');
    let text = of_others.fold(text, |text, key| text.replace(key, "#"));
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
    ("[compare]\nabsolute = 0.1\n", 3, 12, "only with mode = \"float\"", "mode = \"float\""),
    ("[compare]\nmode = \"float\"\nabsolute = -1\n", 4, 12, "cannot be -1", "0 or more"),
    ("[compare]\nmdoe = \"lines\"\n", 3, 1, "unknown key `mdoe`", "`mode`"),
    ("[compare]\ncase_sensitive = false\n", 3, 1, "cannot be compared in this way", "checker"),
    ("[limits]\ncpu_s = 0\n", 3, 9, "`cpu_s` cannot be 0", "from 0.01 to 3600; the default is 2"),
    ("[limits]\nmemory_mib = \"256M\"\n", 3, 14, "expected a whole number", "`memory_mib = 256`"),
    ("[time_factors]\npython3 = 0.01\n", 3, 11, "cannot be 0.01", "from 0.1 to 100"),
    ("[limits]\ntime_limit = 2\n", 3, 1, "another name", "cpu_s"),
    ("[limits]\nwall_s = 4.9\n", 3, 10, "cannot be 4.9", "at least 2 × cpu_s + 1 = 5 s"),
    ("[disclosure]\nsecret = \"nothing\"\n", 3, 10, "cannot be `nothing`", "the default is \"first-failure\""),
    ("[disclosure]\ncounterexample = \"after 0 attempts\"\n", 3, 18, "cannot be \"after 0 attempts\"", "after 3 attempts"),
    ("protocol = \"icpc\"\n", 2, 12, "only with `validator`, `checker` or `interactor`", "take it out"),
    ("checker = \"c.py\"\n[compare]\n", 3, 1, "no meaning beside a `checker`", "one of the two"),
    ("interactive = true\n", 2, 1, "this key has another name", "interactor = "),
    ("gives = \"points\"\n", 2, 9, "`gives` has a meaning only with", "name the program"),
    ("passes = 2\n", 2, 10, "`passes` has a meaning only with", "name the program"),
    ("checker = \"c.py\"\npasses = 1\n", 3, 10, "`passes`", "2"),
    ("interactor = \"i.py\"\npasses = 2\nprotocol = \"testlib\"\n", 4, 12, "asked in the ICPC's way", "42"),
    ("type = \"multi-pass\"\n", 2, 1, "problem.yaml", "points are given by"),
    ("validator_flags = \"x\"\n", 2, 1, "no arguments", "[compare]"),
    ("name = \"Sum\"\n", 2, 1, "another name", "`title`"),
    ("points = 3\n", 2, 1, "in another way", "[[groups]]"),
    ("[groups]\nname = \"a\"\n", 2, 1, "expected a list", "begin each with a line `[[groups]]`"),
    ("[[groups]]\npoints = 3\n", 2, 1, "the key `name` is missing", "add a line `name"),
    ("[[groups]]\nname = \"a\"\npoints = 0\n", 3, 8, "no group has any points", "1 or more"),
    ("[[groups]]\nname = \"../a\"\npoints = 1\n", 3, 8, "not the name of a folder", "data/secret/easy"),
    ("[[groups]]\nname = \"a\"\npoints = 1\n[[groups]]\nname = \"a\"\npoints = 1\n", 6, 8, "`a` is here twice", "one of the two"),
    ("[[groups]]\nname = \"a\"\npoints = 1\nneeds = [\"b\"]\n", 5, 10, "there is no group `b`", "take `needs` out"),
    ("[[groups]]\nname = \"easy\"\npoints = 1\n[[groups]]\nname = \"b\"\npoints = 1\nneeds = [\"esay\"]\n", 8, 10, "no group `esay`", "did you mean `easy`?"),
    ("[[groups]]\nname = \"a\"\npoints = 1\nneeds = [\"a\"]\n", 5, 10, "needs itself", "take it out of `needs`"),
    ("[[groups]]\nname = \"a\"\npoints = 1\nneeds = [\"b\"]\n[[groups]]\nname = \"b\"\npoints = 1\n", 5, 10, "`b`, which comes after it", "move [[groups]] of `b` up"),
    ("[[groups]]\nname = \"a\"\npoints = 1\nhacks = true\n[[groups]]\nname = \"b\"\npoints = 1\nhacks = true\n", 9, 9, "hacks belong to the group `a`", "one of the two"),
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
    for words in ["the key `title` is missing", "add a line `title = …`"] {
        assert!(untitled.contains(words), "{untitled}");
    }
}
