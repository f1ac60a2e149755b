//! What a person sees: the real binary on a pseudo-terminal, its output rendered on a small screen
//! of our own.

use std::process::{Command, Stdio};

use crate::place::{Place, assert_has, binary, output, wait_until};
use crate::process::send;
use crate::programs;

/// Runs a command in the place's folder on a terminal with this many columns, through util-linux's
/// `script`; its process id is in `pid` there. Returns its exit code, and all that reached the
/// terminal.
fn on_terminal(
    place: &Place,
    columns: usize,
    arguments: &str,
    environment: &[(&str, &str)],
) -> (Option<i32>, String) {
    let daemon = format!("{} --config config.toml {arguments}", binary());
    let words = format!("stty cols {columns} rows 50; echo $$ >pid; exec {daemon}");
    let mut command = Command::new("script");
    command
        .args(["-qefc", &words, "/dev/null"])
        .current_dir(place.path(""))
        .env("TERM", "xterm-256color")
        .env("SHELL", "/bin/sh")
        .env_remove("NO_COLOR")
        .env_remove("RUST_LOG")
        .envs(environment.iter().copied())
        .stdin(Stdio::null());
    let ended = output(&mut command);
    let text = String::from_utf8(ended.stdout).unwrap();
    (ended.status.code(), text)
}

/// What a terminal shows after a stream's last byte. A full line continues on the next.
#[derive(Debug, Default)]
struct Screen {
    columns: usize,
    lines: Vec<Vec<char>>,
    row: usize,
    column: usize,
    is_cursor_hidden: bool,
    /// Sequences that set colours.
    colours: usize,
}

impl Screen {
    fn of(stream: &str, columns: usize) -> Self {
        let mut screen = Self {
            columns,
            ..Self::default()
        };
        let mut characters = stream.chars();
        while let Some(character) = characters.next() {
            match character {
                '\r' => screen.column = 0,
                '\n' => screen.row += 1,
                '\x1b' => {
                    assert_eq!(characters.next(), Some('['), "{stream:?}");
                    let rest = characters.as_str();
                    let (number, _) = rest.split_once(|end| ('@'..='~').contains(&end)).unwrap();
                    let end = characters.nth(number.chars().count()).unwrap();
                    screen.obey(end, number);
                }
                shown => screen.put(shown),
            }
        }
        screen
    }

    fn put(&mut self, character: char) {
        if self.column == self.columns {
            (self.row, self.column) = (self.row + 1, 0);
        }
        while self.lines.len() <= self.row {
            self.lines.push(Vec::new());
        }
        let line = &mut self.lines[self.row];
        while line.len() <= self.column {
            line.push(' ');
        }
        line[self.column] = character;
        self.column += 1;
    }

    fn obey(&mut self, end: char, number: &str) {
        let count = number.parse().unwrap_or(1);
        match (end, number) {
            ('m', _) => self.colours += 1,
            ('A', _) => self.row = self.row.saturating_sub(count),
            ('B', _) => self.row += count,
            ('K', "2") => {
                if let Some(line) = self.lines.get_mut(self.row) {
                    line.clear();
                }
            }
            ('K' | 'J', "" | "0") => {
                if end == 'J' {
                    self.lines.truncate(self.row + 1);
                }
                if let Some(line) = self.lines.get_mut(self.row) {
                    line.truncate(self.column);
                }
            }
            ('h' | 'l', "?25") => self.is_cursor_hidden = end == 'l',
            _ => panic!("an unknown sequence: {number:?} {end:?}"),
        }
    }

    fn text(&self) -> Vec<String> {
        let line = |line: &Vec<char>| line.iter().collect::<String>().trim_end().to_owned();
        let mut lines: Vec<String> = self.lines.iter().map(line).collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }
}

/// A table of verdicts on a terminal with this many columns, until the daemon is told to stop.
fn watched(columns: usize, arguments: &str, environment: &[(&str, &str)]) -> (Screen, String) {
    let place = Place::new().only(&["python3"]);
    let long = "a-student-whose-name-is-longer-than-any-column-of-a-table";
    let slow = "import time\nwhile time.process_time() < 0.3: pass\n".to_owned();
    for (student, program) in [
        ("alpha", slow + programs::PYTHON),
        (long, "print(7)\n".to_owned()),
        ("gamma", "import sys\nsys.exit(3)\n".to_owned()),
    ] {
        place.write(&format!("submissions/{student}/sum.py"), program);
    }
    let (code, stream) = std::thread::scope(|scope| {
        let shown = scope.spawn(|| on_terminal(&place, columns, arguments, environment));
        wait_until("the verdicts", || place.verdicts().len() == 3);
        send("TERM", place.read("pid").trim());
        shown.join().unwrap()
    });
    assert_eq!(code, Some(0), "{stream}");
    (Screen::of(&stream, columns), stream)
}

