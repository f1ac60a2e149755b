//! A small virtual machine: a kernel from the target folder, an initial RAM disk with what the
//! tests need, and its serial output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::place::comes_true;
use crate::quiet;

/// How long a machine may take: emulation is slow and test machines are busy.
const PATIENCE: Duration = Duration::from_mins(8);

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
        for name in ["qemu-system-x86_64", "cpio"] {
            find_program(name)?;
        }
        let busybox = find_program("busybox")?;
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let folder = target.join("vm");
        let mut kernels: Vec<PathBuf> = fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().path())
            .filter(|path| {
                let name = path.file_name().unwrap().to_string_lossy();
                name.starts_with("vmlinuz-")
            })
            .collect();
        kernels.sort();
        if kernels.is_empty() {
            return Err(format!("no kernel in {}", folder.display()));
        }
        Ok(Self { busybox, kernels })
    }
}

fn find_program(name: &str) -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .ok_or_else(|| format!("`{name}` is not installed"))
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
        let target = self.path(name);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(file, &target).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(target, mode).unwrap();
    }

    /// Adds a program without its debugging information, and the libraries that it is linked to.
    fn add_program(&self, file: &Path, name: &str) {
        self.add(file, name);
        // If stripping fails, the file is merely larger.
        let _ = Command::new("strip")
            .arg(self.path(name))
            .stderr(Stdio::null())
            .status();
        let listed = Command::new("ldd").arg(file).output().unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        for library in listed
            .split_whitespace()
            .filter(|word| word.starts_with('/'))
        {
            self.add(Path::new(library), library.trim_start_matches('/'));
        }
    }

    fn pack(&self, image: &Path) {
        let status = Command::new("sh")
            .args([
                "-c",
                "find . | cpio --quiet --format newc --owner 0:0 --create > \"$0\"",
            ])
            .arg(image)
            .current_dir(self.folder.path())
            .status()
            .unwrap();
        assert!(status.success(), "cpio");
    }
}

/// A running machine, ended when it is dropped.
struct Machine(Child);

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Boots a kernel with this disk and returns its output once it has powered off.
pub fn boot(kernel: &Path, disk: &Disk) -> Said {
    quiet::share();
    let folder = tempfile::tempdir().unwrap();
    let [image, console, said] = ["initrd", "console", "said"].map(|name| folder.path().join(name));
    disk.pack(&image);
    let file = |path: &Path| format!("file:{}", path.display());
    let child = Command::new("qemu-system-x86_64")
        // One host thread for both processors: with one each, the emulator sometimes still runs
        // code that the other processor has just patched, and the kernel dies of its own breakpoint
        // ("Oops: int3").
        .args(["-accel", "tcg,thread=single", "-cpu", "max,la57=off"])
        .args(["-smp", "2", "-m", "1280"])
        .args(["-display", "none", "-no-reboot", "-net", "none"])
        .args(["-serial", &file(&console), "-serial", &file(&said)])
        .args([
            "-append",
            "console=ttyS0 quiet mitigations=off panic=-1 tsc=reliable",
        ])
        .arg("-kernel")
        .arg(kernel)
        .arg("-initrd")
        .arg(&image)
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let mut machine = Machine(child);
    let mut status = None;
    let ended = comes_true(PATIENCE, || {
        status = machine.0.try_wait().unwrap();
        status.is_some()
    }) && status.is_some_and(|status| status.success());
    drop(machine);
    let text =
        |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
    let (said, console) = (text(&said), text(&console));
    // Kept for debugging.
    let record = kernel.with_file_name("said.txt");
    let _ = fs::write(record, format!("{}\n{said}\n{console}", kernel.display()));
    let said = Said::parse(&said);
    assert!(
        ended && said.parts.iter().any(|part| part.name == "end"),
        "the machine did not come to its end; its console:\n{}\n{:#?}",
        console,
        said.parts,
    );
    said
}

/// A machine's output, by its parts.
pub struct Said {
    parts: Vec<Part>,
}

/// One part.
#[derive(Debug, Default)]
pub struct Part {
    pub name: String,
    facts: Vec<(String, String)>,
    /// The program's lines.
    pub outcomes: Vec<Value>,
    /// Everything else.
    pub words: String,
}

impl Said {
    fn parse(text: &str) -> Self {
        let mut parts: Vec<Part> = Vec::new();
        for line in text.lines().map(str::trim_end) {
            if let Some(name) = line.strip_prefix("@@ ") {
                parts.push(Part {
                    name: name.into(),
                    ..Part::default()
                });
                continue;
            }
            let Some(part) = parts.last_mut() else {
                continue;
            };
            if let Some((key, value)) = line
                .strip_prefix("@= ")
                .and_then(|fact| fact.split_once(' '))
            {
                part.facts.push((key.into(), value.into()));
            } else if let Ok(value @ Value::Object(_)) = serde_json::from_str(line) {
                part.outcomes.push(value);
            } else {
                part.words += line;
                part.words += "\n";
            }
        }
        Self { parts }
    }

    /// The part of this name.
    pub fn part(&self, name: &str) -> &Part {
        let part = self.parts.iter().find(|part| part.name == name);
        part.unwrap_or_else(|| panic!("no part `{name}`"))
    }
}

impl Part {
    /// A fact that the machine stated.
    pub fn fact(&self, key: &str) -> &str {
        let fact = self.facts.iter().find(|(name, _)| name == key);
        fact.map_or_else(
            || panic!("no `{key}` in {self:#?}"),
            |(_, value)| value.as_str(),
        )
    }

    /// A fact that is a number.
    pub fn count(&self, key: &str) -> u64 {
        let text = self.fact(key);
        text.parse().unwrap_or_else(|_| panic!("{key} is `{text}`"))
    }
}
