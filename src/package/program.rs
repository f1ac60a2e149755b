//! The programs of a package: its reference, its validator, its checker, and those that it promises
//! to be right, which vouch for hacks. Here they are only read; like everything untrusted they run
//! only in the sandbox.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::constants::Constants;
use super::error::Trouble;
use super::included::Included;
use super::manifest::{Gives, Protocol};
use super::outline::Part;
use super::tree::{ACCEPTED_FOLDER, Entry, Tree};
use crate::domain::{Digest, Fault, NamedFile, ProblemSlug, Rounds, ending};
use crate::problems::Task;
use crate::util::hash::Key;
use crate::util::text::contains;

/// A source or header of a package's program, in bytes.
const PROGRAM_BYTES_MAX: u64 = 1024 * 1024;
/// Headers beside a program.
const HEADERS_MAX: usize = 16;
/// Programs that are asked about a hack, the first by name: each may take some seconds.
const EXAMPLES_MAX: usize = 64;
/// What a program of testlib includes.
const TESTLIB: &[u8] = b"testlib.h";

/// A program of a package. Its language follows from its extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageProgram {
    /// Its path in the package, as the manifest says it.
    pub path: String,
    /// The name by which it is built; of a folder, that of the zip that it makes.
    pub name: String,
    pub source: Arc<[u8]>,
    /// Headers that lie beside it, `testlib.h` for one, by name.
    pub headers: Vec<NamedFile>,
    /// What the package adds, if it is a program as people hand it in.
    pub added: Option<(Arc<Included>, ProblemSlug)>,
    /// Digest of its name, its bytes and what is compiled with it.
    pub digest: Digest,
}

/// Who answers the tests.
#[derive(Clone)]
pub enum Reference {
    BuiltIn(&'static dyn Task),
    /// A program of the package.
    Program(PackageProgram),
    /// Nobody: every answer is stored.
    Stored,
    /// Every test's answer is stored; what comes later, a hack, this accepted example answers.
    Example(PackageProgram),
}

impl Reference {
    /// The program of the package that answers inputs, if one does.
    pub fn program(&self) -> Option<&PackageProgram> {
        match self {
            Self::Program(program) | Self::Example(program) => Some(program),
            Self::BuiltIn(_) | Self::Stored => None,
        }
    }
}

/// A program that says whether an output is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checker {
    pub program: PackageProgram,
    /// How it is asked, and how it says.
    pub protocol: Protocol,
    /// What it is told beside that.
    pub arguments: Vec<String>,
    /// Whether it is asked about outputs, or takes part in the runs.
    pub rounds: Rounds,
    /// What the number means that it gives to a test; none where it gives none.
    pub gives: Option<Gives>,
    /// Who judges what an interactor has written, where it accepts a program.
    pub judge: Option<Box<Checker>>,
}

impl Checker {
    /// All programs that judge together.
    pub fn programs(&self) -> impl Iterator<Item = &PackageProgram> {
        let judge = self.judge.iter().map(|judge| &judge.program);
        std::iter::once(&self.program).chain(judge)
    }

    /// How it judges, as words that change when its verdicts may change.
    pub fn key_text(&self) -> String {
        let (protocol, digest) = (self.protocol.key_text(), self.program.digest);
        let arguments = self.arguments.iter();
        let arguments = arguments.map(|argument| format!(" {argument}"));
        let arguments = arguments.collect::<String>();
        let rounds = self.rounds.key_text();
        let gives = (self.gives).map(|gives| format!(" gives {}", gives.key_text()));
        let gives = gives.unwrap_or_default();
        let judge = (self.judge.as_ref()).map(|judge| format!(" then {}", judge.key_text()));
        let judge = judge.unwrap_or_default();
        format!("{protocol} {digest}{arguments}{rounds}{gives}{judge}")
    }
}

/// A program that says whether an input is valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validator {
    pub program: PackageProgram,
    /// How it is asked, and how it says.
    pub protocol: Protocol,
    /// What it is told beside that.
    pub arguments: Vec<String>,
}

impl PackageProgram {
    /// The protocol that it seems to follow: testlib's if it includes that, else the ICPC's.
    pub fn likely_protocol(&self) -> Protocol {
        if contains(&self.source, TESTLIB) {
            Protocol::Testlib
        } else {
            Protocol::Icpc
        }
    }

    /// An accepted example, as a program that can be asked.
    pub(super) fn of_example(
        example: &Example,
        slug: &ProblemSlug,
        included: &Arc<Included>,
    ) -> Self {
        let (path, source) = (example.path.clone(), Arc::clone(&example.source));
        let mut program = Self::new(path, source, Vec::new());
        program.name.clone_from(&example.file_name);
        if !included.is_empty() {
            program.digest = Key::new("package-program-with-included")
                .part(&program.digest.0)
                .part(&included.digest().0)
                .finish();
            program.added = Some((Arc::clone(included), slug.clone()));
        }
        program
    }

    /// A program with the headers that are compiled with it, whose bytes are there.
    pub fn new(path: String, source: Arc<[u8]>, headers: Vec<NamedFile>) -> Self {
        let key = Key::new("package-program")
            .part(path.as_bytes())
            .part(&source);
        let key = headers.iter().fold(key, |key, (name, bytes)| {
            key.part(name.as_bytes()).part(bytes)
        });
        Self {
            name: path.rsplit('/').next().unwrap_or(&path).to_owned(),
            path,
            source,
            headers,
            added: None,
            digest: key.finish(),
        }
    }

