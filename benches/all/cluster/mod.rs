//! Many machines, with Debian's own NATS server between them; everything is on this one.
//!
//! - `remote-order`: one order of 20 tiny runs of a built program through the server to a worker and
//!   back, over the same order in the daemon's own place.
//! - `two-workers`: the time of a corpus of 100 submissions with two remote workers of one place
//!   each, over the same with the daemon's own two places. The target is 0.92 of the throughput. Then
//!   one new hack has to cause as many runs as there are submissions, and no build.
//! - `fleet-idle`: the share of their time in which 200 simulated workers do not run a program,
//!   though orders wait: each run is a pause of 50 ms, an order is a build and 20 runs.
//! - `fleet-cpu`: the daemon's CPU time per such order.
//! - `memory`: the daemon's peak memory with 100,000 orders that wait and nobody to do them.

mod corpus;
mod fleet;
mod order;
mod stage;
mod waiting;

use crate::common::{Row, Size, say};
use stage::Server;

pub const NAME: &str = "cluster";

pub fn rows(size: Size) -> Vec<Row> {
    type Part = fn(Size, &Server) -> Vec<Row>;
    const PARTS: [Part; 4] = [order::rows, corpus::rows, fleet::rows, waiting::rows];
    if stage::program().is_none() {
        let why = "nats-server is not installed";
        let is_ci = std::env::var_os("CI").is_some();
        assert!(!is_ci, "CI lacks something: {why}");
        say(&format!("SKIPPED: cluster: {why}"));
        return Vec::new();
    }
    let rows = |part: Part| part(size, &Server::start());
    PARTS.into_iter().flat_map(rows).collect()
}
