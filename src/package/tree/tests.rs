//! Everything that an instructor may put where it is not read, and what is said of it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::super::format::Format;
use super::super::strangers;
use super::{Key, Named, Remark, Tree, Trouble};
use crate::package::remarks::ALIKE_MAX;
use crate::util::tests::files;

fn write(root: &Path, name: &str) {
    files::write(root, name, "1\n");
}

/// A package with one test and these files.
fn package(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let own = ["problem.toml", "data/secret/1.in", "data/secret/1.ans"];
    for file in own.iter().chain(files) {
        write(folder.path(), file);
    }
    folder
}

fn survey(root: &Path, programs: &[&str], groups: &[&str]) -> Result<Vec<Remark>, Trouble> {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let named = Named {
        programs: owned(programs),
        groups: owned(groups),
        ..Named::default()
    };
    let tree = Tree::read(root, &named)?;
    tree.check_tests()?;
    Ok(tree.remarks())
}

const PROGRAMS: [&str; 2] = ["input_validators/validate.py", "check.cpp"];

#[test]
fn a_test_that_would_not_be_run_breaks_the_package() {
    let move_them = "in folders are not read; move them to data/secret";
    let declare = format!("g1: tests {move_them}, or declare");
    for (file, words) in [
        ("data/secret/g1/2.in", &*declare),
        ("data/secret/easy/deep/2.in", "easy/deep: tests in folders"),
        ("data/sample/g1/deep/2.in", "g1: tests in folders are not"),
        ("data/tests/2.in", &format!("tests: tests {move_them}")),
        ("data/2.in", "2.in: tests directly in data are not read"),
    ] {
        let error = survey(package(&[file]).path(), &PROGRAMS, &["easy"]).unwrap_err();
        assert!(error.to_string().contains(words), "{file}: {error}");
        assert!(!error.is_ours());
    }
}

/// A file, the path that is named for it, and words of what is said of that.
#[rustfmt::skip]
const UNREAD: [(&str, &str, &str); 11] = [
    ("data/secret/7.ans", "data/secret/7.ans", "an answer without an input"),
    ("data/secret/input1.txt", "data/secret/input1.txt", "an input ends in .in"),
    ("data/sample/1.files/x", "data/sample/1.files", "folders are not read"),
    ("data/secrets/readme", "data/secrets", "did you mean `secret`?"),
    ("problem.yaml", "problem.yaml", "another package format"),
    ("output_validators/check.py", "output_validators", "`checker = \"output_validators/…\"`"),
    ("include/x.h", "include/x.h", "the folder of a language"),
    ("tests/1", "tests", "nothing reads this folder"),
    ("hacks/old/x.in", "hacks/old", "move them to hacks"),
    ("submissions/Accepted/a.py", "submissions/Accepted", "did you mean `accepted`?"),
    ("submissions/mixed-verdicts/a.py", "submissions/mixed-verdicts", "are not judged"),
];

#[test]
fn what_is_not_read_is_said_with_what_to_do() {
    for (file, path, words) in UNREAD {
        let folder = package(&[file]);
        let remarks = survey(folder.path(), &PROGRAMS, &[]).unwrap();
        let [remark] = &remarks[..] else {
            panic!("{file}: {remarks:?}");
        };
        assert_eq!(remark.path, folder.path().join(path));
        assert!(remark.reason.contains(words), "{file}: {remark:?}");
    }
}

#[test]
fn what_is_read_or_known_to_be_harmless_is_not_mentioned() {
    let files = "statement.md statement/sample-1.svg README README.de.txt LICENSE-MIT .git/config \
        .gitignore problem.toml~ generators/gen.py attachments/x.zip \
        input_validators/validate.py input_validators/more.py check.cpp testlib.h \
        data/invalid_input/empty.in data/secret/1.desc data/secret/README.md data/sample/1.in \
        data/sample/.hidden/2.in hacks/evil.in hacks/evil.ans hacks/evil.note hacks/evil.force \
        hacks/evil.in.result hacks/later.ans submissions/README.md submissions/accepted/a.py \
        submissions/wrong_answer/a.py submissions/time_limit_exceeded/a.py \
        submissions/run_time_error/a.py submissions/compile_error/a.py submissions/rejected/a.py";
    let folder = package(&files.split_whitespace().collect::<Vec<_>>());
    assert_eq!(survey(folder.path(), &PROGRAMS, &[]).unwrap(), []);
}

