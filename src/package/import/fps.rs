//! Free problem sets: one XML file with several problems and their tests.

use regex::Regex;

use super::package::{Package, WHOLE_BYTES_MAX};
use super::problem::{Content, Problem};
use super::xml::{Xml, all, attribute, own, parse, text};
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
const SPJ: &str = "special judges (`spj`) are not supported";
const LIMITS: &str = "`time_limit` or `memory_limit` is no number of a known unit";
const EXPORT: &str = "export the problem with its limits and tests";
const TAG: &str = "(?i)</?[a-z][^>]*>";
#[rustfmt::skip]
const SIGNS: [(&str, &str); 6] =
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&nbsp;", " "), ("&le;", "≤"), ("&amp;", "&")];

/// Reads the problems of one file.
pub fn read(
    from: &mut Package<'_>,
    path: &str,
) -> Result<Vec<Result<Problem, Complaint>>, Complaint> {
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

fn problem(from: &Package<'_>, path: &str, item: Xml<'_>) -> Result<Problem, Complaint> {
    let mut to = Problem::new(&from.root(), text(item, "title"), text(item, "title"));
    let limit = |name: &str, units: [(&str, f64); 3]| {
        let unit = attribute(item, name, "unit").to_ascii_lowercase();
        let (_, factor) = units.into_iter().find(|(known, _)| *known == unit)?;
        Some(factor * text(item, name).parse::<f64>().ok()?)
    };
    let seconds = limit("time_limit", [("s", 1.0), ("", 1.0), ("ms", 1e-3)]);
    let mib = limit(
        "memory_limit",
        [("mb", 1.0), ("", 1.0), ("kb", 1.0 / 1024.0)],
    );
    let limits = seconds
        .zip(mib)
        .ok_or_else(|| to.wrong(path, LIMITS, EXPORT))?;
    to.set("limits.cpu_s", limits.0);
    to.limit_memory(path, limits.1);
    let source = all(item, "source")
        .into_iter()
        .filter_map(|source| source.text());
    to.set("sources", source.collect::<Vec<_>>());
    for kind in ["sample", "test"] {
        let [inputs, answers] = ["input", "output"].map(|end| all(item, &format!("{kind}_{end}")));
        let counts = (inputs.len(), answers.len());
        if counts.0 != counts.1 || (kind == "test" && counts.0 == 0) {
            let reason = format!("{} `{kind}_input`, {} `{kind}_output`", counts.0, counts.1);
            return Err(to.wrong(path, reason, EXPORT));
        }
        for (at, (input, answer)) in inputs.into_iter().zip(answers).enumerate() {
            let pair = (bytes(input), Some(bytes(answer)));
            to.test(&(at + 1).to_string(), kind == "sample", "", &pair)?;
        }
    }
    if !all(item, "spj").is_empty() {
        to.lack("checker", path, SPJ);
    }
    for what in LEFT_OUT.iter().filter(|what| !all(item, what).is_empty()) {
        to.leave_out(path, format!("`{what}` has no counterpart"));
    }
    for (at, solution) in all(item, "solution").into_iter().enumerate() {
        let language = own(solution, "language");
        let ending = LANGUAGES.iter().find(|(name, _)| *name == language);
        let name = ending.map(|(_, ending)| format!("solution-{}.{ending}", at + 1));
        match name.filter(|name| from.is_program(name)) {
            Some(name) => to.file(format!("submissions/accepted/{name}"), bytes(solution)),
            None => to.leave_out(path, format!("a solution in `{language}` is not read")),
        }
    }
    let parts = PARTS.iter().map(|part| (part, plain(text(item, part))));
    let parts = parts.filter(|(_, words)| !words.is_empty());
    let parts: Vec<String> = parts
        .map(|(part, words)| format!("{part}\n\n{words}\n"))
        .collect();
    to.file(
        "statement/problem.txt",
        Content::Bytes(parts.join("\n").into()),
    );
    Ok(to)
}

fn bytes(node: Xml<'_>) -> Content {
    Content::Bytes(node.text().unwrap_or_default().into())
}

/// The words of a statement in HTML.
fn plain(html: &str) -> String {
    let tags = Regex::new(TAG).expect("a test reads a statement");
    let text = tags.replace_all(html, "\n").into_owned();
    let signs = SIGNS.iter();
    let text = signs.fold(text, |text, (name, sign)| text.replace(name, sign));
    text.trim().to_owned()
}
