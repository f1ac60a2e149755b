//! Two jobs that talk: what either prints goes through here to the other one.
//!
//! One thread watches over both and passes on what they say, so that there is one order of it. Of
//! each direction a single piece is held, and nothing more is read before it has been taken: whoever
//! prints what nobody reads waits, until its time is over.
//!
//! Who ended first decides verdicts, so it is no race. That an output has ended is passed on only
//! when its job has, or goes on for a while without it; and of an end that was not good the partner
//! is told only after it had the time to say what it was about to say. What is printed for somebody
//! who is gone is read and dropped: nobody is ended for writing to a closed pipe.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::PollFlags;
use rustix::io::Errno;

use super::supervise::{Ended, Source, Supervisor};
use super::wait::ready;
use crate::domain::{End, Fault, First, Speaker, Stop, Transcript};
use crate::sandbox::job::GoesOn;

/// How long the partner of a job that ended badly may take to end without being told: it may have
/// refused what the job said, and the job may have ended because of that.
const LAST_WORD_TIME_MAX: Duration = Duration::from_millis(250);

/// One of the two.
pub struct Side<'a> {
    supervisor: Supervisor<'a>,
    /// What it reads from; none where nothing more comes, or where nobody reads.
    stdin: Option<OwnedFd>,
    /// What it has not read yet.
    inbox: Vec<u8>,
    /// Where it reads no more: until when it may be about to end.
    ending: Option<Instant>,
    /// The same where it has closed its output.
    silent: Option<Instant>,
}

impl<'a> Side<'a> {
    pub fn new(supervisor: Supervisor<'a>, stdin: OwnedFd) -> Self {
        Self {
            supervisor,
            stdin: Some(stdin),
            inbox: Vec::new(),
            ending: None,
            silent: None,
        }
    }

    /// Hands over as much as it takes now.
    fn deliver(&mut self) -> Result<(), Fault> {
        while let Some(stdin) = self.stdin.as_ref().filter(|_| !self.inbox.is_empty()) {
            match rustix::io::write(stdin, &self.inbox) {
                Ok(taken) => drop(self.inbox.drain(..taken)),
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(Errno::PIPE) => {
                    self.close();
                    self.ending = Some(Instant::now() + LAST_WORD_TIME_MAX);
                }
                Err(error) => return Err(Fault::of_call("write to the program", error)),
            }
        }
        Ok(())
    }

    /// Whether it runs on and has closed its output, so that its partner would wait for ever.
    fn is_silent(&mut self) -> bool {
        let supervisor = &self.supervisor;
        if supervisor.last.is_some() || supervisor.stdout.pipe.is_some() {
            return false;
        }
        let now = Instant::now();
        now >= *self.silent.get_or_insert(now + LAST_WORD_TIME_MAX)
    }

    /// Nothing more comes.
    fn close(&mut self) {
        self.stdin = None;
        self.inbox.clear();
    }

    /// Whether it has ended, or is about to because we said so.
    fn is_over(&self) -> bool {
        self.supervisor.last.is_some() || self.supervisor.stopped.is_some()
    }

    /// Whether all is read that it has printed.
    fn is_heard(&self) -> bool {
        let supervisor = &self.supervisor;
        supervisor.last.is_some()
            && (supervisor.stopped.is_some()
                || supervisor.stdout.over
                || supervisor.stdout.pipe.is_none())
    }
}

/// What happened, and at which of the two.
#[derive(Debug, Clone, Copy)]
enum At {
    Job(usize, Source),
    Stdin(usize),
}

const JOB: usize = 0;
const PARTNER: usize = 1;

/// Both, and what was said so far.
pub struct Talk<'a> {
    sides: [Side<'a>; 2],
    goes_on: GoesOn,
    said: Transcript,
    first: Option<First>,
    /// When the partner is told of an end that was not good.
    told: Option<Instant>,
    /// Whether the partner is asked how long it had to wait, because the job's time seems to be over.
    asks: bool,
}

/// What came of it.
pub struct Talked {
    pub job: Ended,
    pub printed_bytes: u64,
    pub partner: Ended,
    pub first: First,
    pub said: Transcript,
}

impl<'a> Talk<'a> {
    /// Takes over right after both jobs were sent.
    pub fn new(job: Side<'a>, partner: Side<'a>, goes_on: GoesOn) -> Self {
        Self {
            sides: [job, partner],
            goes_on,
            said: Transcript::default(),
            first: None,
            told: None,
            asks: false,
        }
    }

    /// Watches until everything that both have started is gone.
    pub fn watch(mut self) -> Result<Talked, Fault> {
        for side in self.sides.iter_mut().rev() {
            side.supervisor.begin()?;
        }
        // As long as it may be waiting for the job, the job's time counts.
        self.sides[PARTNER].supervisor.wall_since = None;
        while !self.sides.iter().all(Side::is_heard) {
            self.check_caps()?;
            for at in ready(self.sources(), self.deadline())? {
                self.see_to(at)?;
            }
            self.see_to_ends()?;
            self.pass_on()?;
        }
        let [job, partner] = self.sides;
        Ok(Talked {
            printed_bytes: job.supervisor.stdout.length as u64,
            job: job.supervisor.finish()?,
            partner: partner.supervisor.finish()?,
            first: self.first.unwrap_or(First::Program),
            said: self.said,
        })
    }

