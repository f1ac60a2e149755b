//! Free problem sets: one XML file with several problems and their tests.

use super::package::Package;
use super::problem::{Content, Problem, Test};
use super::xml::{all, attribute, parse, text};
use crate::domain::Complaint;
use crate::domain::bounds::PROBLEMS_MAX;
use crate::util::MIB;

use roxmltree::Node;

/// The languages of programs, and what their files end in.
const LANGUAGES: [(&str, &str); 7] = [
    ("C", "c"),
    ("C++", "cpp"),
    ("Pascal", "pas"),
    ("Java", "java"),
    ("Python", "py"),
    ("Python3", "py"),
    ("Go", "go"),
];
/// What stands in a statement, and under which heading.
const PARTS: [(&str, &str); 4] = [
    ("description", ""),
    ("input", "Input"),
    ("output", "Output"),
    ("hint", "Hint"),
];

/// Reads the problems of one file.
pub fn read(
    package: &mut Package,
    path: &str,
    has_language: &dyn Fn(&str) -> bool,
) -> Result<Vec<Result<Problem, Complaint>>, Complaint> {
    let file = package.place(path);
    let text_of_file = package.text(path)?;
    let document = parse(&text_of_file, &file)?;
    let root = document.root_element();
    if !root.has_tag_name("fps") {
        return Err(Complaint::new(
            &file,
            "it is no free problem set: its root is not `fps`",
        ));
    }
    let items = all(root, "item");
    if items.is_empty() || items.len() > PROBLEMS_MAX {
        let reason = format!(
            "it has {} problems; from 1 to {PROBLEMS_MAX} are read",
            items.len()
        );
        return Err(Complaint::new(&file, reason));
    }
    let problems = items.into_iter().map(|item| {
        let line = document.text_pos_at(item.range().start).row as usize;
        let complain = |reason: String| Complaint::new(&file, reason).on(line);
        problem(item, has_language, &complain)
    });
    Ok(problems.collect())
}

fn problem(
    item: Node<'_, '_>,
    has_language: &dyn Fn(&str) -> bool,
    complain: &dyn Fn(String) -> Complaint,
) -> Result<Problem, Complaint> {
    let title = text(item, "title");
    let mut problem = Problem::new(title, title);
    let file = complain(String::new()).file;
    let limit = |name: &str, units: &[(&str, f64)]| {
        let unit = all(item, name)
            .first()
            .map_or("", |node| attribute(*node, "unit"))
            .to_ascii_lowercase();
        let factor = units
            .iter()
            .find(|(known, _)| *known == unit)
            .map(|(_, factor)| factor);
        let number = text(item, name)
            .parse::<f64>()
            .ok()
            .filter(|number| *number > 0.0);
        let value = factor.zip(number).map(|(factor, number)| factor * number);
        value.ok_or_else(|| {
            complain(format!(
                "{title}: `{name}` is no limit: `{}` of the unit `{unit}`",
                text(item, name)
            ))
        })
    };
    let mib = MIB as f64;
    problem.manifest.limits.cpu_s =
        Some(limit("time_limit", &[("s", 1.0), ("", 1.0), ("ms", 1e-3)])?);
    let bytes = limit(
        "memory_limit",
        &[("mb", mib), ("", mib), ("kb", 1024.0), ("byte", 1.0)],
    )?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it saturates"
    )]
    problem.limit_memory(&file, bytes as u64);
    let source = text(item, "source");
    problem.manifest.sources = Vec::from_iter((!source.is_empty()).then(|| source.to_owned()));
    for (kind, is_sample) in [("sample", true), ("test", false)] {
        let [inputs, answers] = ["input", "output"].map(|end| all(item, &format!("{kind}_{end}")));
        if inputs.len() != answers.len() {
            return Err(complain(format!(
                "{title}: {} `{kind}_input`, and {} `{kind}_output`",
                inputs.len(),
                answers.len()
            )));
        }
        for (at, (input, answer)) in inputs.into_iter().zip(answers).enumerate() {
            let [input, answer] =
                [input, answer].map(|node| Content::Bytes(node.text().unwrap_or_default().into()));
            problem.tests.push(Test {
                name: (at + 1).to_string(),
                is_sample,
                group: None,
                input,
                answer: Some(answer),
            });
        }
    }
    if !problem.tests.iter().any(|test| !test.is_sample) {
        return Err(complain(format!(
            "{title}: there are no tests in it (`test_input`)"
        )));
    }
    problem.compare("tokens");
    if !all(item, "spj").is_empty() {
        problem.lack_checker(
            &file,
            format!("{title}: special judges (`spj`) are not supported"),
        );
    }
    for (what, why) in [
        ("img", "pictures are not taken over"),
        ("template", "templates are not supported"),
        (
            "prepend",
            "code that is put before programs is not supported",
        ),
        (
            "append",
            "code that is put behind programs is not supported",
        ),
    ] {
        if !all(item, what).is_empty() {
            problem.leave_out(&file, format!("{title}: {why}"));
        }
    }
    for (at, solution) in all(item, "solution").into_iter().enumerate() {
        let language = attribute(solution, "language");
        let ending = LANGUAGES
            .iter()
            .find(|(name, _)| *name == language)
            .map(|(_, ending)| *ending);
        match ending.filter(|ending| has_language(ending)) {
            Some(ending) => problem.files.push((
                format!("submissions/accepted/solution-{}.{ending}", at + 1),
                Content::Bytes(solution.text().unwrap_or_default().into()),
            )),
            None => problem.leave_out(
                &file,
                format!("{title}: a solution in `{language}`, which is no language here"),
            ),
        }
    }
    let mut statement = String::new();
    for (part, heading) in PARTS {
        let words = plain(text(item, part));
        if !words.is_empty() {
            statement.extend([heading, "\n\n", &words, "\n\n"]);
        }
    }
    problem.files.push((
        "statement.txt".to_owned(),
        Content::Bytes(statement.trim_start().into()),
    ));
    Ok(problem)
}

/// The text of a statement in HTML.
fn plain(html: &str) -> String {
    let mut text = String::new();
    for (at, piece) in html.split('<').enumerate() {
        let (tag, rest) = match piece.split_once('>') {
            Some((tag, rest))
                if at > 0
                    && tag.starts_with(|one: char| one.is_ascii_alphabetic() || one == '/') =>
            {
                (tag, rest)
            }
            // A sign and no tag.
            _ => {
                text.extend((at > 0).then_some('<'));
                ("", piece)
            }
        };
        let name = tag
            .trim_start_matches('/')
            .split([' ', '/'])
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        if ["br", "p", "div", "li", "tr", "pre"].contains(&name.as_str()) && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(rest);
    }
    let signs = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&nbsp;", " "),
        ("&le;", "≤"),
        ("&ge;", "≥"),
        ("&amp;", "&"),
    ];
    let text = signs
        .iter()
        .fold(text, |text, (name, sign)| text.replace(name, sign));
    text.trim().to_owned()
}
