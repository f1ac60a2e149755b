//! The table, its changes by config.toml, and builds by a scripted runner. The real compilers of this
//! machine are tried in `tests/it/toolchains.rs`.

mod java;
mod parts;
mod trying;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::{Artifact, Parts, Toolchain, Unresolved};
use crate::config;
use crate::domain::bounds::COMPILER_WORDS_BYTES_MAX;
use crate::domain::{BuildLimits, Cause, End, Fault, LanguageId, Stop};
use crate::sandbox::scripted::Scripted;
use crate::sandbox::{AppFile, Outcome};

fn id(key: &str) -> LanguageId {
    LanguageId::new(key).unwrap()
}

fn toolchain(text: &str) -> Toolchain {
    let config = config::parse(text, Path::new("/course/config.toml")).unwrap();
    Toolchain::of(&config)
}

/// Why it is missing.
fn missing(toolchain: &Toolchain, key: &str) -> String {
    match toolchain.identify(&id(key)).unwrap_err() {
        Unresolved::Missing { why, .. } => why,
        Unresolved::Fault(fault) => panic!("{key}: {fault}"),
    }
}

fn build_limits() -> BuildLimits {
    BuildLimits {
        cpu: Duration::from_secs(30),
        memory_bytes: 1 << 30,
    }
}

#[test]
fn the_table_is_sane() {
    let config = config::parse("", Path::new("config.toml")).unwrap();
    assert!(!config.languages.is_empty());
    let mut names = BTreeSet::new();
    for (id, spec) in &config.languages {
        assert!(names.insert(spec.name.clone()), "{id}");
        assert!(spec.offer && spec.echo.is_some(), "{id}");
        assert!(spec.install.contains("install"), "{id}");
        let built = spec.run[0].strip_prefix("/app/");
        assert!(built.is_none_or(|program| spec.keep == [program]), "{id}");
        let placeholder = spec.build.iter().flatten().any(|word| word == "{static}");
        assert_eq!(placeholder, !spec.static_flags.is_empty(), "{id}");
        assert_eq!(placeholder, !spec.static_probe.is_empty(), "{id}");
        assert!(
            spec.build
                .iter()
                .flatten()
                .any(|word| word.contains("{source}")),
            "{id}"
        );
    }
}

#[test]
fn config_changes_single_fields() {
    let toolchain = toolchain("[languages.cpp]\nname = \"C++23\"\nextensions = [\"CPP\"]\n");
    let cpp = toolchain.language(&id("cpp")).unwrap();
    assert_eq!(
        (cpp.name(), cpp.extensions()),
        ("C++23", ["cpp".to_owned()].as_slice())
    );
    assert!(cpp.spec().build[0].contains(&"-O2".to_owned()));
    assert!(toolchain.language_of("cxx").is_none());
}

#[test]
fn config_adds_a_language_and_takes_an_extension_over() {
    let added = "[languages.sh]\nname = \"Shell\"\nextensions = [\"sh\"]\nsource = \"main.sh\"\nrun = [\"sh\", \"/app/{source}\"]\n";
    let with_sh = toolchain(added);
    assert_eq!(with_sh.language_of("sh").unwrap().name(), "Shell");
    let moved = toolchain(&format!(
        "{}[languages.perl]\noffer = false\n",
        added.replace("[\"sh\"]", "[\"sh\", \"pl\"]")
    ));
    assert_eq!(moved.language_of("pl").unwrap().id().as_str(), "sh");
    let off = toolchain("[languages.perl]\noffer = false\n");
    assert_eq!(off.language_of("pl").unwrap().id().as_str(), "perl");
    let why = missing(&off, "perl");
    assert!(why.contains("switched off"), "{why}");
}

