//! What the dashboard costs grading.
//!
//! - `viewers`: the time that the daemon takes to judge 600 small programs while a hundred viewers
//!   have the first page open, over the time without viewers; medians of passes that take turns.
//!
//! A viewer does what the page's script does: it listens to the stream of events, and fetches the
//! page anew when that tells that something has changed. One thread at the lowest priority stands
//! for all of them: they are browsers on other machines.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::common::{Course, Row, Size, medians, only_c};

pub const NAME: &str = "dashboard";

/// Programs of one pass, each by another student.
const PROGRAMS: usize = 600;
const PROGRAMS_SMALL: usize = 5;
/// Pages that are open.
const VIEWERS: usize = 100;
const VIEWERS_SMALL: usize = 2;
/// Passes with viewers, and the same number without.
const PASSES: usize = 5;
/// The pause of the reader.
const PAUSE: Duration = Duration::from_millis(300);
/// How long a viewer waits between two times that it fetches the page, as in `src/web/live.js`.
const FETCH_PAUSE: Duration = Duration::from_millis(2_250);
/// How much of a viewer's stream is kept: enough for the head and some updates.
const KEPT_BYTES: usize = 64 * 1024;
/// The target.
const RATIO_MAX: f64 = 1.03;

pub fn rows(size: Size) -> Vec<Row> {
    let programs = size.pick(PROGRAMS, PROGRAMS_SMALL);
    let viewers = size.pick(VIEWERS, VIEWERS_SMALL);
    let turn = |_| {
        let without = pass(programs, 0);
        (pass(programs, viewers), without)
    };
    let turns = medians((0..size.pick(PASSES, 1)).map(turn));
    vec![Row::times(NAME, "viewers", turns).ratio_at_most(RATIO_MAX)]
}

/// How long the programs take.
fn pass(programs: usize, viewers: usize) -> Duration {
    let course = course(programs);
    let daemon = course.start();
    let (_, line) = daemon.says("watch at http://");
    let address = line.trim_start_matches("watch at http://");
    let address = address.trim_end_matches('/').to_owned();
    daemon.ready();
    let viewing = Viewing::start(address, viewers);
    let began = Instant::now();
    for number in 0..programs {
        let at = |place| course.folder.join(format!("{place}/s{number}"));
        fs::rename(at("ready"), at("submissions")).expect("a program is handed in");
    }
    let ended = daemon.judged(programs).end();
    course.assert_verdicts(programs, 0);
    for viewer in viewing.stop() {
        let heard = String::from_utf8_lossy(&viewer.heard);
        let is_fed = heard.starts_with("HTTP/1.1 200 ") && heard.contains("\ndata:");
        assert!(is_fed, "a viewer heard no news: {heard}");
        assert!(viewer.fetched > 0, "a viewer did not fetch the page");
    }
    ended.duration_since(began)
}

/// A course with one problem, one language that starts quickly, and programs that are ready to be
/// submitted.
fn course(programs: usize) -> Course {
    let shell = "[languages.c]\noffer = false\n[languages.sh]\nname = \"Shell\"\nextensions = [\"sh\"]\nsource = \"main.sh\"\nrun = [\"sh\", \"/app/{source}\"]\nversion = [\"sh\", \"-c\", \"echo 1\"]\n";
    let course = Course::new(&format!("{}{shell}[intake]\nsettle_ms = 10\n", only_c()));
    course.write("problems/sum/problem.toml", "title = \"Sum\"\n");
    course.write("problems/sum/data/secret/1.in", "1 2\n");
    course.write("problems/sum/data/secret/1.ans", "3\n");
    for number in 0..programs {
        let program = format!("echo 3 # {number}\n");
        course.write(&format!("ready/s{number}/sum.sh"), program);
    }
    course
}

/// An open page.
struct Viewer {
    stream: TcpStream,
    /// The beginning of the stream.
    heard: Vec<u8>,
    /// Whether the stream has told of a change since the page was fetched.
    is_due: bool,
    next: Instant,
    fetched: usize,
}

impl Viewer {
    fn open(address: &str) -> Self {
        let stream = get(address, "/events");
        stream.set_nonblocking(true).expect("a socket");
        Self {
            stream,
            heard: Vec::new(),
            is_due: false,
            next: Instant::now(),
            fetched: 0,
        }
    }

    fn listen(&mut self, buffer: &mut [u8]) {
        while let Ok(bytes @ 1..) = self.stream.read(buffer) {
            let heard = &buffer[..bytes];
            self.is_due |= heard.windows(6).any(|line| line == b"\ndata:");
            let room = KEPT_BYTES.saturating_sub(self.heard.len());
            self.heard.extend_from_slice(&heard[..bytes.min(room)]);
        }
    }

    fn fetch_if_due(&mut self, address: &str) {
        if !self.is_due || Instant::now() < self.next {
            return;
        }
        self.is_due = false;
        let mut page = Vec::new();
        let mut stream = get(address, "/");
        stream.read_to_end(&mut page).expect("a page");
        if page.starts_with(b"HTTP/1.1 200 ") {
            self.fetched += 1;
        } else {
            self.is_due = true;
        }
        self.next = Instant::now() + FETCH_PAUSE;
    }
}

/// Asks for a page; the connection ends with it.
fn get(address: &str, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    stream
}

/// The viewers, and the thread that stands for them.
struct Viewing {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Vec<Viewer>>,
}

impl Viewing {
    fn start(address: String, count: usize) -> Self {
        let mut viewers: Vec<Viewer> = (0..count).map(|_| Viewer::open(&address)).collect();
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            // If this is not allowed, the viewers take a little CPU time from the programs.
            let _ = rustix::process::setpriority_process(None, 19);
            let mut buffer = vec![0; 256 * 1024];
            loop {
                let is_last = told.load(Ordering::Relaxed);
                for viewer in &mut viewers {
                    viewer.listen(&mut buffer);
                    viewer.fetch_if_due(&address);
                }
                if is_last {
                    return viewers;
                }
                std::thread::park_timeout(PAUSE);
            }
        });
        Self { stop, thread }
    }

    /// Ends the thread.
    fn stop(self) -> Vec<Viewer> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        self.thread.join().expect("the viewers")
    }
}
