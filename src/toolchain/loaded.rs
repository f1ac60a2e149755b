//! Which programs a job starts and which libraries they load, those of the programs behind a
//! compiler's driver and those that are opened late included.
//!
//! The system's dynamic loader is asked: with `LD_DEBUG` in its environment it writes into a file
//! what it loads, for every process and however a library is named. A program without it, such as a
//! static one, loads nothing and writes nothing.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::domain::Fault;
use crate::domain::bounds::{ARTIFACT_BYTES_MAX, ARTIFACT_FILES_MAX};
use crate::sandbox::{AppFile, Collect, Job, Outcome, Room, Runner, WORK_FOLDER};

/// How the names of the loader's files begin; a process number follows.
const NAME: &str = ".verdictd-loaded";
/// What is told of one process, in bytes; what a loader says beyond that is not read.
const TOLD_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Programs and libraries of one language that are kept of each.
const KEPT_MAX: usize = 1_024;

/// What was started and loaded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Loaded {
    /// The programs, by what they were called as: a path, or a bare name.
    pub programs: BTreeSet<String>,
    /// The libraries.
    pub libraries: BTreeSet<PathBuf>,
}

impl Loaded {
    /// Reads what the loader wrote of one process. It is the word of untrusted programs, too.
    fn read(&mut self, told: &[u8]) {
        let told = String::from_utf8_lossy(&told[..told.len().min(TOLD_BYTES_MAX)]);
        let mut tried = None;
        for line in told.lines() {
            // A process number stands before it.
            let Some((_, words)) = line.split_once(':') else {
                continue;
            };
            let words = words.trim();
            if let Some(file) = words.strip_prefix("trying file=") {
                tried = Some(file);
            } else if let Some(program) = words.strip_prefix("initialize program: ") {
                if self.programs.len() < KEPT_MAX {
                    self.programs.insert(program.to_owned());
                }
            } else if let Some(path) = words.strip_prefix("calling init: ") {
                self.add_library(path);
            } else if let Some(name) = words
                .strip_prefix("file=")
                .filter(|_| words.ends_with("generating link map"))
                .and_then(|rest| rest.split_once(" ["))
                .map(|(name, _)| name)
            {
                // What is not named by its path was looked for; the last try found it.
                let path = if name.contains('/') {
                    Some(name)
                } else {
                    tried
                };
                self.add_library(path.unwrap_or_default());
            }
        }
    }

    fn add_library(&mut self, path: &str) {
        if path.starts_with('/') && self.libraries.len() < KEPT_MAX {
            self.libraries.insert(PathBuf::from(path));
        }
    }
}

/// A runner whose jobs tell what they load. To whoever uses it, it does what the one behind it does.
pub(super) struct Watched<'r> {
    runner: &'r mut dyn Runner,
    /// Of all jobs so far.
    pub loaded: Loaded,
}

impl<'r> Watched<'r> {
    pub(super) fn new(runner: &'r mut dyn Runner) -> Self {
        let loaded = Loaded::default();
        Self { runner, loaded }
    }
}

impl Runner for Watched<'_> {
    fn enter(&mut self, room: &Room) -> Result<(), Fault> {
        self.runner.enter(room)
    }

    fn run(&mut self, job: &Job) -> Result<Outcome, Fault> {
        let mut asked = job.clone();
        let output = format!("{WORK_FOLDER}/{NAME}");
        asked
            .env
            .insert("LD_DEBUG".to_owned(), "files,libs".to_owned());
        asked.env.insert("LD_DEBUG_OUTPUT".to_owned(), output);
        if job.collect == Collect::Nothing {
            asked.collect = Collect::All {
                bytes_max: ARTIFACT_BYTES_MAX,
                files_max: ARTIFACT_FILES_MAX,
            };
        }
        let mut outcome = self.runner.run(&asked)?;
        let is_told = |file: &AppFile| file.name.starts_with(NAME);
        for file in outcome.files.iter().filter(|file| is_told(file)) {
            self.loaded.read(&file.bytes);
        }
        outcome.files.retain(|file| !is_told(file));
        if job.collect == Collect::Nothing {
            outcome.files.clear();
        }
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Loaded;

    #[test]
    fn the_words_of_the_loader_are_read() {
        let told = "\
     7:\t
     7:\tfile=libc.so.6 [0];  needed by g++ [0]
     7:\tfind library=libc.so.6 [0]; searching
     7:\t search cache=/etc/ld.so.cache
     7:\t  trying file=/opt/lib/libc.so.6
     7:\t  trying file=/lib/libc.so.6
     7:\t
     7:\tfile=libc.so.6 [0];  generating link map
     7:\t  dynamic: 0x00007f8f6c4efb60  base: 0x00007f8f6c31d000   size: 0x00000000001e1f50
     7:\tcalling init: /lib64/ld-linux-x86-64.so.2
     7:\tinitialize program: as
     7:\tfile=/usr/lib/jvm/libjvm.so [0];  dynamically loaded by java [0]
     7:\tfile=/usr/lib/jvm/libjvm.so [0];  generating link map
     7:\tcalling fini:  [0]
";
        let mut loaded = Loaded::default();
        loaded.read(told.as_bytes());
        assert_eq!(loaded.programs.iter().collect::<Vec<_>>(), ["as"]);
        let expected = [
            "/lib/libc.so.6",
            "/lib64/ld-linux-x86-64.so.2",
            "/usr/lib/jvm/libjvm.so",
        ];
        assert!(loaded.libraries.iter().eq(expected.map(Path::new)));
    }

    #[test]
    fn nonsense_of_a_program_does_no_harm() {
        for told in [
            &b"\xff\xfe: file= ["[..],
            b"1:initialize program: \n",
            b"1: file=lib.so [0]; generating link map",
            b"1: calling init: lib.so\n1: file=../x [0]; generating link map",
            b":::",
        ] {
            let mut loaded = Loaded::default();
            loaded.read(told);
            assert!(loaded.libraries.is_empty());
        }
    }
}
