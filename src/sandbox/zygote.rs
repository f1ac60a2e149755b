//! The small process behind a room: it leaves the machine's namespaces, builds the root, and as the init of its own process namespace starts one job after the other.
//!
//! It has one thread and knows nothing but its socket. Where the daemon is gone the socket ends, init exits, and the kernel kills whatever is left in the namespace.

use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::process::ExitCode;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{DumpableBehavior, Signal};
use rustix::thread::{CapabilitiesSecureBits, CapabilitySet};

use super::inside::{Program, monotonic_ns, step_name};
use super::mounts::{self, AtStep};
use super::scratch::Scratch;
use super::sys::{self, Instruction, Reaped, Started, StringArray, Waited};
use super::wire::{self, JobOrder, MESSAGE_BYTES_MAX, Reply, Request, RoomOrder};
use super::{namespaces, seccomp};
use crate::domain::Fault;

/// Runs as a zygote until the socket on standard input ends.
pub fn main() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

struct Zygote {
    socket: OwnedFd,
}

fn start() -> Result<(), Fault> {
    let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)
        .step(|| "take the socket".into())?;
    let null = File::open("/dev/null").step(|| "open /dev/null".into())?;
    rustix::stdio::dup2_stdin(&null).step(|| "close the input".into())?;
    drop(null);
    let zygote = Zygote { socket };
    let Some((Request::Room, mut descriptors)) = zygote.receive()? else {
        return Ok(());
    };
    let result = descriptors
        .pop()
        .ok_or_else(|| Fault::new("take the room", "no parcel"))
        .and_then(|parcel| zygote.enter(File::from(parcel)));
    if let Err(fault) = &result {
        zygote.fail(fault)?;
    }
    result
}

impl Zygote {
    fn receive(&self) -> Result<Option<(Request, Vec<OwnedFd>)>, Fault> {
        let mut bytes = [0; MESSAGE_BYTES_MAX];
        let (length, descriptors) =
            sys::receive(self.socket.as_fd(), &mut bytes).step(|| "receive".into())?;
        if length == 0 {
            return Ok(None);
        }
        let request = serde_json::from_slice(&bytes[..length])
            .map_err(|error| Fault::new("read a request", error))?;
        Ok(Some((request, descriptors)))
    }

    fn send(&self, reply: &Reply, folder: Option<&OwnedFd>) -> Result<(), Fault> {
        let bytes =
            serde_json::to_vec(reply).map_err(|error| Fault::new("write a reply", error))?;
        let descriptors: Vec<_> = folder.iter().map(|folder| folder.as_fd()).collect();
        sys::send(self.socket.as_fd(), &bytes, &descriptors).step(|| "send".into())
    }

    fn fail(&self, fault: &Fault) -> Result<(), Fault> {
        let bounded = |text: &str| text.chars().take(500).collect();
        let reply = Reply::Failed {
            step: bounded(&fault.step),
            reason: bounded(&fault.reason),
        };
        self.send(&reply, None)
    }

    /// Leaves the namespaces and waits for the init of the new ones.
    fn enter(&self, mut parcel: File) -> Result<(), Fault> {
        let order: RoomOrder = wire::unpack(&mut parcel).step(|| "read the room".into())?;
        namespaces::enter(&order)?;
        if sys::fork().step(|| "fork".into())?.is_some() {
            // Only the init speaks from here on; the socket ends for the daemon when this process does.
            while !matches!(sys::wait_any(true), Ok(Waited::Nobody) | Err(_)) {}
            sys::exit_now(0)
        }
        let result = Room::build(self, order, parcel).and_then(|mut room| room.serve());
        if let Err(fault) = &result {
            // Where the daemon is gone too, there is nobody to tell.
            let _ = self.fail(fault);
        }
        sys::exit_now(i32::from(result.is_err()))
    }
}

struct Room<'a> {
    zygote: &'a Zygote,
    order: RoomOrder,
    filter: Vec<Instruction>,
    signals: OwnedFd,
    scratch: Scratch,
}

/// What has been seen of the job's processes.
struct Watched {
    first: i32,
    started_ns: u64,
    ended: Option<(i32, u64)>,
    cpu: Duration,
    resident_bytes: u64,
}

impl Watched {
    fn add(&mut self, child: Reaped) {
        self.cpu += child.cpu;
        self.resident_bytes = self.resident_bytes.max(child.resident_bytes);
        if child.pid == self.first && self.ended.is_none() {
            self.ended = Some((child.status, monotonic_ns().saturating_sub(self.started_ns)));
        }
    }
}

