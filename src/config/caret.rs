//! A complaint about a place of a text, with the line itself, a caret below it, and the way out.

use std::ops::Range;
use std::path::Path;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::domain::Complaint;

/// A complaint about a place of a text.
pub(super) fn complaint(
    file: &Path,
    text: &str,
    span: Range<usize>,
    message: String,
    help: Option<String>,
) -> Complaint {
    let span = within_one_line(text, span);
    let before = &text[..span.start];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.matches('\n').count() + 1;
    let column = before[line_start..].chars().count() + 1;
    let excerpt = rendered(file, text, span, &message, help.as_deref());
    Complaint {
        help,
        excerpt: Some(excerpt),
        ..Complaint::new(file, message).at(line, column)
    }
}

/// The text of a file's bytes.
pub fn text_of<'b>(bytes: &'b [u8], file: &Path) -> Result<&'b str, Complaint> {
    std::str::from_utf8(bytes).map_err(|error| {
        let (before, rest) = bytes.split_at(error.valid_up_to());
        let line = before.split(|&byte| byte == b'\n').count();
        let byte = rest[0];
        Complaint::new(
            file,
            format!("it is not UTF-8: the byte {byte:#04x} in line {line} begins no character"),
        )
        .at(line, 1)
        .with_help("save the file as UTF-8")
    })
}

/// A span that lies on character boundaries and ends where its first line ends: a table of twenty
/// lines needs one caret, not twenty.
fn within_one_line(text: &str, span: Range<usize>) -> Range<usize> {
    let boundary = |at: usize| {
        (0..=at.min(text.len()))
            .rev()
            .find(|&at| text.is_char_boundary(at))
            .unwrap_or(0)
    };
    let start = boundary(span.start);
    let end = boundary(span.end).max(start);
    let length = text[start..end].find(['\r', '\n']).unwrap_or(end - start);
    start..start + length
}

fn rendered(
    file: &Path,
    text: &str,
    span: Range<usize>,
    message: &str,
    help: Option<&str>,
) -> String {
    let file = file.display().to_string();
    let snippet = Snippet::source(text)
        .path(file.as_str())
        .annotation(AnnotationKind::Primary.span(span));
    // Whoever shows it says what it is.
    let mut group = Level::ERROR
        .no_name()
        .primary_title(message)
        .element(snippet);
    if let Some(help) = help {
        group = group.element(Level::HELP.message(help));
    }
    Renderer::plain().render(&[group])
}
