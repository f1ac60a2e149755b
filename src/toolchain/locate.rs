//! Finds a compiler or interpreter on this machine, and what of its installation a sandbox has to
//! show for it to work.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::command::{self, is_missing, reworded};
use crate::sandbox;

/// Where programs are looked for first, so that the machine's own come before a person's.
const FIRST: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
/// Folders of `$PATH` that are looked at.
const FOLDERS_MAX: usize = 256;
/// Names of a folder that are compared with a pattern.
const SHOWN_MAX: usize = 4_096;

/// Where to look for programs.
#[derive(Debug, Clone)]
pub(super) struct Search {
    folders: Vec<PathBuf>,
    home: Option<PathBuf>,
}

/// A program that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Located {
    /// Its path, the same inside a sandbox.
    pub program: PathBuf,
    /// The folder that a sandbox has to show for it, where the system's own folders do not hold it.
    pub shown: Option<PathBuf>,
}

impl Search {
    /// The usual folders, then `$PATH`, then where the installers of Rust and Go put theirs.
    pub(super) fn of_this_process() -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut folders: Vec<PathBuf> = FIRST.iter().map(PathBuf::from).collect();
        folders.extend(std::env::split_paths(&path));
        folders.extend(home.iter().map(|home| home.join(".cargo/bin")));
        folders.extend(["/usr/local/cargo/bin", "/usr/local/go/bin"].map(PathBuf::from));
        Self::new(folders, home)
    }

    pub(super) fn new(folders: Vec<PathBuf>, home: Option<PathBuf>) -> Self {
        let folders = folders.into_iter().filter(|folder| folder.is_absolute());
        Self {
            folders: folders.take(FOLDERS_MAX).collect(),
            home,
        }
    }

    /// Finds a program by its name, or checks one that is given by its absolute path.
    pub(super) fn find(&self, name: &str) -> io::Result<Located> {
        let given = Path::new(name);
        let itself = [PathBuf::new()];
        let folders = if given.is_absolute() {
            &itself[..]
        } else {
            &self.folders
        };
        let mut shim = None;
        for candidate in folders.iter().map(|folder| folder.join(given)) {
            let Some(real) = executable(&candidate)? else {
                continue;
            };
            if is_shim(&candidate) || is_shim(&real) {
                shim = shim.or(Some(candidate));
            } else if is_rustup_proxy(&candidate, &real)? {
                return self.behind_rustup(&candidate);
            } else {
                return Ok(self.located(candidate, real));
            }
        }
        let words = match shim.as_deref().map(Path::display) {
            Some(shim) => {
                format!("`{name}` is not installed for all; {shim} only leads to a version manager")
            }
            None => format!("`{name}` is not installed"),
        };
        Err(io::Error::new(ErrorKind::NotFound, words))
    }

    fn located(&self, candidate: PathBuf, real: PathBuf) -> Located {
        match (is_system(&candidate), is_system(&real)) {
            // The name matters to some programs, so the link stays; /etc/alternatives is shown
            // where it leads through that.
            (true, true) => Located {
                program: candidate,
                shown: None,
            },
            (false, true) => Located {
                program: real,
                shown: None,
            },
            (_, false) => {
                let shown = Some(self.installation(&real));
                Located {
                    program: real,
                    shown,
                }
            }
        }
    }

    /// The folder that belongs to a program: of `…/bin/program` the folder above, where that is one
    /// installation with its libraries,
    /// but never a home folder or what lies directly in one under a hidden name, because other
    /// things are there too.
    fn installation(&self, real: &Path) -> PathBuf {
        let folder = real.parent().unwrap_or(Path::new("/"));
        let (true, Some(above)) = (folder.ends_with("bin"), folder.parent()) else {
            return folder.to_owned();
        };
        let is_private = self.home.as_deref().is_some_and(|home| {
            let home = home.canonicalize().unwrap_or_else(|_| home.to_owned());
            let name = above.file_name().unwrap_or_default().as_encoded_bytes();
            home.starts_with(above) || (above.parent() == Some(&home) && name.starts_with(b"."))
        });
        let has_libraries = ["lib", "lib64", "libexec"]
            .iter()
            .any(|name| above.join(name).is_dir());
        let is_whole = has_libraries && !is_private && above.parent().is_some();
        if is_whole { above } else { folder }.to_owned()
    }

    /// rustup's proxy needs its owner's home folder; the compiler behind it does not.
    fn behind_rustup(&self, proxy: &Path) -> io::Result<Located> {
        let name = proxy.file_name().unwrap_or_default();
        let rustc = proxy.with_file_name("rustc");
        let sysroot = command::ask(&rustc, &["--print".to_owned(), "sysroot".to_owned()])?;
        let program = Path::new(&sysroot).join("bin").join(name);
        let unknown = || format!("rustup knows no `{}`", Path::new(name).display());
        let real =
            executable(&program)?.ok_or_else(|| io::Error::new(ErrorKind::NotFound, unknown()))?;
        let mut located = self.located(program, real);
        if located.shown.is_some() {
            located.shown = Path::new(&sysroot).canonicalize().ok();
        }
        Ok(located)
    }
}

