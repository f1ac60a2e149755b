//! What run-time systems say when they end a program.

use super::reason::reason;
use crate::domain::Reason;
use crate::util::excerpt::visible_line;

/// Characters of a line that is quoted.
const QUOTED_MAX: usize = 120;

/// How a line of standard error begins, and what it has in it: what a program writes itself is
/// seldom the same.
type Sign = (&'static str, &'static str);

/// How run-time systems call one thing.
#[derive(Debug)]
pub struct Said {
    pub code: &'static str,
    pub summary: &'static str,
    signs: &'static [Sign],
    /// How the last line begins, as of what nobody has caught in Python.
    last: &'static [&'static str],
}

pub const STACK: Said = Said {
    code: "stack-overflow",
    summary: "The stack overflows: the recursion goes too deep, or local arrays are too large.",
    signs: &[
        ("Exception in thread", "java.lang.StackOverflowError"),
        ("", "RangeError: Maximum call stack size exceeded"),
        ("thread '", "has overflowed its stack"),
        ("runtime: goroutine stack exceeds", ""),
        ("", "stack level too deep (SystemStackError)"),
        ("Stack overflow.", ""),
        ("Fatal error: exception Stack_overflow", ""),
        ("lua", "stack overflow"),
        // Pascal.
        ("Runtime error 202 ", ""),
    ],
    last: &["RecursionError:"],
};

const SAID: [Said; 7] = [
    STACK,
    Said {
        code: "reads-on",
        summary: "It reads on where the input has ended.",
        signs: &[
            ("Exception in thread", "java.util.NoSuchElementException"),
            ("", "end of file reached (EOFError)"),
            ("Runtime error 100 ", ""),
        ],
        last: &["EOFError:"],
    },
    Said {
        code: "missing-file",
        summary: "It opens a file that is not there: the input comes on standard input.",
        signs: &[
            ("Exception in thread", "java.io.FileNotFoundException"),
            ("Error: ENOENT: no such file", ""),
        ],
        last: &["FileNotFoundError:"],
    },
    Said {
        code: "index",
        summary: "It uses an index that its array, list or text does not have.",
        signs: &[
            ("Exception in thread", "IndexOutOfBoundsException"),
            ("index out of bounds: the len is", ""),
            ("panic: runtime error: index out of range", ""),
            ("terminate called after throwing", "'std::out_of_range'"),
            ("Unhandled exception. System.IndexOutOfRangeException", ""),
            ("Runtime error 201 ", ""),
        ],
        last: &["IndexError:"],
    },
    Said {
        code: "division",
        summary: "It divides by zero.",
        signs: &[
            ("Exception in thread", "ArithmeticException: / by zero"),
            ("attempt to divide by zero", ""),
            (
                "attempt to calculate the remainder with a divisor of zero",
                "",
            ),
            ("panic: runtime error: integer divide by zero", ""),
            ("Unhandled exception. System.DivideByZeroException", ""),
            ("Runtime error 200 ", ""),
        ],
        last: &["ZeroDivisionError:"],
    },
    Said {
        code: "unexpected-input",
        summary: "It takes a part of the input for something else than it is.",
        signs: &[
            ("Exception in thread", "java.util.InputMismatchException"),
            ("Exception in thread", "java.lang.NumberFormatException"),
            ("thread '", "ParseIntError"),
            ("", "`Err` value: ParseIntError"),
            ("Runtime error 106 ", ""),
        ],
        last: &[
            "ValueError: invalid literal for int()",
            "ValueError: not enough values to unpack",
            "ValueError: too many values to unpack",
        ],
    },
    Said {
        code: "nothing-there",
        summary: "It uses a value that is not there.",
        signs: &[
            ("Exception in thread", "java.lang.NullPointerException"),
            ("TypeError: Cannot read properties of undefined", ""),
            ("TypeError: Cannot set properties of undefined", ""),
            ("panic: runtime error: invalid memory address or nil", ""),
            ("Unhandled exception. System.NullReferenceException", ""),
        ],
        last: &["TypeError: 'NoneType'", "AttributeError: 'NoneType'"],
    },
];

/// What ended the program, where its run-time system says so.
pub fn of_stderr(stderr: &[u8]) -> Option<Reason> {
    let text = String::from_utf8_lossy(stderr);
    let last = text.lines().rfind(|line| !line.trim().is_empty());
    SAID.iter().find_map(|said| {
        let begins = |line: &&str| said.last.iter().any(|begins| line.starts_with(begins));
        let says = |line: &&str| {
            let mut signs = said.signs.iter();
            signs.any(|(begins, has)| line.starts_with(begins) && line.contains(has))
        };
        let line = last.filter(begins).or_else(|| text.lines().find(says))?;
        let shown: String = visible_line(line.trim()).chars().take(QUOTED_MAX).collect();
        let evidence = format!("the program ended with “{shown}”");
        Some(reason(said.code, said.summary, evidence))
    })
}

#[cfg(test)]
mod tests {
    use super::{STACK, of_stderr};

    #[test]
    fn words_of_run_time_systems_name_the_stack() {
        for stderr in [
            "Traceback:\nRecursionError: maximum recursion depth exceeded in comparison\n",
            "Exception in thread \"main\" java.lang.StackOverflowError\n\tat Main.f\n",
            "RangeError: Maximum call stack size exceeded\n",
            "\nthread 'main' has overflowed its stack\n",
            "lua5.4: a.lua:1: stack overflow (message handler)\n",
            "Stack overflow.\n   at Program.F(Int32)\n",
            "runtime: goroutine stack exceeds 1000000000-byte limit\n",
            "a.rb:1:in `f': stack level too deep (SystemStackError)\n",
            "Runtime error 202 at $0000000000401136\n",
        ] {
            let found = of_stderr(stderr.as_bytes()).unwrap();
            assert_eq!(found.code, STACK.code, "{stderr}");
        }
        for other in [
            "IndexError: list index out of range",
            "terminate called after throwing an instance of 'std::runtime_error'\n  what():  stack overflow\n",
            "stack overflow? no\nIndexError: list index out of range\n",
            "RecursionError: caught\nIndexError: list index out of range\n",
            "java.lang.StackOverflowError\n\tat Main.f\nException in thread \"main\" java.lang.Error\n",
        ] {
            let found = of_stderr(other.as_bytes());
            assert!(
                found.is_none_or(|found| found.code != STACK.code),
                "{other}"
            );
        }
        let long = format!("lua5.4: {}", "stack overflow ".repeat(100));
        assert!(of_stderr(long.as_bytes()).unwrap().evidence.len() < 200);
    }

    #[test]
    fn each_end_has_its_reason() {
        for (stderr, code) in [
            (
                "Traceback:\n  File\nEOFError: EOF when reading a line\n",
                "reads-on",
            ),
            ("Traceback:\nIndexError: list index out of range\n", "index"),
            (
                "thread 'main' panicked at a.rs:1:1:\nindex out of bounds: the len is 3 but the index is 3\n",
                "index",
            ),
            ("ZeroDivisionError: division by zero\n", "division"),
            (
                "ValueError: invalid literal for int() with base 10: 'a'\n",
                "unexpected-input",
            ),
            (
                "/a.js:3\nTypeError: Cannot read properties of undefined (reading '0')\n    at x\n",
                "nothing-there",
            ),
        ] {
            let found = of_stderr(stderr.as_bytes()).unwrap();
            assert_eq!(found.code, code, "{stderr}");
        }
        assert!(of_stderr(b"IndexError: caught\ngoing on\n").is_none());
    }
}
