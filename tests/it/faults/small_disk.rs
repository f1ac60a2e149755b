//! A small disk for one folder of a place, in a mount namespace of its own, for any number of
//! commands and daemons.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::place::{Daemon, Place, objects, output};
use crate::skips::skipped;

/// Bytes per block of such a disk.
const BLOCK: usize = 4_096;
/// More blocks, and files, than any of these disks has.
const MOST: u64 = 100_000;

/// A folder of a place on a disk of its own.
pub struct SmallDisk {
    /// Keeps the namespace, and the disk with it, until its standard input is closed.
    holder: Child,
    pub place: Place,
    folder: &'static str,
}

impl SmallDisk {
    /// A disk with these options of tmpfs(5) in place of a folder; `None` if this machine does not
    /// allow mounting one.
    pub fn of(place: Place, folder: &'static str, options: &str) -> Option<Self> {
        let path = place.path(folder);
        fs::create_dir_all(&path).unwrap();
        let script = "mount -t tmpfs -o \"$1\" small \"$2\" && echo mounted && exec cat";
        let mut holder = Command::new("unshare")
            .args(["--mount", "--propagation", "private"])
            .args(["sh", "-c", script, "sh", options])
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut said = BufReader::new(holder.stdout.take().unwrap());
        said.read_line(&mut line).unwrap();
        let disk = Self {
            holder,
            place,
            folder,
        };
        if line.trim() == "mounted" {
            return Some(disk);
        }
        skipped("no full disk: mounting a small one needs root and unshare(1)");
        None
    }

    /// The binary, which sees the disk.
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.seen_by(&self.place.command(arguments))
    }

    /// The same command, which sees the disk.
    pub fn seen_by(&self, original: &Command) -> Command {
        let namespace = format!("--mount=/proc/{}/ns/mnt", self.holder.id());
        let mut command = Command::new("nsenter");
        command.arg(namespace).arg(original.get_program());
        command.args(original.get_args()).env_remove("RUST_LOG");
        command.stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        output(&mut self.command(arguments))
    }

    pub fn daemon(&self) -> Daemon {
        Place::started(self.command(&["serve"]))
    }

    /// A path as seen by processes that see the disk.
    pub fn seen(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root", self.holder.id()))
            .join(self.place.path(name).strip_prefix("/").unwrap())
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.seen(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A file's text; empty if there is no such file.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.seen(name)).unwrap_or_default()
    }

    /// Fills the disk except for this many blocks.
    pub fn fill_but(&self, blocks: u64) {
        let file = File::create(self.seen(&format!("{}/.ballast", self.folder))).unwrap();
        let is_full = |at: &u64| file.write_all_at(&[7; BLOCK], at * BLOCK as u64).is_err();
        let written = (0..MOST).find(is_full).unwrap();
        file.set_len((written - blocks) * BLOCK as u64).unwrap();
    }

    /// Uses up the inodes, so that no file can be made although there is room for bytes.
    pub fn take_inodes(&self) {
        let folder = self.seen(&format!("{}/.ballast", self.folder));
        fs::create_dir(&folder).unwrap();
        let made = (0..MOST).take_while(|at| File::create(folder.join(at.to_string())).is_ok());
        assert!(made.count() > 0);
    }

    /// Mounts it again with other options.
    pub fn remount(&self, options: &str) {
        let namespace = format!("--mount=/proc/{}/ns/mnt", self.holder.id());
        let mut command = Command::new("nsenter");
        command.args([&namespace, "mount", "-o", &format!("remount,{options}")]);
        let done = output(command.arg(self.place.path(self.folder)));
        assert!(done.status.success(), "{done:?}");
    }

    pub fn make_room(&self) {
        let ballast = self.seen(&format!("{}/.ballast", self.folder));
        if ballast.is_dir() {
            fs::remove_dir_all(ballast).unwrap();
        } else {
            fs::remove_file(ballast).unwrap();
        }
    }

    /// The verdicts in the log as `student verdict`, one for each announcement.
    pub fn verdicts(&self) -> Vec<String> {
        let log = self.read("staff/verdicts.jsonl");
        let lines = log.lines();
        let lines = lines.filter_map(|line| serde_json::from_str(line).ok());
        let verdict = |line: Value| {
            let student = line["student"].as_str().unwrap();
            Some(format!("{student} {}", line["verdict"].as_str()?))
        };
        let mut found: Vec<String> = lines.filter_map(verdict).collect();
        found.sort();
        found
    }

    /// What `status` says is wrong. Whoever waits for something there starts it many times: the pause
    /// leaves the cores to what is waited for.
    pub fn trouble(&self) -> Vec<String> {
        std::thread::park_timeout(Duration::from_secs(1));
        let mut status = objects(&self.run(&["status", "--json"])).remove(0);
        serde_json::from_value(status["trouble"].take()).unwrap()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(self.holder.stdin.take());
        let _ = self.holder.wait();
    }
}