impl<'a> Room<'a> {
    fn build(zygote: &'a Zygote, order: RoomOrder, mut parcel: File) -> Result<Self, Fault> {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
            .step(|| "tie to the parent".into())?;
        sys::reset_signals();
        let signals = sys::child_signals().step(|| "watch children".into())?;
        rustix::process::umask(rustix::fs::Mode::empty());
        rustix::system::sethostname(b"sandbox").step(|| "set the host name".into())?;
        mounts::build_root(&order, &mut parcel)?;
        drop_future_capabilities()?;
        rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)
            .step(|| "hide memory".into())?;
        let filter = if order.filter {
            seccomp::filter()
        } else {
            Vec::new()
        };
        let scratch = Scratch::new(order.identity.mapped.is_some());
        Ok(Self {
            zygote,
            order,
            filter,
            signals,
            scratch,
        })
    }

    fn serve(&mut self) -> Result<(), Fault> {
        self.zygote.send(&Reply::Ready, None)?;
        while let Some((request, descriptors)) = self.zygote.receive()? {
            match request {
                Request::Job => {
                    let result = self.run(descriptors);
                    if let Err(fault) = result {
                        clear_away(&mut None)?;
                        self.scratch.wipe()?;
                        self.zygote.fail(&fault)?;
                    }
                }
                Request::Done => {
                    self.scratch.wipe()?;
                    self.zygote.send(&Reply::Wiped, None)?;
                }
                // The job was faster than the request; its `Ended` is the answer.
                Request::Kill | Request::Look => {}
                Request::Room => return Err(Fault::new("serve", "a room inside a room")),
            }
        }
        Ok(())
    }

    fn run(&mut self, mut descriptors: Vec<OwnedFd>) -> Result<(), Fault> {
        if descriptors.len() < 4 {
            return Err(Fault::new("take the job", "descriptors are missing"));
        }
        let mut parcel = File::from(descriptors.remove(0));
        let order: JobOrder = wire::unpack(&mut parcel).step(|| "read the job".into())?;
        self.scratch.prepare(order.disk_bytes)?;
        if !order.files.is_empty() {
            let work = Scratch::work()?;
            mounts::lay_files(
                &work,
                &order.files,
                &mut parcel,
                Some(self.order.identity.id),
            )?;
        }
        drop(parcel);
        let setup_cpu_ns = AtomicU64::new(0);
        let started_ns = AtomicU64::new(0);
        let first = self.start(&order, &descriptors, &setup_cpu_ns, &started_ns)?;
        let watched = Watched {
            first,
            started_ns: started_ns.into_inner(),
            ended: None,
            cpu: Duration::ZERO,
            resident_bytes: 0,
        };
        drop(descriptors);
        let setup_cpu_ns = setup_cpu_ns.into_inner();
        self.zygote.send(&Reply::Started { setup_cpu_ns }, None)?;
        self.attend(watched, order.collect)
    }

    fn start(
        &self,
        order: &JobOrder,
        descriptors: &[OwnedFd],
        setup_cpu_ns: &AtomicU64,
        started_ns: &AtomicU64,
    ) -> Result<i32, Fault> {
        let (streams, cgroups) = descriptors.split_at(3);
        let text = |text: &String| {
            CString::new(text.as_bytes()).map_err(|error| Fault::new("prepare the job", error))
        };
        let path = text(order.argv.first().unwrap_or(&String::new()))?;
        let program = Program {
            order,
            path,
            arguments: StringArray::new(order.argv.iter().map(text).collect::<Result<_, _>>()?),
            environment: StringArray::new(order.env.iter().map(text).collect::<Result<_, _>>()?),
            identity: self.order.identity,
            filter: self.order.filter.then_some(&self.filter),
            streams,
            cgroups,
            setup_cpu_ns,
            started_ns,
        };
        match sys::start_child(&|| program.become_it()).step(|| "start a process".into())? {
            Started::Running(pid) => Ok(pid),
            Started::Failed(step, error) => {
                let name = match step_name(step) {
                    "start" => format!("start {}", program.path.to_string_lossy()),
                    name => name.to_owned(),
                };
                Err(Fault::new(name, std::io::Error::from_raw_os_error(error)))
            }
        }
    }

    /// Watches over the job until its first process has ended or the daemon says so, then ends all of it.
    fn attend(&mut self, watched: Watched, collect: bool) -> Result<(), Fault> {
        let mut watched = Some(watched);
        self.watch(&mut watched)?;
        clear_away(&mut watched)?;
        let Some(watched) = watched else {
            return Ok(());
        };
        let (status, wall_ns) = watched
            .ended
            .ok_or_else(|| Fault::new("wait for the program", "its end was not seen"))?;
        let folder = if collect {
            Some(Scratch::work()?)
        } else {
            self.scratch.wipe()?;
            None
        };
        let reply = Reply::Ended {
            status,
            wall_ns,
            cpu_ns: u64::try_from(watched.cpu.as_nanos()).unwrap_or(u64::MAX),
            resident_bytes: watched.resident_bytes,
        };
        self.zygote.send(&reply, folder.as_ref())
    }

    fn watch(&self, watched: &mut Option<Watched>) -> Result<(), Fault> {
        loop {
            let mut ready = [
                PollFd::new(&self.zygote.socket, PollFlags::IN),
                PollFd::new(&self.signals, PollFlags::IN),
            ];
            match poll(&mut ready, None) {
                Err(rustix::io::Errno::INTR) => continue,
                other => other.step(|| "wait".into())?,
            };
            let (spoken, died) = (
                !ready[0].revents().is_empty(),
                !ready[1].revents().is_empty(),
            );
            if died {
                let mut buffer = [0u8; 1024];
                // Only the wake-up counts: which children ended is asked below.
                let _ = rustix::io::read(&self.signals, &mut buffer);
                while let Waited::Child(child) =
                    sys::wait_any(false).step(|| "wait for children".into())?
                {
                    if let Some(watched) = watched {
                        watched.add(child);
                    }
                }
                if watched
                    .as_ref()
                    .is_none_or(|watched| watched.ended.is_some())
                {
                    return Ok(());
                }
            }
            if spoken {
                match self.zygote.receive()? {
                    None => sys::exit_now(0),
                    Some((Request::Look, _)) => {
                        let (cpu, resident_bytes) = look();
                        let before = watched
                            .as_ref()
                            .map_or(Duration::ZERO, |watched| watched.cpu);
                        let cpu_ns = u64::try_from((before + cpu).as_nanos()).unwrap_or(u64::MAX);
                        let usage = Reply::Usage {
                            cpu_ns,
                            resident_bytes,
                        };
                        self.zygote.send(&usage, None)?;
                    }
                    Some(_) => return Ok(()),
                }
            }
        }
    }
}

