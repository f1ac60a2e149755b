//! Packages with programs, read with an oracle that plays them.

use std::fs;
use std::io::{Cursor, Write as _};
use std::path::Path;
use std::sync::Arc;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::look;
use crate::domain::{Compared, Complaint, Fault, TestKind, Verdict};
use crate::package::{
    Case, Checker, Hack, HackOutcome, NoOracle, Oracle, Package, PackageProgram, Test, Trouble,
    Validator, sweep,
};
use crate::util::samples::{run, slug};

/// Programs that refuse what holds `bad`, answer with the input, accept what does not hold `wrong`,
/// and cannot be tried on `fault`.
struct Played;

fn has(bytes: &[u8], word: &str) -> bool {
    String::from_utf8_lossy(bytes).contains(word)
}

impl Oracle for Played {
    fn build(&mut self, program: &PackageProgram) -> Result<(), Trouble> {
        if has(&program.source, "bad") {
            return Err(refused("it cannot be built"));
        }
        Ok(())
    }

    fn validate(&mut self, _validator: &Validator, input: &Arc<[u8]>) -> Result<(), Trouble> {
        if has(input, "fault") {
            return Err(Fault::new("run", "no memory").into());
        }
        if has(input, "bad") {
            return Err(Complaint::new("p/main.py", "not so").at(2, 3).into());
        }
        Ok(())
    }

    fn answer(
        &mut self,
        _package: &Package,
        _reference: &PackageProgram,
        input: &Arc<[u8]>,
    ) -> Result<Arc<[u8]>, Trouble> {
        if has(input, "hard") {
            return Err(refused("it computed for too long"));
        }
        Ok(Arc::clone(input))
    }

    fn vouch(&mut self, _package: &Package, test: &Test) -> Result<Vec<String>, Trouble> {
        if has(&test.input.read()?, "stuck") {
            return Err(Fault::new("run", "no memory").into());
        }
        if has(&test.input.read()?, "heavy") {
            return Err(refused("submissions/accepted/slow.py fails on it"));
        }
        let untried = has(&test.input.read()?, "untried");
        let lines = untried.then(|| "submissions/accepted/a.x: X is missing".to_owned());
        Ok(lines.into_iter().collect())
    }

    fn check(&mut self, _checker: &Checker, case: &Case<'_>) -> Result<Compared, Trouble> {
        Ok(Compared {
            verdict: if has(case.output, "wrong") {
                Verdict::WrongAnswer
            } else {
                Verdict::Accepted
            },
            words: Some("no".into()),
            ..Compared::accepted()
        })
    }
}

fn refused(reason: &str) -> Trouble {
    Complaint::new("p/main.py", reason).into()
}

const PROGRAMS: &str = "title = \"T\"\nreference = \"p/main.py\"\nvalidator = \"p/main.py\"\nchecker = \"p/main.py\"\n";

struct Place(tempfile::TempDir);

