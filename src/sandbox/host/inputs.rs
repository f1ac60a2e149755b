//! Standard inputs as sealed files in memory, made once for all runs on the same test.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::{Arc, Mutex};

use rustix::fs::{CWD, IFlags, Mode, OFlags};

use crate::sandbox::wire::sealed;
use crate::util::sync::lock;

/// What is cached, in bytes and in inputs, by all workers together.
const CACHED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// See above; each takes a descriptor, so fewer where these are few.
pub const CACHED_MAX: usize = 256;

/// The inputs that were used last.
pub struct Inputs {
    cache: Mutex<Cache>,
    cached_max: usize,
}

#[derive(Default)]
struct Cache {
    /// The one used longest ago first.
    inputs: VecDeque<Input>,
    bytes: usize,
}

struct Input {
    /// Held, so that no other input can come to lie at the same address.
    bytes: Arc<[u8]>,
    file: OwnedFd,
}

impl Cache {
    /// Drops inputs that nobody else has any more, because their test was changed or removed.
    fn forget_the_unused(&mut self) {
        self.inputs
            .retain(|input| Arc::strong_count(&input.bytes) > 1);
        self.bytes = self.inputs.iter().map(|input| input.bytes.len()).sum();
    }
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
        let position = cache
            .inputs
            .iter()
            .position(|input| Arc::ptr_eq(&input.bytes, bytes));
        let known = position.and_then(|at| cache.inputs.remove(at));
        let input = if let Some(input) = known {
            input
        } else {
            let file = sealed("stdin", &[bytes])?;
            if bytes.len() > CACHED_BYTES_MAX || !takes_no_marks(&file) {
                return Ok(file);
            }
            cache.forget_the_unused();
            cache.bytes += bytes.len();
            Input {
                bytes: Arc::clone(bytes),
                file,
            }
        };
        let opened = again(&input.file);
        cache.inputs.push_back(input);
        while cache.inputs.len() > self.cached_max || cache.bytes > CACHED_BYTES_MAX {
            match cache.inputs.pop_front() {
                Some(oldest) => cache.bytes -= oldest.bytes.len(),
                None => break,
            }
        }
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

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Read as _;
    use std::sync::Arc;

    use super::{CACHED_MAX, Inputs};

    fn read(inputs: &Inputs, bytes: &Arc<[u8]>) -> String {
        let mut text = String::new();
        File::from(inputs.open(bytes, false).unwrap())
            .read_to_string(&mut text)
            .unwrap();
        text
    }

    #[test]
    fn every_reader_starts_at_the_beginning() {
        let inputs = Inputs::with_capacity(CACHED_MAX);
        let bytes: Arc<[u8]> = Arc::from(*b"input");
        assert_eq!(read(&inputs, &bytes), "input");
        assert_eq!(read(&inputs, &bytes), "input");
        assert_eq!(inputs.cache.lock().unwrap().inputs.len(), 1);
    }

    #[test]
    fn what_is_kept_is_bounded_and_never_mixed_up() {
        let inputs = Inputs::with_capacity(CACHED_MAX);
        let many: Vec<Arc<[u8]>> = (0..CACHED_MAX + 10)
            .map(|number| Arc::from(number.to_string().into_bytes()))
            .collect();
        for _ in 0..2 {
            for (number, bytes) in many.iter().enumerate() {
                assert_eq!(read(&inputs, bytes), number.to_string());
            }
        }
        let cache = inputs.cache.lock().unwrap();
        assert_eq!(cache.inputs.len(), CACHED_MAX);
        let bytes: usize = cache.inputs.iter().map(|input| input.bytes.len()).sum();
        assert_eq!(cache.bytes, bytes);
        drop(cache);
        // Tests that are gone are let go with the next new one.
        drop(many);
        let new: Arc<[u8]> = Arc::from(*b"new");
        assert_eq!(read(&inputs, &new), "new");
        assert_eq!(inputs.cache.lock().unwrap().inputs.len(), 1);
    }
}