#[test]
fn the_key_changes_with_what_changes_the_program() {
    let plain = toolchain("");
    let key = |toolchain: &Toolchain, language: &str, version: &str, name: &str, source: &str| {
        let language = toolchain.language(&id(language)).unwrap();
        toolchain.build_key(language, version, &Parts::alone(name, source.as_bytes()))
    };
    let base = key(&plain, "cpp", "12", "a.cpp", "x");
    assert_eq!(
        base,
        key(&plain, "cpp", "12", "b.cc", "x"),
        "the name does not reach the compiler"
    );
    assert_eq!(
        key(&plain, "java", "17", "A.java", "x"),
        key(&plain, "java", "17", "B.java", "x")
    );
    assert_ne!(
        key(&plain, "javascript", "20", "a.js", "x"),
        key(&plain, "javascript", "20", "a.mjs", "x")
    );
    let named = toolchain("[languages.cpp]\nname = \"C++\"\ninstall = \"other\"\necho = \"\"\n");
    assert_eq!(
        base,
        key(&named, "cpp", "12", "a.cpp", "x"),
        "words for people do not count"
    );
    for (other, version, source) in [
        ("", "13", "x"),
        ("", "12", "y"),
        (
            "[languages.cpp]\nbuild = [[\"g++\", \"{source}\"]]\n",
            "12",
            "x",
        ),
        (
            "[languages.cpp]\nrun = [\"/app/main\", \"-v\"]\n",
            "12",
            "x",
        ),
        ("[languages.cpp]\nenv = { A = \"1\" }\n", "12", "x"),
        ("[languages.cpp]\nstack_mib = 8\n", "12", "x"),
        ("[languages.cpp]\nmemory_extra_mib = 8\n", "12", "x"),
        ("[languages.cpp]\nmemory_words = []\n", "12", "x"),
        ("[languages.cpp]\nkeep = []\n", "12", "x"),
        ("[languages.cpp]\nstatic_flags = []\n", "12", "x"),
    ] {
        assert_ne!(
            base,
            key(&toolchain(other), "cpp", version, "a.cpp", source),
            "{other}"
        );
    }
    assert_ne!(base, key(&plain, "c", "12", "a.cpp", "x"));
}

/// A runner that plays these back.
fn scripted(outcomes: Vec<Outcome>) -> Scripted {
    Scripted::new(outcomes.into_iter().map(Ok))
}

fn file(name: &str, bytes: &[u8], executable: bool) -> AppFile {
    AppFile {
        name: name.to_owned(),
        bytes: Arc::from(bytes),
        executable,
    }
}

fn outcome(code: i32) -> Outcome {
    Outcome {
        end: End::Exited(code),
        cpu: Duration::from_millis(100),
        files: vec![file("main.x", b"source", false), file("main", b"elf", true)],
        ..Outcome::printed("")
    }
}

/// A language whose compilers are on every machine.
const TWO_STEPS: &str = "[languages.two]\nname = \"Two\"\nextensions = [\"x\"]\nsource = \"main.x\"\n\
     build = [[\"sh\", \"one\", \"{source}\", \"{memory_mib}\"], [\"sh\", \"two\"]]\n\
     keep = [\"main\"]\nrun = [\"/app/main\"]\nversion = [\"sh\", \"-c\", \"echo 1.0\"]\n\
     memory_words = [\"heap is full\"]\nenv = { EXTRA = \"1\" }\n";

fn build_two(outcomes: Vec<Outcome>) -> (Result<super::Build, Fault>, Scripted) {
    let toolchain = toolchain(TWO_STEPS);
    let mut runner = scripted(outcomes);
    let language = toolchain.language_of("X").unwrap();
    let build = toolchain.build(
        &mut runner,
        language,
        ("a.x", b"\xEF\xBB\xBFsource".as_slice()),
        &[],
        &build_limits(),
    );
    (build, runner)
}

