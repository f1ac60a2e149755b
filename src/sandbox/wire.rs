//! What passes between the daemon and the processes of the sandbox, and among these: shapes only,
//! and how they are packed.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::fs::{MemfdFlags, SealFlags};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::job::AppFile;
use crate::domain::Fault;

/// The hidden first argument that makes this binary a zygote.
pub const ZYGOTE_ARGUMENT: &str = "__sandbox-zygote";
/// A message on a socket, in bytes.
pub const MESSAGE_BYTES_MAX: usize = 8 * 1024;
/// The order of a job that travels inside its message; a larger one goes into a parcel.
pub const INLINE_BYTES_MAX: usize = 6 * 1024;
/// The JSON head of a parcel, in bytes.
const HEAD_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// What is asked of a part of the sandbox.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// To the zygote: leave the machine's namespaces. Answered by `Settled` or `Failed`.
    Settle(Settings),
    /// To the zygote: begin a room that listens to the socket in the first descriptor; then, where
    /// `birth` says so,
    /// the folder of the group that its init is born into, and the files of groups that it moves
    /// into. The room answers `Begun` or `Failed`.
    Begin {
        /// Whether there is a folder to be born into.
        birth: bool,
    },
    /// To a room that was begun: furnish it with the paths of the parcel in the first descriptor,
    /// which are shown in addition to the system's own folders. Answered by `Ready` or `Failed`.
    /// From its keeper to its init: it is furnished.
    Room,
    /// To the room: run this job, or where it has files or is large, the [`JobOrder`] of a parcel.
    /// The descriptors are standard input, output and error; the parcel; then the files of groups
    /// to join.
    /// Answered by `Started` and then `Ended`, or by `Failed`.
    Job(Option<Box<JobOrder>>),
    /// To the room: kill the job now. `Ended` follows.
    Kill,
    /// To the room: say what the processes use now. Answered by `Usage`, or by `Ended` where they
    /// were faster.
    Usage {
        /// Count pages that processes share once, which takes longer.
        exact: bool,
    },
    /// To the room: say how long the processes had to wait for a processor until now. Answered by
    /// `Waited`, or by `Ended`.
    Waits,
    /// To the room: the working folder has been read and can be wiped. Answered by `Wiped`.
    Done,
    /// To a room's keeper: keep the room's init on this processor, and with it every job that it
    /// starts from now on. Answered by `Placed`.
    Place {
        /// As the kernel numbers it.
        processor: usize,
    },
    /// To a room's keeper: a new scratch space of this many bytes instead of the one that is there.
    /// Answered by `Renewed` or `Failed`.
    Renew {
        /// What it may hold.
        disk_bytes: u64,
    },
}

/// What a part of the sandbox says.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    /// The zygote stands in its namespaces.
    Settled,
    /// The room is begun; the empty folder of its program comes along, to be filled before the room
    /// is asked for.
    Begun,
    /// The room stands.
    Ready {
        /// The version of landlock that holds in it, where the kernel has it.
        landlock: Option<u32>,
    },
    /// The program runs.
    Started {
        /// Our own steps between joining the cgroup and the program's start, in nanoseconds.
        setup_cpu_ns: u64,
    },
    /// Everything that the job started is gone.
    Ended {
        /// The wait status of the first process.
        status: i32,
        /// From its start to its end, in nanoseconds.
        wall_ns: u64,
        /// CPU time by the children's own accounts, in nanoseconds.
        cpu_ns: u64,
        /// The first thread's CPU time and the time that it waited for a processor, together, in
        /// nanoseconds; 0 after a run too short to have waited for long.
        longest_ns: u64,
        /// What init itself took for the job, in nanoseconds.
        init_cpu_ns: u64,
        /// Largest resident set of one process, in bytes.
        resident_bytes: u64,
    },
    /// What the processes use now.
    Usage(Usage),
    /// How long the processes had to wait.
    Waited {
        /// Of the thread for which it is the most: its CPU time and the time that it waited for a
        /// processor, together, in nanoseconds.
        longest_ns: u64,
        /// CPU time of all, by their own accounts, in nanoseconds.
        cpu_ns: u64,
    },
    /// The working folder is as new.
    Wiped,
    /// Init is where it was asked to be.
    Placed,
    /// There is a new scratch space; its root comes along.
    Renewed,
    /// A step of ours failed.
    Failed(Fault),
}

