//! Builds a source in the sandbox and says what came of it.

use std::sync::Arc;
use std::time::Duration;

use memchr::memmem;

use super::resolve::{BUILT, Resolved};
use super::source::{Prepared, environment, needs_main, runs_its_source};
use super::words::Words;
use crate::config::LanguageSpec;
use crate::domain::bounds::{ARTIFACT_BYTES_MAX, ARTIFACT_FILES_MAX, COMPILER_WORDS_BYTES_MAX};
use crate::domain::{BuildLimits, Cause, End, Fault, Limits, Stop};
use crate::sandbox::{AppFile, Collect, Job, Outcome, Room, Runner, WORK_FOLDER};
use crate::util::MIB;

/// What a compiler may write to standard output.
const BUILD_OUTPUT_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Processes and threads of one compilation: a Java compiler on a machine with many cores starts
/// many.
const BUILD_PROCESSES_MAX: u32 = 512;
/// Open files of one process of a compilation.
const BUILD_OPEN_FILES_MAX: u32 = 1_024;
/// What a compilation may write, scratch files included.
const BUILD_DISK_BYTES_MAX: u64 = 3 * ARTIFACT_BYTES_MAX;
/// CPU time of the check of one file of several, whatever the others took.
const CHECK_CPU_MIN: Duration = Duration::from_millis(100);
/// What compilers say when they may not write any more, as with a large array that is part of the
/// program.
const FULL_WORDS: [&str; 2] = ["File size limit exceeded", "No space left on device"];

/// A program, built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its files, as they are laid into `/app`.
    pub files: Vec<AppFile>,
    /// The class to start, in Java.
    pub main: Option<String>,
}

/// What came of a compilation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// The program, or why there is none.
    pub result: Result<Artifact, Cause>,
    /// The compiler's errors or warnings, as the bytes they are: the beginning.
    pub words: Vec<u8>,
    /// CPU time of all commands.
    pub cpu: Duration,
}

/// Runs every build command, each with the source, what lies beside it, and the files that the
/// command before left.
pub(super) fn build(
    runner: &mut dyn Runner,
    spec: &LanguageSpec,
    resolved: &Resolved,
    source: &Prepared<'_>,
    beside: &[AppFile],
    limits: &BuildLimits,
) -> Result<Build, Fault> {
    let laid = AppFile {
        name: source.name.clone(),
        bytes: Arc::from(source.bytes),
        executable: false,
    };
    let mut build = Build {
        result: Err(Cause::Compiler),
        words: Vec::new(),
        cpu: Duration::ZERO,
    };
    if !spec.build.is_empty() {
        runner.enter(&Room {
            shown: resolved.shown.clone(),
            app: Vec::new(),
        })?;
    }
    // An interpreter's check looks at one file, a compiler at all of them.
    let checked = if runs_its_source(spec) {
        &source.others[..]
    } else {
        &[]
    };
    let names = std::iter::once(&source.name).chain(checked);
    let commands = names.flat_map(|name| spec.build.iter().map(move |command| (name, command)));
    let mut built: Vec<AppFile> = Vec::new();
    for (name, command) in commands {
        let mut files = vec![laid.clone()];
        files.extend_from_slice(beside);
        files.append(&mut built);
        // The files of one program have the time of one.
        let cpu = if *name == source.name {
            limits.cpu
        } else {
            limits.cpu.saturating_sub(build.cpu).max(CHECK_CPU_MIN)
        };
        let memory_bytes = limits.memory_bytes;
        let limits = &BuildLimits { cpu, memory_bytes };
        let job = job((name, command), files, spec, resolved, source, limits);
        let cpu_cap = job.caps.cpu;
        let outcome = runner.run(&job)?;
        if outcome.stop == Some(Stop::Wall) && job.caps.is_starved(outcome.waited) {
            return Err(too_busy(&outcome));
        }
        build.cpu += outcome.cpu;
        add_words(&mut build.words, &outcome, resolved);
        if let Some(cause) = refusal(spec, &outcome, cpu_cap) {
            build.result = Err(cause);
            return Ok(build);
        }
        built = outcome.files;
        built.retain(|file| {
            file.name != laid.name && beside.iter().all(|other| other.name != file.name)
        });
    }
    build.result = artifact(spec, (laid, beside), built, source.main.clone());
    if build.result == Err(Cause::NoEntryPoint) {
        add_line(&mut build.words, nothing_to_start(spec).as_bytes());
    }
    Ok(build)
}

fn job(
    (name, command): (&str, &[String]),
    files: Vec<AppFile>,
    spec: &LanguageSpec,
    resolved: &Resolved,
    source: &Prepared<'_>,
    limits: &BuildLimits,
) -> Job {
    let words = Words {
        source: name,
        others: source.compiled_with(spec),
        main: source.main.as_deref().unwrap_or_default(),
        memory_mib: limits.memory_bytes / MIB,
        encoding: source.encoding,
    };
    Job {
        argv: words.command(command, resolved),
        env: environment(spec),
        stdin: Arc::from([]),
        files,
        collect: Collect::All {
            bytes_max: ARTIFACT_BYTES_MAX,
            files_max: ARTIFACT_FILES_MAX,
        },
        caps: Limits {
            cpu: limits.cpu,
            wall: Limits::wall_floor(limits.cpu),
            memory_bytes: limits.memory_bytes,
            output_bytes: BUILD_OUTPUT_BYTES_MAX,
            processes: BUILD_PROCESSES_MAX,
            open_files: BUILD_OPEN_FILES_MAX,
        },
        stderr_bytes_max: COMPILER_WORDS_BYTES_MAX,
        disk_bytes: BUILD_DISK_BYTES_MAX,
        stack_bytes: None,
        alone: false,
    }
}

