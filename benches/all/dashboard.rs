//! What the dashboard costs grading.
//!
//! - `listeners`: the time that the daemon takes to judge 600 small programs while a hundred
//!   streams of events are open, over the time without listeners; medians of passes that take
//!   turns.
//!
//! One thread at the lowest priority reads the listeners' streams a few times a second:
//! they stand for browsers on other machines.

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
/// Streams of events.
const LISTENERS: usize = 100;
const LISTENERS_SMALL: usize = 5;
/// Passes with listeners, and the same number without.
const PASSES: usize = 5;
/// The pause of the reader.
const PAUSE: Duration = Duration::from_millis(300);
/// How much of a listener's stream is kept: enough for the head and some updates.
const KEPT_BYTES: usize = 64 * 1024;
/// The target.
const RATIO_MAX: f64 = 1.03;

pub fn rows(size: Size) -> Vec<Row> {
    let programs = size.pick(PROGRAMS, PROGRAMS_SMALL);
    let listeners = size.pick(LISTENERS, LISTENERS_SMALL);
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..size.pick(PASSES, 1) {
        without.push(pass(programs, 0));
        with.push(pass(programs, listeners));
    }
    let row = Row::new(NAME, "listeners", median(with).as_secs_f64(), "s");
    vec![
        row.over(median(without).as_secs_f64())
            .ratio_at_most(RATIO_MAX),
    ]
}

/// How long the programs take.
fn pass(programs: u64, listeners: usize) -> Duration {
    let folder = course(programs);
    let daemon = Daemon::start(folder.path());
    let address = address(&daemon);
    let listening = Listening::start(&address, listeners);
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
    for heard in listening.stop() {
        let heard = String::from_utf8_lossy(&heard);
        assert!(
            heard.starts_with("HTTP/1.1 200 "),
            "the head of a stream: {heard}"
        );
        assert!(
            heard.contains("\ndata:"),
            "a listener heard no news: {heard}"
        );
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

/// Open streams, and the thread that reads them.
struct Listening {
    stop: Arc<AtomicBool>,
    reader: JoinHandle<Vec<Vec<u8>>>,
}

impl Listening {
    fn start(address: &str, count: usize) -> Self {
        let mut streams: Vec<TcpStream> = (0..count)
            .map(|_| {
                let mut stream = TcpStream::connect(address).expect("a connection");
                let request = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";
                stream.write_all(request.as_bytes()).expect("a request");
                stream.set_nonblocking(true).expect("a socket");
                stream
            })
            .collect();
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let reader = std::thread::spawn(move || {
            // If this is not allowed, the reader takes a little CPU time from the programs.
            let _ = rustix::process::setpriority_process(None, 19);
            let mut heard = vec![Vec::new(); streams.len()];
            let mut buffer = vec![0; 256 * 1024];
            loop {
                let is_last = told.load(Ordering::Relaxed);
                for (stream, heard) in streams.iter_mut().zip(&mut heard) {
                    while let Ok(bytes @ 1..) = stream.read(&mut buffer) {
                        let room = KEPT_BYTES.saturating_sub(heard.len());
                        heard.extend_from_slice(&buffer[..bytes.min(room)]);
                    }
                }
                if is_last {
                    return heard;
                }
                std::thread::park_timeout(PAUSE);
            }
        });
        Self { stop, reader }
    }

    /// Ends the thread; returns the beginning of each stream.
    fn stop(self) -> Vec<Vec<u8>> {
        self.stop.store(true, Ordering::Relaxed);
        self.reader.thread().unpark();
        self.reader.join().expect("the reader")
    }
}
