//! What a process did to a folder, in order, as strace saw it.

use std::collections::HashMap;
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
    /// Something may have happened to this file or folder: the process was killed in the middle of
    /// a call.
    CutOff(PathBuf),
    /// A file was truncated or extended.
    Cut { path: PathBuf, length: usize },
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
        .args(["-f", "--seccomp-bpf", "-qq", "-y", "-s", "10000000"])
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
    let text = String::from_utf8(std::fs::read(record.path()).unwrap()).unwrap();
    (output, Reader::new(root).read(&text))
}

struct Reader<'a> {
    root: &'a Path,
    /// The first thread, which prints.
    first: Option<u32>,
    /// Unfinished calls, by thread.
    begun: HashMap<u32, String>,
    steps: Vec<Step>,
}

impl<'a> Reader<'a> {
    fn new(root: &'a Path) -> Self {
        Self {
            root,
            first: None,
            begun: HashMap::new(),
            steps: Vec::new(),
        }
    }

    fn read(mut self, text: &str) -> Vec<Step> {
        let root = self.root.to_str().unwrap();
        for line in text.lines() {
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
            if !is_said && !call.contains(root) {
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
        let cut_off: Vec<String> = self.begun.drain().map(|(_, call)| call).collect();
        for call in cut_off {
            self.cut_off(&call);
        }
        self.steps
    }

    /// A call interrupted by a kill, whose result is unknown.
    fn cut_off(&mut self, call: &str) {
        let (name, arguments, _) = parts(call);
        let argument = |index: usize| arguments.get(index).map_or("", String::as_str);
        let paths = match name {
            "write" | "writev" | "pwrite64" | "ftruncate" => {
                opened(argument(0)).into_iter().collect()
            }
            "open" | "creat" | "mkdir" | "unlink" | "rmdir" => vec![self.named(argument(0))],
            "openat" | "mkdirat" | "unlinkat" => vec![named_at(argument(0), argument(1))],
            "rename" | "link" => vec![self.named(argument(0)), self.named(argument(1))],
            "renameat" | "renameat2" | "linkat" => vec![
                named_at(argument(0), argument(1)),
                named_at(argument(2), argument(3)),
            ],
            _ => Vec::new(),
        };
        for path in paths {
            self.steps.extend(self.ours(path).map(Step::CutOff));
        }
    }

    fn ours(&self, path: PathBuf) -> Option<PathBuf> {
        path.starts_with(self.root).then_some(path)
    }

    fn begin(&mut self, thread: u32, call: &str) {
        let (name, arguments, _) = parts(call);
        let step = match name {
            "fsync" | "fdatasync" => match opened(&arguments[0]).and_then(|path| self.ours(path)) {
                Some(path) => Step::SyncBegun {
                    thread,
                    path: Some(path),
                },
                None => return,
            },
            "syncfs" => Step::SyncBegun { thread, path: None },
            "write"
                if self.first == Some(thread)
                    && ["1<", "2<"].iter().any(|fd| arguments[0].starts_with(fd)) =>
            {
                Step::Said(String::from_utf8_lossy(&text(&arguments[1])).into_owned())
            }
            _ => return,
        };
        self.steps.push(step);
    }

    fn done(&mut self, thread: u32, call: &str) {
        let (name, arguments, result) = parts(call);
        let result = result.trim_start().strip_prefix("= ").unwrap_or("?");
        if result.starts_with('?') {
            return self.cut_off(call);
        }
        if result.starts_with('-') {
            return;
        }
        let argument = |index: usize| arguments.get(index).map_or("", String::as_str);
        let number = |text: &str| text.parse::<usize>().unwrap();
        let step = match name {
            "fsync" | "fdatasync" | "syncfs" => Some(Step::SyncDone { thread }),
            "open" | "openat" | "creat" => self.opening(name, &arguments, result),
            "write" | "pwrite64" | "writev" => opened(argument(0))
                .and_then(|path| self.ours(path))
                .map(|path| {
                    let mut bytes: Vec<u8> = text(argument(1));
                    bytes.truncate(number(result));
                    let at = (name == "pwrite64").then(|| number(argument(3)));
                    Step::Written { path, at, bytes }
                }),
            "ftruncate" => opened(argument(0))
                .and_then(|path| self.ours(path))
                .map(|path| {
                    let length = number(argument(1));
                    Step::Cut { path, length }
                }),
            "mkdir" => self.ours(self.named(argument(0))).map(Step::FolderMade),
            "mkdirat" => self
                .ours(named_at(argument(0), argument(1)))
                .map(Step::FolderMade),
            "unlink" | "rmdir" => self.ours(self.named(argument(0))).map(Step::Removed),
            "unlinkat" => self
                .ours(named_at(argument(0), argument(1)))
                .map(Step::Removed),
            "rename" | "link" => self.two(name, self.named(argument(0)), self.named(argument(1))),
            "renameat" | "renameat2" | "linkat" => self.two(
                name,
                named_at(argument(0), argument(1)),
                named_at(argument(2), argument(3)),
            ),
            other => {
                let is_ours =
                    |argument: &String| opened(argument).and_then(|path| self.ours(path)).is_some();
                assert!(
                    !arguments.iter().any(is_ours),
                    "{other} is not understood: {call}"
                );
                None
            }
        };
        self.steps.extend(step);
    }

    fn opening(&self, name: &str, arguments: &[String], result: &str) -> Option<Step> {
        let flags = match name {
            "openat" => &arguments[2],
            "open" => &arguments[1],
            _ => "O_CREAT|O_TRUNC",
        };
        let has = |wanted: &str| flags.split('|').any(|flag| flag == wanted);
        if has("O_TMPFILE") || !(has("O_CREAT") || has("O_TRUNC")) {
            return None;
        }
        let path = self.ours(opened(result)?)?;
        Some(Step::Opened {
            path,
            truncated: has("O_TRUNC"),
        })
    }

    fn two(&self, name: &str, from: PathBuf, to: PathBuf) -> Option<Step> {
        let (from, to) = (self.ours(from)?, self.ours(to)?);
        Some(if name.starts_with("link") {
            Step::Linked(from, to)
        } else {
            Step::Renamed(from, to)
        })
    }

    /// A path as written; a relative one starts in the folder, where the command was started.
    fn named(&self, path: &str) -> PathBuf {
        self.root.join(String::from_utf8(text(path)).unwrap())
    }
}

fn named_at(folder: &str, path: &str) -> PathBuf {
    let folder = opened(folder).unwrap_or_default();
    folder.join(String::from_utf8(text(path)).unwrap())
}

/// The path of an open file, `5</a/b>`; `None` if it has lost its name.
fn opened(argument: &str) -> Option<PathBuf> {
    let (_, path) = argument.split_once('<')?;
    Some(PathBuf::from(path.strip_suffix('>')?))
}

/// A call's name, its arguments, and the rest of the line.
fn parts(call: &str) -> (&str, Vec<String>, &str) {
    let (name, rest) = call.split_once('(').unwrap();
    let mut arguments = vec![String::new()];
    let (mut depth, mut is_quoted, mut is_escaped) = (0, false, false);
    for (at, character) in rest.char_indices() {
        let last = arguments.last_mut().unwrap();
        if is_quoted {
            last.push(character);
            is_quoted = is_escaped || character != '"';
            is_escaped = !is_escaped && character == '\\';
            continue;
        }
        match character {
            '"' => is_quoted = true,
            '<' | '[' | '{' => depth += 1,
            '>' | ']' | '}' => depth -= 1,
            ')' if depth == 0 => return (name, arguments, &rest[at + 1..]),
            ',' if depth == 0 => {
                arguments.push(String::new());
                continue;
            }
            ' ' if last.is_empty() => continue,
            _ => {}
        }
        last.push(character);
    }
    (name, arguments, "")
}

/// The bytes of an argument's strings, joined.
fn text(argument: &str) -> Vec<u8> {
    assert!(!argument.ends_with("\"..."), "cut short: {argument}");
    let mut bytes = Vec::new();
    let mut rest = argument.bytes().peekable();
    let mut is_quoted = false;
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\\' if is_quoted => match rest.next().unwrap() {
                b'n' => bytes.push(b'\n'),
                b't' => bytes.push(b'\t'),
                b'r' => bytes.push(b'\r'),
                b'v' => bytes.push(0x0B),
                b'f' => bytes.push(0x0C),
                digit @ b'0'..=b'7' => {
                    let mut value = u32::from(digit - b'0');
                    for _ in 0..2 {
                        let Some(next) = rest.next_if(|next| (b'0'..=b'7').contains(next)) else {
                            break;
                        };
                        value = value * 8 + u32::from(next - b'0');
                    }
                    bytes.push(u8::try_from(value).unwrap());
                }
                other => bytes.push(other),
            },
            other if is_quoted => bytes.push(other),
            _ => {}
        }
    }
    bytes
}
