//! What comes of an order, passed on to whoever waits for it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use super::place::Place;
use super::task::{Reply, gone};
use crate::domain::Fault;
use crate::judge::order::{Ended, Go, Sink, Source};
use crate::sandbox::Cancel;

/// How a task ended, and where; nowhere where no place was given it.
pub struct Heard {
    /// The place that was given it last.
    pub place: Option<Arc<Place>>,
    /// None where no place is there any more that the order wants.
    pub ended: Option<Result<Ended, Fault>>,
}

/// How often it is looked whether an order that can wait is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// Passes on what a place says, until the order has ended, or is not wanted any more.
pub fn hear(
    replies: &Receiver<Reply>,
    cancel: Option<&Cancel>,
    source: &dyn Source,
    sink: &mut dyn Sink,
) -> Result<Heard, Fault> {
    let mut place = None;
    while let Some(reply) = next(replies, cancel)? {
        let ended = match reply {
            Reply::Given(to) => {
                place = Some(to);
                continue;
            }
            // Where this returns early, the place stops at its next fact.
            Reply::Fact(fact, bytes) => match sink.fact(&fact, &bytes)? {
                Go::On => continue,
                Go::Stop => Some(Ok(Ended::Stopped)),
            },
            // A place that does not wait for the answer has failed, and says so.
            Reply::Blob(digest, asked) => {
                drop(asked.send(source.blob(&digest)));
                continue;
            }
            Reply::Opinion(question, asked) => {
                drop(asked.send(source.opinion(&question)));
                continue;
            }
            Reply::Unwanted => None,
            Reply::Ended(ended) => Some(ended),
        };
        return Ok(Heard { place, ended });
    }
    let ended = Some(Err(gone()));
    Ok(Heard { place, ended })
}

/// What a place says next; nothing where it is gone.
fn next(replies: &Receiver<Reply>, cancel: Option<&Cancel>) -> Result<Option<Reply>, Fault> {
    let Some(cancel) = cancel else {
        return Ok(replies.recv().ok());
    };
    loop {
        cancel.check()?;
        match replies.recv_timeout(LOOK) {
            Ok(reply) => return Ok(Some(reply)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}
