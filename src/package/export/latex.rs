//! A statement in Markdown as one in LaTeX, which other systems read.

use pulldown_cmark::HeadingLevel::{H1, H2};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::super::statement::OPTIONS;

/// Pictures that LaTeX reads, by their endings.
const PICTURES: [&str; 4] = ["png", "jpg", "jpeg", "pdf"];
/// Characters with a meaning or without a glyph of their own, each before what stands for it.
const CHARACTERS: &str = r"\ \textbackslash{} { \{ } \} $ \$ & \& # \# % \% _ \_ ^ \textasciicircum{} ~ \textasciitilde{}
    < \textless{} > \textgreater{} ≤ $\le$ ≥ $\ge$ ≠ $\ne$ × $\times$ · $\cdot$ → $\to$ ∞ $\infty$ ∈ $\in$ − $-$
    ⁰ $^0$ ¹ $^1$ ² $^2$ ³ $^3$ ⁴ $^4$ ⁵ $^5$ ⁶ $^6$ ⁷ $^7$ ⁸ $^8$ ⁹ $^9$";
/// Latin letters, and the dashes and quotes of text.
const HAS_GLYPH: [std::ops::RangeInclusive<char>; 2] = ['\0'..='\u{17F}', '\u{2013}'..='\u{2026}'];
const BETWEEN_CELLS: &str = " & ";

/// The statement, and how many of its characters LaTeX has no glyph for.
pub fn latex(title: &str, markdown: &str) -> (String, usize) {
    let mut text = format!("\\problemname{{{}}}\n\n", escaped(title));
    let (mut is_title, mut is_verbatim) = (false, false);
    for event in Parser::new_ext(markdown, OPTIONS) {
        let piece = match event {
            // \problemname has it.
            Event::End(TagEnd::Heading(H1)) => {
                is_title = false;
                String::new()
            }
            _ if is_title => String::new(),
            Event::Start(Tag::Heading { level: H1, .. }) => {
                is_title = true;
                String::new()
            }
            Event::Start(tag) => {
                is_verbatim = matches!(tag, Tag::CodeBlock(_));
                begin(&tag)
            }
            Event::End(tag) => {
                is_verbatim = false;
                if matches!(tag, TagEnd::TableHead | TagEnd::TableRow) {
                    text.truncate(text.trim_end_matches(BETWEEN_CELLS).len());
                }
                around(tag).1.to_owned()
            }
            Event::Text(raw) if is_verbatim => raw.into_string(),
            Event::Text(raw) | Event::Html(raw) | Event::InlineHtml(raw) => escaped(&raw),
            Event::Code(raw) => format!("\\texttt{{{}}}", escaped(&raw)),
            Event::InlineMath(raw) => format!("${raw}$"),
            Event::DisplayMath(raw) => format!("\\[{raw}\\]"),
            Event::SoftBreak | Event::HardBreak => "\n".to_owned(),
            _ => String::new(),
        };
        text += &piece;
    }
    let has_glyph = |one: &char| HAS_GLYPH.iter().any(|range| range.contains(one));
    let lost = text.chars().filter(|one| !has_glyph(one)).count();
    let shown = text
        .chars()
        .map(|one| if has_glyph(&one) { one } else { '?' });
    (shown.collect(), lost)
}

/// What stands before something; of a picture all of it, if LaTeX reads it.
fn begin(tag: &Tag<'_>) -> String {
    let begin = around(tag.to_end()).0;
    match tag {
        Tag::Table(columns) => format!("{begin}{{{}}}\n", "l".repeat(columns.len())),
        Tag::Image { dest_url, .. } if PICTURES.iter().any(|one| dest_url.ends_with(one)) => {
            format!("\\includegraphics[width=\\textwidth]{{{dest_url}}}\n{begin}")
        }
        _ => begin.to_owned(),
    }
}

/// What stands before and behind something.
fn around(tag: TagEnd) -> (&'static str, &'static str) {
    match tag {
        TagEnd::Heading(H2) => ("\\section*{", "}\n\n"),
        TagEnd::Heading(_) => ("\\subsection*{", "}\n\n"),
        TagEnd::Paragraph => ("", "\n\n"),
        TagEnd::CodeBlock => ("\\begin{verbatim}\n", "\\end{verbatim}\n\n"),
        TagEnd::List(false) => ("\\begin{itemize}\n", "\\end{itemize}\n\n"),
        TagEnd::List(true) => ("\\begin{enumerate}\n", "\\end{enumerate}\n\n"),
        TagEnd::Item => ("\\item ", "\n"),
        TagEnd::BlockQuote(_) => ("\\begin{quote}\n", "\\end{quote}\n\n"),
        TagEnd::Table => ("\\begin{tabular}", "\\end{tabular}\n\n"),
        TagEnd::TableHead => ("", "\\\\ \\hline\n"),
        TagEnd::TableRow => ("", "\\\\\n"),
        TagEnd::TableCell => ("", BETWEEN_CELLS),
        TagEnd::Strong => ("\\textbf{", "}"),
        TagEnd::Emphasis | TagEnd::Image => ("\\emph{", "}"),
        _ => ("", ""),
    }
}

fn escaped(text: &str) -> String {
    let words: Vec<&str> = CHARACTERS.split_whitespace().collect();
    let mut escaped = String::new();
    for one in text.chars() {
        let known = words.chunks_exact(2).find(|pair| pair[0].starts_with(one));
        match known {
            Some(pair) => escaped.push_str(pair[1]),
            None => escaped.push(one),
        }
    }
    escaped
}
