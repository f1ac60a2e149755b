//! A worker in a process of its own, as another command uses it.

use std::io::BufReader;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::domain::Fault;
use crate::judge::Remote;
use crate::judge::order::{Ended, Order, Sink, Source, Worker};

/// A worker that a shell command starts, as `ssh lab-07 verdictd worker --stdio`.
pub struct WorkerProcess {
    child: Child,
    remote: Remote<BufReader<ChildStdout>, ChildStdin>,
}

impl WorkerProcess {
    /// Starts the command. Its standard error is this process's.
    pub fn start(command: &str) -> Result<Self, Fault> {
        let fault = |error| Fault::of_call(format!("start the worker `{command}`"), error);
        let mut child = Command::new("sh")
            .args(["-c", command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(fault)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(fault(std::io::Error::other("it has no pipes")));
        };
        Ok(Self {
            child,
            remote: Remote::new(BufReader::new(output), input),
        })
    }
}

impl WorkerProcess {
    /// Whether it ended in the middle of an order.
    pub fn is_lost(&self) -> bool {
        self.remote.is_lost()
    }
}

impl Worker for WorkerProcess {
    fn measure(
        &mut self,
        order: &Order,
        source: &dyn Source,
        sink: &mut dyn Sink,
    ) -> Result<Ended, Fault> {
        self.remote.measure(order, source, sink)
    }
}

impl Drop for WorkerProcess {
    /// Nobody waits for the results of a worker that still measures.
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