/// The file behind a path, where it can be executed.
fn executable(path: &Path) -> io::Result<Option<PathBuf>> {
    let found = path
        .canonicalize()
        .and_then(|real| Ok((real.metadata()?, real)));
    let found = found
        .map(Some)
        .or_else(|error| none_if_missing(path, &error))?;
    let may_start = |metadata: &Metadata| metadata.is_file() && metadata.mode() & 0o111 != 0;
    Ok(found
        .filter(|(metadata, _)| may_start(metadata))
        .map(|(_, real)| real))
}

/// Nothing, where an error says that nothing is there.
fn none_if_missing<T: Default>(path: &Path, error: &io::Error) -> io::Result<T> {
    if is_missing(error) {
        return Ok(T::default());
    }
    Err(reworded(error, format!("{}: {error}", path.display())))
}

fn is_system(path: &Path) -> bool {
    sandbox::system_folder(path).is_some()
}

/// A stand-in of a version manager, which needs its owner's settings to find the real program.
fn is_shim(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    folder == Some(OsStr::new("shims")) || name.ends_with("-shim") || name == "mise"
}

fn is_rustup_proxy(candidate: &Path, real: &Path) -> io::Result<bool> {
    let is_named = candidate.ends_with("rustc") || candidate.ends_with("cargo");
    Ok(is_named
        && (real.ends_with("rustup") || executable(&candidate.with_file_name("rustup"))?.is_some()))
}

/// The paths that a pattern of the table's `show` stands for: the path itself, or with a `*` in its
/// last part whatever fits there.
pub(super) fn shown_paths(pattern: &str) -> io::Result<Vec<PathBuf>> {
    let path = Path::new(pattern);
    let found = match (pattern.split_once('*'), path.parent()) {
        (Some((before, after)), Some(folder)) => names_that_fit(folder, before, after),
        _ => path.metadata().map(|_| vec![path.to_owned()]),
    };
    found.or_else(|error| none_if_missing(path, &error))
}

