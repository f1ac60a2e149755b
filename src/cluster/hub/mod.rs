//! The daemon's end: gives orders that wait to workers on other machines, and their facts to the
//! planners. A thread with a runtime of its own; nothing else of the daemon waits for it.

mod admitting;
mod check;
mod desk;
mod lately;
mod outstanding;
mod parts;
mod present;
mod seen;
mod state;
mod view;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use async_nats::connection::State as Connection;
use async_nats::{Client, Subscriber};
use futures_util::StreamExt as _;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

pub use admitting::Admitting;

use self::desk::Desk;
use self::lately::Lately;
use self::state::State;
use crate::cluster::access::{Access, connect_patiently};
use crate::cluster::blobs::{BlobError, Blobs};
use crate::cluster::subjects;
use crate::cluster::wire::{self, Id, News, SHAPE};
use crate::fleet::{Link, Machines, Orders};
use crate::util::sync::lock;

/// Workers hear of the daemon this often at least.
const NEWS_PAUSE: Duration = Duration::from_secs(2);
/// Orders that come within this time are one piece of news.
const ORDERS_PAUSE: Duration = Duration::from_millis(10);
/// How often it is looked who is gone, and what people are shown is made anew.
const TICK: Duration = Duration::from_millis(500);
/// How often it is asked anew what workers may get.
const ADMIT_PAUSE: Duration = Duration::from_secs(2);
/// After a pause of this length it was this process that was silent, not the workers.
const STALL: Duration = Duration::from_secs(5);
/// Requests that are answered at a time; whoever comes then asks again.
const REQUESTS_MAX: usize = 1_024;
/// Threads that wait for planners.
const WAITING_MAX: usize = 256;
/// How long the end waits for answers to be on their way.
const END_PATIENCE: Duration = Duration::from_secs(1);

/// What the hub works with.
pub struct Setup {
    /// How to reach the server.
    pub access: Access,
    /// Bytes that the server keeps.
    pub keep_bytes: u64,
    /// A worker that says nothing for this long is gone.
    pub silent: Duration,
    /// The orders that wait.
    pub orders: Arc<Orders>,
    /// What people are shown.
    pub machines: Arc<Machines>,
    /// Who may have which orders.
    pub admitting: Admitting,
    /// Tells people about the connection.
    pub say: Box<dyn Fn(String) + Send + Sync>,
}

/// The thread.
pub struct Hub {
    stop: watch::Sender<bool>,
    thread: thread::JoinHandle<()>,
}

impl Hub {
    /// Starts it.
    pub fn start(setup: Setup) -> io::Result<Self> {
        let daemon = Id::random()?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(WAITING_MAX)
            .build()?;
        let (stop, stopped) = watch::channel(false);
        let thread = Builder::new().name("hub".to_owned());
        let thread = thread.spawn(move || {
            runtime.block_on(Running { setup, daemon }.run(stopped));
            // A planner that is still told something is told it, or gone.
            runtime.shutdown_timeout(END_PATIENCE);
        })?;
        Ok(Self { stop, thread })
    }

    /// Ends it, when no planner waits for an order any more.
    pub fn join(self) {
        self.stop.send_replace(true);
        // A thread that failed has said so by the panic's own message.
        let _ = self.thread.join();
    }
}

struct Running {
    setup: Setup,
    daemon: Id,
}

impl Running {
    async fn run(self, mut stopped: watch::Receiver<bool>) {
        let troubled = |error: &dyn ToString| self.link(Some(error.to_string()));
        let connected = tokio::select! {
            connected = connect_patiently(&self.setup.access, |error| troubled(error)) => connected,
            _ = stopped.changed() => return,
        };
        let requests = match connected {
            Ok(client) => {
                let all = subjects::all_requests(&self.setup.access.name);
                client
                    .subscribe(all)
                    .await
                    .map(|requests| (client, requests))
            }
            Err(error) => return troubled(&error),
        };
        match requests {
            Ok((client, requests)) => self.serve(client, requests, stopped).await,
            Err(error) => troubled(&error),
        }
    }

    fn link(&self, trouble: Option<String>) {
        let Access { url, name, .. } = &self.setup.access;
        let url = url.as_deref().unwrap_or_default();
        let said = match &trouble {
            Some(trouble) => {
                format!("other machines cannot be reached: {trouble}")
            }
            None => format!("other machines can measure for this course, as `{name}` at {url}"),
        };
        let is_news = self.setup.machines.set_link(Link {
            url: Arc::from(url),
            course: name.clone(),
            trouble: trouble.map(Arc::from),
            since: Instant::now(),
        });
        if is_news {
            (self.setup.say)(said);
        }
    }

