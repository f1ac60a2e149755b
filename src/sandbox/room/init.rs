//! The init of a room: starts one job after the other, watches over it, and ends everything that it
//! started.
//!
//! As the first process of its namespace it is the only one that jobs cannot signal, and the parent
//! of everything that they abandon.
//! The system call filter holds for it too, so that a job inherits it and no run pays for its
//! installation.

use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{DumpableBehavior, Pid, Signal, WaitId, WaitIdOptions, waitid};

use super::inside::{Program, monotonic_ns, step_name, thread_cpu_ns};
use super::mounts::Base;
use super::privileges::Ceilings;
use super::scratch::Space;
use super::{landlock, privileges, seccomp};
use crate::domain::Fault;
use crate::sandbox::channel::{AtStep, Channel, FILTER, fail, timespec};
use crate::sandbox::files;
use crate::sandbox::job::APP_FOLDER;
use crate::sandbox::procfs::{ThreadTime, longest_thread, usage};
use crate::sandbox::sys::{self, ChildStack, Reaped, Started, StringArray, Waited};
use crate::sandbox::wire::{self, JobOrder, Reply, Request, Settings, Usage};
use crate::util::clock::as_ns;

/// Lives as the init of a room until the daemon's end of the channel is closed. `keeper` mounts
/// what it asks for.
///
/// It moves into its groups at once, and waits for the keeper to furnish the room.
pub fn live(
    channel: &Channel,
    keeper: Channel,
    settings: Settings,
    groups: Vec<OwnedFd>,
    base: Base,
) -> Result<(), Fault> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .step(|| "tie to the parent")?;
    for group in groups {
        rustix::io::write(&group, b"0").step(|| "join the cgroup")?;
    }
    // Not before: where systemd has mounted version 2, nobody is born into or moved to a group that
    // lies outside of the namespace.
    sys::unshare(libc::CLONE_NEWCGROUP).step(|| "make a namespace of control groups")?;
    let signals = sys::child_signals().step(|| "watch children")?;
    let Some((Request::Room, _)) = keeper.receive()? else {
        return Ok(());
    };
    let processes = base.enter()?;
    privileges::spare(&processes);
    let niceness = privileges::reduce(settings.identity.mapped.is_some())?;
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).step(|| "hide memory")?;
    rustix::thread::set_no_new_privs(true).step(|| "forbid new privileges")?;
    sys::install_filter(&seccomp::filter(settings.own_network)).step(|| FILTER)?;
    let mut init = Init {
        channel,
        settings,
        niceness,
        processes,
        signals,
        space: Space::new(keeper, settings.identity.mapped.is_some()),
        stack: ChildStack::new(),
        ceilings: Ceilings::find(),
        processor: settings.processor,
    };
    let landlock = landlock::version();
    init.send(&Reply::Ready { landlock }, None)?;
    init.serve()
}

struct Init<'a> {
    channel: &'a Channel,
    settings: Settings,
    /// What jobs are set back to.
    niceness: Option<i32>,
    /// A view of the processes that can be written.
    processes: OwnedFd,
    signals: OwnedFd,
    space: Space,
    stack: ChildStack,
    ceilings: Ceilings,
    /// Where it is kept now.
    processor: Option<usize>,
}

/// The exit code by which a shell says that it could not start a program.
const CANNOT_START: i32 = 127;

