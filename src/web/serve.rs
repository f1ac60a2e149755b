//! Connections: how many there may be, how long a request may take to arrive, and how long a
//! response may wait to be taken.

use std::convert::Infallible;
use std::future::Future;
use std::io::{self, Write as _};
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, Sleep, sleep};

use super::answer::{EVENTS, length};
use crate::util::sync::lock;

/// How long the head of a request may take, and how long a connection may wait for its next one.
const HEAD_PATIENCE: Duration = Duration::from_secs(15);
/// How long a response may wait for somebody who does not take it.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);
/// How long a response may take to be taken in all, however steadily that goes on.
const RESPONSE_PATIENCE: Duration = Duration::from_mins(1);
/// Bytes of a response for which it may take a second more.
const PACE_MIN: u64 = 64 * 1024;
/// The largest head of a request, in bytes.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// Lines of it.
const HEADERS_MAX: usize = 64;
/// The pause after a connection could not be accepted, as when there are no descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// A test sets this, in milliseconds, in place of the times above that somebody is waited for who
/// does not read or write.
#[cfg(debug_assertions)]
const PATIENCE_VARIABLE: &str = "VERDICTD_WEB_PATIENCE_MS";

#[cfg(debug_assertions)]
fn patience(usual: Duration) -> Duration {
    use std::sync::LazyLock;

    static WANTED: LazyLock<Option<Duration>> = LazyLock::new(|| {
        let text = std::env::var(PATIENCE_VARIABLE).ok()?;
        text.parse().ok().map(Duration::from_millis)
    });
    WANTED.unwrap_or(usual)
}

/// How long somebody is waited for.
#[cfg(not(debug_assertions))]
fn patience(usual: Duration) -> Duration {
    usual
}

/// What one connection too many is told.
const TOO_MANY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 38\r\n\r\ntoo many connections; try again later\n";

/// The address of this machine that a connection came to.
#[derive(Debug, Clone, Copy)]
pub struct Local(pub IpAddr);

/// The address that a connection came from.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub IpAddr);

/// Waits until the dashboard is told to stop, or the sender is gone.
pub async fn told_to_stop(mut stop: watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

/// Takes connections until it is told to stop, no more than these at a time, and then lets those
/// that there are come to an end.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    connections: usize,
    stop: watch::Receiver<bool>,
) {
    let places = Arc::new(Semaphore::new(connections));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = told_to_stop(stop.clone()) => break,
        };
        match accepted {
            Ok((stream, peer)) => take(stream, Peer(peer.ip()), &router, &places, &stop),
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection to the dashboard");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    // Whoever stops us gives this a bound.
    let all = u32::try_from(connections).unwrap_or(u32::MAX);
    let _ = places.acquire_many(all).await;
}

fn take(
    stream: TcpStream,
    peer: Peer,
    router: &Router,
    places: &Arc<Semaphore>,
    stop: &watch::Receiver<bool>,
) {
    let Ok(place) = Arc::clone(places).try_acquire_owned() else {
        // A new socket has room for this, which the runtime does not know yet; where it has not,
        // the other side sees a closed connection.
        let _ = stream
            .into_std()
            .and_then(|mut stream| stream.write_all(TOO_MANY));
        return;
    };
    let (router, stop) = (router.clone(), stop.clone());
    tokio::spawn(async move {
        let _place = place;
        let _ = stream.set_nodelay(true);
        let Ok(local) = stream.local_addr().map(|address: SocketAddr| address.ip()) else {
            return;
        };
        let deadline = Deadline::default();
        let stream = TimeoutStream::new(stream, deadline.clone());
        let inner = TowerToHyperService::new(router);
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Local(local));
            request.extensions_mut().insert(peer);
            let (answered, deadline) = (inner.call(request), deadline.clone());
            async move {
                let response = answered.await?;
                *lock(&deadline) = time_for(&response).map(|time| Instant::now() + time);
                Ok::<_, Infallible>(response)
            }
        });
        let mut connection = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(patience(HEAD_PATIENCE))
                .max_buf_size(HEAD_BYTES_MAX)
                .max_headers(HEADERS_MAX)
                .serve_connection(TokioIo::new(stream), service)
        );
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = told_to_stop(stop) => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection to the dashboard broke");
        }
    });
}

/// How long a response may take to be taken; a stream of events has no end.
fn time_for(response: &Response) -> Option<Duration> {
    let kind = response.headers().get(CONTENT_TYPE);
    if kind.is_some_and(|kind| kind == EVENTS) {
        return None;
    }
    let bytes = length(response);
    Some(RESPONSE_PATIENCE + Duration::from_secs(bytes / PACE_MIN))
}

/// When the response that is being written has to be taken; none before the first one, and where it
/// has no end.
type Deadline = Arc<Mutex<Option<Instant>>>;

/// A connection that is given up when what is written to it is not taken for long, or a response
/// not in its time.
struct TimeoutStream {
    stream: TcpStream,
    deadline: Deadline,
    patience: Pin<Box<Sleep>>,
    waits: bool,
}

impl TimeoutStream {
    fn new(stream: TcpStream, deadline: Deadline) -> Self {
        Self {
            stream,
            deadline,
            patience: Box::pin(sleep(patience(WRITE_PATIENCE))),
            waits: false,
        }
    }

    /// What a write came to; an error where it has waited too long.
    fn in_time<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waits = false;
            return written;
        }
        if !self.waits {
            self.waits = true;
            let soon = Instant::now() + patience(WRITE_PATIENCE);
            let at = lock(&self.deadline).map_or(soon, |at| at.min(soon));
            self.patience.as_mut().reset(at);
        }
        ready!(self.patience.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for TimeoutStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for TimeoutStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.in_time(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.in_time(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.in_time(context, shut)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.in_time(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::io::ErrorKind;
    use std::pin::Pin;

    use axum::http::StatusCode;
    use tokio::io::AsyncWrite;
    use tokio::net::{TcpListener, TcpStream};
    use tokio::time::{Instant, timeout};

    use super::{Deadline, RESPONSE_PATIENCE, TimeoutStream, WRITE_PATIENCE, time_for};
    use crate::web::answer::{EVENTS, TEXT, answer};

    #[test]
    fn every_response_but_a_stream_has_its_time() {
        assert_eq!(time_for(&answer(StatusCode::OK, EVENTS, "")), None);
        let short = answer(StatusCode::OK, TEXT, "short");
        assert_eq!(time_for(&short), Some(RESPONSE_PATIENCE));
        let long = answer(StatusCode::OK, TEXT, vec![b'x'; 1024 * 1024]);
        assert!(time_for(&long) > Some(RESPONSE_PATIENCE));
    }

    #[tokio::test]
    async fn a_response_that_is_not_taken_in_its_time_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let _reader = TcpStream::connect(address).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let deadline = Deadline::new(Some(Instant::now()).into());
        let mut stream = TimeoutStream::new(stream, deadline);
        let bytes = vec![b'x'; 1024 * 1024];
        let given_up = async {
            loop {
                let write = poll_fn(|context| Pin::new(&mut stream).poll_write(context, &bytes));
                if let Err(error) = write.await {
                    return error.kind();
                }
            }
        };
        // Well before it would be because nothing is taken.
        let kind = timeout(WRITE_PATIENCE / 2, given_up).await.unwrap();
        assert_eq!(kind, ErrorKind::TimedOut);
    }
}
