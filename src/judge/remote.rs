//! Orders through a pipe: a worker that is another process, here or at the other end of a
//! connection.
//!
//! A message is one line of JSON; bytes that it names follow it raw. One order is out at a time,
//! and whoever has given it answers
//! what the worker asks: for bytes, for opinions, and after each fact whether to go on.

use std::collections::HashMap;
use std::io::{BufRead, Read as _, Write};
use std::sync::{Arc, Mutex};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::order::{Blob, Bytes, Ended, Fact, Go, Order, Progress, Sink, Source, Worker};
use crate::domain::bounds::ARTIFACT_BYTES_MAX;
use crate::domain::{Compared, Digest, Fault};
use crate::toolchain::Toolchain;
use crate::util::crash::point;
use crate::util::hash::digest;
use crate::util::sync::lock;

/// A message without the bytes that follow it. An order of 256 steps has 64 KiB; the largest fact
/// has the words of a compiler
/// and the names of 1,024 files.
const LINE_BYTES_MAX: u64 = 1024 * 1024;
/// Bytes that a worker keeps for the next order.
const KEPT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// What a worker is sent.
#[derive(Debug, Serialize, Deserialize)]
enum ToWorker {
    /// Do this.
    Order(Box<Order>),
    /// The bytes that were asked for follow, this many; none where they are gone.
    Blob(Option<u64>),
    /// The opinion that was asked for.
    Opinion(Option<Compared>),
    /// The fact was taken.
    Go(Go),
}

/// What a worker sends.
#[derive(Debug, Serialize, Deserialize)]
enum FromWorker {
    /// Something begins.
    Begins(Progress),
    /// These bytes are needed.
    Blob(Digest),
    /// Was this asked before?
    Opinion(Digest),
    /// A fact; the bytes that it names follow, these lengths one after the other.
    Fact(Box<Fact>, Vec<u64>),
    /// The order has ended.
    Ended(Result<Ended, Fault>),
}

/// Both directions of a connection.
struct Line<R, W> {
    input: R,
    output: W,
}

fn lost(error: impl ToString) -> Fault {
    Fault::new("talk to the other side", error)
}

impl<R: BufRead, W: Write> Line<R, W> {
    fn send(&mut self, message: &impl Serialize, bytes: &[&[u8]]) -> Result<(), Fault> {
        let mut line = serde_json::to_vec(message).map_err(lost)?;
        line.push(b'\n');
        self.output.write_all(&line).map_err(lost)?;
        for bytes in bytes {
            self.output.write_all(bytes).map_err(lost)?;
        }
        self.output.flush().map_err(lost)
    }

    /// The next message; none where the other side has ended.
    fn receive<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Fault> {
        let mut line = Vec::new();
        let mut bounded = (&mut self.input).take(LINE_BYTES_MAX);
        bounded.read_until(b'\n', &mut line).map_err(lost)?;
        match line.last() {
            None => Ok(None),
            Some(b'\n') => serde_json::from_slice(&line).map(Some).map_err(lost),
            Some(_) => Err(lost("a message is cut off, or longer than any may be")),
        }
    }

    fn expect<T: DeserializeOwned>(&mut self) -> Result<T, Fault> {
        self.receive()?.ok_or_else(|| lost("it has ended"))
    }

    fn bytes(&mut self, len: u64) -> Result<Arc<[u8]>, Fault> {
        if len > ARTIFACT_BYTES_MAX {
            return Err(lost(format!(
                "{len} bytes at once are more than any file has"
            )));
        }
        let mut bytes = Vec::new();
        let mut bounded = (&mut self.input).take(len);
        bounded.read_to_end(&mut bytes).map_err(lost)?;
        if bytes.len() as u64 != len {
            return Err(lost("bytes are cut off"));
        }
        Ok(Arc::from(bytes))
    }
}

/// A worker at the other end of a connection.
pub struct Remote<R, W> {
    line: Line<R, W>,
    /// Whether it has ended the order that was given last, well or with a fault of its own.
    has_ended: bool,
}

impl<R: BufRead, W: Write> Remote<R, W> {
    /// Speaks to a worker that waits for orders.
    pub fn new(input: R, output: W) -> Self {
        Self {
            line: Line { input, output },
            has_ended: true,
        }
    }

    /// Whether it is gone in the middle of an order: another one may do the rest.
    pub fn is_lost(&self) -> bool {
        !self.has_ended
    }
}

impl<R: BufRead, W: Write> Worker for Remote<R, W> {
    fn measure(
        &mut self,
        order: &Order,
        source: &dyn Source,
        sink: &mut dyn Sink,
    ) -> Result<Ended, Fault> {
        self.has_ended = false;
        let line = &mut self.line;
        line.send(&ToWorker::Order(Box::new(order.clone())), &[])?;
        loop {
            match line.expect()? {
                FromWorker::Begins(progress) => sink.begins(progress),
                FromWorker::Blob(digest) => match source.blob(&digest)? {
                    Some(bytes) => {
                        line.send(&ToWorker::Blob(Some(bytes.len() as u64)), &[&bytes])?;
                    }
                    None => line.send(&ToWorker::Blob(None), &[])?,
                },
                FromWorker::Opinion(question) => {
                    line.send(&ToWorker::Opinion(source.opinion(&question)?), &[])?;
                }
                FromWorker::Fact(fact, lengths) => {
                    let mut named = Vec::with_capacity(lengths.len());
                    for length in lengths {
                        let bytes = line.bytes(length)?;
                        // Whatever the worker says, bytes are known by what they are.
                        let digest = digest(&bytes);
                        if !fact.names(&digest) {
                            return Err(lost("bytes that the fact does not name"));
                        }
                        named.push((digest, bytes));
                    }
                    let go = sink.fact(&fact, &named)?;
                    line.send(&ToWorker::Go(go), &[])?;
                }
                FromWorker::Ended(ended) => {
                    self.has_ended = true;
                    return ended;
                }
            }
        }
    }
}

