//! Another program that a bench starts, and what it says.

use std::io::{BufRead as _, BufReader};
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

impl Process {
    /// Starts it, and notes each line of both its outputs with its time.
    pub fn start(mut command: Command) -> Self {
        let (said, output) = std::io::pipe().expect("a pipe");
        command.stderr(output.try_clone().expect("a descriptor"));
        let child = command.stdin(Stdio::null()).stdout(output).spawn();
        // The other end is the program's alone.
        drop(command);
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(said).lines().map_while(Result::ok) {
                if sender.send((Instant::now(), line)).is_err() {
                    return;
                }
            }
        });
        Self {
            child: child.expect("the program starts"),
            lines,
        }
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