#[test]
fn links_stay_in_their_package() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "outside/2.in");
    let root = folder.path().join("sum");
    for file in ["problem.toml", "data/secret/1.in", "generators/2.in"] {
        write(&root, file);
    }
    let read = |format| {
        let named = Named {
            format,
            ..Named::default()
        };
        Tree::read(&root, &named)
    };
    for format in [Format::Own, Format::Kattis] {
        for (target, link, leads_out) in [
            ("../../generators/2.in", "data/secret/2.in", false),
            ("../../../outside/2.in", "data/secret/2.in", true),
            ("/etc/hostname", "data/secret/1.ans", true),
            ("../../outside", "data/sample", true),
            ("nowhere", "data/secret/2.in", false),
        ] {
            let words = leads_out.then(|| format!("{link}: it leads out"));
            let words = words.unwrap_or_default();
            symlink(target, root.join(link)).unwrap();
            let said = read(format).unwrap().check_tests().err();
            let said = said.map(|trouble| trouble.to_string()).unwrap_or_default();
            assert!(said.contains(&words), "{link}: {said}");
            assert_eq!(said.is_empty(), !leads_out, "{link}: {said}");
            fs::remove_file(root.join(link)).unwrap();
        }
        // What is no test is only not read.
        symlink("../outside", root.join("statement")).unwrap();
        let tree = read(format).unwrap();
        assert!(tree.check_tests().is_ok());
        assert_eq!(tree.below("statement").count(), 0);
        let mut remarks = tree.remarks().into_iter();
        assert!(remarks.any(|remark| remark.reason.contains("leads out")));
        fs::remove_file(root.join("statement")).unwrap();
    }
    // Nor is what people would be shown of a sample.
    fs::create_dir(root.join("data/sample")).unwrap();
    let talk = root.join("data/sample/1.interaction");
    symlink("../../../outside/2.in", talk).unwrap();
    let tree = read(Format::Kattis).unwrap();
    assert!(tree.files("data/sample", &["interaction"]).is_empty());
}

#[test]
fn what_a_link_leads_to_is_part_of_the_fingerprint_and_links_make_no_package_endless() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "generators/2.in");
    fs::create_dir_all(root.join("data/secret")).unwrap();
    symlink("../../generators/2.in", root.join("data/secret/2.in")).unwrap();
    let named = Named {
        format: Format::Kattis,
        ..Named::default()
    };
    let look = || {
        let tree = Tree::read(root, &named).unwrap();
        tree.fingerprint(Key::new("test"))
    };
    let before = look();
    assert_eq!(look(), before);
    fs::write(root.join("generators/2.in"), "another\n").unwrap();
    assert_ne!(look(), before);
    symlink("..", root.join("data/secret/above")).unwrap();
    let error = Tree::read(root, &named).unwrap_err().to_string();
    let words = "does a link lead to a folder above?";
    assert!(error.contains(words), "{error}");
}

#[test]
fn a_thousand_strange_files_make_no_thousand_lines() {
    let names: Vec<String> = (0..1_000).map(|n| format!("data/secret/{n}.txt")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let remarks = survey(package(&names).path(), &PROGRAMS, &[]).unwrap();
    assert_eq!(remarks.len(), ALIKE_MAX);
    let last = remarks.last().unwrap().to_string();
    assert!(last.ends_with("(and 990 more like these)"), "{last}");
    assert!(remarks[2].path.ends_with("2.txt"), "counted as people do");
}

#[test]
fn a_folder_that_is_no_package_is_named_with_what_it_looks_like() {
    let folder = tempfile::tempdir().unwrap();
    let files = "sum/problem.toml|boolfind/domjudge-problem.ini|hello/problem.yaml|\
                 other/problem.yml|polygon/problem.xml|A plus B/problem.toml|\
                 week1/circle/problem.toml|empty/notes.txt|old.rar|README.md|.git/config|\
                 sum.zip|new.zip|new.kpp|new/hacks/1.in|new/data/1.in|Big.zip";
    for file in files.split('|') {
        write(folder.path(), file);
    }
    let said = strangers(folder.path()).unwrap();
    let none = "no problem.toml and no problem.yaml, so it is not a problem";
    for (name, words) in [
        ("other", "rename it to problem.yaml"),
        ("polygon", "a Polygon package (problem.xml)"),
        ("A plus B", "rename it, to `a-plus-b` for one"),
        ("week1", "`circle` in it is a package"),
        ("empty", none),
        ("old.rar", "or a file that ends in .zip"),
        ("sum.zip", "sum is: remove one of the two"),
        ("new.kpp", "new.zip is: remove one of the two"),
        ("new", none),
        ("Big.zip", "rename it, to `big` for one"),
    ] {
        let found = said.iter().find(|remark| remark.path.ends_with(name));
        let found = found.unwrap_or_else(|| panic!("{name} is not in {said:?}"));
        assert!(found.reason.contains(words), "{found:?}");
    }
    assert_eq!(said.len(), 10, "{said:?}");
}
