//! Free problem sets: one XML file with several problems and their tests.

use regex::Regex;

use super::package::{Package, WHOLE_BYTES_MAX};
use super::problem::{Content, Problem, Read};
use super::xml::{Xml, all, attribute, own, parse, text, whole};
use crate::domain::Complaint;
use crate::domain::bounds::PROBLEMS_MAX;

/// The languages of programs, and what the names of their files end in.
#[rustfmt::skip]
const LANGUAGES: [(&str, &str); 5] =
    [("C", "c"), ("C++", "cpp"), ("Pascal", "pas"), ("Java", "java"), ("Python", "py")];
/// What stands in a statement.
const PARTS: [&str; 4] = ["description", "input", "output", "hint"];
/// What is there for people, or for programs, and is not taken over.
const LEFT_OUT: [&str; 4] = ["img", "template", "prepend", "append"];
/// How limits are written: the element, and what one of its units is of ours.
#[rustfmt::skip]
const LIMITS: [(&str, [(&str, f64); 3]); 2] = [
    ("time_limit", [("s", 1.0), ("", 1.0), ("ms", 1e-3)]),
    ("memory_limit", [("mb", 1.0), ("", 1.0), ("kb", 1.0 / 1024.0)]),
];
const SPJ: &str = "special judges (`spj`) are not supported";
const NO_LIMITS: &str = "`time_limit` or `memory_limit` is no number of a known unit";
const EXPORT: &str = "export the problem with its limits and tests";
const TAG: &str = "(?i)</?[a-z][^>]*>";
#[rustfmt::skip]
const SIGNS: [(&str, &str); 6] =
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&nbsp;", " "), ("&le;", "≤"), ("&amp;", "&")];

/// Reads the problems of one file.
pub fn read(from: &mut Package, path: &str) -> Read<Vec<Read<Problem>>> {
    let (xml, file) = (from.text(path, WHOLE_BYTES_MAX)?, from.root().join(path));
    let document = parse(&xml, &file)?;
    let items = all(document.root_element(), "item");
    if !document.root_element().has_tag_name("fps") || items.len() > PROBLEMS_MAX {
        let reason = format!("no problem set (`fps`) of at most {PROBLEMS_MAX} problems");
        return Err(Complaint::new(&file, reason));
    }
    let problems = items.into_iter().map(|item| {
        let line = document.text_pos_at(item.range().start).row as usize;
        problem(from, path, item).map_err(|complaint| complaint.on(line))
    });
    Ok(problems.collect())
}

fn problem(from: &Package, path: &str, item: Xml<'_>) -> Read<Problem> {
    let title = text(item, "title");
    let mut to = Problem::new(from.root(), &title, &title);
    let [seconds, mib] = LIMITS.map(|(name, units)| {
        let unit = attribute(item, name, "unit").to_ascii_lowercase();
        let (_, factor) = units.into_iter().find(|(known, _)| *known == unit)?;
        Some(factor * text(item, name).parse::<f64>().ok()?)
    });
    let limits = seconds.zip(mib);
    let (seconds, mib) = limits.ok_or_else(|| to.wrong(path, NO_LIMITS, EXPORT))?;
    to.set("limits.cpu_s", seconds);
    to.limit_memory(path, mib);
    let sources = all(item, "source").into_iter().map(whole);
    to.set("sources", sources.collect::<Vec<_>>());
    for (kind, folder) in [("sample", "sample"), ("test", "secret")] {
        let [inputs, answers] = ["input", "output"].map(|end| all(item, &format!("{kind}_{end}")));
        let counts = (inputs.len(), answers.len());
        if counts.0 != counts.1 || (kind == "test" && counts.0 == 0) {
            let reason = format!("{} `{kind}_input`, {} `{kind}_output`", counts.0, counts.1);
            return Err(to.wrong(path, reason, EXPORT));
        }
        for (number, (input, answer)) in (1..).zip(inputs.into_iter().zip(answers)) {
            let pair = (bytes(input), Some(bytes(answer)));
            to.test(format!("{folder}/{number}"), String::new(), pair);
        }
    }
    if !all(item, "spj").is_empty() {
        to.lack("checker", path, SPJ);
    }
    for what in LEFT_OUT.iter().filter(|what| !all(item, what).is_empty()) {
        to.leave_out(path, format!("`{what}` has no counterpart"));
    }
    for (number, solution) in (1..).zip(all(item, "solution")) {
        let language = own(solution, "language");
        let ending = LANGUAGES.iter().find(|(name, _)| *name == language);
        match ending.filter(|(_, ending)| from.is_program(&format!("a.{ending}"))) {
            Some((_, ending)) => {
                let name = format!("submissions/accepted/solution-{number}.{ending}");
                to.file(&name, bytes(solution));
            }
            None => to.leave_out(path, format!("a solution in `{language}` is not read")),
        }
    }
    let parts = PARTS.map(|part| (part, plain(&text(item, part))));
    let parts = parts.iter().filter(|(_, words)| !words.is_empty());
    let parts = parts.map(|(part, words)| format!("{part}\n\n{words}\n"));
    let statement = parts.collect::<Vec<_>>().join("\n");
    to.file("statement/problem.txt", Content::Bytes(statement.into()));
    Ok(to)
}

fn bytes(node: Xml<'_>) -> Content {
    Content::Bytes(whole(node).into())
}

/// The words of a statement in HTML.
fn plain(html: &str) -> String {
    let tags = Regex::new(TAG).expect("a test reads a statement");
    let text = tags.replace_all(html, "\n").into_owned();
    let signs = SIGNS.iter();
    let text = signs.fold(text, |text, (name, sign)| text.replace(name, sign));
    text.trim().to_owned()
}