#[test]
fn each_command_gets_the_files_of_the_one_before() {
    let (build, runner) = build_two(vec![outcome(0), outcome(0)]);
    let build = build.unwrap();
    let artifact = build.result.unwrap();
    assert_eq!(
        artifact,
        Artifact {
            files: vec![file("main", b"elf", true)],
            main: None
        }
    );
    assert_eq!(build.cpu, Duration::from_millis(200));
    assert_eq!(runner.rooms().len(), 1);
    let jobs = runner.jobs();
    let [one, two] = jobs.as_slice() else {
        panic!("two commands");
    };
    assert!(one.argv[0].starts_with('/'));
    assert_eq!(one.argv[1..], ["one", "main.x", "1024"]);
    assert_eq!(one.files, [file("main.x", b"\xEF\xBB\xBFsource", false)]);
    assert_eq!(two.files.len(), 2);
    assert_eq!(two.env["EXTRA"], "1");
    assert_eq!(two.env["HOME"], "/box");
    assert_eq!(two.caps.wall, Duration::from_secs(61));
}

/// Nobody's program fails to compile because the machine kept the compiler from its work.
#[test]
fn a_compiler_that_was_kept_waiting_until_its_time_was_over_is_a_fault() {
    let mut starved = outcome(0);
    starved.stop = Some(Stop::Wall);
    starved.waited = Duration::from_mins(1);
    let (build, _) = build_two(vec![starved, outcome(0)]);
    let fault = build.unwrap_err();
    assert!(
        fault.to_string().contains("the machine is too busy"),
        "{fault}"
    );
}

#[test]
fn a_failed_compilation_has_its_cause() {
    let with = |change: fn(&mut Outcome)| {
        let mut failed = outcome(1);
        change(&mut failed);
        let (build, runner) = build_two(vec![failed, outcome(0)]);
        let build = build.unwrap();
        (build.result.err(), build.words, runner.jobs().len())
    };
    for (change, cause) in [
        ((|_| {}) as fn(&mut Outcome), Cause::Compiler),
        (|outcome| outcome.end = End::Signalled(11), Cause::Compiler),
        (|outcome| outcome.stop = Some(Stop::Cpu), Cause::CompileTime),
        (
            |outcome| outcome.cpu = Duration::from_hours(1),
            Cause::CompileTime,
        ),
        (
            |outcome| outcome.stop = Some(Stop::Wall),
            Cause::CompileTime,
        ),
        (
            |outcome| outcome.stop = Some(Stop::Output),
            Cause::CompileOutput,
        ),
        (
            |outcome| outcome.memory_exceeded = true,
            Cause::CompileMemory,
        ),
        (
            |outcome| outcome.stderr = b"the heap is full".to_vec(),
            Cause::CompileMemory,
        ),
        (
            |outcome| outcome.stderr = b"as: File size limit exceeded".to_vec(),
            Cause::CompileOutput,
        ),
        (
            |outcome| {
                outcome.end = End::Exited(0);
                outcome.collect_overflow = true;
            },
            Cause::CompileOutput,
        ),
    ] {
        let (result, _, jobs) = with(change);
        assert_eq!((result, jobs), (Some(cause), 1));
    }
    let (_, words, _) = with(|outcome| {
        outcome.stdout = b"a\xd6\nMain.pl syntax OK\n".to_vec();
        outcome.stderr = b"b\n\nc".to_vec();
    });
    assert_eq!(words, b"a\xd6\nb\n\nc\n");
    let (_, words, _) = with(|outcome| outcome.stdout = vec![b'x'; 1 << 20]);
    assert_eq!(words.len(), COMPILER_WORDS_BYTES_MAX);
}

#[test]
fn a_program_that_is_not_there_or_cannot_be_started_is_no_program() {
    for files in [
        vec![],
        vec![file("main", b"elf", false)],
        vec![file("other", b"elf", true)],
    ] {
        let mut last = outcome(0);
        last.files = files;
        let build = build_two(vec![outcome(0), last]).0.unwrap();
        assert_eq!(build.result, Err(Cause::NoEntryPoint));
        assert!(build.words.starts_with(b"The compiler accepted"));
    }
}

#[test]
fn a_fault_stays_a_fault() {
    assert!(build_two(vec![outcome(0)]).0.is_err());
}
