//! The real [`Runner`]: the group, the room and the jobs of one worker. What it needs is made when it
//! is first needed, and anew after a fault.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::cgroup::Hierarchy;
use super::collect::{Collected, collect};
use super::link::{Begun, Ending, RoomLink, Zygote};
use super::places::Place;
use super::streams::{Inputs, READ_BYTES, input_pipe, pipe};
use super::supervise::{Counted, Ended, Supervisor, cores};
use super::talk::{Side, Talk};
use crate::domain::{Fault, Limits};
use crate::sandbox::channel::unexpected;
use crate::sandbox::job::{Cancel, Collect, Conversed, GoesOn, Job, Outcome, Room, Runner};
use crate::sandbox::wire::{self, INLINE_BYTES_MAX, Identity, JobOrder, Reply, Request, Settings};

/// What the pipe of standard output holds, so that a program rarely waits for us.
const STDOUT_PIPE_BYTES: usize = 1024 * 1024;
/// Stack beyond the memory cap, so that a recursion without end is told as what it is: too much
/// memory.
const STACK_EXTRA_BYTES: u64 = 8 * 1024 * 1024;
/// Processes of the sandbox itself that count against the user's processes where no cgroup counts
/// the job's and the user is the daemon's:
/// the zygote, and a keeper and an init of the room, of the room before, and of the spare one.
const OWN_PROCESSES: u32 = 7;
/// For how long a moment is waited out in which the machine is short of something.
const SHORT_TIME_MAX: Duration = Duration::from_millis(1_500);
/// The pause between two tries.
const SHORT_PAUSE: Duration = Duration::from_millis(100);

/// What runs the jobs of one worker.
pub struct SandboxRunner {
    settings: Settings,
    counted: Counted,
    cgroups: Arc<Hierarchy>,
    inputs: Arc<Inputs>,
    /// Where its jobs run, and when.
    place: Arc<Place>,
    zygote: Option<Zygote>,
    /// A room that was begun while the one before was in use, so that nobody waits for it.
    spare: Option<Begun>,
    room: Option<RoomLink>,
    /// What it was made by.
    room_spec: Option<Room>,
    /// The room before. Every run has cleared away its processes itself, so nobody waits for its
    /// end until the next one.
    ending: Option<Ending>,
    buffer: Vec<u8>,
    /// Says when what it does is not wanted any more.
    cancel: Option<Cancel>,
    /// Who the jobs of its partner are.
    partners: Identity,
    /// What runs those that its own jobs talk with.
    partner: Option<Box<Self>>,
}

impl Runner for SandboxRunner {
    fn enter(&mut self, room: &Room) -> Result<(), Fault> {
        retry_shortage(|| self.enter_once(room))
    }

    fn run(&mut self, job: &Job) -> Result<Outcome, Fault> {
        let place = Arc::clone(&self.place);
        let _slot = place.slot(job.alone);
        self.check()?;
        let mut room = self.ready_room(&job.caps)?;
        let result = self.run_in(&mut room, job);
        self.keep(room, result.is_ok());
        result
    }

    fn partner(&mut self) -> Result<&mut dyn Runner, Fault> {
        let settings = Settings {
            identity: self.partners,
            // Where the kernel finds room, beside the job and not in its way.
            processor: None,
            ..self.settings
        };
        let made = || {
            let shared = (Arc::clone(&self.cgroups), Arc::clone(&self.inputs));
            let place = Arc::clone(&self.place);
            let mut made = Self::new(settings, self.counted, shared, place, self.partners);
            made.cancel.clone_from(&self.cancel);
            Box::new(made)
        };
        Ok(&mut **self.partner.get_or_insert_with(made))
    }

    fn converse(&mut self, job: &Job, partners: &Job, goes_on: GoesOn) -> Result<Conversed, Fault> {
        let place = Arc::clone(&self.place);
        let _slot = place.slot(job.alone);
        self.check()?;
        let mut partner = self
            .partner
            .take()
            .ok_or_else(|| Fault::new("run two programs at once", "the second has no room"))?;
        let result = self.converse_with(&mut partner, job, partners, goes_on);
        self.partner = Some(partner);
        result
    }

    fn set_cancel(&mut self, cancel: Option<&Cancel>) {
        self.cancel = cancel.cloned();
        if let Some(partner) = &mut self.partner {
            partner.cancel = cancel.cloned();
        }
    }
}