fn names_that_fit(folder: &Path, before: &str, after: &str) -> io::Result<Vec<PathBuf>> {
    let fits = |path: &PathBuf| {
        let rest = path
            .as_os_str()
            .as_encoded_bytes()
            .strip_prefix(before.as_bytes());
        rest.is_some_and(|rest| rest.ends_with(after.as_bytes()))
    };
    let entries = folder.read_dir()?.take(SHOWN_MAX);
    let paths: io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths?;
    paths.retain(fits);
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::{Path, PathBuf};

    use super::Search;
    use crate::toolchain::command::is_missing;

    fn program(path: &Path, text: &str, mode: u32) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    struct Machine(tempfile::TempDir);

    impl Machine {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn at(&self, name: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(name)
        }

        fn search(&self, folders: &[&str]) -> Search {
            let folders = folders.iter().map(|folder| self.at(folder));
            Search::new(folders.collect(), Some(self.at("home")))
        }
    }

    #[test]
    fn the_first_folder_with_an_executable_file_wins() {
        let machine = Machine::new();
        program(&machine.at("a/tool"), "no", 0o644);
        fs::create_dir_all(machine.at("b/tool")).unwrap();
        program(&machine.at("c/tool"), "yes", 0o755);
        program(&machine.at("d/tool"), "late", 0o755);
        let located = machine.search(&["a", "b", "c", "d"]).find("tool").unwrap();
        assert_eq!(located.program, machine.at("c/tool"));
        assert_eq!(located.shown, Some(machine.at("c")));
        assert!(machine.search(&["a", "b"]).find("tool").is_err());
    }

    #[test]
    fn shims_of_version_managers_are_passed_over() {
        let machine = Machine::new();
        let shim = machine.at("home/.pyenv/shims/python3");
        program(&shim, "#!/bin/sh\n", 0o755);
        program(&machine.at("volta/volta-shim"), "", 0o755);
        symlink("volta-shim", machine.at("volta/node")).unwrap();
        program(&machine.at("real/python3"), "", 0o755);
        let folders = ["home/.pyenv/shims", "volta", "real"];
        let found = machine.search(&folders).find("python3").unwrap();
        assert_eq!(found.program, machine.at("real/python3"));
        let error = machine.search(&folders).find("node").unwrap_err();
        let words = error.to_string();
        let holds = is_missing(&error) && words.contains("version manager");
        assert!(holds, "{words}");
    }

    #[test]
    fn an_installation_is_shown_whole_and_a_home_folder_never() {
        let machine = Machine::new();
        let shown = |at: &str, has_library: bool| {
            let path = machine.at(at).join("bin/tool");
            program(&path, "", 0o755);
            if has_library {
                fs::create_dir_all(machine.at(at).join("lib")).unwrap();
            }
            let found = machine.search(&[]).find(path.to_str().unwrap()).unwrap();
            let shown = found.shown.unwrap();
            shown.strip_prefix(machine.at("")).unwrap().to_owned()
        };
        // Where it is installed, whether it has a library there, and what is shown of that.
        for (at, has_library, expected) in [
            ("opt/jdk", true, "opt/jdk"),
            ("opt/one", false, "opt/one/bin"),
            ("home", true, "home/bin"),
            ("home/.local", true, "home/.local/bin"),
            ("home/.x/versions/3", true, "home/.x/versions/3"),
        ] {
            assert_eq!(shown(at, has_library), Path::new(expected));
        }
    }

    #[test]
    fn links_that_leave_the_search_path_are_followed() {
        let machine = Machine::new();
        program(&machine.at("opt/tool/bin/tool"), "", 0o755);
        fs::create_dir_all(machine.at("path")).unwrap();
        symlink("../opt/tool/bin/tool", machine.at("path/tool")).unwrap();
        let located = machine.search(&["path"]).find("tool").unwrap();
        assert_eq!(located.program, machine.at("opt/tool/bin/tool"));
        assert_eq!(located.shown, Some(machine.at("opt/tool/bin")));
    }

    #[test]
    fn behind_rustups_proxy_is_the_compiler() {
        let machine = Machine::new();
        let toolchain = machine.at("home/.rustup/toolchains/stable");
        program(&toolchain.join("bin/rustc"), "", 0o755);
        let proxy = format!("#!/bin/sh\necho {}\n", toolchain.display());
        program(&machine.at("home/.cargo/bin/rustc"), &proxy, 0o755);
        program(&machine.at("home/.cargo/bin/rustup"), "", 0o755);
        let located = machine.search(&["home/.cargo/bin"]).find("rustc").unwrap();
        assert_eq!(located.program, toolchain.join("bin/rustc"));
        assert_eq!(located.shown, Some(toolchain));
    }
}
