//! Takes files out of a job's working folder. The folder is the program's: every name in it may be
//! a link, a pipe, or a trap.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{Dir, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::domain::Fault;
use crate::sandbox::job::{AppFile, Collect};

/// Folders in folders that are looked into.
const DEPTH_MAX: usize = 32;
/// Names that are looked at, besides the files that may be taken.
const NAMES_EXTRA_MAX: usize = 4_096;

/// What was taken.
#[derive(Debug, Default)]
pub struct Collected {
    /// The files, in order of their names.
    pub files: Vec<AppFile>,
    /// There was more than the bounds allow.
    pub overflow: bool,
}

/// Collects as asked.
pub fn collect(folder: &OwnedFd, what: &Collect) -> Result<Collected, Fault> {
    let mut collected = Collected::default();
    match what {
        Collect::Nothing => {}
        Collect::Named { names, bytes_max } => {
            for name in names {
                // One byte more than the bound tells that the file is larger.
                let bound = bytes_max.saturating_add(1);
                if let Some(file) = take(folder, name, bound)? {
                    collected.files.push(file);
                }
            }
        }
        Collect::All {
            bytes_max,
            files_max,
        } => {
            let mut walk = Walk {
                bytes_left: *bytes_max,
                files_left: *files_max,
                names_left: files_max.saturating_add(NAMES_EXTRA_MAX),
                collected: &mut collected,
            };
            walk.folder(folder, "", 0)?;
            collected
                .files
                .sort_by(|one, other| one.name.cmp(&other.name));
        }
    }
    Ok(collected)
}

struct Walk<'a> {
    bytes_left: u64,
    files_left: usize,
    names_left: usize,
    collected: &'a mut Collected,
}

impl Walk<'_> {
    fn folder(&mut self, top: &OwnedFd, path: &str, depth: usize) -> Result<(), Fault> {
        if depth > DEPTH_MAX {
            self.collected.overflow = true;
            return Ok(());
        }
        let at = if path.is_empty() { "." } else { path };
        let Some(opened) = open(top, at, OFlags::DIRECTORY)? else {
            return Ok(());
        };
        let entries =
            Dir::new(opened).map_err(|error| Fault::new("list the working folder", error))?;
        for entry in entries {
            let entry = entry.map_err(|error| Fault::new("list the working folder", error))?;
            // A name that is not text cannot be named by anyone later.
            let Ok(name) = entry.file_name().to_str() else {
                continue;
            };
            if name == "." || name == ".." {
                continue;
            }
            if self.names_left == 0 {
                self.collected.overflow = true;
                return Ok(());
            }
            self.names_left -= 1;
            let below = Path::new(path).join(name);
            let Some(below) = below.to_str() else {
                continue;
            };
            match entry.file_type() {
                FileType::Directory => self.folder(top, below, depth + 1)?,
                FileType::RegularFile => self.file(top, below)?,
                _ => {}
            }
            if self.collected.overflow {
                return Ok(());
            }
        }
        Ok(())
    }

    fn file(&mut self, top: &OwnedFd, path: &str) -> Result<(), Fault> {
        let Some(file) = take(top, path, self.bytes_left.saturating_add(1))? else {
            return Ok(());
        };
        let length = file.bytes.len() as u64;
        if self.files_left == 0 || length > self.bytes_left {
            self.collected.overflow = true;
            return Ok(());
        }
        self.files_left -= 1;
        self.bytes_left -= length;
        self.collected.files.push(file);
        Ok(())
    }
}

/// None where there is nothing by this name that may be opened; where that is not known, it is a
/// fault, or a verdict would rest on what was not read.
fn open(top: &OwnedFd, path: &str, extra: OFlags) -> Result<Option<OwnedFd>, Fault> {
    let opened = rustix::fs::openat2(
        top,
        path,
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | extra,
        Mode::empty(),
        ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV,
    );
    match opened {
        Ok(opened) => Ok(Some(opened)),
        Err(error @ (Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::IO)) => {
            Err(Fault::of_call("open a file of the working folder", error))
        }
        Err(_) => Ok(None),
    }
}

/// A regular file's first bytes; none where there is no such file that can be read.
fn take(top: &OwnedFd, path: &str, bytes_max: u64) -> Result<Option<AppFile>, Fault> {
    let Some(opened) = open(top, path, OFlags::empty())? else {
        return Ok(None);
    };
    let step = |error: std::io::Error| Fault::new("read a file of the working folder", error);
    let data = rustix::fs::fstat(&opened).map_err(|error| step(error.into()))?;
    if FileType::from_raw_mode(data.st_mode) != FileType::RegularFile {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    File::from(opened)
        .take(bytes_max)
        .read_to_end(&mut bytes)
        .map_err(step)?;
    Ok(Some(AppFile {
        name: path.to_owned(),
        bytes: bytes.into(),
        executable: data.st_mode & 0o100 != 0,
    }))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::{Collected, collect};
    use crate::sandbox::Collect;

    fn run(build: impl Fn(&std::path::Path), what: &Collect) -> Collected {
        let folder = tempfile::tempdir().unwrap();
        build(folder.path());
        collect(&fs::File::open(folder.path()).unwrap().into(), what).unwrap()
    }

    fn names(collected: &Collected) -> Vec<&str> {
        let files = collected.files.iter();
        files.map(|file| file.name.as_str()).collect()
    }

    fn all(bytes_max: u64, files_max: usize) -> Collect {
        Collect::All {
            bytes_max,
            files_max,
        }
    }

    #[test]
    fn takes_regular_files_only_and_says_when_there_is_more() {
        let build = |at: &std::path::Path| {
            fs::create_dir_all(at.join("a/b")).unwrap();
            fs::write(at.join("a/b/deep"), "1").unwrap();
            fs::write(at.join("top"), "22").unwrap();
            symlink("/etc/passwd", at.join("link")).unwrap();
            symlink("/etc", at.join("folder")).unwrap();
            let mode = rustix::fs::Mode::from_raw_mode(0o600);
            rustix::fs::mkfifoat(rustix::fs::CWD, at.join("pipe"), mode).unwrap();
        };
        let collected = run(build, &all(3, 2));
        assert_eq!(names(&collected), ["a/b/deep", "top"]);
        assert!(!collected.overflow);
        assert!(run(build, &all(2, 2)).overflow && run(build, &all(3, 1)).overflow);
        let names_of_all = ["link", "folder/passwd", "pipe", "../x", "none", "top"];
        let named = Collect::Named {
            names: names_of_all.map(String::from).into(),
            bytes_max: 1,
        };
        let collected = run(build, &named);
        assert_eq!(names(&collected), ["top"]);
        // One byte more than the bound.
        assert_eq!(&*collected.files[0].bytes, b"22");
    }
}
