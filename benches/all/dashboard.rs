//! What the dashboard costs grading.
//!
//! - `viewers`: the time that the daemon takes to judge 600 small programs while a hundred viewers
//!   have the first page open, over the time without viewers; medians of passes that take turns.
//!
//! A viewer does what the page's script does: it listens to the stream of events, and fetches the
//! page anew when that tells that something has changed, at the lowest priority: it is a browser on
//! another machine.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
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
/// How long a viewer waits between two times that it fetches the page, as in `src/web/live.js`.
const FETCH_PAUSE: Duration = Duration::from_millis(2_250);
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
    let start = |_| {
        let stream = get(&address, "/events");
        let listening = stream.try_clone().expect("a descriptor");
        let address = address.clone();
        (stream, thread::spawn(move || view(&address, listening)))
    };
    let viewing: Vec<_> = (0..viewers).map(start).collect();
    let began = Instant::now();
    for number in 0..programs {
        let at = |place| course.folder.join(format!("{place}/s{number}"));
        fs::rename(at("ready"), at("submissions")).expect("a program is handed in");
    }
    let ended = daemon.judged(programs).end();
    course.assert_verdicts(programs, 0);
    for (stream, viewer) in viewing {
        stream.shutdown(Shutdown::Both).expect("a stream");
        let fetched = viewer.join().expect("a viewer");
        let holds = fetched > 0;
        assert!(holds, "a viewer heard no news, or could not fetch the page");
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

/// Listens, and fetches the page anew when there are news, until the stream ends; returns how often.
fn view(address: &str, mut stream: TcpStream) -> usize {
    // If this is not allowed, the viewers take a little CPU time from the programs.
    let _ = rustix::process::setpriority_process(None, 19);
    let mut heard = vec![0; 64 * 1024];
    let mut fetched = 0;
    while let Ok(bytes @ 1..) = stream.read(&mut heard) {
        if heard[..bytes].windows(6).any(|line| line == b"\ndata:") {
            let mut page = Vec::new();
            get(address, "/").read_to_end(&mut page).expect("a page");
            fetched += usize::from(page.starts_with(b"HTTP/1.1 200 "));
            thread::sleep(FETCH_PAUSE);
        }
    }
    fetched
}

/// Asks for a page; the connection ends with it.
fn get(address: &str, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    stream
}