/// Takes orders until the other side ends, and has each done by `worker`. Orders for another
/// sandbox or other compilers are
/// refused: their facts would not be the ones that are asked for.
pub fn take_orders(
    input: impl BufRead,
    output: impl Write,
    sandbox: &Digest,
    toolchain: &Toolchain,
    worker: &mut dyn Worker,
) -> Result<(), Fault> {
    let line = Mutex::new(Line { input, output });
    let kept: Mutex<HashMap<Digest, Arc<[u8]>>> = Mutex::default();
    loop {
        let message = lock(&line).receive()?;
        let order = match message {
            None => return Ok(()),
            Some(ToWorker::Order(order)) => order,
            Some(other) => return Err(lost(format!("{other:?} answers nothing"))),
        };
        let talk = Talk {
            line: &line,
            kept: &kept,
        };
        let ended = refusal(&order, sandbox, toolchain)
            .map_or_else(|| worker.measure(&order, &talk, &mut &talk), Err);
        let mut kept = lock(&kept);
        if kept.values().map(|bytes| bytes.len()).sum::<usize>() > KEPT_BYTES_MAX {
            kept.clear();
        }
        lock(&line).send(&FromWorker::Ended(ended), &[])?;
    }
}

/// Why an order cannot be done here, if it cannot.
pub fn refusal(order: &Order, sandbox: &Digest, toolchain: &Toolchain) -> Option<Fault> {
    if order.sandbox != *sandbox {
        return Some(Fault::new(
            "take an order",
            "the sandbox of this worker does not enforce what the order asks for: `verdictd doctor` shows what it does",
        ));
    }
    order.work.programs().into_iter().find_map(|program| {
        let id = program.language.as_ref()?;
        let here = toolchain.language(id).and_then(|language| {
            let version = toolchain.identify(id).ok()?;
            Some(toolchain.fingerprint(language, &version))
        });
        (here != Some(program.fingerprint)).then(|| {
            Fault::new(
                "take an order",
                format!("`{id}` is missing on this worker, or has another version or other commands than `{}`", program.version),
            )
        })
    })
}

/// An order's source and its sink, at the worker's end.
struct Talk<'l, R, W> {
    line: &'l Mutex<Line<R, W>>,
    /// Bytes by their digests: the same input is laid out once.
    kept: &'l Mutex<HashMap<Digest, Arc<[u8]>>>,
}

impl<R: BufRead, W: Write> Source for Talk<'_, R, W> {
    fn blob(&self, wanted: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        let mut kept = lock(self.kept);
        if let Some(bytes) = kept.get(wanted) {
            return Ok(Some(Arc::clone(bytes)));
        }
        let mut line = lock(self.line);
        line.send(&FromWorker::Blob(*wanted), &[])?;
        match line.expect()? {
            ToWorker::Blob(None) => Ok(None),
            ToWorker::Blob(Some(len)) => {
                let bytes = line.bytes(len)?;
                if digest(&bytes) != *wanted {
                    return Err(lost("these are not the bytes that were asked for"));
                }
                kept.insert(*wanted, Arc::clone(&bytes));
                Ok(Some(bytes))
            }
            other => Err(lost(format!("{other:?} in place of bytes"))),
        }
    }

    fn opinion(&self, question: &Digest) -> Result<Option<Compared>, Fault> {
        let mut line = lock(self.line);
        line.send(&FromWorker::Opinion(*question), &[])?;
        match line.expect()? {
            ToWorker::Opinion(said) => Ok(said),
            other => Err(lost(format!("{other:?} in place of an opinion"))),
        }
    }
}

impl<R: BufRead, W: Write> Sink for &Talk<'_, R, W> {
    fn begins(&mut self, progress: Progress) {
        let mut line = lock(self.line);
        // Where the other side is gone, the next fact cannot be sent.
        let _ = line.send(&FromWorker::Begins(progress), &[]);
    }

    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Go, Fault> {
        let mut line = lock(self.line);
        let lengths = bytes.iter().map(|(_, bytes)| bytes.len() as u64).collect();
        let bytes: Vec<&[u8]> = bytes.iter().map(|(_, bytes): &Blob| &**bytes).collect();
        line.send(&FromWorker::Fact(Box::new(fact.clone()), lengths), &bytes)?;
        point("fact sent");
        match line.expect()? {
            ToWorker::Go(go) => Ok(go),
            other => Err(lost(format!("{other:?} after a fact"))),
        }
    }
}
