//! The daemon's side: starts a worker's zygote, asks it for rooms, and speaks with the room's init.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use super::cgroup::Group;
use crate::domain::Fault;
use crate::sandbox::channel::Channel;
use crate::sandbox::channel::unexpected;
use crate::sandbox::files;
use crate::sandbox::job::AppFile;
use crate::sandbox::wire::{self, Reply, Request, Settings, ZYGOTE_ARGUMENT};

/// Replies that may still be on their way when a room is ended.
const LEFT_REPLIES_MAX: usize = 16;

/// A running zygote: a small process that starts rooms. Dropping it ends it and its rooms.
pub struct Zygote {
    channel: Channel,
    child: Child,
}

impl Zygote {
    /// Starts one and waits until it stands in its namespaces.
    pub fn start(settings: &Settings) -> Result<Self, Fault> {
        let mut zygote = Self::spawn()?;
        let mut settled = zygote.settle(settings);
        // A Ctrl-C may come before the child has left the daemon's group.
        if settled.is_err() && zygote.was_interrupted() {
            zygote = Self::spawn()?;
            settled = zygote.settle(settings);
        }
        settled.map(|()| zygote)
    }

    fn spawn() -> Result<Self, Fault> {
        let io = |error: std::io::Error| Fault::of_call("start the sandbox", error);
        let (ours, theirs) = Channel::pair()?;
        let child = Command::new("/proc/self/exe")
            .arg0("verdictd")
            .arg(ZYGOTE_ARGUMENT)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(theirs.into_socket()))
            .stdout(Stdio::null())
            // A Ctrl-C at the terminal goes to the daemon's whole group; the program that is judged
            // must not die of it.
            .process_group(0)
            .spawn()
            .map_err(io)?;
        Ok(Self {
            channel: ours,
            child,
        })
    }

    fn settle(&self, settings: &Settings) -> Result<(), Fault> {
        self.channel.send(&Request::Settle(*settings), &[])?;
        match self.channel.answer()?.0 {
            Reply::Settled => Ok(()),
            other => Err(unexpected(other)),
        }
    }

    /// Ends it; says whether a signal that was meant for the daemon had ended it before.
    fn was_interrupted(&mut self) -> bool {
        // One that has ended already keeps what it ended with.
        let _ = self.child.kill();
        let ended = self.child.wait().ok().and_then(|status| status.signal());
        ended.is_some_and(is_of_terminal)
    }

    /// Asks for a room to be begun, without waiting for it.
    pub fn begin_room(&self, group: Group) -> Result<Begun, Fault> {
        let (ours, theirs) = Channel::pair()?;
        let mut descriptors = vec![theirs.socket()];
        let birth = group.birth();
        descriptors.extend(birth);
        descriptors.extend(group.home_files());
        let request = Request::Begin {
            birth: birth.is_some(),
        };
        self.channel.send(&request, &descriptors)?;
        Ok(Begun {
            channel: ours,
            group,
        })
    }
}

/// Whether a terminal sends such a signal to a whole group.
fn is_of_terminal(signal: i32) -> bool {
    [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM]
        .iter()
        .any(|of_terminal| of_terminal.as_raw() == signal)
}

impl Drop for Zygote {
    fn drop(&mut self) {
        self.channel.hang_up();
        // Its rooms die with it, and with a room's init everything in the room.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A room that has everything but what belongs to one submission.
pub struct Begun {
    channel: Channel,
    group: Group,
}

impl Begun {
    /// Lays the program's files, furnishes it, and waits until it stands.
    pub fn enter(self, shown: &[PathBuf], app: &[AppFile]) -> Result<RoomLink, Fault> {
        match self.furnish(shown, app) {
            Ok(landlock) => Ok(RoomLink {
                channel: self.channel,
                group: self.group,
                landlock,
            }),
            Err(fault) => {
                self.end().gone();
                Err(fault)
            }
        }
    }

    fn furnish(&self, shown: &[PathBuf], app: &[AppFile]) -> Result<Option<u32>, Fault> {
        let folder = match self.channel.answer()? {
            (Reply::Begun, mut descriptors) => descriptors.pop(),
            (other, _) => return Err(unexpected(other)),
        };
        let folder =
            folder.ok_or_else(|| Fault::new("begin a room", "no folder for the program"))?;
        files::lay_app(&folder, app)?;
        drop(folder);
        let parcel = wire::pack(&shown, &[])
            .map_err(|error| Fault::of_call("pack the room's order", error))?;
        self.channel.send(&Request::Room, &[parcel.as_fd()])?;
        match self.channel.answer()?.0 {
            Reply::Ready { landlock } => Ok(landlock),
            other => Err(unexpected(other)),
        }
    }

    /// Ends it unused, without waiting for it.
    pub fn end(self) -> Ending {
        Ending::of(self.channel, self.group)
    }
}

/// A room that stands. To be ended, not dropped.
pub struct RoomLink {
    pub channel: Channel,
    /// Where its jobs are counted.
    pub group: Group,
    /// The version of landlock that holds in it; none where the kernel has it not.
    pub landlock: Option<u32>,
}

impl RoomLink {
    /// Receives a reply within the time of a step, and the working folder where it comes along.
    pub fn receive(&self) -> Result<(Reply, Option<OwnedFd>), Fault> {
        let (reply, mut descriptors) = self.channel.answer()?;
        Ok((reply, descriptors.pop()))
    }

    /// Ends the room, without waiting for it.
    pub fn end(self) -> Ending {
        Ending::of(self.channel, self.group)
    }
}

/// A room that is going away.
pub struct Ending {
    channel: Channel,
    /// Its folders go when nobody is in them.
    _group: Group,
}

impl Ending {
    fn of(channel: Channel, group: Group) -> Self {
        channel.hang_up();
        group.kill();
        Self {
            channel,
            _group: group,
        }
    }

    /// Waits until it is gone and everything in it; whether it went.
    pub fn gone(self) -> bool {
        // The keeper holds the other end too, until it has reaped init, and the kernel lets init go
        // last of all in its namespace.
        for _ in 0..LEFT_REPLIES_MAX {
            match self.channel.receive_in_time::<Reply>() {
                Ok(Some(_)) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
        false
    }
}
