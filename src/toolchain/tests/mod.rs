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
    Toolchain::of(&config::parse(text, Path::new("/course/config.toml")).unwrap())
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
        let mut words = spec.build.iter().flatten();
        assert!(words.any(|word| word.contains("{source}")), "{id}");
    }
}

#[test]
fn config_changes_single_fields() {
    let toolchain = toolchain("[languages.cpp]\nname = \"C++23\"\nextensions = [\"CPP\"]\n");
    let cpp = toolchain.language(&id("cpp")).unwrap();
    assert_eq!((cpp.name(), &*cpp.extensions()[0]), ("C++23", "cpp"));
    assert!(cpp.spec().build[0].contains(&"-O2".to_owned()));
    assert!(toolchain.language_of("cxx").is_none());
}

#[test]
fn config_adds_a_language_and_takes_an_extension_over() {
    let added = "[languages.sh]\nname = \"Shell\"\nextensions = [\"sh\"]\nsource = \"main.sh\"\nrun = [\"sh\", \"/app/{source}\"]\n";
    assert_eq!(toolchain(added).language_of("sh").unwrap().name(), "Shell");
    let off = "[languages.perl]\noffer = false\n";
    let moved = toolchain(&(added.replace("[\"sh\"]", "[\"sh\", \"pl\"]") + off));
    assert_eq!(moved.language_of("pl").unwrap().id().as_str(), "sh");
    let off = toolchain(off);
    assert_eq!(off.language_of("pl").unwrap().id().as_str(), "perl");
    let why = missing(&off, "perl");
    assert!(why.contains("switched off"), "{why}");
}

#[test]
fn the_key_changes_with_what_changes_the_program() {
    // Lines of the language's table, the language, the version, the name and the text of the source.
    let key = |lines: &str, language: &str, version: &str, name: &str, source: &str| {
        let toolchain = toolchain(&format!("[languages.{language}]\n{lines}\n"));
        let language = toolchain.language(&id(language)).unwrap();
        toolchain.build_key(language, version, &Parts::alone(name, source.as_bytes()))
    };
    let base = key("", "cpp", "12", "a.cpp", "x");
    let other_name = key("", "cpp", "12", "b.cc", "x");
    assert_eq!(base, other_name, "the name does not reach the compiler");
    let java = |name| key("", "java", "17", name, "x");
    assert_eq!(java("A.java"), java("B.java"));
    let script = |name| key("", "javascript", "20", name, "x");
    assert_ne!(script("a.js"), script("a.mjs"));
    let words = "name = \"C++\"\ninstall = \"other\"\necho = \"\"";
    let other_words = key(words, "cpp", "12", "a.cpp", "x");
    assert_eq!(base, other_words, "words for people do not count");
    assert_ne!(base, key("", "cpp", "13", "a.cpp", "x"));
    assert_ne!(base, key("", "cpp", "12", "a.cpp", "y"));
    assert_ne!(base, key("", "c", "12", "a.cpp", "x"));
    let lines = "build = [[\"g++\", \"{source}\"]]|run = [\"/app/main\", \"-v\"]|\
        env = { A = \"1\" }|stack_mib = 8|memory_extra_mib = 8|memory_words = []|keep = []|\
        static_flags = []|unit_word = \"unit\"";
    for line in lines.split('|') {
        assert_ne!(base, key(line, "cpp", "12", "a.cpp", "x"), "{line}");
    }
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
    let source = ("a.x", b"\xEF\xBB\xBFsource".as_slice());
    let build = toolchain.build(&mut runner, language, source, &[], &build_limits());
    (build, runner)
}

#[test]
fn each_command_gets_the_files_of_the_one_before() {
    let (build, runner) = build_two(vec![outcome(0), outcome(0)]);
    let build = build.unwrap();
    let (files, main) = (vec![file("main", b"elf", true)], None);
    assert_eq!(build.result, Ok(Artifact { files, main }));
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
    let fault = build.unwrap_err().to_string();
    assert!(fault.contains("the machine is too busy"), "{fault}");
}

#[test]
fn a_failed_compilation_has_its_cause() {
    use Cause::{CompileMemory, CompileOutput, CompileTime, Compiler};
    type Change = fn(&mut Outcome);
    const HEAP: &[u8] = b"the heap is full";
    const FILE_SIZE: &[u8] = b"as: File size limit exceeded";
    let with = |change: Change| {
        let mut failed = outcome(1);
        change(&mut failed);
        let (build, runner) = build_two(vec![failed, outcome(0)]);
        let build = build.unwrap();
        (build.result.err(), build.words, runner.jobs().len())
    };
    let changes: [(Change, Cause); 10] = [
        (|_| {}, Compiler),
        (|of| of.end = End::Signalled(11), Compiler),
        (|of| of.stop = Some(Stop::Cpu), CompileTime),
        (|of| of.cpu = Duration::from_hours(1), CompileTime),
        (|of| of.stop = Some(Stop::Wall), CompileTime),
        (|of| of.stop = Some(Stop::Output), CompileOutput),
        (|of| of.memory_exceeded = true, CompileMemory),
        (|of| of.stderr = HEAP.to_vec(), CompileMemory),
        (|of| of.stderr = FILE_SIZE.to_vec(), CompileOutput),
        (
            |of| (of.end, of.collect_overflow) = (End::Exited(0), true),
            CompileOutput,
        ),
    ];
    for (row, (change, cause)) in changes.into_iter().enumerate() {
        let (result, _, jobs) = with(change);
        assert_eq!((result, jobs), (Some(cause), 1), "row {row}");
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
    let [not_started, other] = [("main", false), ("other", true)]
        .map(|(name, is_program)| vec![file(name, b"elf", is_program)]);
    for files in [vec![], not_started, other] {
        let mut last = outcome(0);
        last.files = files;
        let build = build_two(vec![outcome(0), last]).0.unwrap();
        assert_eq!(build.result, Err(Cause::NoEntryPoint));
        assert!(build.words.starts_with(b"The compiler accepted"));
    }
}
