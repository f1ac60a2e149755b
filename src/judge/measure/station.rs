//! Where programs are run, and what the parts of an order share while it is done.

use std::sync::Arc;

use crate::domain::{Digest, Fault};
use crate::judge::order::{Bytes, Fact, Flow, Order, Sink, Source};
use crate::sandbox::Runner;
use crate::toolchain::{Artifact, Toolchain};

/// A program that is here.
#[derive(Debug)]
pub(super) struct Built {
    pub key: Digest,
    pub artifact: Artifact,
}

/// A place where programs are run: one sandbox, and what has been brought there.
pub struct Station<'a> {
    pub(super) runner: &'a mut dyn Runner,
    pub(super) toolchain: &'a Toolchain,
    /// Noted with whatever is measured here.
    pub(super) machine: Arc<str>,
    /// The key of the program in whose room the runner is. After a fault nobody knows.
    pub(super) room: Option<Digest>,
    /// Programs that were fetched or built here.
    pub(super) built: Vec<Arc<Built>>,
}

impl<'a> Station<'a> {
    /// A sandbox that nobody else uses meanwhile. It may be one [on
    /// demand](crate::sandbox::SandboxRunner).
    pub fn new(runner: &'a mut dyn Runner, toolchain: &'a Toolchain, machine: Arc<str>) -> Self {
        Self {
            runner,
            toolchain,
            machine,
            room: None,
            built: Vec::new(),
        }
    }
}

/// An order that is being done.
pub(super) struct Measuring<'m, 's> {
    pub order: &'m Order,
    pub station: &'m mut Station<'s>,
    pub source: &'m dyn Source,
    pub sink: &'m mut dyn Sink,
    /// Whether the sink wants no more.
    pub stopped: bool,
}

impl Measuring<'_, '_> {
    pub fn tell(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<(), Fault> {
        self.stopped |= self.sink.fact(fact, bytes)? == Flow::Stop;
        Ok(())
    }

    /// Bytes that come with the order.
    pub fn needed(&self, digest: &Digest, of: &str) -> Result<Arc<[u8]>, Fault> {
        self.source
            .blob(digest)?
            .ok_or_else(|| Fault::new(format!("fetch what {of} needs"), "its bytes are gone"))
    }
}
