//! A response's body that comes piece by piece: a file that is being read, or a stream of events.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Pieces that wait for a slow reader; whoever sends one more waits.
const PIECES_MAX: usize = 4;

/// The pieces that somebody sends.
struct Pieces {
    receiver: Receiver<io::Result<Bytes>>,
    /// Bytes that are still to come, where that is known.
    left: Option<u64>,
}

/// A body, and where its pieces are sent. It ends when the sender is gone; of a known length, it must have sent as much.
pub fn pieces(length: Option<u64>) -> (Sender<io::Result<Bytes>>, Body) {
    let (sender, receiver) = channel(PIECES_MAX);
    let left = length;
    (sender, Body::new(Pieces { receiver, left }))
}

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.receiver.poll_recv(context).map(|piece| {
            let piece = piece?;
            if let (Ok(bytes), Some(left)) = (&piece, &mut self.left) {
                *left = left.saturating_sub(bytes.len() as u64);
            }
            Some(piece.map(Frame::data))
        })
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map_or_else(SizeHint::new, SizeHint::with_exact)
    }
}
