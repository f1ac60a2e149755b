//! How the descriptors of this process are shared out: grading first, and what is left to those who
//! look on.

use rustix::process::{Resource, getrlimit};

/// What the daemon has open whatever it does: its store, logs, watches, the folders that it is
/// reading.
const DAEMON: usize = 64;
/// What a worker has open: three rooms with the files of their control groups, most of all on
/// version 1 (13 each), their sockets, a job's pipes, and the store; and as much again for what its
/// jobs talk with.
const WORKER: usize = 128;
/// Whoever reads packages runs their programs as one more worker.
const MORE_WORKERS: usize = 1;
/// Of all descriptors, the part that inputs may take which are kept from one run to the next.
const INPUTS_PART: usize = 4;
/// What the dashboard has open without any connection.
const DASHBOARD: usize = 24;
/// A connection takes one, and the file that it is sent another.
const CONNECTION: usize = 2;

/// The limit of this process.
pub fn limit() -> usize {
    let limit = getrlimit(Resource::Nofile).current;
    limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    })
}

/// Inputs that may be kept open, of this many descriptors, where as many as `most` are of use.
pub fn inputs(limit: usize, most: usize) -> usize {
    most.min(limit / INPUTS_PART)
}

/// What grading may need at most.
pub fn grading(limit: usize, workers: usize, inputs_max: usize) -> usize {
    let workers = workers.saturating_add(MORE_WORKERS);
    DAEMON + WORKER.saturating_mul(workers) + inputs(limit, inputs_max)
}

/// Connections that may be open at once without grading missing a descriptor.
pub fn connections(limit: usize, grading: usize) -> usize {
    limit.saturating_sub(grading + DASHBOARD) / CONNECTION
}

#[cfg(test)]
mod tests {
    use super::{connections, grading, inputs};

    #[test]
    fn grading_has_its_descriptors_whatever_the_limit() {
        let limits = [0, 64, 256, 400, 512, 1_024, 4_096, 20_000, 524_288];
        for limit in limits.into_iter().chain([usize::MAX]) {
            for workers in [1, 2, 16, 500] {
                let needed = grading(limit, workers, 256);
                let open = connections(limit, needed);
                let is_enough = open == 0 || needed + 2 * open <= limit;
                assert!(is_enough, "{limit}, {workers}");
                assert!(inputs(limit, 256) <= limit / 4);
            }
        }
        // The customary limits: a small one leaves a few connections, a large one as many as are
        // allowed anyway.
        assert_eq!(connections(1_024, grading(1_024, 2, 256)), 148);
        assert_eq!(connections(256, grading(256, 2, 256)), 0);
        assert!(connections(524_288, grading(524_288, 64, 256)) > 1_024);
    }
}
