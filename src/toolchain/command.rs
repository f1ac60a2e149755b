//! Asks a program of the instructor's own machine something, outside the sandbox: its version, its
//! folder. Bounded in time and in length.

use std::io::{self, ErrorKind, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

/// Longest wait for an answer.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(20);
/// Longest answer, in bytes.
const ANSWER_BYTES_MAX: u64 = 16 * 1024;

/// Whether an error says that something is not there or does not work, so that asking again changes
/// nothing. Every other one is our fault: this machine could not look, or was too busy.
pub(super) fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::PermissionDenied
            | ErrorKind::InvalidFilename
            | ErrorKind::InvalidInput
    ) || [Errno::LOOP, Errno::NOEXEC]
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// An error of the same sort with other words.
pub(super) fn reworded(error: &io::Error, words: String) -> io::Error {
    let kind = if is_missing(error) {
        ErrorKind::NotFound
    } else {
        ErrorKind::Other
    };
    io::Error::new(kind, words)
}

/// What a program said on standard output, or else on standard error.
pub(super) fn ask(program: &Path, arguments: &[String]) -> io::Result<String> {
    ask_within(program, arguments, ANSWER_TIME_MAX)
}

fn ask_within(program: &Path, arguments: &[String], time: Duration) -> io::Result<String> {
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
        .map_err(|error| reworded(&error, said(format!("cannot be started: {error}"))))?;
    let group = Pid::from_child(&child);
    let (sender, answer) = channel();
    thread::spawn(move || {
        let stderr = child
            .stderr
            .take()
            .map(|stream| thread::spawn(|| beginning(stream)));
        let stdout = child.stdout.take().map(beginning).unwrap_or_default();
        let stderr = stderr
            .and_then(|reader| reader.join().ok())
            .unwrap_or_default();
        // The other end is gone when the time is over.
        let _ = sender.send((stdout, stderr, child.wait()));
    });
    let Ok((stdout, stderr, status)) = answer.recv_timeout(time) else {
        // The program and whatever it started; they may have ended in between.
        let _ = kill_process_group(group, Signal::KILL);
        let words = format!("did not answer within {} s", time.as_secs_f64());
        return Err(io::Error::other(said(words)));
    };
    let status = status?;
    if let Some(signal) = status.signal() {
        // Whatever ended it, as for want of memory, it has not said that it does not work.
        return Err(io::Error::other(said(format!(
            "was ended by signal {signal}"
        ))));
    }
    if !status.success() {
        let words = said(format!("failed: {}", first_line(&stderr)));
        return Err(io::Error::new(ErrorKind::NotFound, words));
    }
    Ok(if stdout.is_empty() { stderr } else { stdout })
}

/// The first line of an answer that has anything in it.
pub(super) fn first_line(answer: &str) -> &str {
    let mut lines = answer.lines().map(str::trim);
    lines.find(|line| !line.is_empty()).unwrap_or_default()
}

/// What a stream says first. A stream that breaks has said what it had to say; the rest is read and
/// dropped, so that its writer can end.
fn beginning(mut stream: impl Read) -> String {
    let mut kept = Vec::new();
    let _ = stream
        .by_ref()
        .take(ANSWER_BYTES_MAX)
        .read_to_end(&mut kept);
    let _ = io::copy(&mut stream, &mut io::sink());
    String::from_utf8_lossy(&kept).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::{Duration, Instant};

    use rustix::io::Errno;

    use super::{ANSWER_BYTES_MAX, ask, ask_within, is_missing, reworded};

    fn shell(script: &str) -> Vec<String> {
        vec!["-c".to_owned(), script.to_owned()]
    }

    #[test]
    fn what_does_not_work_is_told_from_what_could_not_be_asked() {
        let said = |script: &str| ask(Path::new("/bin/sh"), &shell(script));
        let failed = said("echo broken >&2; exit 1").unwrap_err();
        assert!(is_missing(&failed) && failed.to_string().contains("broken"));
        for program in ["/no/such/program", "/etc/passwd", "/etc/passwd/x"] {
            let absent = ask(Path::new(program), &[]).unwrap_err();
            assert!(is_missing(&absent), "{program}: {absent:?}");
        }
        let killed = said("kill -9 $$").unwrap_err();
        assert!(!is_missing(&killed) && killed.to_string().contains("signal 9"));
        // EAGAIN, EMFILE, ENFILE, ENOMEM, EIO.
        for errno in [11, 24, 23, 12, 5].map(Errno::from_raw_os_error) {
            let fault = reworded(&errno.into(), "x".into());
            assert!(!is_missing(&fault) && fault.to_string() == "x", "{errno}");
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
        let briefly = Duration::from_millis(100);
        let scripts = "sleep 600 & sleep 600|sleep 600 & exit 0|exec >&- 2>&-; sleep 600";
        for script in scripts.split('|') {
            let answer = ask_within(Path::new("/bin/sh"), &shell(script), briefly);
            let late = answer.unwrap_err();
            assert!(!is_missing(&late), "{script}: {late}");
            let words = late.to_string();
            assert!(words.contains("did not answer"), "{script}: {words}");
        }
        assert!(began.elapsed() < Duration::from_mins(1));
    }
}
