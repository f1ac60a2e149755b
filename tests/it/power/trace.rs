//! What a process did to a folder, in order, as strace saw it.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::place::output;

/// The system calls that change or sync a file or a folder, or print. A question mark means that
/// not every machine has the call.
const CALLS: &str = "trace=?open,openat,?creat,write,writev,pwrite64,?pwritev,?pwritev2,?truncate,ftruncate,\
    fsync,fdatasync,syncfs,?sync,?sync_file_range,?rename,renameat,renameat2,?link,linkat,?unlink,unlinkat,\
    ?mkdir,mkdirat,?rmdir,?symlink,symlinkat,fallocate,copy_file_range,sendfile,msync";

/// One recorded step. A sync counts from its call's end, and an announcement from its beginning.
#[derive(Debug)]
pub enum Step {
    /// A file was opened to be written, and made where it was missing.
    Opened { path: PathBuf, truncated: bool },
    /// Bytes were written, at a place or at the end.
    Written {
        path: PathBuf,
        at: Option<usize>,
        bytes: Vec<u8>,
    },
    /// A file was truncated or extended.
    Cut(PathBuf, usize),
    /// A folder was made.
    FolderMade(PathBuf),
    /// Something was renamed.
    Renamed(PathBuf, PathBuf),
    /// Something was linked.
    Linked(PathBuf, PathBuf),
    /// A name was removed.
    Removed(PathBuf),
    /// A thread begins to sync a file or a folder; `None` means all of them.
    SyncBegun { thread: u32, path: Option<PathBuf> },
    /// The sync has ended.
    SyncDone { thread: u32 },
    /// Words on standard output or standard error.
    Said(String),
}

/// Whether strace can be used here.
pub fn works() -> bool {
    let mut command = Command::new("strace");
    command.args(["-f", "--seccomp-bpf", "-o", "/dev/null", "true"]);
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Runs a command, and returns what it did below a folder.
pub fn traced(command: &Command, root: &Path) -> (Output, Vec<Step>) {
    let record = tempfile::NamedTempFile::new().unwrap();
    let mut strace = Command::new("strace");
    strace
        .args(["-f", "--seccomp-bpf", "-qq", "-y", "-xx", "-s", "10000000"])
        .args(["-e", "signal=none", "-e", CALLS, "-o"])
        .arg(record.path())
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(root)
        .stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => strace.env(name, value),
            None => strace.env_remove(name),
        };
    }
    let output = output(&mut strace);
    let mut reader = Reader {
        root,
        first: None,
        begun: HashMap::new(),
        steps: Vec::new(),
    };
    reader.read(&std::fs::read_to_string(record.path()).unwrap());
    (output, reader.steps)
}

struct Reader<'a> {
    root: &'a Path,
    /// The first thread, which prints.
    first: Option<u32>,
    /// Unfinished calls, by thread: what a kill has interrupted stays here.
    begun: HashMap<u32, String>,
    steps: Vec<Step>,
}