    async fn serve(
        self,
        client: Client,
        mut requests: Subscriber,
        mut stopped: watch::Receiver<bool>,
    ) {
        let desk = Arc::new(self.desk(&client));
        let news = tokio::spawn(tell_news(Arc::clone(&desk)));
        let slots = Arc::new(Semaphore::new(REQUESTS_MAX));
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut watched = Watched::default();
        // Where the server's configuration is of an older version, it does not let them be heard.
        let Ok(mut rivals) = client.subscribe(subjects::news(&desk.course)).await else {
            return;
        };
        loop {
            tokio::select! {
                Some(news) = rivals.next() => desk.heard(&news.payload),
                request = requests.next() => {
                    let Some(request) = request else { break };
                    if let Ok(slot) = Arc::clone(&slots).try_acquire_owned() {
                        let desk = Arc::clone(&desk);
                        tokio::spawn(async move {
                            desk.serve(request).await;
                            drop(slot);
                        });
                    }
                }
                _ = ticks.tick() => self.tick(&desk, &mut watched).await,
                _ = stopped.changed() => break,
            }
        }
        news.abort();
        desk.close();
        let all = u32::try_from(REQUESTS_MAX).unwrap_or(u32::MAX);
        let _ = timeout(END_PATIENCE, slots.acquire_many(all)).await;
        let _ = timeout(END_PATIENCE, client.flush()).await;
    }

    fn desk(&self, client: &Client) -> Desk {
        let setup = &self.setup;
        let blobs = Blobs::new(client, &setup.access.name, setup.keep_bytes);
        Desk {
            client: client.clone(),
            course: setup.access.name.clone(),
            daemon: self.daemon.clone(),
            orders: Arc::clone(&setup.orders),
            lately: Arc::new(Lately::new(blobs, setup.keep_bytes)),
            admitting: setup.admitting.clone(),
            state: Mutex::new(State::new(setup.silent)),
            is_open: AtomicBool::new(true),
        }
    }

    async fn tick(&self, desk: &Desk, watched: &mut Watched) {
        let now = Instant::now();
        if watched.last.is_some_and(|last| now > last + STALL) {
            lock(&desk.state).outstanding.forgive(now);
        }
        watched.last = Some(now);
        desk.tick(now);
        if watched.admitted.is_none_or(|last| now > last + ADMIT_PAUSE) {
            watched.admitted = Some(now);
            desk.admit_again();
        }
        self.setup
            .machines
            .set_workers(view::machines(&lock(&desk.state)));
        let connects = desk.client.statistics().connects.load(Ordering::Relaxed);
        let is_connected = desk.client.connection_state() == Connection::Connected;
        if is_connected && watched.connects != Some(connects) && watched.opening.is_none() {
            // It may be another server, or one that has lost what it kept. Requests are answered
            // meanwhile.
            let lately = Arc::clone(&desk.lately);
            let opening = tokio::spawn(async move { lately.begin_anew().await });
            watched.opening = Some((connects, opening));
        }
        if let Some((connects, opening)) = watched.opening.take_if(|(_, task)| task.is_finished()) {
            let opened = opening.await.map_err(|error| error.to_string());
            let opened = opened.and_then(|opened| opened.map_err(|error| error.to_string()));
            watched.refusal = opened.err();
            if watched.refusal.is_none() {
                watched.connects = Some(connects);
            }
        }
        if is_connected {
            let refused = lock(&desk.state)
                .refused
                .as_ref()
                .map(|(why, _)| why.clone());
            self.link(watched.refusal.clone().or(refused));
        } else {
            self.link(Some("the connection to the server is lost".to_owned()));
        }
    }
}

/// What was seen of the connection.
#[derive(Default)]
struct Watched {
    last: Option<Instant>,
    admitted: Option<Instant>,
    /// Connections that were made when the server's stream was last looked after.
    connects: Option<u64>,
    /// The server's stream is being looked after, for this number of connections.
    opening: Option<(u64, JoinHandle<Result<(), BlobError>>)>,
    refusal: Option<String>,
}

/// Tells workers that the daemon is there, and at once when orders wait.
async fn tell_news(desk: Arc<Desk>) {
    let subject = subjects::news(&desk.course);
    loop {
        let news = News {
            shape: SHAPE,
            daemon: desk.daemon.clone(),
            waiting: desk.orders.waiting(),
            idle: desk.orders.idle(),
        };
        if let Ok(news) = wire::write(&news, &[]) {
            // What is lost is said again.
            let _ = desk.client.publish(subject.clone(), news.into()).await;
        }
        sleep(ORDERS_PAUSE).await;
        let _ = timeout(NEWS_PAUSE, desk.orders.changed()).await;
    }
}