impl Reply {
    /// Of a job that has ended: its CPU time, and that of its first thread with the time that it
    /// waited for a processor.
    pub fn spent(&self) -> (Duration, Duration) {
        let (cpu, longest) = match self {
            Self::Ended {
                cpu_ns, longest_ns, ..
            } => (*cpu_ns, *longest_ns),
            _ => (0, 0),
        };
        (Duration::from_nanos(cpu), Duration::from_nanos(longest))
    }
}

/// What the processes of a job use now, by their own accounts.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Usage {
    /// CPU time, in nanoseconds.
    pub cpu_ns: u64,
    /// What init itself took for the job until now, in nanoseconds.
    pub init_cpu_ns: u64,
    /// Resident sets together, in bytes.
    pub resident_bytes: u64,
    /// Whether pages that processes share were counted once.
    pub exact: bool,
}

/// Who the jobs of a room are.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Identity {
    /// User and group number inside the sandbox.
    pub id: u32,
    /// Whether a user namespace maps it to the daemon's own user, because the daemon is not root.
    pub mapped: Option<(u32, u32)>,
}

/// What is the same for all rooms of a worker.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Settings {
    /// Who the jobs are.
    pub identity: Identity,
    /// Whether they get a network of their own, with nothing in it.
    pub own_network: bool,
    /// The processor that jobs are kept on.
    pub processor: Option<usize>,
}

/// A job to run.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobOrder {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// `NAME=value`.
    pub env: Vec<String>,
    /// The files of the parcel, for the working folder.
    pub files: Vec<FileHead>,
    /// What the working folder and `/tmp` hold together.
    pub disk_bytes: u64,
    /// Stack of the first thread.
    pub stack_bytes: u64,
    /// Open files of one process.
    pub open_files: u32,
    /// Whole seconds of CPU time after which the kernel itself ends a process.
    pub cpu_seconds: u64,
    /// Processes by the user's account, where the cgroup does not bound them.
    pub processes: Option<u32>,
    /// Whether the daemon wants to read the working folder at the end.
    pub collect: bool,
    /// The processor that it is kept on, where it is another one than usually.
    pub processor: Option<usize>,
}

/// A file of a parcel; its bytes stand in the same order after the head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileHead {
    /// Relative path of plain components.
    pub name: String,
    /// Its length.
    pub len_bytes: u64,
    /// Whether it may be executed.
    pub executable: bool,
}

/// The heads of some files.
pub fn heads(files: &[AppFile]) -> Vec<FileHead> {
    files
        .iter()
        .map(|file| FileHead {
            name: file.name.clone(),
            len_bytes: file.bytes.len() as u64,
            executable: file.executable,
        })
        .collect()
}

/// Bytes in a sealed file of memory, to be read from its beginning.
pub fn sealed(name: &str, parts: &[&[u8]]) -> io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    // Kernels before 6.3 do not know the flag by which such a file can never be executed.
    let descriptor = rustix::fs::memfd_create(name, flags | MemfdFlags::NOEXEC_SEAL)
        .or_else(|_| rustix::fs::memfd_create(name, flags))?;
    let mut file = File::from(descriptor);
    for part in parts {
        file.write_all(part)?;
    }
    rustix::fs::seek(&file, rustix::fs::SeekFrom::Start(0))?;
    rustix::fs::fcntl_add_seals(
        &file,
        SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL,
    )?;
    Ok(file.into())
}

/// A head and the bytes of its files in one sealed file of memory.
pub fn pack(head: &impl Serialize, files: &[AppFile]) -> io::Result<OwnedFd> {
    let head = serde_json::to_vec(head)?;
    let length = (head.len() as u64).to_le_bytes();
    let mut parts: Vec<&[u8]> = vec![&length, &head];
    parts.extend(files.iter().map(|file| &*file.bytes));
    sealed("parcel", &parts)
}

/// The head of a parcel; the file stands at the first byte of its files then.
pub fn unpack<Head: DeserializeOwned>(file: &mut File) -> io::Result<Head> {
    let mut length = [0; 8];
    file.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > HEAD_BYTES_MAX {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut head = Vec::new();
    file.take(length).read_to_end(&mut head)?;
    Ok(serde_json::from_slice(&head)?)
}
