//! How much of the bodies of responses may be held at a time, for those who take them slowly.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::StatusCode;
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::answer::{TEXT, answer, later, length};

/// KiB of bodies that a view holds at a time for those who have not taken them.
const HELD_KIB_MAX: u32 = 64 * 1024;

/// The memory for the bodies of a view.
pub struct BodyBudget(Arc<Semaphore>);

impl Default for BodyBudget {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(HELD_KIB_MAX as usize)))
    }
}

impl BodyBudget {
    /// Counts a body, of which this many bytes at most are held at a time, until the last of it is
    /// written. Where there is no memory for it, the other side is told to come back instead.
    pub fn hold(&self, response: Response, bytes_max: u64) -> Response {
        let bytes = length(&response).min(bytes_max);
        // A body larger than the whole budget has it to itself.
        let kib = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
        let places = Arc::clone(&self.0);
        let Ok(place) = places.try_acquire_many_owned(kib.min(HELD_KIB_MAX)) else {
            let words = "too many slow connections; try again later\n";
            return later(answer(StatusCode::SERVICE_UNAVAILABLE, TEXT, words));
        };
        let place = Arc::new(place);
        response.map(|body| Body::new(Held { body, place }))
    }
}

/// A body that has its place.
struct Held {
    body: Body,
    place: Arc<OwnedSemaphorePermit>,
}

/// A piece of one: the connection holds it when the body is gone already.
struct Piece {
    bytes: Bytes,
    _place: Arc<OwnedSemaphorePermit>,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        let held = |bytes| {
            Bytes::from_owner(Piece {
                bytes,
                _place: Arc::clone(&self.place),
            })
        };
        frame.map_ok(|frame| frame.map_data(held))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::Pin;

    use axum::body::{Bytes, HttpBody};
    use axum::http::StatusCode;
    use axum::http::header::RETRY_AFTER;
    use axum::response::Response;

    use super::{BodyBudget, HELD_KIB_MAX};
    use crate::web::answer::{TEXT, answer};

    const MIB: usize = 1024 * 1024;

    fn page() -> Response {
        answer(StatusCode::OK, TEXT, vec![b'x'; MIB])
    }

    async fn piece(response: &mut Response) -> Bytes {
        let body = response.body_mut();
        let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await;
        frame.unwrap().unwrap().into_data().unwrap()
    }

    #[tokio::test]
    async fn pages_that_nobody_takes_have_a_bound_together() {
        let budget = BodyBudget::default();
        let hold = || budget.hold(page(), u64::MAX);
        let mut held: Vec<Response> = (0..HELD_KIB_MAX / 1024).map(|_| hold()).collect();
        assert!(held.iter().all(|page| page.status() == StatusCode::OK));
        let refused = hold();
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(refused.headers().contains_key(RETRY_AFTER));
        // What the connection still has to write is held, though its body is gone.
        let mut last = held.pop().unwrap();
        assert_eq!(last.body().size_hint().exact(), Some(MIB as u64));
        let piece = piece(&mut last).await;
        drop(last);
        assert_eq!(piece.len(), MIB);
        assert_eq!(hold().status(), StatusCode::SERVICE_UNAVAILABLE);
        drop(piece);
        assert_eq!(hold().status(), StatusCode::OK);
        // Of a file only a few pieces are held.
        drop(held);
        let hold = |_| budget.hold(page(), MIB as u64 / 2);
        let files: Vec<Response> = (0..=HELD_KIB_MAX / 1024).map(hold).collect();
        assert!(files.iter().all(|file| file.status() == StatusCode::OK));
    }
}