/// Asserts what every such table has, and returns its rows.
fn rows(screen: &Screen, stream: &str) -> Vec<String> {
    let text = screen.text();
    let whole = text.join("\n");
    assert_eq!(text.last().map(String::as_str), Some("stopped"), "{whole}");
    assert!(!screen.is_cursor_hidden, "{stream:?}");
    // The progress lines were shown, and nothing is left of them.
    for moving in ["waiting · ", "[==", "alpha/sum"] {
        assert!(stream.contains(moving), "{moving}: {stream:?}");
        assert!(!whole.contains(moving), "{moving}: {whole}");
    }
    let table = text.iter().skip_while(|line| !line.starts_with("TIME"));
    let is_row = |line: &&String| *line != "stopped" && !line.starts_with("finishing ");
    let rows: Vec<String> = table.filter(is_row).cloned().collect();
    assert_eq!(rows.len(), 4, "a head and a row for each verdict: {whole}");
    for (student, verdict) in [
        ("alpha ", " AC "),
        ("a-student-", " WA "),
        ("gamma ", " RE "),
    ] {
        let row = rows.iter().find(|row| row.contains(student)).unwrap();
        assert!(row.contains(verdict), "{row}");
    }
    rows
}

#[test]
fn the_table_on_a_terminal_is_whole_at_the_end_and_fits_its_width() {
    for (columns, environment, words) in [
        (130, &[][..], &["LANGUAGE", "MEMORY", "python3", " MiB"][..]),
        (80, &[("NO_COLOR", "1")], &["sample/1: "]),
    ] {
        let (screen, stream) = watched(columns, "serve", environment);
        let rows = rows(&screen, &stream);
        assert_eq!(screen.colours > 0, environment.is_empty(), "{stream:?}");
        let mut widths = rows.iter().map(|row| row.chars().count());
        assert!(widths.all(|width| width <= columns), "{rows:#?}");
        assert_has(&rows.join("\n"), words);
        moving_lines_are_whole(&stream, columns);
    }
}

/// Asserts that each progress line always fitted on one line of the terminal.
fn moving_lines_are_whole(stream: &str, columns: usize) {
    let mut bars = 0;
    // What is shown just before it is drawn again.
    for (end, _) in stream.match_indices("\r\x1b[2K") {
        for line in Screen::of(&stream[..end], columns).text() {
            if line.contains("/sum ") && line.contains('[') {
                bars += 1;
                let is_whole = line.starts_with("  ") && line.ends_with("/3");
                assert!(is_whole && !line.contains("building"), "{line:?}");
            }
            let begins = line.find(" waiting · ").map(|at| line[..at].trim());
            let is_number = begins.is_none_or(|number| number.parse::<u32>().is_ok());
            assert!(is_number, "{line:?}");
        }
    }
    assert!(bars > 0, "{stream:?}");
}

#[test]
fn colour_is_for_terminals_unless_requested_otherwise() {
    let place = Place::new();
    place.write("bad.in", "x\n");
    let colours = |arguments: &str, environment: &[(&str, &str)], code: i32| {
        let (ended, stream) = on_terminal(&place, 80, arguments, environment);
        assert_eq!(ended, Some(code), "{arguments}: {stream}");
        Screen::of(&stream, 80).colours > 0
    };
    let validate = "validate curling bad.in";
    let always = "validate curling bad.in --color=always";
    for (arguments, environment, code, expected) in [
        (validate, &[][..], 1, true),
        (validate, &[("NO_COLOR", "1")], 1, false),
        (validate, &[("TERM", "dumb")], 1, false),
        ("--color never validate curling bad.in", &[], 1, false),
        (always, &[("NO_COLOR", "1")], 1, true),
        // Errors about the command line itself, and help, are coloured too.
        ("--nonsense", &[], 2, true),
        ("--help --color=never", &[], 0, false),
    ] {
        let found = colours(arguments, environment, code);
        assert_eq!(found, expected, "{arguments} with {environment:?}");
    }
    // And away from a terminal.
    for (color, expected) in [("auto", false), ("never", false), ("always", true)] {
        for (code, file) in [(1, "bad.in"), (2, "none.in")] {
            let line = format!("--color {color} validate curling {file}");
            let text = place.says(code, &line, &[]);
            assert_eq!(text.contains('\x1b'), expected, "{color}: {text:?}");
        }
    }
}
