//! The command line: one file or folder per command.
//!
//! Data goes to standard output, everything else to standard error.

mod archive;
mod backup;
mod calibrate;
mod check;
mod cluster;
mod clusters;
mod completions;
mod course_files;
mod decide;
mod doctor;
mod draw;
mod exit;
mod explain;
mod export;
mod export_problem;
mod export_similarity;
mod forget;
mod generate;
mod hack;
mod import;
mod import_problem;
mod init;
mod judge;
mod links;
mod live;
mod man;
mod names;
mod new;
mod new_folder;
mod out;
mod prelude;
mod progress;
mod rejudge;
mod replay;
mod report;
mod serve;
mod session;
mod slot;
mod solve;
mod status;
mod strength;
mod validate;
mod worker;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{ArgMatches, Args, ColorChoice, CommandFactory, FromArgMatches, Parser, ValueEnum};

use prelude::{CliError, Exit, Out, read_config};

use crate::config::Config;

/// A grading daemon for algorithm courses.
#[derive(Debug, Parser)]
#[command(
    name = "verdictd",
    version = version(),
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
}

const GLOBAL_OPTIONS: &str = "Global options";

// What commands are for.
const RUN: &str = "Run";
const REPORTS: &str = "Submissions and reports";
const PROBLEMS: &str = "Problems";
const COURSE: &str = "Course";
const MACHINES: &str = "Machines";
const SHELL: &str = "Shells and manuals";

/// What `--version` says: the version, the commit it was made from, the layout of the store.
fn version() -> String {
    format!(
        "{} ({}, store {})",
        env!("CARGO_PKG_VERSION"),
        env!("VERDICTD_BUILD"),
        crate::store::LAYOUT
    )
}

type Run = dyn Fn(&ArgMatches, &Path, &mut Out) -> anyhow::Result<Exit>;

/// A command. What its help begins with is the comment of its arguments.
struct Command {
    /// What it is for.
    group: &'static str,
    parser: clap::Command,
    run: Box<Run>,
}

/// One that reads the configuration itself, if it needs any.
fn command<A: Args + 'static>(
    group: &'static str,
    name: &'static str,
    run: impl Fn(&A, &Path, &mut Out) -> anyhow::Result<Exit> + 'static,
) -> Command {
    Command {
        group,
        parser: A::augment_args(clap::Command::new(name)),
        run: Box::new(move |found, config, out| run(&A::from_arg_matches(found)?, config, out)),
    }
}

/// One about a course.
fn of_course<A: Args + 'static>(
    group: &'static str,
    name: &'static str,
    run: fn(&A, &Config, &mut Out) -> anyhow::Result<Exit>,
) -> Command {
    command(group, name, move |arguments: &A, config, out| {
        run(arguments, &read_config(config)?, out)
    })
}

/// Every command, as `--help` lists them.
fn commands() -> Vec<Command> {
    vec![
        of_course(RUN, "serve", serve::run),
        of_course(RUN, "judge", judge::run),
        of_course(RUN, "status", status::run),
        of_course(REPORTS, "report", report::run),
        command(REPORTS, "explain", explain::run),
        of_course(REPORTS, "clusters", clusters::run),
        of_course(REPORTS, "decide", decide::run),
        of_course(REPORTS, "rejudge", rejudge::run),
        of_course(REPORTS, "replay", replay::run),
        of_course(PROBLEMS, "new", new::run),
        of_course(PROBLEMS, "import-problem", import_problem::run),
        of_course(PROBLEMS, "export-problem", export_problem::run),
        of_course(PROBLEMS, "check", check::run),
        of_course(PROBLEMS, "calibrate", calibrate::run),
        of_course(PROBLEMS, "strength", strength::run),
        of_course(PROBLEMS, "hack", hack::run),
        command(PROBLEMS, "solve", solve::run),
        command(PROBLEMS, "validate", validate::run),
        command(PROBLEMS, "generate", generate::run),
        command(PROBLEMS, "draw", draw::run),
        command(COURSE, "init", init::run),
        of_course(COURSE, "import", import::run),
        of_course(COURSE, "export", export::run),
        of_course(COURSE, "links", links::run),
        of_course(COURSE, "forget", forget::run),
        of_course(COURSE, "archive", archive::run),
        of_course(COURSE, "backup", backup::run),
        command(COURSE, "restore", backup::restore),
        command(MACHINES, "doctor", doctor::run),
        command(MACHINES, "worker", worker::run),
        command(MACHINES, "cluster", cluster::run),
        command(SHELL, "completions", |arguments: &_, _, out| {
            Ok(completions::run(arguments, parser(&commands()), out))
        }),
        command(SHELL, "man", |arguments: &_, _, out| {
            man::run(arguments, parser(&commands()), out)
        }),
    ]
}

const EXIT_CODES: &str = "\
Exit codes:
  0   success
  1   negative result: a program is not accepted, an input is invalid, a check failed
  2   invalid command line, or a file that it names cannot be read
  3   internal error: a program could not be judged, or the store is unusable
  78  invalid config.toml";

