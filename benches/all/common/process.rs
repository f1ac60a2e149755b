//! Another program that a bench starts, and what it says.

use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a bench waits for the next expected event.
const PATIENCE: Duration = Duration::from_mins(5);

/// A running program; killed when it is dropped.
pub struct Process {
    pub child: Child,
    lines: Receiver<(Instant, String)>,
}

/// Where a program says what a bench waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Output,
    Error,
}

impl Process {
    /// Starts it, and notes each line with its time.
    pub fn start(command: &mut Command, stream: Stream) -> Self {
        let of = |one| {
            if stream == one {
                Stdio::piped()
            } else {
                Stdio::null()
            }
        };
        command.stdin(Stdio::null());
        command.stdout(of(Stream::Output)).stderr(of(Stream::Error));
        let mut child = command.spawn().expect("the program starts");
        let said: Box<dyn Read + Send> = match stream {
            Stream::Output => Box::new(child.stdout.take().expect("its standard output")),
            Stream::Error => Box::new(child.stderr.take().expect("its standard error")),
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(said).lines().map_while(Result::ok) {
                if sender.send((Instant::now(), line)).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    /// The next line that it prints, and when.
    pub fn next_line(&self) -> (Instant, String) {
        let next = self.lines.recv_timeout(PATIENCE);
        next.unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout => panic!("a program has fallen silent"),
            RecvTimeoutError::Disconnected => panic!("a program has ended"),
        })
    }

    /// Waits for a line with these words; returns when it came, and the line.
    pub fn says(&self, words: &str) -> (Instant, String) {
        loop {
            let (at, line) = self.next_line();
            if line.contains(words) {
                return (at, line);
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // If it has ended by itself, there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