impl SandboxRunner {
    /// One that has no room yet.
    pub fn new(
        settings: Settings,
        counted: Counted,
        (cgroups, inputs): (Arc<Hierarchy>, Arc<Inputs>),
        place: Arc<Place>,
        partners: Identity,
    ) -> Self {
        Self {
            settings,
            counted,
            cgroups,
            inputs,
            place,
            zygote: None,
            spare: None,
            room: None,
            room_spec: None,
            ending: None,
            buffer: vec![0; READ_BYTES],
            cancel: None,
            partners,
            partner: None,
        }
    }

    fn enter_once(&mut self, room: &Room) -> Result<(), Fault> {
        self.check()?;
        self.leave();
        let spare = self.spare.take();
        let entered = match spare.and_then(|spare| self.enter_spare(spare, room)) {
            Some(link) => Ok(link),
            None => self
                .begun()
                .and_then(|begun| begun.enter(&room.shown, &room.app)),
        };
        match entered {
            Ok(link) => {
                self.room = Some(link);
                self.room_spec = Some(room.clone());
                // Where this fails, the next room says why.
                self.spare = self.begun().ok();
                Ok(())
            }
            Err(fault) => {
                self.zygote = None;
                Err(fault)
            }
        }
    }

    /// A spare room may have been lost with its zygote; a fresh one tells.
    fn enter_spare(&mut self, spare: Begun, room: &Room) -> Option<RoomLink> {
        let entered = spare.enter(&room.shown, &room.app).ok();
        if entered.is_none() {
            self.zygote = None;
        }
        entered
    }

    /// Makes a fresh room with no part of it prepared in advance, and leaves the one before: what
    /// the benches measure.
    pub fn rebuild(&mut self, room: &Room) -> Result<(), Fault> {
        self.leave();
        self.drop_spare();
        self.room = Some(self.begun()?.enter(&room.shown, &room.app)?);
        self.room_spec = Some(room.clone());
        Ok(())
    }

    fn begun(&mut self) -> Result<Begun, Fault> {
        let zygote = match &mut self.zygote {
            Some(zygote) => zygote,
            None => self.zygote.insert(Zygote::start(&self.settings)?),
        };
        zygote.begin_room(self.cgroups.group()?)
    }

    fn check(&self) -> Result<(), Fault> {
        self.cancel.as_ref().map_or(Ok(()), Cancel::check)
    }

    /// The room, ready for a job; a fresh one like it where earlier jobs left too much in its
    /// groups.
    fn ready_room(&mut self, caps: &Limits) -> Result<RoomLink, Fault> {
        let none = || Fault::new("run a job", "no room was entered");
        let mut room = self.room.take().ok_or_else(none)?;
        if room.group.begin(caps)? {
            return Ok(room);
        }
        self.room = Some(room);
        let spec = self.room_spec.clone().ok_or_else(none)?;
        self.enter(&spec)?;
        let mut room = self.room.take().ok_or_else(none)?;
        if room.group.begin(caps)? {
            Ok(room)
        } else {
            Err(Fault::new("run a job", "a fresh group is not empty"))
        }
    }

    fn leave(&mut self) {
        self.wait_for_the_last();
        self.ending = self.room.take().map(RoomLink::end);
    }

    fn wait_for_the_last(&mut self) {
        if self.ending.take().is_some_and(|room| !room.gone()) {
            // What does not go away by itself goes with the zygote.
            self.zygote = None;
            self.drop_spare();
        }
    }

    fn drop_spare(&mut self) {
        if let Some(spare) = self.spare.take() {
            spare.end().gone();
        }
    }

    fn run_in(&mut self, room: &mut RoomLink, job: &Job) -> Result<Outcome, Fault> {
        let memory = |error| Fault::of_call("hold the job's files in memory", error);
        let stdin = self
            .inputs
            .open(&job.stdin, self.settings.identity.mapped.is_some())
            .map_err(memory)?;
        let ended = self.supervised(room, job, stdin)?.watch()?;
        conclude(room, job, ended, self.counted)
    }