    /// Reads a program of the package in the folder `root`; the error says why it cannot be.
    pub(super) fn read(root: &Path, tree: &Tree, part: &Part) -> Result<Self, String> {
        let path = part.path.as_str();
        let file = confined(root, path)?;
        let source = tree.constants.file(&file, PROGRAM_BYTES_MAX);
        let source = source.map_err(|error| format!("`{path}`: {error}"))?;
        let (path, source) = (path.to_owned(), Arc::from(source));
        Ok(Self::new(path, source, headers(tree, part)?))
    }
}

/// The file that a path of the package names, where neither the path nor a link in it leads out of
/// the package.
fn confined(root: &Path, path: &str) -> Result<PathBuf, String> {
    let relative = Path::new(path);
    let plain = relative
        .components()
        .all(|component| matches!(component, Component::Normal(_)));
    if path.is_empty() || !plain {
        return Err(format!(
            "`{path}` must be a path inside the package, without `..` and not beginning with `/`"
        ));
    }
    let real = |path: &Path| path.canonicalize();
    let file = real(&root.join(relative)).map_err(|error| {
        format!("`{path}`: {error}; it is looked for in the package's own folder")
    })?;
    let root = real(root).map_err(|error| format!("{}: {error}", root.display()))?;
    if !file.starts_with(&root) {
        return Err(format!(
            "`{path}` leads out of the package by a link; put the file itself there"
        ));
    }
    Ok(file)
}

/// What lies beside a program and is compiled with it, or read by it.
fn headers(tree: &Tree, part: &Part) -> Result<Vec<NamedFile>, String> {
    let path = part.path.as_str();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_part = |entry: &&Entry| {
        let is_source = part.has_own_folder && ending(name) == entry.ending();
        entry.name() != name && entry.is_plain() && (entry.is_header() || is_source)
    };
    let found: Vec<&Entry> = tree.below(folder).filter(is_part).collect();
    if found.len() > HEADERS_MAX {
        return Err(format!("more than {HEADERS_MAX} headers beside `{path}`"));
    }
    let mut headers = Vec::new();
    for entry in found {
        let bytes = (tree.constants.file(&entry.file, PROGRAM_BYTES_MAX))
            .map_err(|error| format!("{}: {error}", entry.file.display()))?;
        headers.push((entry.name().to_owned(), Arc::from(bytes)));
    }
    headers.sort();
    Ok(headers)
}

/// A program that has to be accepted, if only with some of the points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// Its path in the package.
    pub path: String,
    pub file_name: String,
    pub source: Arc<[u8]>,
}

/// These accepted examples of a package; what is no program is passed over, for `check` complains
/// about it. One that is gone since the folder was read is a fault: under another name it may still
/// have to be asked.
pub fn accepted_examples(files: &[PathBuf], constants: &Constants) -> Result<Vec<Example>, Fault> {
    let mut examples = Vec::new();
    for file in files {
        let file_name = file.file_name().unwrap_or_default().to_string_lossy();
        match constants.program(file, PROGRAM_BYTES_MAX) {
            Ok((name, source)) => examples.push(Example {
                path: format!("{ACCEPTED_FOLDER}/{file_name}"),
                file_name: name,
                source: Arc::from(source),
            }),
            Err(error) if std::fs::symlink_metadata(file).is_err() => {
                return Err(Fault::of_call(format!("read {}", file.display()), error));
            }
            Err(error) => {
                if let Trouble::Ours(fault) = Trouble::unread(file, error) {
                    return Err(fault);
                }
            }
        }
        if examples.len() == EXAMPLES_MAX {
            break;
        }
    }
    Ok(examples)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::{PackageProgram, Part, Protocol, Tree};
    use crate::package::tree::Named;
    use crate::util::tests::files::write;

    fn read(root: &std::path::Path, path: &str) -> Result<PackageProgram, String> {
        let path = path.to_owned();
        let named = Named {
            programs: vec![path.clone()],
            ..Named::default()
        };
        let part = Part {
            path,
            ..Part::default()
        };
        PackageProgram::read(root, &Tree::read(root, &named).unwrap(), &part)
    }

    #[test]
    fn programs_stay_in_their_package() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("sum");
        write(folder.path(), "outside.py", "1");
        write(&root, "check/main.cpp", "#include \"testlib.h\"");
        write(&root, "check/testlib.h", "// testlib");
        symlink("../../outside.py", root.join("check/link.py")).unwrap();
        symlink("/etc/hostname", root.join("check/secret.h")).unwrap();
        for (path, words) in [
            ("../outside.py", "inside the package"),
            ("/etc/passwd", "inside the package"),
            ("", "inside the package"),
            ("check/../check/main.cpp", "inside the package"),
            ("check/link.py", "leads out of the package"),
            ("check/none.py", "No such file"),
            ("check", "not a regular file"),
        ] {
            let reason = read(&root, path).unwrap_err();
            assert!(reason.contains(words), "{path}: {reason}");
        }
        let program = read(&root, "check/main.cpp").unwrap();
        assert_eq!(program.name, "main.cpp");
        assert_eq!(program.likely_protocol(), Protocol::Testlib);
        let names: Vec<&str> = program.headers.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["testlib.h"], "a link is no header");
    }

    #[test]
    fn the_digest_changes_with_whatever_is_compiled() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| write(folder.path(), name, text);
        write("a.cpp", "1");
        let digest = || read(folder.path(), "a.cpp").unwrap().digest;
        let first = digest();
        assert_eq!(digest(), first);
        write("b.h", "2");
        let with_header = digest();
        assert_ne!(with_header, first);
        write("a.cpp", "3");
        assert_ne!(digest(), with_header);
    }
}
