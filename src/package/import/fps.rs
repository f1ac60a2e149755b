//! Free problem sets: one XML file with several problems and their tests.

use regex::Regex;
use roxmltree::Node;

use super::package::Package;
use super::problem::{Content, HasLanguage, Problem};
use super::xml::{all, attribute, own, parse, text};
use crate::domain::Complaint;
use crate::domain::bounds::PROBLEMS_MAX;

/// The languages of programs, and what the names of their files end in.
const LANGUAGES: [(&str, &str); 5] = [
    ("C", "c"),
    ("C++", "cpp"),
    ("Pascal", "pas"),
    ("Java", "java"),
    ("Python", "py"),
];
/// What stands in a statement, and under which heading.
const PARTS: [(&str, &str); 4] = [
    ("description", ""),
    ("input", "Input\n\n"),
    ("output", "Output\n\n"),
    ("hint", "Hint\n\n"),
];
/// What is there for people, or for programs, and is not taken over.
const LEFT_OUT: [&str; 4] = ["img", "template", "prepend", "append"];
/// Marks in a statement's HTML.
const TAG: &str = "(?i)</?[a-z][^>]*>";
#[rustfmt::skip]
const SIGNS: [(&str, &str); 6] =
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&nbsp;", " "), ("&le;", "≤"), ("&amp;", "&")];

/// Reads the problems of one file.
pub fn read(
    package: &mut Package,
    path: &str,
    has_language: HasLanguage<'_>,
) -> Result<Vec<Result<Problem, Complaint>>, Complaint> {
    let (xml, file) = (package.text(path)?, package.root().join(path));
    let document = parse(&xml, &file)?;
    let items = all(document.root_element(), "item");
    if !document.root_element().has_tag_name("fps") || items.len() > PROBLEMS_MAX {
        let reason =
            format!("it is no free problem set (`fps`) of at most {PROBLEMS_MAX} problems");
        return Err(Complaint::new(&file, reason));
    }
    let problems = items.into_iter().map(|item| {
        let line = document.text_pos_at(item.range().start).row as usize;
        let problem = Problem::new(&package.root(), text(item, "title"), text(item, "title"));
        read_item(problem, path, item, has_language).map_err(|complaint| complaint.on(line))
    });
    Ok(problems.collect())
}

fn read_item(
    mut problem: Problem,
    path: &str,
    item: Node<'_, '_>,
    has_language: HasLanguage<'_>,
) -> Result<Problem, Complaint> {
    let limit = |name: &str, units: &[(&str, f64)]| {
        let unit = attribute(item, name, "unit").to_ascii_lowercase();
        let factor = units
            .iter()
            .find(|(known, _)| *known == unit)
            .map(|(_, factor)| factor);
        Some(factor? * text(item, name).parse::<f64>().ok()?)
    };
    let seconds = limit("time_limit", &[("s", 1.0), ("", 1.0), ("ms", 1e-3)]);
    let mib = limit(
        "memory_limit",
        &[("mb", 1.0), ("", 1.0), ("kb", 1.0 / 1024.0)],
    );
    let Some((seconds, mib)) = seconds.zip(mib) else {
        return Err(problem.complaint(
            path,
            "`time_limit` or `memory_limit` is no number of a known unit",
        ));
    };
    problem.set("limits.cpu_s", seconds);
    problem.limit_memory(path, mib);
    problem.set(
        "sources",
        Vec::from_iter(Some(text(item, "source")).filter(|text| !text.is_empty())),
    );
    for kind in ["sample", "test"] {
        let [inputs, answers] = ["input", "output"].map(|end| all(item, &format!("{kind}_{end}")));
        if inputs.len() != answers.len() || (kind == "test" && inputs.is_empty()) {
            let reason = format!(
                "{} `{kind}_input` and {} `{kind}_output`",
                inputs.len(),
                answers.len()
            );
            return Err(problem
                .complaint(path, reason)
                .with_help("export the problem with its tests"));
        }
        for (at, pair) in inputs.into_iter().zip(answers).enumerate() {
            let pair = (bytes(pair.0), Some(bytes(pair.1)));
            problem.test(&(at + 1).to_string(), kind == "sample", None, pair);
        }
    }
    if !all(item, "spj").is_empty() {
        problem.lack("checker", path, "special judges (`spj`) are not supported");
    }
    for what in LEFT_OUT.iter().filter(|what| !all(item, what).is_empty()) {
        problem.leave_out(path, format!("`{what}` has no counterpart"));
    }
    for (at, solution) in all(item, "solution").into_iter().enumerate() {
        let language = own(solution, "language");
        let ending = LANGUAGES
            .iter()
            .find(|(name, _)| *name == language)
            .map(|(_, ending)| ending);
        match ending.filter(|ending| has_language(ending)) {
            Some(ending) => problem.files.push((
                format!("submissions/accepted/solution-{}.{ending}", at + 1),
                bytes(solution),
            )),
            None => problem.leave_out(
                path,
                format!("a solution in `{language}`, which is no language here"),
            ),
        }
    }
    let parts = PARTS
        .iter()
        .map(|(part, heading)| (heading, plain(text(item, part))));
    let parts = parts.filter(|(_, text)| !text.is_empty());
    let statement: String = parts
        .map(|(heading, text)| format!("{heading}{text}\n\n"))
        .collect();
    problem.files.push((
        "statement.txt".to_owned(),
        Content::Bytes(statement.into_bytes()),
    ));
    Ok(problem)
}

fn bytes(node: Node<'_, '_>) -> Content {
    Content::Bytes(node.text().unwrap_or_default().into())
}

/// The words of a statement in HTML.
fn plain(html: &str) -> String {
    let tags = Regex::new(TAG).expect("a test reads a statement");
    let text = tags.replace_all(html, "\n").into_owned();
    let text = SIGNS
        .iter()
        .fold(text, |text, (name, sign)| text.replace(name, sign));
    text.trim().to_owned()
}