    /// Runs two jobs at once, and puts both rooms back.
    fn converse_with(
        &mut self,
        partner: &mut Self,
        job: &Job,
        partners: &Job,
        goes_on: GoesOn,
    ) -> Result<Conversed, Fault> {
        let room = self.ready_room(&job.caps)?;
        let other = match partner.ready_room(&partners.caps) {
            Ok(other) => other,
            Err(fault) => {
                self.room = Some(room);
                return Err(fault);
            }
        };
        let mut rooms = [room, other];
        let result = self.talk_in(&mut rooms, partner, [job, partners], goes_on);
        let [room, other] = rooms;
        self.keep(room, result.is_ok());
        partner.keep(other, result.is_ok());
        result
    }

    fn talk_in(
        &mut self,
        [room, other]: &mut [RoomLink; 2],
        partner: &mut Self,
        [job, partners]: [&Job; 2],
        goes_on: GoesOn,
    ) -> Result<Conversed, Fault> {
        let (stdin, to_job) = input_pipe()?;
        let (others_stdin, to_partner) = input_pipe()?;
        let counted = self.counted;
        let others = partner.supervised(other, partners, others_stdin)?;
        let own = self.supervised(room, job, stdin)?;
        let sides = (Side::new(own, to_job), Side::new(others, to_partner));
        let talked = Talk::new(sides.0, sides.1, goes_on).watch()?;
        Ok(Conversed {
            outcome: conclude(room, job, talked.job, counted)?,
            printed_bytes: talked.printed_bytes,
            partners: conclude(other, partners, talked.partner, counted)?,
            first: talked.first,
            said: talked.said,
        })
    }

    /// Puts a room back after a job.
    fn keep(&mut self, room: RoomLink, is_well: bool) {
        // After a fault of the connection the room is in an unknown state; after a failed start it
        // is as it was. Where nobody wants it any more, the job goes with its room.
        let is_usable = is_well || (self.check().is_ok() && answers(&room));
        self.room = Some(room);
        if !is_usable {
            self.leave();
            self.wait_for_the_last();
        }
    }

    /// Sends a job to a room, and watches over it from then on.
    fn supervised<'a>(
        &'a mut self,
        room: &'a RoomLink,
        job: &'a Job,
        stdin: OwnedFd,
    ) -> Result<Supervisor<'a>, Fault> {
        let memory = |error| Fault::of_call("hold the job's files in memory", error);
        let (stdout, stdout_end) = pipe(Some(STDOUT_PIPE_BYTES))?;
        let (stderr, stderr_end) = pipe(None)?;
        let (order, parcel) = pack(self.order(job), job).map_err(memory)?;
        let mut descriptors: Vec<BorrowedFd<'_>> =
            vec![stdin.as_fd(), stdout_end.as_fd(), stderr_end.as_fd()];
        descriptors.extend(parcel.iter().map(OwnedFd::as_fd));
        descriptors.extend(room.group.join_files());
        room.channel.send(&Request::Job(order), &descriptors)?;
        drop((parcel, stdin, stdout_end, stderr_end));
        let streams = (stdout, stderr);
        let cores = self.settings.processor.map_or_else(cores, |_| 1);
        let buffer = &mut self.buffer;
        let mut supervisor = Supervisor::new(room, job, streams, self.counted, cores, buffer);
        supervisor.cancel = self.cancel.as_ref();
        Ok(supervisor)
    }

    fn order(&self, job: &Job) -> JobOrder {
        let own_processes = match self.settings.identity.mapped {
            Some(_) => OWN_PROCESSES,
            None => 0,
        };
        JobOrder {
            argv: job.argv.clone(),
            env: job
                .env
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect(),
            files: wire::heads(&job.files),
            disk_bytes: job.disk_bytes,
            stack_bytes: job
                .stack_bytes
                .unwrap_or_else(|| job.caps.memory_bytes.saturating_add(STACK_EXTRA_BYTES)),
            open_files: job.caps.open_files,
            cpu_seconds: cpu_seconds(job.caps.cpu),
            processes: (!self.counted.processes).then_some(job.caps.processes + own_processes),
            collect: job.collect != Collect::Nothing,
            processor: if job.alone {
                self.place.quietest()
            } else {
                None
            },
        }
    }
}

impl Drop for SandboxRunner {
    fn drop(&mut self) {
        self.leave();
        self.wait_for_the_last();
        self.drop_spare();
    }
}

