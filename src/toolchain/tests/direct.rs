//! A runner without a sandbox, for tests with trusted programs on real compilers: the same files,
//! the same commands, in a scratch folder.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::domain::{End, Fault, Stop};
use crate::sandbox::{APP_FOLDER, AppFile, Collect, Job, Outcome, Room, Runner, WORK_FOLDER};

/// Runs jobs as ordinary processes.
pub struct Direct {
    scratch: tempfile::TempDir,
}

impl Direct {
    pub fn new() -> Self {
        Self {
            scratch: tempfile::tempdir().unwrap(),
        }
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name.trim_start_matches('/'))
    }

    fn mapped(&self, text: &str) -> String {
        [APP_FOLDER, WORK_FOLDER]
            .iter()
            .fold(text.to_owned(), |text, name| {
                if text == *name || text.starts_with(&format!("{name}/")) {
                    let rest = &text[name.len()..];
                    format!("{}{rest}", self.folder(name).display())
                } else {
                    text
                }
            })
    }

    fn fresh(&self, name: &str, files: &[AppFile]) -> PathBuf {
        let folder = self.folder(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        for file in files {
            let path = folder.join(&file.name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &file.bytes).unwrap();
            let mode = if file.executable { 0o755 } else { 0o644 };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        folder
    }
}

impl Runner for Direct {
    fn enter(&mut self, room: &Room) -> Result<(), Fault> {
        for shown in &room.shown {
            assert!(shown.is_absolute() && shown.exists(), "{shown:?}");
        }
        self.fresh(APP_FOLDER, &room.app);
        Ok(())
    }

    fn run(&mut self, job: &Job) -> Result<Outcome, Fault> {
        let folder = self.fresh(WORK_FOLDER, &job.files);
        let stack_kib = job.stack_bytes.unwrap_or(job.caps.memory_bytes) / 1024;
        let began = Instant::now();
        let mut child = Command::new("/bin/sh")
            .arg("-c")
            .arg(format!(
                "ulimit -s {stack_kib}; exec timeout -s KILL {} \"$@\"",
                job.caps.wall.as_secs_f64()
            ))
            .arg("sh")
            .args(job.argv.iter().map(|word| self.mapped(word)))
            .env_clear()
            .envs(
                job.env
                    .iter()
                    .map(|(name, value)| (name, self.mapped(value))),
            )
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| Fault::new("start", error))?;
        let mut stdin = child.stdin.take().unwrap();
        let input = Arc::clone(&job.stdin);
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().unwrap();
        // A program that does not read its input breaks the pipe.
        let _ = writer.join().unwrap();
        let root = self.scratch.path().to_str().unwrap();
        let unmapped = |bytes: Vec<u8>| match String::from_utf8(bytes) {
            Ok(text) => text.replace(root, "").into_bytes(),
            Err(error) => error.into_bytes(),
        };
        let mut stderr = unmapped(output.stderr);
        stderr.truncate(job.stderr_bytes_max);
        let end = match (output.status.code(), output.status.signal()) {
            (Some(code), _) => End::Exited(code),
            (None, signal) => End::Signalled(signal.unwrap_or(0)),
        };
        let wall = began.elapsed();
        Ok(Outcome {
            end,
            stop: (wall >= job.caps.wall).then_some(Stop::Wall),
            memory_exceeded: false,
            cpu: Duration::ZERO,
            wall,
            waited: Duration::ZERO,
            memory_bytes: 0,
            stdout: unmapped(output.stdout),
            stderr,
            files: match job.collect {
                Collect::All { .. } => collected(&folder, &folder),
                _ => Vec::new(),
            },
            collect_overflow: false,
        })
    }
}

fn collected(root: &Path, folder: &Path) -> Vec<AppFile> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let metadata = fs::symlink_metadata(&path).unwrap();
        if metadata.is_dir() {
            files.extend(collected(root, &path));
        } else if metadata.is_file() {
            files.push(AppFile {
                name: path
                    .strip_prefix(root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned(),
                bytes: Arc::from(fs::read(&path).unwrap()),
                executable: metadata.permissions().mode() & 0o111 != 0,
            });
        }
    }
    files
}