    fn check_caps(&mut self) -> Result<(), Fault> {
        let [job, partner] = self.sides.each_mut().map(|side| &mut side.supervisor);
        if partner.last.is_none() {
            partner.check_caps()?;
        }
        if job.last.is_some() {
            return Ok(());
        }
        let is_asked = partner.asked.is_some() && partner.last.is_none();
        let is_late =
            job.stopped.is_none() && job.asked.is_none() && Instant::now() >= job.wall_end();
        if self.asks && !is_asked {
            self.asks = false;
            job.beside = job.beside.max(partner.busy()?);
        } else if is_late && !is_asked && partner.last.is_none() && partner.stopped.is_none() {
            // It may have had to wait for what the partner computed. Until it is known how long that
            // was, nothing is said of the job.
            partner.ask_waits()?;
            self.asks = true;
        }
        if self.asks {
            return Ok(());
        }
        job.check_caps()
    }

    fn deadline(&self) -> Instant {
        let sides = self.sides.iter().map(|side| &side.supervisor);
        // An answer is awaited by whom it was asked.
        let skipped = usize::from(self.asks);
        let runs = sides.skip(skipped).filter(|one| one.last.is_none());
        let endings = self.sides.iter().filter_map(|side| side.ending);
        let now = Instant::now();
        let silent = self.sides.iter().filter_map(|side| side.silent);
        let endings = endings.chain(silent.filter(|until| *until > now));
        let deadlines = runs
            .map(Supervisor::deadline)
            .chain(self.told)
            .chain(endings);
        // With nothing to wait for but the end of an output, which is there already.
        deadlines
            .min()
            .unwrap_or_else(|| Instant::now() + LAST_WORD_TIME_MAX)
    }

    fn sources(&self) -> impl Iterator<Item = (At, BorrowedFd<'_>, PollFlags)> {
        self.sides.iter().enumerate().flat_map(|(who, side)| {
            let sources = side.supervisor.sources();
            let waits = side.stdin.as_ref().filter(|_| !side.inbox.is_empty());
            let stdin = waits.map(|stdin| (At::Stdin(who), stdin.as_fd(), PollFlags::OUT));
            sources
                .map(move |(source, at, flags)| (At::Job(who, source), at, flags))
                .chain(stdin)
        })
    }

    fn see_to(&mut self, at: At) -> Result<(), Fault> {
        match at {
            At::Stdin(who) => self.sides[who].deliver(),
            At::Job(who, source) => {
                // What the room says of either may end the job's time: as late as that, it is known
                // how much of it was the partner's.
                let is_room = matches!(source, Source::Room);
                if is_room && who == JOB {
                    self.credit()?;
                }
                self.sides[who].supervisor.see_to(source)?;
                if is_room && who == PARTNER {
                    self.credit()?;
                }
                let [job, partner] = self.sides.each_mut().map(|side| &mut side.supervisor);
                if job.last.is_some() && partner.wall_since.is_none() {
                    partner.wall_since = Some(Instant::now());
                }
                Ok(())
            }
        }
    }

    /// While the partner computed, the job may have waited for it.
    fn credit(&mut self) -> Result<(), Fault> {
        let [job, partner] = self.sides.each_mut().map(|side| &mut side.supervisor);
        if job.last.is_none() {
            job.beside = job.beside.max(partner.busy()?);
        }
        Ok(())
    }

    /// Passes on what was said, to whoever is still there.
    fn pass_on(&mut self) -> Result<(), Fault> {
        for (from, speaker) in [(JOB, Speaker::Program), (PARTNER, Speaker::Interactor)] {
            let to = 1 - from;
            let words = std::mem::take(&mut self.sides[from].supervisor.stdout.kept);
            if !words.is_empty() {
                self.said.say(speaker, &words);
                if self.sides[to].stdin.is_some() {
                    self.sides[to].inbox = words;
                }
            }
            if self.sides[to].is_over() {
                self.sides[to].close();
            }
            self.sides[to].deliver()?;
            let is_told = to == JOB || self.first.is_some();
            let is_heard = is_told && self.sides[from].is_heard();
            if (is_heard || self.sides[from].is_silent()) && self.sides[to].inbox.is_empty() {
                self.sides[to].close();
            }
            // If it is about to end, what it has refused is not to be drowned in what follows.
            if self.sides[to].is_over()
                || self.sides[to]
                    .ending
                    .is_some_and(|until| Instant::now() >= until)
            {
                self.sides[to].ending = None;
            }
            let is_free = self.sides[to].inbox.is_empty() && self.sides[to].ending.is_none();
            self.sides[from].supervisor.reads = is_free;
        }
        Ok(())
    }

    /// Finds out who ended first, and what follows for the other one.
    fn see_to_ends(&mut self) -> Result<(), Fault> {
        if self.first.is_some() {
            return Ok(());
        }
        let [job, partner] = self.sides.each_mut().map(|side| &mut side.supervisor);
        if job.stopped.is_none() {
            if let Some(end) = partner.end()? {
                self.first = Some(First::Interactor);
                self.told = None;
                let goes_on = matches!(end, End::Exited(code) if (self.goes_on)(code));
                let goes_on = goes_on && partner.stopped.is_none();
                if job.last.is_none() && !goes_on {
                    job.kill(Some(Stop::Decided))?;
                }
                return Ok(());
            }
            let Some(end) = job.end()? else {
                return Ok(());
            };
            if end == End::Exited(0) {
                self.first = Some(First::Program);
                return Ok(());
            }
            let now = Instant::now();
            if now < *self.told.get_or_insert(now + LAST_WORD_TIME_MAX) {
                return Ok(());
            }
        }
        // Nothing that the partner could say would change what is said of the job.
        self.first = Some(First::Program);
        self.told = None;
        if partner.last.is_none() && partner.stopped.is_none() {
            partner.kill(None)?;
        }
        Ok(())
    }
}