/// Whether a program of the room's own is to blame for a failed start: it is there, and may be
/// executed, but it is none that the kernel knows,
/// or names an interpreter that is not there, or may not be executed. That the machine lacks
/// something is ours.
fn is_unfit(path: &str, error: &std::io::Error) -> bool {
    let ours = matches!(
        error.raw_os_error(),
        None | Some(libc::ENOMEM | libc::EAGAIN | libc::EMFILE | libc::ENFILE | libc::E2BIG)
    );
    !ours
        && std::path::Path::new(path).starts_with(APP_FOLDER)
        && std::fs::metadata(path)
            .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// What is known of the job's processes.
#[derive(Default)]
struct Watched {
    first: i32,
    /// Init's own CPU time before the job.
    init_before_ns: u64,
    started_ns: u64,
    /// The wait status of the first one, and its wall-clock time.
    ended: Option<(i32, u64)>,
    cpu: Duration,
    /// The first thread's CPU time and waiting, when it had ended.
    longest_ns: u64,
    resident_bytes: u64,
}

/// A run that was shorter does not say at its end how long it had to wait for a processor.
const SHORT_TIME_MAX: Duration = Duration::from_millis(100);

impl Watched {
    /// Reads how long the first process had to wait, if it has ended: the kernel forgets it when
    /// the process is reaped. Whoever is only asked on the way does not know of the last moments.
    fn note_waits(&mut self) -> Result<(), Fault> {
        let took_ns = monotonic_ns().saturating_sub(self.started_ns);
        let Some(first) = Pid::from_raw(self.first).filter(|_| took_ns > as_ns(SHORT_TIME_MAX))
        else {
            return Ok(());
        };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let ended = waitid(WaitId::Pid(first), options).step(|| "look at the program")?;
        if ended.is_some() {
            let folder = PathBuf::from(format!("/proc/{first}/task/{first}"));
            self.longest_ns = as_ns(ThreadTime::of(&folder).whole());
        }
        Ok(())
    }

    fn add(&mut self, child: Reaped) {
        self.cpu += child.cpu;
        self.resident_bytes = self.resident_bytes.max(child.resident_bytes);
        if child.pid == self.first && self.ended.is_none() {
            self.ended = Some((child.status, monotonic_ns().saturating_sub(self.started_ns)));
        }
    }
}

impl Init<'_> {
    fn send(&self, reply: &Reply, folder: Option<&OwnedFd>) -> Result<(), Fault> {
        let descriptors: Vec<_> = folder.iter().map(|folder| folder.as_fd()).collect();
        self.channel.send(reply, &descriptors)
    }

    fn serve(&mut self) -> Result<(), Fault> {
        while let Some((request, descriptors)) = self.channel.receive()? {
            match request {
                Request::Job(order) => {
                    let result = self.run(order, descriptors);
                    if let Err(fault) = result {
                        clear_away(&mut Watched::default())?;
                        self.space.wipe()?;
                        fail(self.channel, &fault)?;
                    }
                }
                Request::Done => {
                    self.space.wipe()?;
                    self.send(&Reply::Wiped, None)?;
                }
                // The job was faster than the request; its `Ended` is the answer.
                Request::Kill | Request::Usage { .. } | Request::Waits => {}
                other => return Err(Fault::new("serve", format!("unexpected {other:?}"))),
            }
        }
        Ok(())
    }

    fn run(
        &mut self,
        order: Option<Box<JobOrder>>,
        mut descriptors: Vec<OwnedFd>,
    ) -> Result<(), Fault> {
        let init_before_ns = thread_cpu_ns();
        let needed = 3 + usize::from(order.is_none());
        if descriptors.len() < needed {
            return Err(Fault::new("take the job", "descriptors are missing"));
        }
        let order = match order {
            Some(order) => {
                self.space.prepare(order.disk_bytes)?;
                order
            }
            None => self.unpack(File::from(descriptors.remove(3)))?,
        };
        let processor = order.processor.or(self.settings.processor);
        if let Some(processor) = processor.filter(|_| processor != self.processor) {
            self.space.move_to(processor)?;
            self.processor = Some(processor);
        }
        let setup_cpu_ns = AtomicU64::new(0);
        let started_ns = AtomicU64::new(0);
        let first = self.start(&order, &descriptors, (&setup_cpu_ns, &started_ns))?;
        let mut watched = Watched {
            first: first.unwrap_or(0),
            init_before_ns,
            started_ns: started_ns.into_inner(),
            ended: first.is_none().then_some((CANNOT_START << 8, 0)),
            ..Watched::default()
        };
        drop(descriptors);
        if first.is_some() && watched.started_ns == 0 {
            return Err(Fault::new("start the program", "it was killed before"));
        }
        let setup_cpu_ns = setup_cpu_ns.into_inner();
        self.send(&Reply::Started { setup_cpu_ns }, None)?;
        if first.is_some() {
            self.watch(&mut watched)?;
            clear_away(&mut watched)?;
        }
        self.conclude(&watched, order.collect)
    }

    /// Takes an order out of a parcel and lays the job's files.
    fn unpack(&mut self, mut parcel: File) -> Result<Box<JobOrder>, Fault> {
        let order: Box<JobOrder> = wire::unpack(&mut parcel).step(|| "read the job")?;
        self.space.prepare(order.disk_bytes)?;
        if !order.files.is_empty() {
            files::lay_files(
                &Space::work()?,
                &order.files,
                &mut parcel,
                self.settings.identity.id,
            )?;
        }
        Ok(order)
    }

    /// Starts the program: its pid, or none where it is no program that this machine can start.
    fn start(
        &mut self,
        order: &JobOrder,
        descriptors: &[OwnedFd],
        (setup_cpu_ns, started_ns): (&AtomicU64, &AtomicU64),
    ) -> Result<Option<i32>, Fault> {
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
            identity: self.settings.identity,
            niceness: self.niceness,
            ceilings: &self.ceilings,
            processes: self.processes.as_fd(),
            rules: self.space.rules(),
            streams,
            cgroups,
            setup_cpu_ns,
            started_ns,
        };
        let started = sys::start_child(&mut self.stack, &|| program.exec_program());
        match started.step(|| "start a process")? {
            Started::Running(pid) => Ok(Some(pid)),
            Started::Failed(step, error) => {
                let error = std::io::Error::from_raw_os_error(error);
                let name = step_name(step);
                if name != "start" {
                    return Err(Fault::of_call(name, error));
                }
                let path = program.path.to_string_lossy();
                if !is_unfit(&path, &error) {
                    return Err(Fault::of_call(format!("start {path}"), error));
                }
                // Its reader is whoever wrote the program. Where nobody reads, nothing is lost.
                let words = format!("the program cannot be started: {error}\n");
                let _ = rustix::io::write(&streams[2], words.as_bytes());
                Ok(None)
            }
        }
    }

    /// Reaps some children; whether there may be more.
    fn reap(watched: &mut Watched) -> Result<bool, Fault> {
        for _ in 0..REAPED_AT_ONCE_MAX {
            match sys::wait_any(false).step(|| "wait for children")? {
                Waited::Child(child) => watched.add(child),
                Waited::Running | Waited::Nobody => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Says how it ended, and wipes what it left or lets it be read first.
    fn conclude(&mut self, watched: &Watched, collect: bool) -> Result<(), Fault> {
        let (status, wall_ns) = watched
            .ended
            .ok_or_else(|| Fault::new("wait for the program", "its end was not seen"))?;
        let folder = if collect {
            Some(Space::work()?)
        } else {
            self.space.wipe()?;
            None
        };
        let reply = Reply::Ended {
            status,
            wall_ns,
            cpu_ns: as_ns(watched.cpu),
            longest_ns: watched.longest_ns,
            init_cpu_ns: thread_cpu_ns().saturating_sub(watched.init_before_ns),
            resident_bytes: watched.resident_bytes,
        };
        self.send(&reply, folder.as_ref())
    }

    /// Watches over the job until its first process has ended or the daemon says so.
    fn watch(&self, watched: &mut Watched) -> Result<(), Fault> {
        let mut more = false;
        loop {
            let socket = self.channel.socket();
            let mut ready = [
                PollFd::new(&socket, PollFlags::IN),
                PollFd::new(&self.signals, PollFlags::IN),
            ];
            // Between two handfuls of children it hears what the daemon says.
            let no_time = timespec(Duration::ZERO);
            match poll(&mut ready, more.then_some(&no_time)) {
                Err(rustix::io::Errno::INTR) => continue,
                other => other.step(|| "wait")?,
            };
            let (spoken, died) = (
                !ready[0].revents().is_empty(),
                !ready[1].revents().is_empty(),
            );
            if died {
                let mut buffer = [0u8; 1024];
                // Only the wake-up counts: which children ended is asked below.
                let _ = rustix::io::read(&self.signals, &mut buffer);
            }
            if died || more {
                watched.note_waits()?;
                more = Self::reap(watched)?;
                if watched.ended.is_some() {
                    return Ok(());
                }
            }
            if spoken {
                match self.channel.receive()? {
                    None => sys::exit_now(0),
                    Some((Request::Usage { exact }, _)) => {
                        self.send(&usage_of(watched, exact), None)?;
                    }
                    Some((Request::Waits, _)) => self.send(&waited_of(watched), None)?,
                    Some(_) => return Ok(()),
                }
            }
        }
    }
}

/// What the job has used, and what init has for it.
fn usage_of(watched: &Watched, exact: bool) -> Reply {
    let (cpu, resident_bytes) = usage(exact);
    Reply::Usage(Usage {
        cpu_ns: as_ns(watched.cpu + cpu),
        init_cpu_ns: thread_cpu_ns().saturating_sub(watched.init_before_ns),
        resident_bytes,
        exact,
    })
}

fn waited_of(watched: &Watched) -> Reply {
    // In this order, so that what it uses meanwhile does not count as waiting.
    let longest_ns = longest_thread();
    Reply::Waited {
        longest_ns,
        cpu_ns: as_ns(watched.cpu + usage(false).0),
    }
}

/// Children that are reaped before anything else is looked at.
const REAPED_AT_ONCE_MAX: usize = 256;

/// Kills everything in the namespace and reaps it, so that nothing but this process is left.
fn clear_away(watched: &mut Watched) -> Result<(), Fault> {
    loop {
        let anyone = sys::kill_everyone();
        loop {
            match sys::wait_any(anyone).step(|| "reap")? {
                Waited::Child(child) => watched.add(child),
                Waited::Running => break,
                Waited::Nobody => return Ok(()),
            }
        }
    }
}
