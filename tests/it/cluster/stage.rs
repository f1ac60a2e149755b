//! A course whose programs are measured by workers, each a process of its own.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::Value;

use super::server::Server;
use crate::place::{Daemon, Place, Watchdog, wait_until};
use crate::process::{Lines, send};
use crate::programs;

/// Languages of these courses: few, because every worker looks at all of them.
const LANGUAGES: [&str; 2] = ["c", "python3"];

/// Takes a while on each test without using the processor, so that something happens meanwhile.
const SLOW: &str = "import time\na, b = map(int, input().split())\ntime.sleep(0.2)\nprint(a + b)\n";

/// A small course's programs: students, the files' ends, and what is in them.
fn corpus() -> [(&'static str, &'static str, String); 5] {
    [
        ("ada", "py", SLOW.to_owned()),
        ("bo", "c", programs::C.to_owned()),
        ("cy", "py", SLOW.replace("a + b", "a - b")),
        ("dee", "py", SLOW.replace("print(a + b)", "exit(3)")),
        ("eli", "c", "int main(void) { return }\n".to_owned()),
    ]
}

/// The verdicts on [`corpus`] of a daemon that measures by itself, by student.
fn undisturbed() -> &'static BTreeMap<String, String> {
    static VERDICTS: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    VERDICTS.get_or_init(|| {
        let place = Place::new().only(&LANGUAGES);
        for (student, ending, text) in corpus() {
            place.write(&format!("submissions/{student}/sum.{ending}"), text);
        }
        let by_student = |(attempt, verdict): (String, String)| {
            (attempt.split('/').next().unwrap().to_owned(), verdict)
        };
        place.serve_once().into_iter().map(by_student).collect()
    })
}

/// A course that has no workers of its own.
pub fn course(url: &str, name: &str) -> Place {
    let place = Place::new().only(&LANGUAGES);
    let config = place.read("config.toml");
    // All machines are this one, and how fast it is depends on what else it does: beside ten busy
    // processes, a hundred times slower than it says.
    let cluster = format!("nats = \"{url}\"\nname = \"{name}\"\ntolerance_percent = 1000000");
    let tables = format!("[judge]\nworkers = \"none\"\n[cluster]\n{cluster}\nsilent_s = 5\n");
    place.write("config.toml", format!("{config}\n{tables}"));
    place
}

/// What `verdictd status` prints. Whoever waits for it to say something starts many of these: the
/// pause leaves the cores to what is waited for.
pub fn status(place: &Place, arguments: &[&str]) -> String {
    std::thread::park_timeout(Duration::from_secs(1));
    String::from_utf8(place.run(&[&["status"], arguments].concat()).stdout).unwrap()
}

/// A worker; killed when it is dropped.
pub struct Worker {
    child: Child,
    lines: Lines,
    _watchdog: Watchdog,
}

/// A worker's own folder, with the same languages as the course.
pub fn home() -> Place {
    Place::new().only(&LANGUAGES)
}

/// The command of a worker with its configuration and its cache in a folder.
pub fn worker(url: &str, name: &str, home: &Place) -> Command {
    let mut command = home.command(&["worker", "--places", "1", "--json"]);
    command
        .args(["--nats", url, "--name", name, "--cache"])
        .arg(home.path("cache"));
    command
}

impl Worker {
    pub fn start(url: &str, name: &str, home: &Place) -> Self {
        Self::started(worker(url, name, home))
    }

    /// Starts a worker, and reads what it says.
    pub fn started(mut command: Command) -> Self {
        let what = format!("{command:?}");
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::inherit()).spawn().unwrap();
        let watchdog = Watchdog::of(&child, what);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self {
            child,
            lines: Lines::of(lines),
            _watchdog: watchdog,
        }
    }

    /// What it has said of this kind.
    pub fn events(&self, kind: &str) -> Vec<Value> {
        let lines = self.lines.so_far();
        let events = lines.iter();
        let events = events.filter_map(|line| serde_json::from_str(line).ok());
        let events = events.filter(|event: &Value| event["event"] == kind);
        events.collect()
    }

    /// Orders that it has done.
    pub fn done(&self) -> usize {
        self.events("done").len()
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        send(name, &self.child.id().to_string());
    }

    /// Kills it, and waits until it is gone.
    pub fn kill(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits until it has ended by itself.
    pub fn ended(mut self) -> Option<i32> {
        wait_until("a worker's end", || self.has_ended());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A server, a course and two workers; what happens to them is the test's.
pub struct Stage {
    pub server: Server,
    pub place: Place,
    pub daemon: Option<Daemon>,
    pub workers: Vec<Worker>,
    pub homes: Vec<Place>,
    pub urls: Vec<String>,
}

impl Stage {
    /// Starts all of it; the workers reach the server at these addresses.
    pub fn start(server: Server, urls: Vec<String>) -> Self {
        let place = course(&server.url(), "algo");
        let mut stage = Self {
            server,
            place,
            daemon: None,
            workers: Vec::new(),
            homes: urls.iter().map(|_| home()).collect(),
            urls,
        };
        stage.daemon = Some(stage.place.daemon());
        stage.workers = (0..stage.urls.len()).map(|at| stage.worker(at)).collect();
        stage
    }

    /// Starts a worker again.
    pub fn worker(&self, at: usize) -> Worker {
        Worker::start(&self.urls[at], &format!("lab-{at}"), &self.homes[at])
    }

    /// Everybody submits; in the middle of it something happens. All verdicts are those of an
    /// undisturbed run, each once.
    pub fn round(&mut self, name: &str, happens: impl FnOnce(&mut Self)) {
        let done = |stage: &Self| stage.workers.iter().map(Worker::done).sum::<usize>();
        let before = done(self);
        for (student, ending, text) in corpus() {
            let (comment, file) = (
                if ending == "py" { "#" } else { "//" },
                format!("submissions/{name}-{student}/sum.{ending}"),
            );
            // Another program, or everything about it is known from the last round.
            self.place.write(&file, format!("{comment} {name}\n{text}"));
        }
        wait_until("the first orders of a round", || done(self) > before);
        happens(self);
        let verdicts = undisturbed().iter().map(|(student, verdict)| {
            let found = self.place.wait_for(&format!("{name}-{student}/sum/1"));
            assert_eq!(&found, verdict, "{name}: {student}");
            student
        });
        assert_eq!(verdicts.count(), corpus().len());
        let log = self.place.logged();
        for (student, ..) in corpus() {
            let student = format!("{name}-{student}");
            let is_told =
                |line: &&Value| line["student"] == *student && line["verdict"].is_string();
            assert_eq!(log.iter().filter(is_told).count(), 1, "{student}");
        }
    }
}