/// Runs the command that the arguments name.
pub fn run() -> ExitCode {
    if let Some(code) = doctor::reenter() {
        return code;
    }
    let words: Vec<OsString> = std::env::args_os().collect();
    let (commands, color) = (commands(), help_color(&words));
    let found = parser(&commands).color(color).get_matches_from(words);
    let arguments = Arguments::from_arg_matches(&found).unwrap_or_else(|error| error.exit());
    let mut out = Out::new(arguments.color);
    let config = &arguments.config;
    let ended = match found.subcommand() {
        None => read_config(config)
            .and_then(|config| serve::run(&serve::Arguments::default(), &config, &mut out)),
        Some((name, found)) => {
            let mut commands = commands.iter();
            let command = commands.find(|command| command.parser.get_name() == name);
            let command = command.context("the table has every command");
            command.and_then(|command| (command.run)(found, config, &mut out))
        }
    };
    let exit = ended.unwrap_or_else(|error| {
        out.error(&format!("{error:#}"));
        let known = error.downcast_ref::<CliError>();
        known.map_or(Exit::Fault, |error| error.0)
    });
    out.flush();
    ExitCode::from(exit.code())
}

/// The command line, with its commands in groups.
fn parser(commands: &[Command]) -> clap::Command {
    let parser = Arguments::command();
    let (header, literal) = (
        *parser.get_styles().get_header(),
        *parser.get_styles().get_literal(),
    );
    let names = commands.iter().map(|one| one.parser.get_name().len());
    let width = names.max().unwrap_or_default();
    let mut help = vec!["{about-with-newline}\n{usage-heading} {usage}\n".to_owned()];
    for group in commands.chunk_by(|one, next| one.group == next.group) {
        help.push(format!("{header}{}:{header:#}", group[0].group));
        for Command { parser, .. } in group {
            let name = parser.get_name();
            let about = parser.get_about().map(ToString::to_string);
            let about = about.unwrap_or_default();
            help.push(format!("  {literal}{name:<width$}{literal:#}  {about}"));
        }
        help.push(String::new());
    }
    help.push(format!(
        "{header}Options:{header:#}\n{{options}}{{after-help}}"
    ));
    parser
        .subcommands(commands.iter().map(|command| command.parser.clone()))
        .help_template(help.join("\n"))
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

#[cfg(test)]
mod tests {
    use super::{Command, GLOBAL_OPTIONS, commands, parser};

    #[test]
    fn help_lists_every_command_within_80_columns() {
        let help = parser(&commands()).term_width(80).render_help().to_string();
        let place = |text: &str| help.find(text).unwrap_or_else(|| panic!("{text}: {help}"));
        assert!(place("\nRun:\n  serve  ") < place("\nMachines:\n"));
        assert!(place("\n      --config") < place("\nExit codes:\n  0 "));
        assert_eq!(help.lines().find(|line| line.chars().count() > 80), None);
    }

    #[test]
    fn a_commands_own_options_come_before_those_of_every_command() {
        let mut parser = parser(&commands());
        parser.build();
        let help = parser.find_subcommand_mut("judge").unwrap().render_help();
        let help = help.to_string();
        let (own, global) = help.split_once(GLOBAL_OPTIONS).unwrap();
        assert!(own.contains("--all-tests") && !own.contains("--config"));
        assert!(global.contains("--config") && !global.contains("--json"));
    }

    #[test]
    fn the_reference_has_every_command_in_its_table() {
        let reference = include_str!("../../docs/reference.md");
        let (_, rest) = reference.split_once("\n## Commands\n").unwrap();
        let (table, _) = rest.split_once("\n## ").unwrap();
        for Command { parser, .. } in commands() {
            let name = format!("`verdictd {}", parser.get_name());
            let mut names = table.lines().filter_map(|row| row.split(" | ").next());
            let is_it = |names: &str| {
                let after = names.split(&name).nth(1);
                after.is_some_and(|after| after.starts_with([' ', '`']))
            };
            assert!(names.any(is_it), "{name}");
        }
    }

    /// The first word of a command line in a document that the parser does not know.
    fn unknown<'w>(parser: &clap::Command, line: &'w str) -> Option<&'w str> {
        let mut at = parser;
        let words = line.split_whitespace();
        for word in words.take_while(|word| !["#", "|", "<", ">", "&&"].contains(word)) {
            let bare = word.trim_matches(|one: char| !one.is_alphanumeric() && one != '-');
            if let Some(option) = bare.strip_prefix("--") {
                let mut known = at.get_arguments().chain(parser.get_arguments());
                if !known.any(|argument| argument.get_long() == Some(option)) {
                    return Some(word);
                }
            } else if let Some(next) = at.find_subcommand(bare) {
                at = next;
            } else if at.get_name() == parser.get_name()
                && bare.starts_with(|first: char| first.is_ascii_lowercase())
            {
                return Some(word);
            }
        }
        None
    }

    #[test]
    fn documents_name_commands_and_options_that_exist() {
        let mut parser = parser(&commands());
        parser.build();
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let folders = ["", "docs", "docs/internals"].into_iter();
        let files = folders.flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
        let is_read = |file: &std::path::PathBuf| {
            // The changelog tells of what is gone, too.
            file.extension().is_some_and(|end| end == "md") && !file.ends_with("CHANGELOG.md")
        };
        let (mut named, mut wrong) = (0, Vec::new());
        for file in files.map(|entry| entry.unwrap().path()).filter(is_read) {
            let text = std::fs::read_to_string(&file).unwrap();
            let mut lines = Vec::new();
            for (number, part) in text.split("```").enumerate() {
                let is_text = number % 2 == 0;
                let quoted = part.split('`').skip(1).step_by(2).filter(|_| is_text);
                let code = part.lines().filter(|_| !is_text);
                lines.extend(quoted.chain(code.map(|line| line.trim_start_matches("$ "))));
            }
            let lines = lines.iter();
            for line in lines.filter_map(|line| line.strip_prefix("verdictd ")) {
                named += 1;
                let word = unknown(&parser, line);
                wrong.extend(word.map(|word| format!("{}: {word} in {line}", file.display())));
            }
        }
        assert!(named > 150, "{named}");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
