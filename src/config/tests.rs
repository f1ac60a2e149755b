//! The configuration as an instructor meets it: the file of the repository, and every mistake with
//! its place.

use std::num::NonZeroUsize;
use std::path::Path;

use super::shape::Workers;
use super::{Config, Public, load, parse};
use crate::domain::{Complaint, LanguageId};
use crate::sandbox::ALLOWED_MISSING;
use crate::util::tests::annotated::{UNKNOWN, keys_of, sorted, with_examples};

const SHIPPED: &str = include_str!("../../config.toml");

fn read(text: &str) -> Config {
    parse(text, Path::new("/course/config.toml")).unwrap_or_else(|error| panic!("{error}"))
}

fn mistake(text: &str) -> Complaint {
    match parse(text, Path::new("/course/config.toml")) {
        Err(complaint) => complaint,
        Ok(other) => panic!("{text:?} gives {other:?}"),
    }
}

#[test]
fn the_shipped_file_says_the_defaults() {
    assert_eq!(read(SHIPPED), read(""));
}

#[test]
fn the_shipped_file_has_every_key_of_every_table() {
    let value: toml::Table = toml::from_str(&with_examples(SHIPPED)).unwrap();
    assert_eq!(sorted(&value), keys_of(&mistake(UNKNOWN)));
    for (name, table) in &value {
        let (name, table) = match name.as_str() {
            "languages" => ("languages.php", &table["php"]),
            name => (name, table),
        };
        let unknown = mistake(&format!("[{name}]\n{UNKNOWN}"));
        let present = sorted(table.as_table().unwrap());
        assert_eq!(present, keys_of(&unknown), "[{name}]");
    }
}

#[test]
fn the_shipped_file_names_every_protection() {
    let mut lines = SHIPPED.lines();
    let line = lines.find(|line| line.starts_with("# Their names: "));
    assert!(line.unwrap().contains(&ALLOWED_MISSING.join(", ")));
}

#[test]
fn the_examples_of_the_shipped_file_work() {
    let config = read(&with_examples(SHIPPED));
    let php = &config.languages[&LanguageId::new("php").unwrap()];
    assert_eq!(php.run[0], "php");
    let perl = &config.languages[&LanguageId::new("perl").unwrap()];
    assert!(!perl.offer && read("").languages.len() + 1 == config.languages.len());
}

#[test]
fn paths_begin_at_the_file_and_are_absolute() {
    let text = "[folders]\nsubmissions = \"../inbox/./here\"\nstate = \"/var/lib/verdictd\"";
    let config = parse(text, Path::new("/srv/course/config.toml")).unwrap();
    assert_eq!(config.folders.submissions, Path::new("/srv/inbox/here"));
    assert_eq!(config.folders.state, Path::new("/var/lib/verdictd"));
    assert_eq!(config.folders.reports, Path::new("/srv/course/reports"));
    let relative = parse("", Path::new("config.toml")).unwrap();
    assert!(relative.folders.problems.is_absolute());
}

fn workers(count: usize) -> Workers {
    Workers::These(NonZeroUsize::new(count).unwrap())
}

#[test]
fn a_mistake_is_shown_with_its_line_a_caret_and_the_way_out() {
    let shown = mistake("[limits]\ncpu_s = 2.0\nmemory = 256\n").to_string();
    let expected = "unknown key `memory`\n --> /course/config.toml:3:1\n  |\n\
         3 | memory = 256\n  | ^^^^^^\n  |\n  = help: did you mean `memory_mib`?";
    assert_eq!(shown, expected);
}