impl Place {
    fn new(manifest: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        place.write("problem.toml", manifest);
        place.write("p/main.py", "1");
        place.write("data/secret/1.in", "3\n");
        place
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.0.path().join("sum").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn load(&self, oracle: &mut dyn Oracle) -> Result<Package, Trouble> {
        look(self.0.path(), &slug("sum")).load(&run().caps, oracle)
    }
}

#[test]
fn a_package_without_programs_needs_no_oracle_and_one_with_programs_does() {
    let stored = Place::new("title = \"T\"\n");
    stored.write("data/secret/1.ans", "3\n");
    assert!(stored.load(&mut NoOracle).is_ok());
    let error = Place::new(PROGRAMS).load(&mut NoOracle).err().unwrap();
    assert!(error.is_ours(), "{error}");
    let package = Place::new(PROGRAMS).load(&mut Played).unwrap();
    assert_eq!(&*package.tests[0].expected.read().unwrap(), b"3\n");
    let programs: Vec<&str> = package.programs().map(|(what, _)| what).collect();
    assert_eq!(programs, ["reference", "validator", "checker"]);
}

#[test]
fn an_interactor_does_not_say_whether_a_stored_answer_is_right() {
    let place =
        Place::new("title = \"T\"\nreference = \"p/main.py\"\ninteractor = \"p/main.py\"\n");
    place.write("data/secret/1.ans", "3\n");
    assert!(place.load(&mut Played).is_ok());
    place.write("data/secret/1.ans", "4\n");
    let error = place.load(&mut Played).err().unwrap().to_string();
    let words = "1.ans:1:1: the stored answer is not what";
    assert!(error.contains(words), "{error}");
}

#[test]
fn what_a_program_refuses_breaks_the_package_at_its_place() {
    #[rustfmt::skip]
    let refusals = [
        ("p/main.py", "bad", "problem.toml:2:13: it cannot be built"),
        ("data/secret/1.in", "bad", "1.in:2:3: the validator refuses it: not so"),
        ("data/secret/1.in", "hard", "1.in: the reference has no answer to it: it computed for too long"),
        ("data/secret/1.in", "wrong", "1.in: the checker does not accept what the reference solver says: no"),
    ];
    for (file, text, words) in refusals {
        let place = Place::new(PROGRAMS);
        place.write(file, text);
        let error = place.load(&mut Played).err().unwrap();
        assert!(error.in_one_line().ends_with(words), "{error}");
        assert!(!error.is_ours());
    }
}

#[test]
fn a_hack_is_refused_for_its_own_faults_and_left_open_for_ours() {
    let place = Place::new(PROGRAMS);
    for (name, text) in [("bad", "bad"), ("good", "5\n"), ("hard", "hard")] {
        place.write(&format!("hacks/{name}.in"), text);
    }
    let package = place.load(&mut Played).unwrap();
    let fates: Vec<Option<&str>> = package.hacks.iter().map(|hack| hack.refusal()).collect();
    let bad = Some("line 2, column 3: the validator refuses it: not so");
    let hard = Some("the reference has no answer to it: it computed for too long");
    assert_eq!(fates, [bad, None, hard]);
    let (undone, untried) = (Vec::new(), Vec::new());
    let joined = HackOutcome::Joined { undone, untried };
    assert_eq!(package.hacks[1].outcome, joined);
    assert_eq!(package.tests[1].name.kind, TestKind::Hack);
    // To leave out what could not be tried would change verdicts.
    place.write("hacks/later.in", "fault");
    let error = place.load(&mut Played).err().unwrap();
    let is_told = error.to_string().contains("no memory");
    assert!(error.is_ours() && is_told, "{error}");
}

#[test]
fn a_hack_on_which_an_example_fails_is_held_back_unless_somebody_insists() {
    let place = Place::new(PROGRAMS);
    for name in ["a-heavy", "b-stuck", "c-heavy-forced", "d-untried"] {
        place.write(&format!("hacks/{name}.in"), name);
    }
    place.write("hacks/c-heavy-forced.force", "");
    let package = place.load(&mut Played).unwrap();
    let held: Vec<bool> = package.hacks.iter().map(Hack::held_back).collect();
    assert_eq!(held, [true, true, false, false]);
    assert!(
        matches!(&package.hacks[0].outcome, HackOutcome::HeldBack(why) if why.contains("slow.py"))
    );
    // A fault of ours leaves out this hack, which nobody was judged on yet, and not the package.
    assert!(
        matches!(&package.hacks[1].outcome, HackOutcome::Untried(why) if why.contains("no memory"))
    );
    let tests: Vec<&str> = package.tests.iter().map(|test| &*test.name.name).collect();
    assert!(tests.ends_with(&["hack/c-heavy-forced", "hack/d-untried"]));
    // What could not be tried on it is said, and keeps it from nothing.
    assert!(
        matches!(&package.hacks[3].outcome, HackOutcome::Joined { untried, .. } if untried.len() == 1)
    );
    assert!(package.hacks[0].complaint().unwrap().contains("held back"));
}

#[test]
fn a_changed_program_or_header_changes_the_fingerprint() {
    let place = Place::new(PROGRAMS);
    let print = || look(place.0.path(), &slug("sum")).fingerprint;
    let first = print();
    assert_eq!(print(), first);
    place.write("p/main.py", "12");
    let changed = print();
    assert_ne!(changed, first);
    place.write("p/testlib.h", "1");
    assert_ne!(print(), changed);
}

const GROUPS: &str = "title = \"T\"\nreference = \"p/main.py\"\n\
    [[groups]]\nname = \"small\"\npoints = 30\n\
    [[groups]]\nname = \"Large\"\npoints = 70\nscore = \"sum\"\nneeds = [\"small\"]\nhacks = true\n";

#[test]
fn groups_are_run_in_the_order_of_the_file_and_their_tests_as_people_count() {
    let place = Place::new(GROUPS);
    for test in ["small/10", "small/2", "Large/1", "Large/02"] {
        place.write(&format!("data/secret/{test}.in"), test);
    }
    place.write("data/sample/1.in", "sample\n");
    place.write("hacks/evil.in", "5\n");
    let package = place.load(&mut Played).unwrap();
    let ordered =
        "sample/1 secret/1 secret/small/2 secret/small/10 secret/Large/1 secret/Large/02 hack/evil";
    assert_eq!(names(&package).join(" "), ordered);
    let groups = package.tests.iter().map(|test| test.name.group);
    let (none, small, large) = (None, Some(0), Some(1));
    assert!(groups.eq([none, none, small, small, large, large, large]));
    assert_eq!(package.remarks, []);
    let print = || look(place.0.path(), &slug("sum")).fingerprint;
    let first = print();
    place.write("data/secret/Large/3.in", "3\n");
    assert_ne!(print(), first);
    let digest = package.judging_digest();
    place.write("problem.toml", &GROUPS.replace("= 70", "= 71"));
    let changed = place.load(&mut Played).unwrap();
    assert_ne!(changed.judging_digest(), digest);
    let why = super::super::difference(&package, &changed);
    assert_eq!(why, "the groups of tests changed; secret/Large/3 added");
}

#[test]
fn a_group_has_a_folder_with_tests_in_it() {
    let odd = ["small/1.in", "Large/1.in", "odd/1.in"];
    #[rustfmt::skip]
    let refusals = [
        (&[][..], "problem.toml:4:8: there is no folder data/secret/small; make it"),
        (&["smal/1.in"], "no folder data/secret/small; did you mean `smal`?"),
        (&["small/1.ans"], "there are no tests in data/secret/small"),
        (&odd, "secret/odd: tests in folders are not read"),
    ];
    for (files, words) in refusals {
        let place = Place::new(GROUPS);
        for file in files {
            place.write(&format!("data/secret/{file}"), "1\n");
        }
        let error = place.load(&mut Played).err().unwrap();
        assert!(error.in_one_line().contains(words), "{error}");
    }
}

/// A zip file of these entries; a text that begins with `->` is where a link leads.
fn zip_of(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    for (name, text) in entries {
        if let Some(target) = text.strip_prefix("->") {
            zip.add_symlink(*name, target, options).unwrap();
        } else {
            zip.start_file(*name, options).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
        }
    }
    zip.finish().unwrap().into_inner()
}

const ZIPPED: [(&str, &str); 4] = [
    ("x/problem.yaml", "source: X\n"),
    ("x/data/secret/1.in", "1\n"),
    ("x/data/secret/1.ans", "1\n"),
    ("__MACOSX/x/._problem.yaml", ""),
];

fn load_zip(problems: &Path, zip: &[u8]) -> Result<Package, Trouble> {
    fs::write(problems.join("sum.zip"), zip).unwrap();
    look(problems, &slug("sum")).load(&run().caps, &mut Played)
}

fn names(package: &Package) -> Vec<&str> {
    let tests = package.tests.iter();
    tests.map(|test| test.name.name.as_str()).collect()
}

#[test]
fn a_zip_file_is_a_package_and_follows_its_changes() {
    let place = tempfile::tempdir().unwrap();
    let problems = place.path();
    let slug = slug("sum");
    let links = [
        ("x/data/secret/g/2.in", "->../../../more"),
        ("x/data/secret/g/2.ans", "->../1.ans"),
        ("x/more", "2\n"),
    ];
    let package = load_zip(problems, &zip_of(&[&ZIPPED[..], &links].concat())).unwrap();
    assert_eq!(names(&package), ["secret/1", "secret/g/2"]);
    assert_eq!(package.title, "sum");
    let input = package.folder.join("data/secret/g/2.in");
    assert!(input.is_symlink(), "links stay links");
    let print = || look(problems, &slug).fingerprint;
    let first = print();
    // Files at the top, as DOMjudge writes them; and hacks, which outlast the zip file.
    let flat = ZIPPED.map(|(name, text)| (name.strip_prefix("x/").unwrap_or(name), text));
    let package = load_zip(problems, &zip_of(&flat)).unwrap();
    let second = print();
    assert_ne!(second, first);
    assert_eq!(names(&package), ["secret/1"]);
    let hacks = package.hacks_folder();
    assert_eq!(hacks, problems.join("sum/hacks"));
    fs::create_dir_all(&hacks).unwrap();
    fs::write(hacks.join("evil.in"), "7\n").unwrap();
    fs::write(hacks.join("evil.ans"), "7\n").unwrap();
    assert_ne!(print(), second);
    // What was interrupted is not believed.
    fs::remove_file(package.folder.join("problem.yaml")).unwrap();
    fs::remove_file(package.folder.join(".gitignore")).unwrap();
    let package = look(problems, &slug).load(&run().caps, &mut Played);
    let package = package.unwrap();
    assert_eq!(names(&package), ["secret/1", "hack/evil"]);
    sweep(problems);
    assert!(package.folder.is_dir());
    fs::remove_file(problems.join("sum.zip")).unwrap();
    sweep(problems);
    let left: Vec<_> = fs::read_dir(problems).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "the folder of hacks: {left:?}");
}