/// What was measured of a job that has ended, and what it has left.
fn conclude(
    room: &mut RoomLink,
    job: &Job,
    ended: Ended,
    counted: Counted,
) -> Result<Outcome, Fault> {
    let mut outcome = ended.outcome;
    if let Some(folder) = ended.folder {
        let collected = take_files(room, &folder, &job.collect)?;
        outcome.files = collected.files;
        outcome.collect_overflow = collected.overflow;
    }
    let usage = room.group.finish()?;
    if let Some(cpu) = usage.cpu {
        outcome.cpu = cpu.saturating_sub(ended.our_cpu);
    }
    let cap_bytes = job.caps.memory_bytes;
    if let Some(bytes) = usage.memory_bytes {
        // A job that the kernel held to its cap had no more than that, whatever was charged
        // beside it.
        outcome.memory_bytes = bytes.min(cap_bytes);
    }
    let is_over = !counted.memory && outcome.memory_bytes > cap_bytes;
    outcome.memory_exceeded |= usage.memory_exceeded || is_over;
    Ok(outcome)
}

/// Does something again while the machine is short of what it needs, for a second or so.
pub fn retry_shortage<T>(mut work: impl FnMut() -> Result<T, Fault>) -> Result<T, Fault> {
    let end = Instant::now() + SHORT_TIME_MAX;
    loop {
        match work() {
            Err(fault) if fault.shortage().is_some() && Instant::now() < end => sleep(SHORT_PAUSE),
            other => return other,
        }
    }
}

/// An order inside the message where it fits there, else in a parcel with the job's files.
fn pack(order: JobOrder, job: &Job) -> std::io::Result<(Option<Box<JobOrder>>, Option<OwnedFd>)> {
    // Written as JSON a byte may become six, and each text has its quotes and its comma.
    let length: usize = order
        .argv
        .iter()
        .chain(&order.env)
        .map(|text| 6 * text.len() + 3)
        .sum();
    if job.files.is_empty() && length <= INLINE_BYTES_MAX {
        return Ok((Some(Box::new(order)), None));
    }
    Ok((None, Some(wire::pack(&order, &job.files)?)))
}

/// Whether the room still answers, with nothing running in it.
fn answers(room: &RoomLink) -> bool {
    room.channel.send(&Request::Done, &[]).is_ok()
        && matches!(room.receive(), Ok((Reply::Wiped, None)))
}

/// Reads what was asked for from the working folder, and lets it be wiped.
fn take_files(room: &RoomLink, folder: &OwnedFd, what: &Collect) -> Result<Collected, Fault> {
    let collected = collect(folder, what);
    room.channel.send(&Request::Done, &[])?;
    match room.receive()?.0 {
        Reply::Wiped => collected,
        other => Err(unexpected(other)),
    }
}

/// Seconds of CPU time after which the kernel itself ends a process: for the case that we are not
/// there to do it.
///
/// It is far above the job's cap, because the kernel counts a process's ticks here, and not as
/// precisely as it counts for the group:
/// on a busy machine a process that happens to run at the ticks would be ended before it has used
/// what it may.
fn cpu_seconds(cap: Duration) -> u64 {
    cap.as_secs().saturating_add(1).saturating_mul(2)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{cpu_seconds, retry_shortage};
    use crate::domain::{Fault, FaultKind, Shortage};

    #[test]
    fn the_kernel_ends_nobody_who_is_within_the_cap() {
        for cap_ms in [1, 400, 999, 1_000, 2_500, 5_000, 30_000, 3_600_000] {
            let cap = Duration::from_millis(cap_ms);
            let kernels = Duration::from_secs(cpu_seconds(cap));
            assert!(kernels >= 2 * cap && kernels <= 2 * cap + Duration::from_secs(2));
        }
        assert_eq!(cpu_seconds(Duration::MAX), u64::MAX);
    }

    #[test]
    fn a_passing_shortage_is_waited_out_and_nothing_else_is() {
        let other = Fault::new("mount", "no");
        let short = other.clone().of_kind(FaultKind::Short(Shortage::Processes));
        // What fails so often with this, and what comes of it in how many tries.
        let tried = |fails: usize, fault: &Fault| {
            let mut tries = 0;
            let done = retry_shortage(|| {
                tries += 1;
                (tries > fails).then_some(()).ok_or_else(|| fault.clone())
            });
            (done, tries)
        };
        assert_eq!(tried(2, &short), (Ok(()), 3));
        let (lasting, tries) = tried(usize::MAX, &short);
        assert!(lasting == Err(short) && tries > 2, "{tries} tries");
        assert_eq!(tried(usize::MAX, &other), (Err(other.clone()), 1));
    }
}
