//! A statement in Markdown as one in LaTeX, which other systems read.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};

use super::super::statement::OPTIONS;

/// Pictures that LaTeX reads, by their endings.
const PICTURES: [&str; 4] = ["png", "jpg", "jpeg", "pdf"];
/// Characters with a meaning or without a glyph of their own, and what stands for them.
const CHARACTERS: [(char, &str); 24] = [
    ('\\', "\\textbackslash{}"),
    ('{', "\\{"),
    ('}', "\\}"),
    ('$', "\\$"),
    ('&', "\\&"),
    ('#', "\\#"),
    ('%', "\\%"),
    ('_', "\\_"),
    ('^', "\\textasciicircum{}"),
    ('~', "\\textasciitilde{}"),
    ('<', "\\textless{}"),
    ('>', "\\textgreater{}"),
    ('"', "\\textquotedbl{}"),
    ('«', "\\guillemotleft{}"),
    ('»', "\\guillemotright{}"),
    ('≤', "$\\le$"),
    ('≥', "$\\ge$"),
    ('≠', "$\\ne$"),
    ('×', "$\\times$"),
    ('·', "$\\cdot$"),
    ('→', "$\\to$"),
    ('∞', "$\\infty$"),
    ('∈', "$\\in$"),
    ('−', "$-$"),
];
/// Digits above the line, in their order.
const SUPERSCRIPTS: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/// Latin letters, and the dashes and quotes of text.
const HAS_GLYPH: [std::ops::RangeInclusive<char>; 2] = ['\0'..='\u{17F}', '\u{2013}'..='\u{2026}'];

/// The statement, and how many of its characters LaTeX has no glyph for.
pub fn latex(title: &str, markdown: &str) -> (String, usize) {
    let mut text = format!("\\problemname{{{}}}\n\n", escaped(title));
    let (mut is_title, mut is_verbatim) = (false, false);
    for event in Parser::new_ext(markdown, OPTIONS) {
        match event {
            Event::Start(Tag::Heading { level, .. }) if level == HeadingLevel::H1 => {
                is_title = true
            }
            Event::End(TagEnd::Heading(HeadingLevel::H1)) => is_title = false,
            // \problemname has it.
            _ if is_title => {}
            Event::Start(tag) => {
                is_verbatim |= matches!(tag, Tag::CodeBlock(_));
                text.push_str(&begin(&tag));
            }
            Event::End(tag) => {
                is_verbatim &= tag != TagEnd::CodeBlock;
                if matches!(tag, TagEnd::TableHead | TagEnd::TableRow) {
                    // What is between cells stands behind the last one too.
                    text.truncate(text.trim_end_matches(BETWEEN_CELLS).len());
                }
                text.push_str(end(tag));
            }
            Event::Text(raw) if is_verbatim => text.push_str(&raw),
            Event::Text(raw) | Event::Html(raw) | Event::InlineHtml(raw) => {
                text.push_str(&escaped(&raw));
            }
            Event::Code(raw) => text.push_str(&format!("\\texttt{{{}}}", escaped(&raw))),
            Event::InlineMath(raw) => text.push_str(&format!("${raw}$")),
            Event::DisplayMath(raw) => text.push_str(&format!("\\[{raw}\\]")),
            Event::SoftBreak => text.push('\n'),
            Event::HardBreak => text.push_str("\\newline\n"),
            _ => {}
        }
    }
    let has_glyph = |one: &char| HAS_GLYPH.iter().any(|range| range.contains(one));
    let lost = text.chars().filter(|one| !has_glyph(one)).count();
    let text = text
        .chars()
        .map(|one| if has_glyph(&one) { one } else { '?' });
    (text.collect(), lost)
}

const BETWEEN_CELLS: &str = " & ";

fn begin(tag: &Tag<'_>) -> String {
    match tag {
        Tag::Heading { level, .. } if *level == HeadingLevel::H2 => "\\section*{".to_owned(),
        Tag::Heading { .. } => "\\subsection*{".to_owned(),
        Tag::CodeBlock(CodeBlockKind::Indented | CodeBlockKind::Fenced(_)) => {
            "\\begin{verbatim}\n".to_owned()
        }
        Tag::List(None) => "\\begin{itemize}\n".to_owned(),
        Tag::List(Some(_)) => "\\begin{enumerate}\n".to_owned(),
        Tag::Item => "\\item ".to_owned(),
        Tag::BlockQuote(_) => "\\begin{quote}\n".to_owned(),
        Tag::Table(columns) => {
            format!("\\begin{{tabular}}{{{}}}\n", "l".repeat(columns.len()))
        }
        Tag::Emphasis => "\\emph{".to_owned(),
        Tag::Strong => "\\textbf{".to_owned(),
        Tag::Link { dest_url, .. } => format!("\\href{{{}}}{{", escaped(dest_url)),
        Tag::Image { dest_url, .. } => {
            let ending = dest_url.rsplit('.').next().unwrap_or_default();
            let is_read = PICTURES.contains(&ending.to_ascii_lowercase().as_str());
            let shown = format!("\\includegraphics[width=\\textwidth]{{{dest_url}}}\n");
            format!("{}\\emph{{", if is_read { &shown } else { "" })
        }
        _ => String::new(),
    }
}

fn end(tag: TagEnd) -> &'static str {
    match tag {
        TagEnd::Heading(_) => "}\n\n",
        TagEnd::Paragraph => "\n\n",
        TagEnd::CodeBlock => "\\end{verbatim}\n\n",
        TagEnd::List(false) => "\\end{itemize}\n\n",
        TagEnd::List(true) => "\\end{enumerate}\n\n",
        TagEnd::Item => "\n",
        TagEnd::BlockQuote(_) => "\\end{quote}\n\n",
        TagEnd::Table => "\\end{tabular}\n\n",
        TagEnd::TableHead => "\\\\ \\hline\n",
        TagEnd::TableRow => "\\\\\n",
        TagEnd::TableCell => BETWEEN_CELLS,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image => "}",
        _ => "",
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for one in text.chars() {
        match CHARACTERS.iter().find(|(known, _)| *known == one) {
            Some((_, words)) => escaped.push_str(words),
            None => match SUPERSCRIPTS.chars().position(|digit| digit == one) {
                Some(digit) => escaped.push_str(&format!("$^{digit}$")),
                None => escaped.push(one),
            },
        }
    }
    escaped
}
