//! Asks a program of the instructor's own machine something, outside the sandbox: its version, its
//! folder. Bounded in time and in length.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::io::Errno;

/// Longest wait for an answer.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(20);
/// Longest answer, in bytes.
const ANSWER_BYTES_MAX: u64 = 16 * 1024;
/// Between two looks at a process that has closed its output and is about to end.
const END_POLL: Duration = Duration::from_millis(2);

/// Why a program gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It is not there, or it does not work: asking again changes nothing.
    Missing(String),
    /// This machine could not look for it or start it now, or was too busy: that is our fault.
    Fault(String),
}

impl Trouble {
    /// What an error of the file system says of a program.
    pub(super) fn of(error: &io::Error, reason: String) -> Self {
        let missing = matches!(
            error.kind(),
            io::ErrorKind::NotFound
                | io::ErrorKind::NotADirectory
                | io::ErrorKind::PermissionDenied
                | io::ErrorKind::InvalidFilename
                | io::ErrorKind::InvalidInput
        ) || [Errno::LOOP, Errno::NOEXEC]
            .iter()
            .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()));
        if missing {
            Self::Missing(reason)
        } else {
            Self::Fault(reason)
        }
    }
}

/// What a program said on standard output, or else on standard error.
pub(super) fn ask(program: &Path, arguments: &[String]) -> Result<String, Trouble> {
    ask_within(program, arguments, ANSWER_TIME_MAX)
}

fn ask_within(program: &Path, arguments: &[String], time: Duration) -> Result<String, Trouble> {
    let said = |reason: String| format!("`{}` {reason}", program.display());
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir("/")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|error| Trouble::of(&error, said(format!("cannot be started: {error}"))))?;
    let deadline = Instant::now() + time;
    let answers = (collect(child.stdout.take()), collect(child.stderr.take()));
    let finished = wait(&mut child, &answers, deadline);
    if finished.is_none() {
        end(&mut child);
    }
    let (stdout, stderr, status) = finished.ok_or_else(|| {
        Trouble::Fault(said(format!(
            "did not answer within {} s",
            time.as_secs_f64()
        )))
    })?;
    if let Some(signal) = status.signal() {
        // Whoever ended it, as for want of memory, it has not said that it does not work.
        return Err(Trouble::Fault(said(format!(
            "was ended by signal {signal}"
        ))));
    }
    if !status.success() {
        let failed = format!("failed: {}", first_line(&stderr));
        return Err(Trouble::Missing(said(failed)));
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let answer = text(&stdout);
    Ok(if answer.is_empty() {
        text(&stderr)
    } else {
        answer
    })
}

/// The first line of an answer that is not blank.
pub(super) fn first_line(answer: &[u8]) -> String {
    String::from_utf8_lossy(answer)
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("")
        .trim()
        .to_owned()
}

fn collect(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut stream) = stream {
            // A stream that breaks has said what it had to say. The rest is read and dropped, so
            // that its writer can end.
            let _ = stream
                .by_ref()
                .take(ANSWER_BYTES_MAX)
                .read_to_end(&mut kept);
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        }
        // Nobody listens any more when the time is over.
        let _ = sender.send(kept);
    });
    receiver
}

fn wait(
    child: &mut Child,
    (stdout, stderr): &(Receiver<Vec<u8>>, Receiver<Vec<u8>>),
    deadline: Instant,
) -> Option<(Vec<u8>, Vec<u8>, ExitStatus)> {
    let left = || deadline.saturating_duration_since(Instant::now());
    let stdout = stdout.recv_timeout(left()).ok()?;
    let stderr = stderr.recv_timeout(left()).ok()?;
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some((stdout, stderr, status));
        }
        if left().is_zero() {
            return None;
        }
        std::thread::sleep(END_POLL);
    }
}

/// Ends the program and whatever it started.
fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        // It may have ended in between.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::{Duration, Instant};

    use rustix::io::Errno;

    use super::{ANSWER_BYTES_MAX, Trouble, ask, ask_within};

    fn shell(script: &str) -> Vec<String> {
        vec!["-c".to_owned(), script.to_owned()]
    }

    #[test]
    fn answers_come_from_either_stream() {
        let said = |script: &str| ask(Path::new("/bin/sh"), &shell(script));
        assert_eq!(said("echo 1.2; echo x >&2").unwrap(), "1.2");
        assert_eq!(said("echo; echo 3.4 >&2").unwrap(), "3.4");
    }

    #[test]
    fn what_does_not_work_is_told_from_what_could_not_be_asked() {
        let said = |script: &str| ask(Path::new("/bin/sh"), &shell(script));
        let failed = said("echo broken >&2; exit 1").unwrap_err();
        assert!(matches!(failed, Trouble::Missing(why) if why.contains("broken")));
        for program in ["/no/such/program", "/etc/passwd", "/etc/passwd/x"] {
            let absent = ask(Path::new(program), &[]).unwrap_err();
            assert!(
                matches!(absent, Trouble::Missing(_)),
                "{program}: {absent:?}"
            );
        }
        let killed = said("kill -9 $$").unwrap_err();
        assert!(matches!(killed, Trouble::Fault(why) if why.contains("signal 9")));
        for errno in [
            Errno::AGAIN,
            Errno::MFILE,
            Errno::NFILE,
            Errno::NOMEM,
            Errno::IO,
        ] {
            let trouble = Trouble::of(&errno.into(), "x".into());
            assert_eq!(trouble, Trouble::Fault("x".into()), "{errno}");
        }
    }

    #[test]
    fn answers_are_bounded_in_length() {
        let long = ask(Path::new("/bin/sh"), &shell("yes | head -c 1000000")).unwrap();
        assert!(long.len() as u64 <= ANSWER_BYTES_MAX);
    }

    #[test]
    fn who_does_not_answer_is_ended_with_all_that_it_started() {
        let began = Instant::now();
        for script in [
            "sleep 600 & sleep 600",
            "sleep 600 & exit 0",
            "exec >&- 2>&-; sleep 600",
        ] {
            let answer = ask_within(
                Path::new("/bin/sh"),
                &shell(script),
                Duration::from_millis(100),
            );
            let late = matches!(answer, Err(Trouble::Fault(why)) if why.contains("did not answer"));
            assert!(late, "{script}");
        }
        assert!(began.elapsed() < Duration::from_mins(1));
    }
}
