//! A small virtual machine: a kernel from the target folder, an initial RAM disk with what the
//! tests need, and its serial output.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::process::program;
use crate::quiet;

/// How long a machine may take, in seconds: emulation is slow and test machines are busy.
const PATIENCE_S: &str = "480";

/// The kernel's command line.
const LINE: &str = "console=ttyS0 quiet mitigations=off panic=-1 tsc=reliable";

/// What a virtual machine needs from the host.
pub struct Tools {
    busybox: PathBuf,
    /// The kernels to boot, one after the other.
    pub kernels: Vec<PathBuf>,
}

impl Tools {
    /// Looks for everything, or says what is missing.
    pub fn find() -> Result<Self, String> {
        if !cfg!(target_arch = "x86_64") {
            return Err("the kernels are for x86-64".into());
        }
        let find = |name| program(name).ok_or_else(|| format!("`{name}` is not installed"));
        find("qemu-system-x86_64")?;
        find("cpio")?;
        let busybox = find("busybox")?;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("vm");
        let files = fs::read_dir(&folder).into_iter().flatten();
        let mut kernels: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
        kernels.retain(|path| path.display().to_string().contains("/vmlinuz-"));
        kernels.sort();
        if kernels.is_empty() {
            return Err(format!("no kernel in {}", folder.display()));
        }
        Ok(Self { busybox, kernels })
    }
}

/// The contents of the initial RAM disk.
pub struct Disk {
    folder: tempfile::TempDir,
}

impl Disk {
    /// The binary, the hostile test program and what both need.
    pub fn new(tools: &Tools, hostile: &Path) -> Self {
        let disk = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for folder in ["bin", "lib", "lib64", "usr", "trial"] {
            fs::create_dir_all(disk.path(folder)).unwrap();
        }
        disk.add_program(&tools.busybox, "bin/busybox");
        disk.add_program(Path::new(env!("CARGO_BIN_EXE_verdictd")), "bin/verdictd");
        let trial = Path::new(env!("CARGO_BIN_EXE_sandbox-trial"));
        disk.add_program(trial, "bin/sandbox-trial");
        disk.add_program(hostile, "trial/hostile");
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/vm");
        disk.add(&fixtures.join("init"), "init");
        disk.add(&fixtures.join("main"), "trial/main");
        disk.write("trial/config.toml", "");
        disk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn add(&self, file: &Path, name: &str) {
        let mut install = Command::new("install");
        let install = install.arg("-D").arg(file).arg(self.path(name));
        assert!(install.status().unwrap().success(), "{name}");
    }

    /// Adds a program without its debugging information, and the libraries that it is linked to.
    fn add_program(&self, file: &Path, name: &str) {
        self.add(file, name);
        // If stripping fails, the file is merely larger.
        let mut strip = Command::new("strip");
        let _ = strip.arg(self.path(name)).stderr(Stdio::null()).status();
        let listed = Command::new("ldd").arg(file).output().unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        let words = listed.split_whitespace();
        for library in words.filter(|word| word.starts_with('/')) {
            self.add(Path::new(library), library.trim_start_matches('/'));
        }
    }

    fn pack(&self, image: &Path) {
        let script = "find . | cpio --quiet --format newc --owner 0:0 --create > \"$0\"";
        let mut pack = Command::new("sh");
        pack.args(["-c", script])
            .arg(image)
            .current_dir(&self.folder);
        assert!(pack.status().unwrap().success(), "cpio");
    }
}

/// Boots a kernel with this disk and returns its output once it has powered off.
pub fn boot(kernel: &Path, disk: &Disk) -> Said {
    quiet::share();
    let folder = tempfile::tempdir().unwrap();
    let [image, console, said] = ["initrd", "console", "said"].map(|name| folder.path().join(name));
    disk.pack(&image);
    let file = |path: &Path| format!("file:{}", path.display());
    let ended = Command::new("timeout")
        .args(["--signal=KILL", PATIENCE_S, "qemu-system-x86_64"])
        // One host thread for both processors: with one each, the emulator sometimes still runs
        // code that the other processor has just patched, and the kernel dies of its own breakpoint
        // ("Oops: int3").
        .args(["-accel", "tcg,thread=single", "-cpu", "max,la57=off"])
        .args(["-smp", "2", "-m", "1280"])
        .args(["-display", "none", "-no-reboot", "-net", "none"])
        .args(["-serial", &file(&console), "-serial", &file(&said)])
        .args(["-append", LINE])
        .args([OsStr::new("-kernel"), kernel.as_ref()])
        .args([OsStr::new("-initrd"), image.as_ref()])
        .stdin(Stdio::null())
        .status()
        .unwrap();
    let bytes = [said, console].map(|path| fs::read(path).unwrap_or_default());
    let [said, console] = bytes.map(|bytes| String::from_utf8_lossy(&bytes).replace('\r', ""));
    // Kept for debugging.
    let record = kernel.with_file_name("said.txt");
    let _ = fs::write(record, format!("{}\n{said}\n{console}", kernel.display()));
    let has_come = ended.success() && said.contains("\n@@ end\n");
    assert!(has_come, "the machine has not ended: {said}\n{console}");
    Said(said)
}

/// A machine's output, in parts.
pub struct Said(String);

/// One part.
#[derive(Debug)]
pub struct Part<'a>(&'a str);

impl Said {
    /// The part of this name.
    pub fn part(&self, name: &str) -> Part<'_> {
        let begin = format!("@@ {name}\n");
        let part = self.0.split_once(&begin).map(|(_, part)| part);
        let part = part.unwrap_or_else(|| panic!("no part `{name}`"));
        Part(part.split("@@ ").next().unwrap())
    }
}

impl<'a> Part<'a> {
    /// The program's lines.
    pub fn outcomes(&self) -> Vec<Value> {
        let lines = self.0.lines().filter(|line| line.starts_with('{'));
        let lines = lines.filter_map(|line| serde_json::from_str(line).ok());
        lines.collect()
    }

    /// A fact that the machine stated.
    pub fn fact(&self, key: &str) -> &'a str {
        let begin = format!("@= {key} ");
        let mut facts = self.0.lines().filter_map(|line| line.strip_prefix(&begin));
        let facts = facts.next();
        facts.unwrap_or_else(|| panic!("no `{key}` in {self:#?}"))
    }

    /// A fact that is a number.
    pub fn count(&self, key: &str) -> u64 {
        let text = self.fact(key);
        text.parse().unwrap_or_else(|_| panic!("{key} is `{text}`"))
    }
}