/// The compiler ran out of wall-clock time because the machine kept it from its work.
fn too_busy(outcome: &Outcome) -> Fault {
    let (cpu, waited) = (outcome.cpu.as_secs_f64(), outcome.waited.as_secs_f64());
    let reason = format!(
        "the machine is too busy: the compiler got {cpu:.1} s of CPU time, and had to wait for {waited:.1} s"
    );
    Fault::new("build the program", reason)
}

/// Why a command did not do its work, if it did not.
fn refusal(spec: &LanguageSpec, outcome: &Outcome, cpu_cap: Duration) -> Option<Cause> {
    match outcome.stop {
        Some(Stop::Output) => return Some(Cause::CompileOutput),
        _ if outcome.memory_exceeded => return Some(Cause::CompileMemory),
        Some(Stop::Cpu | Stop::Wall) => return Some(Cause::CompileTime),
        Some(Stop::Decided) | None => {}
    }
    if outcome.end != End::Exited(0) {
        // On a busy machine the kernel may stop a compiler's process before we do, and the compiler
        // then speaks of a bug of its own.
        if outcome.cpu > cpu_cap {
            return Some(Cause::CompileTime);
        }
        // An interpreter's check repeats the line that it refuses, and that may well have such
        // words in it.
        let says = |words: &str| {
            let is_there = memmem::find(&outcome.stderr, words.as_bytes()).is_some();
            is_there && !words.is_empty() && !runs_its_source(spec)
        };
        return Some(if spec.memory_words.iter().any(|words| says(words)) {
            Cause::CompileMemory
        } else if FULL_WORDS.iter().any(|words| says(words)) {
            Cause::CompileOutput
        } else {
            Cause::Compiler
        });
    }
    outcome.collect_overflow.then_some(Cause::CompileOutput)
}

fn artifact(
    spec: &LanguageSpec,
    (source, beside): (AppFile, &[AppFile]),
    mut built: Vec<AppFile>,
    main: Option<String>,
) -> Result<Artifact, Cause> {
    let files = if runs_its_source(spec) {
        // What lies beside it is read when it runs.
        [std::slice::from_ref(&source), beside].concat()
    } else {
        built.retain(|file| spec.keep.is_empty() || spec.keep.contains(&file.name));
        built
    };
    let program = spec
        .run
        .first()
        .and_then(|program| program.strip_prefix(BUILT));
    let is_there = program.is_none_or(|program| {
        files
            .iter()
            .any(|file| file.name == program && file.executable)
    });
    let is_complete = spec
        .keep
        .iter()
        .all(|name| files.iter().any(|file| file.name == *name));
    let starts = main.is_some() || !needs_main(spec);
    if files.is_empty() || !is_there || !is_complete || !starts {
        return Err(Cause::NoEntryPoint);
    }
    Ok(Artifact { files, main })
}

fn nothing_to_start(spec: &LanguageSpec) -> &'static str {
    if needs_main(spec) {
        "There is no `public static void main(String[] args)` in the source, so there is nothing to start."
    } else {
        "The compiler accepted the source but made no program of it: it may be a unit or a library without a main part."
    }
}

/// Adds what a command said, standard output first: some compilers write their errors there.
fn add_words(words: &mut Vec<u8>, outcome: &Outcome, resolved: &Resolved) {
    let mut said = Vec::new();
    for stream in [&outcome.stdout, &outcome.stderr] {
        let head = &stream[..stream.len().min(COMPILER_WORDS_BYTES_MAX)];
        for line in head.split_inclusive(|&byte| byte == b'\n') {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            // A check that has nothing to say says this.
            if !line
                .trim_ascii()
                .to_ascii_lowercase()
                .ends_with(b"syntax ok")
            {
                add_line(&mut said, line);
            }
        }
    }
    // The source's folder says nothing to its author, and the machine's own folders are nobody's
    // business.
    said = replaced(&said, format!("{WORK_FOLDER}/").as_bytes(), b"");
    for shown in &resolved.shown {
        let name = shown.file_name().unwrap_or_default().as_encoded_bytes();
        said = replaced(&said, shown.as_os_str().as_encoded_bytes(), name);
    }
    words.extend(said);
    words.truncate(COMPILER_WORDS_BYTES_MAX);
}

fn add_line(words: &mut Vec<u8>, line: &[u8]) {
    words.extend(line);
    words.push(b'\n');
}

/// The same bytes with this path in another form.
fn replaced(words: &[u8], path: &[u8], name: &[u8]) -> Vec<u8> {
    let mut shortened = Vec::with_capacity(words.len());
    let mut from = 0;
    for at in memmem::find_iter(words, path).filter(|_| !path.is_empty()) {
        shortened.extend(&words[from..at]);
        shortened.extend(name);
        from = at + path.len();
    }
    shortened.extend(&words[from..]);
    shortened
}
