//! The daemon's end: offers the free places of workers on other machines to whoever waits for one.
//! A thread with a runtime of its own.

mod check;
mod desk;
mod out;
mod place;
mod state;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use async_nats::{Client, Subscriber};
use futures_util::StreamExt as _;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use self::desk::Desk;
use self::state::State;
use super::access::{Access, connect_patiently};
use super::admission::Admit;
use super::blobs::Blobs;
use super::subjects;
use super::wire::{Id, News, PROTOCOL_VERSION};
use crate::places::{Link, Pool};
use crate::util::sync::lock;

/// Workers hear of the daemon this often at least.
const NEWS_PAUSE: Duration = Duration::from_secs(2);
/// Orders that come within this time are one piece of news.
const ORDERS_PAUSE: Duration = Duration::from_millis(10);
/// How often it is looked who is gone, and what people are shown is made anew.
const TICK: Duration = Duration::from_millis(500);
/// After so many looks it is asked anew what workers may get.
const TICKS_TO_ADMIT: u32 = 4;
/// Threads that find out what a piece of work comes to.
const THREADS_MAX: usize = 2;
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
    /// Whoever waits for a place, and the machines.
    pub pool: Arc<Pool>,
    /// Says what a worker may get.
    pub admit: Arc<Admit>,
    /// Whether this machine measures too.
    pub has_own_places: bool,
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
            .max_blocking_threads(THREADS_MAX)
            .build()?;
        let (stop, mut stopped) = watch::channel(false);
        let thread = Builder::new().name("hub".to_owned());
        let thread = thread.spawn(move || {
            runtime.block_on(Running { setup, daemon }.run(&mut stopped));
            runtime.shutdown_timeout(END_PATIENCE);
        })?;
        Ok(Self { stop, thread })
    }

    /// Ends it, when nobody waits for a place any more.
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
    async fn run(self, stopped: &mut watch::Receiver<bool>) {
        let connecting = connect_patiently(&self.setup.access, |error| self.link(Some(error)));
        let client = tokio::select! {
            connected = connecting => connected,
            _ = stopped.changed() => return,
        };
        match client {
            Ok(client) => self.serve(client, stopped).await,
            Err(error) => self.link(Some(&error)),
        }
    }

    /// Says how the connection is, if that is news.
    fn link(&self, trouble: Option<&dyn ToString>) {
        let Access { url, name, .. } = &self.setup.access;
        let server = url.clone().unwrap_or_default();
        let trouble = trouble.map(ToString::to_string);
        let said = match &trouble {
            Some(trouble) => format!("other machines cannot be reached: {trouble}"),
            None => format!("other machines can measure for this course, as `{name}` at {server}"),
        };
        let link = Link {
            server,
            course: name.clone(),
            trouble,
        };
        if self.setup.pool.set_link(link) {
            (self.setup.say)(said);
        }
    }

    async fn serve(&self, client: Client, stopped: &mut watch::Receiver<bool>) {
        let desk = Arc::new(self.desk(&client));
        let subscribed = async {
            let requests = client.subscribe(subjects::all_requests(&desk.course));
            // Where the server's configuration is of an older version, it does not let them be heard.
            let rivals = client.subscribe(subjects::news(&desk.course));
            Ok::<[Subscriber; 2], async_nats::SubscribeError>([requests.await?, rivals.await?])
        };
        let [mut requests, mut rivals] = match subscribed.await {
            Ok(subscribed) => subscribed,
            Err(error) => return self.link(Some(&error)),
        };
        let tasks = [
            tokio::spawn(tell_news(Arc::clone(&desk))),
            tokio::spawn(keep_bytes(Arc::clone(&desk))),
        ];
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut number = 0_u32;
        loop {
            tokio::select! {
                Some(news) = rivals.next() => desk.heard(&news.payload),
                request = requests.next() => {
                    let Some(request) = request else { break };
                    desk.receive(request);
                }
                _ = ticks.tick() => {
                    desk.tick(number.is_multiple_of(TICKS_TO_ADMIT));
                    number = number.wrapping_add(1);
                    let trouble = desk.trouble();
                    self.link(trouble.as_ref().map(|trouble| trouble as &dyn ToString));
                }
                _ = stopped.changed() => break,
            }
        }
        tasks.iter().for_each(tokio::task::JoinHandle::abort);
        desk.close();
        let _ = timeout(END_PATIENCE, client.flush()).await;
    }

    fn desk(&self, client: &Client) -> Desk {
        let setup = &self.setup;
        Desk {
            client: client.clone(),
            handle: Handle::current(),
            course: setup.access.name.clone(),
            daemon: self.daemon.clone(),
            pool: Arc::clone(&setup.pool),
            blobs: Blobs::new(client, &setup.access.name, setup.keep_bytes),
            admit: Arc::clone(&setup.admit),
            has_own_places: setup.has_own_places,
            state: Mutex::new(State::new(setup.silent)),
            stream_trouble: Mutex::default(),
            is_open: AtomicBool::new(true),
        }
    }
}

/// Tells workers that the daemon is there, and at once when orders wait that did not before.
async fn tell_news(desk: Arc<Desk>) {
    let subject = subjects::news(&desk.course);
    let (mut last, mut told) = (None, Instant::now());
    loop {
        let (waiting, idle) = (desk.pool.waiting(), desk.pool.searches());
        let now = (waiting > 0, idle > 0);
        if last != Some(now) || told.elapsed() >= NEWS_PAUSE {
            (last, told) = (Some(now), Instant::now());
            let news = News {
                shape: PROTOCOL_VERSION,
                daemon: desk.daemon.clone(),
                waiting,
                idle,
            };
            // What is lost is said again.
            desk.publish(subject.as_str(), &news).await;
        }
        sleep(ORDERS_PAUSE).await;
        let rest = NEWS_PAUSE.saturating_sub(told.elapsed());
        let _ = timeout(rest, desk.pool.changed()).await;
    }
}

/// Makes what keeps bytes on the server, anew with each connection: it may be another server, or one
/// that has lost what it kept. Requests are answered meanwhile.
async fn keep_bytes(desk: Arc<Desk>) {
    let mut opened = None;
    loop {
        let connects = desk.client.statistics().connects.load(Ordering::Relaxed);
        if desk.is_connected() && opened != Some(connects) {
            let trouble = desk.blobs.open().await.err().map(|fault| fault.reason);
            if trouble.is_none() {
                opened = Some(connects);
            }
            *lock(&desk.stream_trouble) = trouble;
        }
        sleep(TICK).await;
    }
}
