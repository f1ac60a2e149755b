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

use crate::common::{Daemon, JUDGED, Row, Size, median, only_c, verdicts, write};

pub const NAME: &str = "dashboard";

/// Programs of one pass, each by another student.
const PROGRAMS: u64 = 600;
const PROGRAMS_SMALL: u64 = 20;
/// Pages that are open.
const VIEWERS: usize = 100;
const VIEWERS_SMALL: usize = 5;
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
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..size.pick(PASSES, 1) {
        without.push(pass(programs, 0));
        with.push(pass(programs, viewers));
    }
    let row = Row::new(NAME, "viewers", median(with).as_secs_f64(), "s");
    vec![
        row.over(median(without).as_secs_f64())
            .ratio_at_most(RATIO_MAX),
    ]
}

/// How long the programs take.
fn pass(programs: u64, viewers: usize) -> Duration {
    let folder = course(programs);
    let daemon = Daemon::start(folder.path());
    let address = address(&daemon);
    let viewing = Viewing::start(&address, viewers);
    let began = Instant::now();
    for number in 0..programs {
        let name = format!("s{number}");
        let [from, to] = ["ready", "submissions"].map(|place| folder.path().join(place));
        fs::rename(from.join(&name), to.join(&name)).expect("a program is handed in");
    }
    let mut ended = began;
    for _ in 0..programs {
        ended = daemon.says(JUDGED);
    }
    let expected = [("AC".to_owned(), programs)];
    assert_eq!(verdicts(folder.path()), expected.into());
    for viewer in viewing.stop() {
        let heard = String::from_utf8_lossy(&viewer.heard);
        assert!(
            heard.starts_with("HTTP/1.1 200 "),
            "the head of a stream: {heard}"
        );
        assert!(heard.contains("\ndata:"), "a viewer heard no news: {heard}");
        assert!(viewer.fetched > 0, "a viewer did not fetch the page");
    }
    ended.duration_since(began)
}

/// A course with one problem, one language that starts quickly, and programs that are ready to be
/// submitted.
fn course(programs: u64) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let at = |name: &str| folder.path().join(name);
    let shell = "[languages.sh]\nname = \"Shell\"\nextensions = [\"sh\"]\nsource = \"main.sh\"\nrun = [\"sh\", \"/app/{source}\"]\nversion = [\"sh\", \"-c\", \"echo 1\"]\n";
    write(
        &at("config.toml"),
        format!(
            "{}[languages.c]\noffer = false\n{shell}[intake]\nsettle_ms = 10\n",
            only_c()
        ),
    );
    write(&at("problems/sum/problem.toml"), "title = \"Sum\"\n");
    write(&at("problems/sum/data/secret/1.in"), "1 2\n");
    write(&at("problems/sum/data/secret/1.ans"), "3\n");
    for number in 0..programs {
        let program = format!("echo 3 # {number}\n");
        write(&at(&format!("ready/s{number}/sum.sh")), program);
    }
    fs::create_dir(at("submissions")).expect("a folder");
    folder
}

/// Waits until the daemon is ready; returns its dashboard's address, which it prints before that.
fn address(daemon: &Daemon) -> String {
    loop {
        let (_, line) = daemon.next_line();
        assert!(!line.starts_with("ready: "), "there is no dashboard");
        if let Some(rest) = line.strip_prefix("watch at http://") {
            daemon.ready();
            return rest.trim_end_matches('/').to_owned();
        }
    }
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
        let mut stream = TcpStream::connect(address).expect("a connection");
        let request = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";
        stream.write_all(request.as_bytes()).expect("a request");
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
        let mut stream = TcpStream::connect(address).expect("a connection");
        let request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        stream.write_all(request.as_bytes()).expect("a request");
        let mut page = Vec::new();
        stream.read_to_end(&mut page).expect("a page");
        if page.starts_with(b"HTTP/1.1 200 ") {
            self.fetched += 1;
        } else {
            self.is_due = true;
        }
        self.next = Instant::now() + FETCH_PAUSE;
    }
}

/// The viewers, and the thread that stands for them.
struct Viewing {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Vec<Viewer>>,
}

impl Viewing {
    fn start(address: &str, count: usize) -> Self {
        let mut viewers: Vec<Viewer> = (0..count).map(|_| Viewer::open(address)).collect();
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let address = address.to_owned();
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
