//! Standard output and standard error of a job, read through pipes and kept up to a bound.

use std::os::fd::{AsFd as _, OwnedFd};

use rustix::io::Errno;

use crate::domain::Fault;

/// What is read of a stream at once.
pub const READ_BYTES: usize = 64 * 1024;

/// One of the two streams of a job.
pub struct Stream {
    /// Its reading end; `None` when it has ended.
    pub pipe: Option<OwnedFd>,
    pub kept: Vec<u8>,
    /// What is kept at most.
    bytes_max: usize,
    /// Whether there was more.
    pub over: bool,
}

impl Stream {
    pub fn new(pipe: OwnedFd, bytes_max: usize) -> Self {
        Self {
            pipe: Some(pipe),
            kept: Vec::new(),
            bytes_max,
            over: false,
        }
    }

    /// Reads once. Whether there may be more.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<bool, Fault> {
        let Some(pipe) = &self.pipe else {
            return Ok(false);
        };
        match rustix::io::read(pipe, &mut *buffer) {
            Ok(0) => {
                self.pipe = None;
                Ok(false)
            }
            Ok(length) => {
                let room = self.bytes_max - self.kept.len();
                self.kept.extend_from_slice(&buffer[..length.min(room)]);
                self.over |= length > room;
                Ok(true)
            }
            Err(Errno::AGAIN) => Ok(false),
            Err(Errno::INTR) => Ok(true),
            Err(error) => Err(Fault::new("read the program's output", error)),
        }
    }
}

/// A pipe whose reading end does not block.
pub fn pipe(bytes: Option<usize>) -> Result<(OwnedFd, OwnedFd), Fault> {
    let step = |error| Fault::of_call("make a pipe", error);
    let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(step)?;
    if let Some(bytes) = bytes {
        // An ordinary user may have used up what pipes may hold; a small pipe does too.
        let _ = rustix::pipe::fcntl_setpipe_size(read.as_fd(), bytes);
    }
    // A program may open its output again by the name /dev/stdout; the pipe is ours, not its
    // user's.
    rustix::fs::fchmod(&write, rustix::fs::Mode::from_raw_mode(0o666)).map_err(step)?;
    rustix::fs::fcntl_setfl(&read, rustix::fs::OFlags::NONBLOCK).map_err(step)?;
    Ok((read, write))
}