/// Text, line, column, words of the message, words of the help.
#[rustfmt::skip]
const MISTAKES: &[(&str, usize, usize, &str, &str)] = &[
    ("[limit]\n", 1, 2, "unknown key `limit`", "`limits`"),
    ("[limits]\ncpu_s = 0\n", 2, 9, "cannot be 0", "from 0.01"),
    ("[limits]\ncpu_s = nan\n", 2, 9, "cannot be NaN", "seconds"),
    ("[limits]\ncpu_s = inf\n", 2, 9, "cannot be inf", "seconds"),
    ("[limits]\nmemory_mib = 99999999999\n", 2, 14, "cannot be", "from 4"),
    ("[limits]\nmemory_mib = \"256M\"\n", 2, 14, "expected a whole number", "of MiB, without quotation marks, point or unit: `memory_mib = 256`"),
    ("[judge]\nskip_superseded = 1\n", 2, 19, "expected true or false", "`skip_superseded = true`"),
    ("[limits]\nwall_s = 4.9\n", 2, 10, "less than", "5 s"),
    ("[limits]\n\u{e9} = 1\n", 2, 1, "", ""),
    ("[judge]\nworkers = \"some\"", 2, 11, "cannot be `some`", "\"none\" where other machines measure"),
    ("[judge]\nworkers = \"none\"", 2, 11, "nobody would measure", "`nats` under [cluster]"),
    ("[judge]\nworkers = 2\nworkers = 3", 3, 1, "duplicate key", ""),
    ("[intake]\nsettle_ms = 0", 2, 13, "cannot be 0", "from 10"),
    ("[sandbox]\nallow_missing = [\"cpu\", \"netwrok\"]", 2, 25, "netwrok", "`network`"),
    ("[intake]\nignore = [\"*.md\", \"**\"]", 2, 19, "every file", "without folders"),
    ("[intake]\nignore = [\"old/*.c\"]", 2, 11, "not a file's name", "without folders"),
    ("[folders]\nreports = \"submissions\"", 2, 11, "same folder", "its own"),
    ("[folders]\nsubmissions = \"reports/in\"", 2, 15, "inside `reports`", "its own"),
    ("[folders]\nstate = \"submissions/x/../y\"", 2, 9, "inside `submissions`", ""),
    ("[overview]\nroster = \"a\\u0000\"", 2, 10, "not a file", "path"),
    ("[web]\nstudents = \"localhost:80\"", 2, 12, "not an address", "127.0.0.1:7878"),
    ("[web]\nstaff = \"127.0.0.1:7878\"", 2, 9, "same address", "port of its own"),
    ("[web]\nhosts = [\"a.b\"]", 2, 1, "unknown key `hosts`", "`url = \"https://grader.example.org\"`"),
    ("[web]\nshare_reports = \"always\"", 2, 1, "unknown key `share_reports`", "`public` = \"reports\""),
    ("[web]\nboard = \"off\"", 2, 1, "unknown key `board`", "\"nothing\""),
    ("[web]\npublic = \"name\"", 2, 10, "cannot be `name`", "did you mean \"names\"?"),
    ("[web]\nurl = \"grader.example\"", 2, 7, "not an address", "https://"),
    ("[web]\nurl = \"https://grader.example/judge\"", 2, 7, "not an address", "no folder"),
    ("[cluster]\nnats = \"grader:4222\"", 2, 8, "not the address of a server", "tls://HOST:4222"),
    ("[cluster]\nnats = \"tls://a:b@grader\"", 2, 8, "not the address of a server", "a file of their own"),
    ("[cluster]\nname = \"Algorithms 2026\"", 2, 8, "cannot be `Algorithms 2026`", "small letters"),
    ("[cluster]\nsilent_s = 1", 2, 12, "cannot be 1", "from 5"),
    ("[languages.C]\n", 1, 12, "cannot be a language's key", "lower-case"),
    ("[languages.c]\nextensions = [\".c\"]", 2, 15, "not an extension", "without the dot"),
    ("[languages.c]\nextensions = [\"x\"]\n[languages.cpp]\nextensions = [\"X\"]", 4, 15, "belongs to `c`", ""),
    ("[languages.c]\nbuild = [[\"cc\"], []]", 2, 18, "not a command", "list"),
    ("[languages.c]\nsource = \"a/b\"", 2, 10, "plain file name", ""),
    ("[languages.c]\nshow = [\"etc\"]", 2, 9, "absolute", ""),
    ("[languages.c]\nmemory_words = [\"\"]", 2, 17, "empty", ""),
    ("[languages.c]\ntime_factor = 0", 2, 15, "`time_factor` cannot be 0", "a number from 0.1 to 100"),
    ("[judge]\n[languages.tcl]\nname = \"Tcl\"\n", 2, 12, "it has no `run`", ""),
    ("[languages.c]\nname = \"C\"\nextensions = [\"c\", \"py\"]\n", 3, 20, "`py` belongs to `python3`", ""),
    ("[limits\n", 1, 8, "", ""),
];

#[test]
fn every_mistake_has_its_place() {
    for &(text, line, column, message, help) in MISTAKES {
        let mistake = mistake(text);
        let told = format!("{text:?}\n{mistake}");
        assert_eq!(mistake.place, Some((line, Some(column))), "{told}");
        assert!(mistake.reason.contains(message), "{told}");
        let advice = mistake.help.as_deref().unwrap_or("");
        assert!(advice.contains(help), "{told}");
        assert!(mistake.to_string().contains('^'), "{told}");
    }
}

#[test]
fn what_is_no_configuration_is_refused_with_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    let message = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        load(&path).unwrap_err().to_string()
    };
    assert!(message(b"# ok\n# \xcf\xf0\n").contains("byte 0xcf in line 2"));
    assert!(message(&vec![b' '; 1 << 21]).contains("larger than"));
    assert!(load(folder.path()).is_err());
    let missing = load(&folder.path().join("none")).unwrap_err().to_string();
    for words in ["none: ", "`verdictd init DIR`", "--config FILE"] {
        assert!(missing.contains(words), "{missing}");
    }
    std::fs::write(&path, "\u{feff}[judge]\r\nworkers = 1\r\n").unwrap();
    assert_eq!(load(&path).unwrap().judge.workers, workers(1));
}

#[test]
fn reports_are_for_everybody_only_on_this_machine_or_where_the_file_says_so() {
    let told = "url = \"https://a.example\"\npublic = \"reports\"";
    for (lines, expected) in [
        ("", Public::Reports),
        ("students = \"[::1]:7878\"", Public::Reports),
        ("url = \"http://localhost:9000\"", Public::Reports),
        ("url = \"http://127.0.0.1:9000/\"", Public::Reports),
        ("students = \"0.0.0.0:7878\"", Public::Names),
        ("students = \"192.0.2.7:7878\"", Public::Names),
        ("url = \"https://grader.example.org\"", Public::Names),
        ("url = \"https://192.0.2.7:8443\"", Public::Names),
        ("url = \"https://localhost.example.org\"", Public::Names),
        (told, Public::Reports),
        ("public = \"pseudonyms\"", Public::Pseudonyms),
    ] {
        let config = read(&format!("[web]\n{lines}\n"));
        assert_eq!(config.web.public(), expected, "{lines}");
    }
    let web = read("[web]\nurl = \"https://Grader.Example.org:8443/\"").web;
    assert_eq!(web.url.unwrap().host, "grader.example.org");
}

#[test]
fn one_folder_under_two_names_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("in")).unwrap();
    std::os::unix::fs::symlink("in", folder.path().join("out")).unwrap();
    let text = "[folders]\nsubmissions = \"in\"\nreports = \"out\"\n";
    let error = parse(text, &folder.path().join("config.toml")).unwrap_err();
    assert!(error.to_string().contains("same folder"), "{error}");
}
