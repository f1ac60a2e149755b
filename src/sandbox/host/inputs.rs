//! Standard inputs as sealed files in memory, made once for all runs on the same test.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::{Arc, Mutex};

use rustix::fs::{CWD, IFlags, Mode, OFlags};

use crate::sandbox::wire::sealed;
use crate::util::sync::lock;

/// What is kept, in bytes and in inputs, by all workers together.
const KEPT_BYTES_MAX: usize = 64 * 1024 * 1024;
/// See above; each takes a descriptor, so fewer where these are few.
pub const KEPT_MAX: usize = 256;

/// The inputs that were used last.
pub struct Inputs {
    kept: Mutex<Kept>,
    kept_max: usize,
}

#[derive(Default)]
struct Kept {
    /// The one used longest ago first.
    inputs: VecDeque<Input>,
    bytes: usize,
}

struct Input {
    /// Held, so that no other input can come to lie at the same address.
    bytes: Arc<[u8]>,
    file: OwnedFd,
}

impl Kept {
    /// Lets go of inputs that nobody else has any more, because their test was changed or removed.
    fn forget_the_unused(&mut self) {
        self.inputs
            .retain(|input| Arc::strong_count(&input.bytes) > 1);
        self.bytes = self.inputs.iter().map(|input| input.bytes.len()).sum();
    }
}

impl Inputs {
    /// Keeps this many at most.
    pub fn keeping(kept_max: usize) -> Self {
        Self {
            kept: Mutex::default(),
            kept_max: kept_max.min(KEPT_MAX),
        }
    }

    /// The input as a file of its own, read from the beginning, that nobody can change.
    /// Where it would belong to the user of the jobs it is made anew each time: an owner can leave
    /// marks on a file for the next reader.
    pub fn open(&self, bytes: &Arc<[u8]>, owned_by_job: bool) -> io::Result<OwnedFd> {
        if owned_by_job {
            return sealed("stdin", &[bytes]);
        }
        let mut kept = lock(&self.kept);
        let found = kept
            .inputs
            .iter()
            .position(|input| Arc::ptr_eq(&input.bytes, bytes));
        let known = found.and_then(|at| kept.inputs.remove(at));
        let input = if let Some(input) = known {
            input
        } else {
            let file = sealed("stdin", &[bytes])?;
            if bytes.len() > KEPT_BYTES_MAX || !takes_no_marks(&file) {
                return Ok(file);
            }
            kept.forget_the_unused();
            kept.bytes += bytes.len();
            Input {
                bytes: Arc::clone(bytes),
                file,
            }
        };
        let opened = again(&input.file);
        kept.inputs.push_back(input);
        while kept.inputs.len() > self.kept_max || kept.bytes > KEPT_BYTES_MAX {
            match kept.inputs.pop_front() {
                Some(oldest) => kept.bytes -= oldest.bytes.len(),
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

    use super::{Inputs, KEPT_MAX};

    fn read(inputs: &Inputs, bytes: &Arc<[u8]>) -> String {
        let mut text = String::new();
        File::from(inputs.open(bytes, false).unwrap())
            .read_to_string(&mut text)
            .unwrap();
        text
    }

    #[test]
    fn every_reader_starts_at_the_beginning() {
        let inputs = Inputs::keeping(KEPT_MAX);
        let bytes: Arc<[u8]> = Arc::from(*b"input");
        assert_eq!(read(&inputs, &bytes), "input");
        assert_eq!(read(&inputs, &bytes), "input");
        assert_eq!(inputs.kept.lock().unwrap().inputs.len(), 1);
    }

    #[test]
    fn what_is_kept_is_bounded_and_never_mixed_up() {
        let inputs = Inputs::keeping(KEPT_MAX);
        let many: Vec<Arc<[u8]>> = (0..KEPT_MAX + 10)
            .map(|number| Arc::from(number.to_string().into_bytes()))
            .collect();
        for _ in 0..2 {
            for (number, bytes) in many.iter().enumerate() {
                assert_eq!(read(&inputs, bytes), number.to_string());
            }
        }
        let kept = inputs.kept.lock().unwrap();
        assert_eq!(kept.inputs.len(), KEPT_MAX);
        let bytes: usize = kept.inputs.iter().map(|input| input.bytes.len()).sum();
        assert_eq!(kept.bytes, bytes);
        drop(kept);
        // Tests that are gone are let go with the next new one.
        drop(many);
        let new: Arc<[u8]> = Arc::from(*b"new");
        assert_eq!(read(&inputs, &new), "new");
        assert_eq!(inputs.kept.lock().unwrap().inputs.len(), 1);
    }
}
