//! The command line: one file or folder per command.
//!
//! Data goes to standard output, everything else to standard error.

mod archive;
mod ask;
mod backup;
mod check;
mod cluster;
mod clusters;
mod course_files;
mod decide;
mod doctor;
mod draw;
mod exit;
mod explain;
mod export;
mod export_similarity;
mod forget;
mod generate;
mod hack;
mod import;
mod init;
mod judge;
mod links;
mod live;
mod measured;
mod names;
mod new;
mod new_folder;
mod out;
mod progress;
mod rejudge;
mod replay;
mod report;
mod row;
mod serve;
mod session;
mod slot;
mod solve;
mod status;
mod strength;
mod validate;
mod worker;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use exit::{CliError, Exit};
use out::Out;

/// A grading daemon for algorithm courses.
#[derive(Debug, Parser)]
#[command(
    name = "verdictd",
    version,
    about = "Judges students' programs: builds them, runs them in a sandbox, compares their output and writes reports",
    after_help = EXIT_CODES,
    disable_help_subcommand = true
)]
struct Arguments {
    /// The configuration file; relative paths in it start from its folder.
    #[arg(
        long,
        global = true,
        help_heading = GLOBAL_OPTIONS,
        value_name = "FILE",
        default_value = "config.toml"
    )]
    config: PathBuf,
    /// When to use colour.
    #[arg(
        long,
        global = true,
        help_heading = GLOBAL_OPTIONS,
        value_name = "WHEN",
        default_value = "auto"
    )]
    color: out::Color,
    #[command(subcommand)]
    command: Option<Command>,
}

const GLOBAL_OPTIONS: &str = "Global options";

/// The commands by what they are for, as `--help` lists them.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Run", &["serve", "judge", "status"]),
    (
        "Submissions and reports",
        &[
            "report", "explain", "clusters", "decide", "rejudge", "replay",
        ],
    ),
    (
        "Problems",
        &[
            "new", "check", "strength", "hack", "solve", "validate", "generate", "draw",
        ],
    ),
    (
        "Course",
        &[
            "init", "import", "export", "links", "forget", "archive", "backup", "restore",
        ],
    ),
    ("Machines", &["doctor", "worker", "cluster"]),
];

const EXIT_CODES: &str = "\
Exit codes:
  0   success
  1   negative result: a program is not accepted, an input is invalid, a check failed
  2   the command was not understood, or a file that it names cannot be read
  3   a fault on this side: a program could not be judged, the store cannot be used
  78  config.toml is broken";

#[derive(Debug, Subcommand)]
enum Command {
    /// Begin a course: a folder with settings, an example and a roster
    Init(init::Arguments),
    /// Write the folder of a problem: an example, or a built-in problem
    New(new::Arguments),
    /// Watch the submissions and judge what arrives (this is the default)
    Serve(serve::Arguments),
    /// Judge files now, without the daemon and its store
    Judge(judge::Arguments),
    /// Show the smallest input on which a program fails
    Explain(explain::Arguments),
    /// Show counts, latest verdicts, faults, and whatever else is wrong
    Status(status::Arguments),
    /// Show a report, or rewrite all reports from the store
    Report(report::Arguments),
    /// Print the reference answer for an input
    Solve(solve::Arguments),
    /// Draw an input of a built-in problem and its answer as SVG
    Draw(draw::Arguments),
    /// Check whether inputs are valid for a problem
    Validate(validate::Arguments),
    /// Generate an input for a built-in problem
    Generate(generate::Arguments),
    /// Check problem packages: tests, answers, inputs, example programs
    Check(check::Arguments),
    /// Show which wrong programs and bent rules a problem's tests miss
    Strength(strength::Arguments),
    /// Add tests to a problem in use, see whose programs fail, remove them
    Hack(hack::Arguments),
    /// Turn a platform's export (Moodle, Canvas, ...) into submissions
    Import(import::Arguments),
    /// Override, comment on or exclude somebody's attempt; undo that
    Decide(decide::Arguments),
    /// Fill a platform's file with grades, or lay programs out to compare
    Export(export::Arguments),
    /// Print each student's personal link; revoke or replace one
    Links(links::Arguments),
    /// Rejudge what is not up to date; --dry-run shows what would change
    Rejudge(rejudge::Arguments),
    /// Put a term away; the course begins again with the same problems
    Archive(archive::Arguments),
    /// Remove everything that there is of a student; --dry-run shows it
    Forget(forget::Arguments),
    /// Group the programs of a problem that fail in the same way
    Clusters(clusters::Arguments),
    /// Copy what cannot be made again into one file, also while serving
    Backup(backup::Arguments),
    /// Make a course folder from a backup
    Restore(backup::RestoreArguments),
    /// Run a judged program again and compare the facts
    Replay(replay::Arguments),
    /// Build and run programs for daemons on other machines
    Worker(worker::Arguments),
    /// Prepare a NATS server for workers, and say who may connect to it
    Cluster(cluster::Arguments),
    /// Show which protections and languages this machine offers, and more
    Doctor(doctor::Arguments),
}

