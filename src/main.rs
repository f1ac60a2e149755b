//! The binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = verdictd::reenter() {
        return code;
    }
    ExitCode::SUCCESS
}
