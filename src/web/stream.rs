//! A stream of server-sent events: every verdict after the one that the listener has last heard of, once and in order, and what goes on now.
//! The number of an event is its row in the store, so a stream that was cut goes on where it was.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::Response;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::Sender;
use tokio::sync::watch;
use tokio::time::sleep;

use super::answer::{EVENTS, TEXT, answer, later};
use super::body::pieces;
use super::hall::{Listening, Site};
use super::live::{News, verdicts_after};
use super::told_to_stop;

/// A silent stream says this often that it is there, so that nobody on the way takes it for dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How soon the browser tries again, in milliseconds.
const BEGIN: &str = "retry: 2000\n\n";
/// The pause after the store could not be read.
const STORE_PAUSE: Duration = Duration::from_secs(1);

/// A stream that begins after this event; without one, at what comes next.
pub fn stream(site: Arc<Site>, after: Option<i64>, stop: watch::Receiver<bool>) -> Response {
    let Some(listening) = site.listen() else {
        let words = "too many listen; come back a while\n";
        return later(answer(StatusCode::SERVICE_UNAVAILABLE, TEXT, words));
    };
    let (sender, body) = pieces(None);
    tokio::spawn(feed(site, after, sender, stop, listening));
    answer(StatusCode::OK, EVENTS, body)
}

async fn feed(
    site: Arc<Site>,
    after: Option<i64>,
    sender: Sender<io::Result<Bytes>>,
    stop: watch::Receiver<bool>,
    _listening: Listening,
) {
    // Before the first look at the store: what comes meanwhile is heard.
    let news = site.live.listen();
    let reached = site.hall.board().reached();
    let mut listener = Listener {
        news,
        reached: after.unwrap_or(reached).min(reached),
        site,
        sender,
    };
    tokio::select! {
        // Nobody reads any more, or the daemon ends.
        () = listener.run() => {}
        () = told_to_stop(stop) => {}
    }
}

struct Listener {
    site: Arc<Site>,
    news: Receiver<News>,
    /// The event up to which everything has been told.
    reached: i64,
    sender: Sender<io::Result<Bytes>>,
}

/// Nobody reads any more.
struct Gone;

impl Listener {
    async fn run(&mut self) {
        // It ends when nobody reads any more.
        let _ = self.tell().await;
    }

    async fn tell(&mut self) -> Result<Infallible, Gone> {
        self.send(Bytes::from_static(BEGIN.as_bytes())).await?;
        loop {
            self.read_store().await?;
            // What went on may have been told by a piece of news that was missed or passed over.
            self.send(self.site.live.now()).await?;
            self.follow().await?;
        }
    }

    async fn send(&self, bytes: Bytes) -> Result<(), Gone> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.sender.send(Ok(bytes)).await.map_err(|_| Gone)
    }

    /// Tells what the store has and the listener has not heard.
    async fn read_store(&mut self) -> Result<(), Gone> {
        loop {
            let (site, after) = (Arc::clone(&self.site), self.reached);
            let told = tokio::task::spawn_blocking(move || {
                let hall = Arc::clone(&site.hall);
                hall.read(|reader| verdicts_after(&site, reader, after))
            });
            match told.await {
                Ok(Ok(told)) => {
                    self.send(Bytes::from(told.text)).await?;
                    self.reached = told.reached;
                    if !told.is_full {
                        return Ok(());
                    }
                }
                failed => {
                    if let Ok(Err(error)) = failed {
                        tracing::warn!(%error, "the dashboard cannot read the store");
                    }
                    sleep(STORE_PAUSE).await;
                    self.send(Bytes::from_static(b": wait\n\n")).await?;
                }
            }
        }
    }

    /// Passes on the news until something is missing.
    async fn follow(&mut self) -> Result<(), Gone> {
        loop {
            let heard = tokio::select! {
                heard = self.news.recv() => heard,
                () = self.sender.closed() => return Err(Gone),
                () = sleep(KEEP_ALIVE) => {
                    self.send(Bytes::from_static(b": here\n\n")).await?;
                    continue;
                }
            };
            match heard {
                Ok(news) => {
                    let is_known = news.reached <= self.reached;
                    if !is_known && news.after != self.reached {
                        // It continues something else than what this listener has heard.
                        return Ok(());
                    }
                    if !is_known {
                        self.send(news.verdicts).await?;
                        self.reached = news.reached;
                    }
                    self.send(news.now).await?;
                }
                Err(RecvError::Lagged(_)) => return Ok(()),
                Err(RecvError::Closed) => return Err(Gone),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;
    use std::time::Duration;

    use axum::body::Bytes;
    use tokio::sync::{mpsc, watch};
    use tokio::time::timeout;

    use super::feed;
    use crate::overview::Board;
    use crate::report::Audience;
    use crate::web::live::News;
    use crate::web::sample::Sample;

    /// How long something may take that comes at once.
    const PATIENCE: Duration = Duration::from_secs(30);

    /// Reads until this is told.
    async fn heard(pieces: &mut mpsc::Receiver<io::Result<Bytes>>, wanted: &'static str) {
        while let Some(piece) = timeout(PATIENCE, pieces.recv()).await.unwrap() {
            if piece.unwrap() == wanted {
                return;
            }
        }
        panic!("the stream ended before {wanted}");
    }

    #[tokio::test]
    async fn whoever_misses_news_is_told_what_goes_on() {
        let sample = Sample::new(Board::default());
        let site = sample.site(Audience::Student);
        let (sender, mut pieces) = mpsc::channel(4);
        let (_stop, stopped) = watch::channel(false);
        let listening = site.listen().unwrap();
        site.live.set_now(Bytes::from_static(b"first"));
        tokio::spawn(feed(Arc::clone(&site), None, sender, stopped, listening));
        heard(&mut pieces, "first").await;
        // News of verdicts that do not continue what it has heard: they are read from the store, and the rest is not lost.
        site.live.set_now(Bytes::from_static(b"second"));
        site.live.tell(News {
            after: 100,
            reached: 101,
            verdicts: Bytes::new(),
            now: Bytes::from_static(b"in the news"),
        });
        heard(&mut pieces, "second").await;
    }
}