impl Reader<'_> {
    fn read(&mut self, record: &str) {
        let root = self.root.to_str().unwrap().bytes();
        let root = root.fold(String::new(), |mut hex, byte| {
            write!(hex, "\\x{byte:02x}").unwrap();
            hex
        });
        for line in record.lines() {
            let (thread, call) = line.split_once(' ').unwrap();
            let (thread, call) = (thread.parse().unwrap(), call.trim_start());
            let first = *self.first.get_or_insert(thread);
            if let Some(rest) = call.strip_prefix("<... ") {
                let (_, rest) = rest.split_once(" resumed>").unwrap();
                if let Some(begun) = self.begun.remove(&thread) {
                    self.done(thread, &format!("{begun}{rest}"));
                }
                continue;
            }
            let is_said = thread == first && call.starts_with("write(");
            if !is_said && !call.contains(&root) {
                continue;
            }
            if let Some(begun) = call.strip_suffix("<unfinished ...>") {
                let begun = begun.trim_end();
                self.begin(thread, begun);
                self.begun.insert(thread, begun.to_owned());
            } else {
                self.begin(thread, call);
                self.done(thread, call);
            }
        }
    }

    fn ours(&self, path: PathBuf) -> Option<PathBuf> {
        path.starts_with(self.root).then_some(path)
    }

    fn begin(&mut self, thread: u32, call: &str) {
        let (name, arguments, _) = parts(call);
        let path = || opened(arguments[0]).and_then(|path| self.ours(path));
        let is_said = self.first == Some(thread) && arguments[0].starts_with(['1', '2']);
        let step = match name {
            "fsync" | "fdatasync" => path().map(|path| Step::SyncBegun {
                thread,
                path: Some(path),
            }),
            "syncfs" => Some(Step::SyncBegun { thread, path: None }),
            "write" if is_said && arguments[0].chars().nth(1) == Some('<') => {
                let words = text(arguments[1]);
                Some(Step::Said(String::from_utf8_lossy(&words).into_owned()))
            }
            _ => None,
        };
        self.steps.extend(step);
    }

    fn done(&mut self, thread: u32, call: &str) {
        let (name, arguments, result) = parts(call);
        // It failed, or a kill has interrupted it.
        if result.starts_with(['?', '-']) {
            return;
        }
        let number = |text: &str| text.parse::<usize>().unwrap();
        let file = || opened(arguments[0]).and_then(|path| self.ours(path));
        // With `at`, each path comes after the folder that it is relative to.
        let (does, width) = match name.trim_end_matches('2').strip_suffix("at") {
            Some(does) => (does, 2),
            None => (name, 1),
        };
        let named = |which: usize| {
            let path = arguments.chunks(width).nth(which)?;
            let name = String::from_utf8(text(path[width - 1])).unwrap();
            self.ours(opened(path[0]).unwrap_or(self.root.to_owned()).join(name))
        };
        let two = |step: fn(PathBuf, PathBuf) -> Step| Some(step(named(0)?, named(1)?));
        let step = match does {
            "fsync" | "fdatasync" | "syncfs" => Some(Step::SyncDone { thread }),
            "open" => opened(result)
                .and_then(|path| self.ours(path))
                .and_then(|path| opening(path, arguments[width])),
            "write" | "pwrite64" | "writev" => file().map(|path| {
                let mut bytes = text(arguments[1]);
                bytes.truncate(number(result));
                let at = (name == "pwrite64").then(|| number(arguments[3]));
                Step::Written { path, at, bytes }
            }),
            "ftruncate" => file().map(|path| Step::Cut(path, number(arguments[1]))),
            "mkdir" => named(0).map(Step::FolderMade),
            "unlink" | "rmdir" => named(0).map(Step::Removed),
            "rename" => two(Step::Renamed),
            "link" => two(Step::Linked),
            _ => {
                let is_ours = |one: &&str| opened(one).and_then(|path| self.ours(path)).is_some();
                let is_nothing = !arguments.iter().any(is_ours);
                assert!(is_nothing, "{name} is not understood: {call}");
                None
            }
        };
        self.steps.extend(step);
    }
}

/// What opening a file with these flags does to it, if anything.
fn opening(path: PathBuf, flags: &str) -> Option<Step> {
    let has = |wanted: &str| flags.split('|').any(|flag| flag == wanted);
    let truncated = has("O_TRUNC");
    let is_step = !has("O_TMPFILE") && (has("O_CREAT") || truncated);
    is_step.then_some(Step::Opened { path, truncated })
}

/// The path of an open file, `5</a/b>`; `None` if it has lost its name.
fn opened(argument: &str) -> Option<PathBuf> {
    let (_, path) = argument.split_once('<')?;
    let path = text(path.strip_suffix('>')?);
    Some(PathBuf::from(String::from_utf8(path).unwrap()))
}

/// A call's name, its arguments, and the rest of the line. Every text in it is in hexadecimal.
fn parts(call: &str) -> (&str, Vec<&str>, &str) {
    let (name, rest) = call.split_once('(').unwrap();
    let (arguments, result) = rest.rsplit_once(" = ").unwrap_or((rest, "?"));
    let arguments = arguments.trim_end().trim_end_matches(')');
    let mut depth = 0;
    let arguments = arguments.split(|one| {
        depth += i32::from("[{".contains(one)) - i32::from("]}".contains(one));
        one == ',' && depth == 0
    });
    (name, arguments.map(str::trim).collect(), result)
}

/// The bytes of an argument's strings, joined.
fn text(argument: &str) -> Vec<u8> {
    assert!(!argument.ends_with("\"..."), "cut short: {argument}");
    let byte = |hex: &str| u8::from_str_radix(&hex[..2], 16).unwrap();
    argument.split("\\x").skip(1).map(byte).collect()
}
