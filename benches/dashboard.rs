//! Bench: what the dashboard takes from grading.
//!
//! - `listeners-100`: the time in which the daemon judges 600 small programs while a hundred streams of events are open (`value`),
//!   over the time while nobody looks (`baseline`), medians of passes that take turns. The reach is 1.03.
//! - `verdicts`: verdicts a second with the listeners, so that it is seen that there were a hundred at least.
//!
//! The listeners are read a few times a second by one thread that steps back behind everything else: they stand for browsers on other machines.

#[path = "common/daemon.rs"]
mod daemon;
#[path = "common/rows.rs"]
mod rows;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use daemon::{Daemon, field, figure};
use rows::{Row, print};

/// Programs of one pass, each of a student of its own.
const PROGRAMS: u32 = 600;
/// Streams of events.
const LISTENERS: usize = 100;
/// Passes with listeners, and as many without.
const PASSES: usize = 5;
/// The pause of the reader.
const PAUSE: Duration = Duration::from_millis(300);

fn main() {
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..PASSES {
        without.push(pass(0));
        with.push(pass(LISTENERS));
    }
    let (without, with) = (median(without), median(with));
    print(&[
        Row {
            bench: "dashboard",
            row: "listeners-100",
            value: with,
            unit: "s",
            baseline: Some(without),
            ratio: Some(with / without),
        },
        Row {
            bench: "dashboard",
            row: "verdicts",
            value: f64::from(PROGRAMS) / with,
            unit: "/s",
            baseline: None,
            ratio: None,
        },
    ]);
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_unstable_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// How long the programs take, in seconds.
fn pass(listeners: usize) -> f64 {
    let folder = course();
    let daemon = Daemon::start(folder.path());
    let address = address(&daemon);
    let listening = Listening::start(&address, listeners);
    for number in 0..PROGRAMS {
        let name = format!("s{number}");
        let (from, to) = (
            folder.path().join("ready"),
            folder.path().join("submissions"),
        );
        fs::rename(from.join(&name), to.join(&name)).expect("a program is handed in");
    }
    let start = std::time::Instant::now();
    let mut judged = 0;
    let end = loop {
        let (at, line) = daemon.next_line();
        if line.contains("published") {
            judged += field(&line, "judgements").unwrap_or(0);
        }
        if figure(judged) >= f64::from(PROGRAMS) {
            break at;
        }
    };
    let heard = listening.stop();
    // What a browser needs to be told it was told: at the least that something is going on.
    assert!(
        heard.iter().all(|bytes| *bytes > 0),
        "a listener heard nothing"
    );
    end.duration_since(start).as_secs_f64()
}

/// A course with one problem in one language that starts at once, and programs that are ready to be handed in.
fn course() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        let parent: &Path = path.parent().expect("a folder");
        fs::create_dir_all(parent).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    let others = daemon::only_c();
    let shell = "[languages.sh]\nname = \"Shell\"\nextensions = [\"sh\"]\nsource = \"main.sh\"\nrun = [\"sh\", \"/app/{source}\"]\nversion = [\"sh\", \"-c\", \"echo 1\"]\n";
    write(
        "config.toml",
        &format!(
            "{others}[languages.c]\noffer = false\n{shell}[intake]\nsettle_ms = 10\n[web]\nstudents = \"127.0.0.1:0\"\n"
        ),
    );
    write("problems/sum/problem.toml", "title = \"Sum\"\n");
    write("problems/sum/data/secret/1.in", "1 2\n");
    write("problems/sum/data/secret/1.ans", "3\n");
    for number in 0..PROGRAMS {
        write(
            &format!("ready/s{number}/sum.sh"),
            &format!("echo 3 # {number}\n"),
        );
    }
    fs::create_dir(folder.path().join("submissions")).expect("a folder");
    folder
}

/// Waits until the daemon is ready; where its dashboard is, which it says before that.
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
    reader: JoinHandle<Vec<usize>>,
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
            // Where this is not allowed, the reader takes a little from the programs.
            let _ = rustix::process::setpriority_process(None, 19);
            let mut heard = vec![0; streams.len()];
            let mut buffer = vec![0; 256 * 1024];
            loop {
                let is_last = told.load(Ordering::Relaxed);
                for (stream, heard) in streams.iter_mut().zip(&mut heard) {
                    while let Ok(bytes @ 1..) = stream.read(&mut buffer) {
                        *heard += bytes;
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

    /// How many bytes each has heard.
    fn stop(self) -> Vec<usize> {
        self.stop.store(true, Ordering::Relaxed);
        self.reader.thread().unpark();
        self.reader.join().expect("the reader")
    }
}