/// Kills everything in the namespace and reaps it, so that nothing but this process is left.
fn clear_away(watched: &mut Option<Watched>) -> Result<(), Fault> {
    loop {
        let anyone = sys::kill_everyone();
        loop {
            match sys::wait_any(anyone).step(|| "reap".into())? {
                Waited::Child(child) => {
                    if let Some(watched) = watched {
                        watched.add(child);
                    }
                }
                Waited::Running => break,
                Waited::Nobody => return Ok(()),
            }
        }
    }
}

/// No program that this process starts can ever have a capability.
fn drop_future_capabilities() -> Result<(), Fault> {
    for capability in CapabilitySet::all().iter() {
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            // A kernel older than the table does not know the newest.
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            Err(error) => return Err(error).step(|| "bound capabilities".into()),
        }
    }
    rustix::thread::set_capabilities_secure_bits(
        CapabilitiesSecureBits::NO_ROOT | CapabilitiesSecureBits::NO_ROOT_LOCKED,
    )
    .step(|| "bound capabilities".into())
}

/// What all other processes of the namespace use now, by `/proc`.
fn look() -> (Duration, u64) {
    let mut ticks = 0;
    let mut pages = 0;
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return (Duration::ZERO, 0);
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name == "1" || !name.as_encoded_bytes()[0].is_ascii_digit() {
            continue;
        }
        // The name of the program stands in parentheses and may hold anything; numbers follow the last one.
        let Ok(text) = std::fs::read(entry.path().join("stat")) else {
            continue;
        };
        let text = String::from_utf8_lossy(&text);
        let Some((_, numbers)) = text.rsplit_once(')') else {
            continue;
        };
        let field = |index: usize| {
            numbers
                .split_ascii_whitespace()
                .nth(index)
                .and_then(|number| number.parse::<u64>().ok())
                .unwrap_or(0)
        };
        ticks += (11..=14).map(field).sum::<u64>();
        pages += field(21);
    }
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    (
        Duration::from_nanos(ticks.saturating_mul(1_000_000_000 / per_second)),
        pages * rustix::param::page_size() as u64,
    )
}
