//! The worker's end: takes orders of every course that it hears of, has them done by its own
//! sandboxes, and sends the facts back. It has no store, no problems and no submissions, and may be
//! killed at any time: whoever gave an order gives it to another one.

mod beats;
mod bytes;
mod cache;
mod courses;
mod link;
mod machine;
mod notice;
mod place;
mod sender;
mod stop;

use std::io;
use std::sync::{Arc, Mutex};
use std::thread::Builder;
use std::time::Duration;

use async_nats::connection::State as Connection;
use async_nats::{Client, Message};
use futures_util::StreamExt as _;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval};

pub use self::cache::{Cache, ENTRIES_MAX, default_folder};
pub use self::machine::{About, Machine};
pub use self::notice::Notice;
pub use self::stop::Stop;

use self::beats::Beats;
use self::link::Link;
use self::place::Place;
use super::access::{Access, AccessError, connect_patiently};
use super::subjects::{self, Name};
use super::wire::{self, Id, News};
use crate::util::sync::lock;

/// How often it is looked whether the connection is there.
const LOOK: Duration = Duration::from_millis(500);

/// What a worker works with.
pub struct Setup {
    /// How to reach the server.
    pub access: Access,
    /// Orders at a time.
    pub places: usize,
    /// What measures.
    pub machine: Machine,
    /// What it says that it is.
    pub about: About,
    /// Its disk.
    pub cache: Option<Cache>,
    /// Tells people.
    pub say: Box<dyn Fn(Notice) + Send + Sync>,
}

/// Why a worker cannot work.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// There is no connection, and no other try would help.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// A thread, a signal or the runtime.
    #[error("the worker cannot run: {0}")]
    System(#[from] io::Error),
    /// The server does not give any news.
    #[error("the server gives no news of courses: {0}")]
    News(async_nats::SubscribeError),
}

/// How a worker ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// What was being done is done.
    Finished,
    /// At once.
    Now,
}

/// Works until it is told to stop.
pub fn run(setup: Setup, stop: Stop) -> Result<End, WorkerError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let life = Id::random()?;
    runtime.block_on(work(setup, life, stop))
}

async fn work(setup: Setup, life: Id, stop: Stop) -> Result<End, WorkerError> {
    let mut stop = stop.listen()?;
    let say = &setup.say;
    let connected = tokio::select! {
        connected = connect_patiently(&setup.access, |error| say(Notice::Trouble(error.to_string()))) => connected?,
        () = stop.next() => return Ok(End::Finished),
    };
    say(Notice::Connected(format!(
        "connected to {} as {}",
        setup.access.url()?,
        setup.access.name
    )));
    let mut news = connected
        .subscribe(subjects::ALL_NEWS)
        .await
        .map_err(WorkerError::News)?;
    let link = Arc::new(Link {
        client: connected,
        name: setup.access.name,
        life,
        courses: Mutex::default(),
        news: watch::channel(0).0,
        is_ending: watch::channel(false).0,
        out: Mutex::default(),
        tally: Mutex::default(),
        say: setup.say,
    });
    let about = Arc::new(setup.about);
    let mut ended = start_places(
        setup.places,
        &link,
        setup.machine,
        &about,
        setup.cache.map(Arc::new),
    )?;
    let mut beats = Beats::new(Arc::clone(&link), about);
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut connection = Watch(Connection::Connected);
    loop {
        tokio::select! {
            message = news.next() => match message {
                Some(message) => hear(&link, &mut beats, &message),
                None => return Ok(End::Now),
            },
            _ = looks.tick() => {
                connection.look(&link.client, &link);
                beats.tick();
            }
            () = stop.next() => {
                if link.is_ending.send_replace(true) {
                    return Ok(End::Now);
                }
                (link.say)(Notice::Ending(lock(&link.out).len()));
            }
            _ = ended.recv() => {
                beats.say_tallies();
                // The last answers may be on their way to the server.
                let _ = tokio::time::timeout(LOOK, link.client.flush()).await;
                return Ok(End::Finished);
            }
        }
    }
}

/// Starts the threads; hears of it when all of them have ended.
fn start_places(
    count: usize,
    link: &Arc<Link>,
    machine: Machine,
    about: &Arc<About>,
    cache: Option<Arc<Cache>>,
) -> io::Result<mpsc::Receiver<()>> {
    let machine = Arc::new(machine);
    let (working, ended) = mpsc::channel(1);
    for index in 0..count {
        let place = Place {
            index,
            link: Arc::clone(link),
            runtime: Handle::current(),
            machine: Arc::clone(&machine),
            about: Arc::clone(about),
            cache: cache.clone(),
        };
        let working = working.clone();
        Builder::new()
            .name(format!("place-{index}"))
            .spawn(move || {
                place.run();
                drop(working);
            })?;
    }
    Ok(ended)
}

fn hear(link: &Link, beats: &mut Beats, message: &Message) {
    let read = || -> Option<(Name, News)> {
        let course = subjects::course_of_news(&message.subject)?;
        let (news, _) = wire::read(&message.payload).ok()?;
        Some((course, news))
    };
    if let Some((course, news)) = read() {
        beats.heard(&course, &news);
        if news.waiting > 0 {
            link.wake();
        }
    }
}

/// Says when the connection is lost and when it is back.
struct Watch(Connection);

impl Watch {
    fn look(&mut self, client: &Client, link: &Link) {
        let now = client.connection_state();
        match (&self.0, &now) {
            (Connection::Connected, Connection::Connected) => {}
            (Connection::Connected, _) => (link.say)(Notice::Lost),
            (_, Connection::Connected) => {
                (link.say)(Notice::Connected("connected again".to_owned()));
            }
            _ => {}
        }
        self.0 = now;
    }
}