#[test]
fn what_a_zip_file_may_not_hold_is_named_with_its_entry() {
    let more = |name: &str, text| zip_of(&[&ZIPPED[..], &[(name, text)]].concat());
    let mut encrypted = zip_of(&ZIPPED);
    for (header, flags) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
        let at = encrypted.windows(4).position(|found| found == header);
        encrypted[at.unwrap() + flags] |= 1;
    }
    #[rustfmt::skip]
    let refusals = [
        (more("x/../../e.in", ""), "sum.zip/x/../../e.in: its path leads out"),
        (more("/x/e.in", ""), "its path is absolute"),
        (more("x/./data/secret/1.in", "2\n"), "sum.zip/data/secret/1.in: two entries"),
        (more("x/problem.yaml/1", ""), "sum.zip/problem.yaml/1: two entries"),
        (encrypted, "sum.zip/x/problem.yaml: it is encrypted"),
        (more("x/hacks/e.in", ""), "hacks lie in PLACE/sum/hacks"),
        (more("x/2.in", "->../../sum.zip"), "sum.zip/2.in: it is a link to `../../sum.zip`, which is not in"),
        (more("x/2.in", "->/etc/hostname"), "it is a link to `/etc/hostname`"),
        (more("x/2.in", "->2.in"), "it is a link to `2.in`"),
        (more("x/data/secret", "->/tmp"), "two entries have this name"),
        (more("../y", ""), "sum.zip/../y: its path leads out"),
        (more(&format!("x/{}/1", "a".repeat(256)), ""), "a/1: its name, or that of a folder above it, is too long"),
        (more("y/2.in", ""), "sum.zip: neither at its top"),
        (zip_of(&[("x/problem.xml", "")]), "Polygon package (problem.xml), which is not read: take it out"),
        (b"PK\x03\x04, and half of it".to_vec(), "sum.zip: it is not a zip file"),
    ];
    for (zip, words) in refusals {
        let place = tempfile::tempdir().unwrap();
        let error = load_zip(place.path(), &zip).err().unwrap();
        assert!(!error.is_ours(), "{error}");
        let words = words.replace("PLACE", &place.path().display().to_string());
        assert!(error.in_one_line().contains(&words), "{words}: {error}");
        let left = fs::read_dir(place.path()).unwrap().count();
        assert_eq!(left, 1, "nothing is left: {words}");
    }
}