/// Runs the command that the arguments name.
pub fn run() -> ExitCode {
    if let Some(code) = doctor::reenter() {
        return code;
    }
    let words: Vec<OsString> = std::env::args_os().collect();
    let parser = parser().color(help_color(&words));
    let parsed = parser.try_get_matches_from(words);
    let arguments = match parsed.and_then(|found| Arguments::from_arg_matches(&found)) {
        Ok(arguments) => arguments,
        Err(error) => error.exit(),
    };
    let mut out = Out::new(arguments.color);
    let exit = match dispatch(arguments, &mut out) {
        Ok(exit) => exit,
        Err(error) => {
            out.error(&format!("{error:#}"));
            error
                .downcast_ref::<CliError>()
                .map_or(Exit::Fault, |error| error.0)
        }
    };
    out.flush();
    ExitCode::from(exit.code())
}

/// The command line, with its commands in groups.
fn parser() -> clap::Command {
    let command = Arguments::command();
    let (header, literal) = (
        *command.get_styles().get_header(),
        *command.get_styles().get_literal(),
    );
    let names = GROUPS.iter().flat_map(|(_, names)| *names);
    let width = names.map(|name| name.len()).max().unwrap_or_default();
    let mut lines = vec!["{about-with-newline}\n{usage-heading} {usage}\n".to_owned()];
    for (group, names) in GROUPS {
        lines.push(format!("{header}{group}:{header:#}"));
        for name in names {
            let about = command
                .find_subcommand(name)
                .and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            lines.push(format!("  {literal}{name:<width$}{literal:#}  {about}"));
        }
        lines.push(String::new());
    }
    lines.push(format!(
        "{header}Options:{header:#}\n{{options}}{{after-help}}"
    ));
    command.help_template(lines.join("\n"))
}

/// The colours of help and of errors about the command line itself: as that line asks for.
fn help_color(words: &[OsString]) -> ColorChoice {
    let words = || words.iter().filter_map(|word| word.to_str());
    let after = words()
        .zip(words().skip(1))
        .filter(|(word, _)| *word == "--color");
    let asked = words()
        .filter_map(|word| word.strip_prefix("--color="))
        .chain(after.map(|(_, value)| value));
    match asked
        .filter_map(|word| out::Color::from_str(word, false).ok())
        .last()
    {
        Some(out::Color::Always) => ColorChoice::Always,
        Some(out::Color::Never) => ColorChoice::Never,
        Some(out::Color::Auto) | None => ColorChoice::Auto,
    }
}

fn dispatch(arguments: Arguments, out: &mut Out) -> anyhow::Result<Exit> {
    let config = &arguments.config;
    let command = arguments
        .command
        .unwrap_or_else(|| Command::Serve(serve::Arguments::default()));
    match command {
        Command::Init(arguments) => init::run(&arguments, out),
        Command::New(arguments) => new::run(&arguments, config, out),
        Command::Serve(arguments) => serve::run(&arguments, config, out),
        Command::Judge(arguments) => judge::run(&arguments, config, out),
        Command::Explain(arguments) => explain::run(&arguments, config, out),
        Command::Status(arguments) => status::run(&arguments, config, out),
        Command::Report(arguments) => report::run(&arguments, config, out),
        Command::Solve(arguments) => solve::run(&arguments, config, out),
        Command::Draw(arguments) => draw::run(&arguments, out),
        Command::Validate(arguments) => validate::run(&arguments, config, out),
        Command::Generate(arguments) => generate::run(&arguments, out),
        Command::Check(arguments) => check::run(&arguments, config, out),
        Command::Strength(arguments) => strength::run(&arguments, config, out),
        Command::Hack(arguments) => hack::run(&arguments, config, out),
        Command::Import(arguments) => import::run(&arguments, config, out),
        Command::Decide(arguments) => decide::run(&arguments, config, out),
        Command::Export(arguments) => export::run(&arguments, config, out),
        Command::Links(arguments) => links::run(&arguments, config, out),
        Command::Rejudge(arguments) => rejudge::run(&arguments, config, out),
        Command::Archive(arguments) => archive::run(&arguments, config, out),
        Command::Forget(arguments) => forget::run(&arguments, config, out),
        Command::Clusters(arguments) => clusters::run(&arguments, config, out),
        Command::Backup(arguments) => backup::run(&arguments, config, out),
        Command::Restore(arguments) => backup::restore(&arguments, out),
        Command::Replay(arguments) => replay::run(&arguments, config, out),
        Command::Worker(arguments) => worker::run(&arguments, config),
        Command::Cluster(arguments) => cluster::run(&arguments, out),
        Command::Doctor(arguments) => doctor::run(&arguments, config, out),
    }
}

#[cfg(test)]
mod tests {
    use super::{GROUPS, parser};

    #[test]
    fn help_lists_every_command_once_within_80_columns() {
        let parser = parser();
        let commands = parser.get_subcommands().map(clap::Command::get_name);
        let mut commands: Vec<&str> = commands.collect();
        let listed = GROUPS.iter().flat_map(|(_, names)| *names);
        let mut listed: Vec<&str> = listed.copied().collect();
        commands.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, commands);
        let help = parser.clone().term_width(80).render_help().to_string();
        let place = |text: &str| help.find(text).unwrap_or_else(|| panic!("{text}: {help}"));
        for (before, after) in [
            ("\nRun:\n  serve     Watch", "\nMachines:\n"),
            ("\n      --config", "\nExit codes:\n  0 "),
        ] {
            assert!(place(before) < place(after), "{help}");
        }
        let wide = help.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None);
    }
}
