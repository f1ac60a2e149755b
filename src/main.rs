//! The binary: a part of the sandbox where it was started as one, else the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    // First of all, before any thread exists.
    if let Some(code) = verdictd::reenter() {
        return code;
    }
    verdictd::run()
}
