//! Hints that follow from words: what a compiler says of a program, and what a run-time system says
//! when it ends.

use crate::domain::Verdict;
use crate::report::schema::Document;

/// Headers of C++ that C does not have, beside those whose names have no ending.
const HEADERS_OF_CPP: [&str; 1] = ["bits/stdc++.h"];
/// What compilers say of a program that needs a newer C++ than it was built as.
const NEWER_CPP: [&str; 12] = [
    "C++20",
    "c++20",
    "c++2a",
    "C++23",
    "c++23",
    "c++2b",
    "fatal error: format:",
    "fatal error: print:",
    "fatal error: expected:",
    "'concept' does not name a type",
    "'std::ranges'",
    "'std::format'",
];
/// What run-time systems say when they are refused memory.
const MEMORY_REFUSED: [&str; 8] = [
    "std::bad_alloc",
    "std::bad_array_new_length",
    "MemoryError",
    "java.lang.OutOfMemoryError",
    "Array buffer allocation failed",
    "memory allocation of",
    "Out of memory",
    "failed to allocate memory",
];
/// The warning of a function that may end without a value.
const NO_RETURN: &str = "[-Wreturn-type]";

/// Hints from what the compiler and the program have said.
pub fn hints_of_words(document: &Document) -> Vec<String> {
    let verdict = document.verdict;
    let mut hints = Vec::new();
    if verdict == Verdict::CompileError {
        hints.extend(cpp_in_c(document));
        hints.extend(newer_cpp(document));
    } else {
        hints.extend(no_return(document));
    }
    if verdict == Verdict::RuntimeError {
        hints.extend(memory_refused(document));
    }
    hints
}

/// A C++ program whose name ends in `.c`.
fn cpp_in_c(document: &Document) -> Option<String> {
    if document.submission.language != "c" {
        return None;
    }
    let included = document.compiler.words.lines().find_map(|line| {
        let (_, rest) = line.split_once("fatal error: ")?;
        let (header, _) = rest.split_once(": No such file")?;
        let has_no_ending = !header.contains('.') && !header.contains('/');
        (has_no_ending || HEADERS_OF_CPP.contains(&header)).then_some(header)
    })?;
    Some(format!(
        "This looks like C++: <{included}> is a header of C++, and a file that ends in .c is compiled as C. Submit it with the ending .cpp."
    ))
}

/// A program that needs a newer C++.
fn newer_cpp(document: &Document) -> Option<String> {
    let words = &document.compiler.words;
    let is_cpp = document.submission.language == "cpp";
    if !is_cpp || !NEWER_CPP.iter().any(|newer| words.contains(newer)) {
        return None;
    }
    let command = document.built_with.first()?;
    Some(format!(
        "It was compiled as {}, with `{command}`; features of newer C++ versions are not available.",
        document.language_name
    ))
}

/// A function that ends without a value although it has a type: whoever uses the value crashes or
/// computes with chance.
fn no_return(document: &Document) -> Option<String> {
    let verdict = document.verdict;
    if matches!(verdict, Verdict::Accepted | Verdict::PresentationError) {
        return None;
    }
    let warning = document
        .compiler
        .words
        .lines()
        .find(|line| line.contains(NO_RETURN))?;
    let place = warning.split(": warning").next().unwrap_or_default();
    Some(format!(
        "The compiler warns that a function may end without `return` ({place}): in C and C++ the program may then do anything, \
         such as crash, even if it works on your own machine. Fix that first."
    ))
}

/// A program that was refused memory before it had used up what it may use.
fn memory_refused(document: &Document) -> Option<String> {
    let name = document.first_failing_test.as_ref()?;
    let test = document.tests.iter().find(|test| &test.name == name)?;
    let says = MEMORY_REFUSED
        .iter()
        .any(|words| test.stderr.contains(words));
    says.then(|| {
        format!(
            "It reports that it was refused memory, with {} MiB of {} MiB in use: the size that it asked for is larger than what is left. \
             Such a size may be that of a large array or list, or a number that is negative, was never set, or was read from something that is gone.",
            test.memory_kib / 1024,
            document.limits.memory_kib / 1024
        )
    })
}
