//! What runs in the daemon's own process: it starts zygotes, asks them for rooms, watches the jobs,
//! counts what they use and reads what they leave.

mod capabilities;
mod cgroup;
mod collect;
mod identity;
mod inputs;
mod link;
mod on_demand;
mod places;
mod plan;
mod retry;
mod sandbox;
mod slots;
mod streams;
mod supervise;
mod worker;

pub use self::on_demand::OnDemand;
pub use self::plan::Refusal;
pub use self::retry::retry_shortage;
pub use self::sandbox::{Sandbox, descriptors_needed, examine};
pub use self::worker::Worker;
