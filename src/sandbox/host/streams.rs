//! The streams of a job. Its standard input is a sealed file in memory, made once for all runs on the
//! same test; standard output and standard error are read through pipes and kept up to a bound.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd, OwnedFd};
use std::sync::{Arc, Mutex};

use rustix::fs::{CWD, IFlags, Mode, OFlags};
use rustix::io::Errno;

use crate::domain::Fault;
use crate::sandbox::wire::sealed;
use crate::util::sync::lock;

/// What is cached, in bytes and in inputs, by all workers together.
const CACHED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// See above; each takes a descriptor, so fewer where these are few.
pub const CACHED_MAX: usize = 256;
/// What is read of a stream at once.
pub const READ_BYTES: usize = 64 * 1024;

/// The inputs that were used last.
pub struct Inputs {
    /// The one used longest ago first.
    cache: Mutex<VecDeque<Input>>,
    cached_max: usize,
}

struct Input {
    /// Held, so that no other input can come to lie at the same address.
    bytes: Arc<[u8]>,
    file: OwnedFd,
}

impl Inputs {
    /// Caches this many at most.
    pub fn with_capacity(cached_max: usize) -> Self {
        Self {
            cache: Mutex::default(),
            cached_max: cached_max.min(CACHED_MAX),
        }
    }

    /// The input as a file of its own, read from the beginning, that nobody can change.
    /// Where it would belong to the user of the jobs it is made anew each time: an owner can leave
    /// marks on a file for the next reader.
    pub fn open(&self, bytes: &Arc<[u8]>, owned_by_job: bool) -> io::Result<OwnedFd> {
        if owned_by_job {
            return sealed("stdin", &[bytes]);
        }
        let mut cache = lock(&self.cache);
        let known = cache
            .iter()
            .position(|input| Arc::ptr_eq(&input.bytes, bytes));
        let input = if let Some(input) = known.and_then(|at| cache.remove(at)) {
            input
        } else {
            let file = sealed("stdin", &[bytes])?;
            if bytes.len() > CACHED_BYTES_MAX || !takes_no_marks(&file) {
                return Ok(file);
            }
            // Inputs that nobody else has any more: their test was changed or removed.
            cache.retain(|input| Arc::strong_count(&input.bytes) > 1);
            let size = |input: &Input| input.bytes.len();
            let mut held = cache.iter().map(size).sum::<usize>() + bytes.len();
            while cache.len() >= self.cached_max || held > CACHED_BYTES_MAX {
                let Some(oldest) = cache.pop_front() else {
                    break;
                };
                held -= size(&oldest);
            }
            Input {
                bytes: Arc::clone(bytes),
                file,
            }
        };
        let opened = again(&input.file);
        cache.push_back(input);
        opened
    }
}

/// Sees to it that readers of another user leave nothing on the file: no attributes, and no times,
/// not even that of the last reading.
/// Whether that succeeded: an old kernel may have no such setting for files in memory.
fn takes_no_marks(file: &OwnedFd) -> bool {
    rustix::fs::fchmod(file, Mode::from_raw_mode(0o444)).is_ok()
        && rustix::fs::ioctl_setflags(file, IFlags::NOATIME).is_ok()
}

/// A second description of the same file, with a position of its own.
fn again(file: &OwnedFd) -> io::Result<OwnedFd> {
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(rustix::fs::openat(
        CWD,
        path,
        OFlags::RDONLY | OFlags::CLOEXEC,
        Mode::empty(),
    )?)
}

/// One of the two streams of a job.
pub struct Stream {
    /// Its reading end; `None` when it has ended.
    pub pipe: Option<OwnedFd>,
    /// What was read, as far as nobody has taken it.
    pub kept: Vec<u8>,
    /// How much was read, without what is too much.
    pub length: usize,
    /// What is read at most.
    bytes_max: usize,
    /// Whether there was more.
    pub over: bool,
}

impl Stream {
    pub fn new(pipe: OwnedFd, bytes_max: usize) -> Self {
        Self {
            pipe: Some(pipe),
            kept: Vec::new(),
            length: 0,
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
                let room = self.bytes_max - self.length;
                let taken = length.min(room);
                self.kept.extend_from_slice(&buffer[..taken]);
                self.length += taken;
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
    let (read, write) = blocking_pipe()?;
    if let Some(bytes) = bytes {
        // An ordinary user may have used up what pipes may hold; a small pipe does too.
        let _ = rustix::pipe::fcntl_setpipe_size(read.as_fd(), bytes);
    }
    unblock(&read)?;
    Ok((read, write))
}

/// A pipe whose writing end does not block: a program's standard input.
pub fn input_pipe() -> Result<(OwnedFd, OwnedFd), Fault> {
    let (read, write) = blocking_pipe()?;
    unblock(&write)?;
    Ok((read, write))
}

fn unblock(end: &OwnedFd) -> Result<(), Fault> {
    rustix::fs::fcntl_setfl(end, OFlags::NONBLOCK)
        .map_err(|error| Fault::of_call("make a pipe", error))
}

fn blocking_pipe() -> Result<(OwnedFd, OwnedFd), Fault> {
    let step = |error| Fault::of_call("make a pipe", error);
    let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(step)?;
    // A program may open its output again by the name /dev/stdout; the pipe is ours, not its
    // user's.
    rustix::fs::fchmod(&write, Mode::from_raw_mode(0o666)).map_err(step)?;
    Ok((read, write))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::sync::Arc;

    use super::{CACHED_MAX, Inputs};

    fn read(inputs: &Inputs, bytes: &Arc<[u8]>) -> String {
        std::io::read_to_string(File::from(inputs.open(bytes, false).unwrap())).unwrap()
    }

    #[test]
    fn what_is_kept_is_bounded_and_never_mixed_up() {
        let inputs = Inputs::with_capacity(CACHED_MAX);
        let bytes = |number: usize| Arc::from(number.to_string().into_bytes());
        let many: Vec<Arc<[u8]>> = (0..CACHED_MAX + 10).map(bytes).collect();
        for _ in 0..2 {
            for (number, bytes) in many.iter().enumerate() {
                assert_eq!(read(&inputs, bytes), number.to_string());
            }
        }
        assert_eq!(inputs.cache.lock().unwrap().len(), CACHED_MAX);
        // Tests that are gone are let go with the next new one.
        drop(many);
        let new: Arc<[u8]> = Arc::from(*b"new");
        assert_eq!(read(&inputs, &new), "new");
        assert_eq!(inputs.cache.lock().unwrap().len(), 1);
    }
}
