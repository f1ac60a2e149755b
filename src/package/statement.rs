//! The statement of a problem as HTML: Markdown, or plain text as it is.
//!
//! Whatever is in the file, nothing of it is markup of ours: HTML in it is shown as text, links lead
//! to web pages alone, and pictures are those of the package, put into the page.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::vec::IntoIter;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pulldown_cmark::HeadingLevel::H1;
use pulldown_cmark::{Alignment, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::samples::{NEXT, REMAINING};
use super::tree::Tree;
use crate::util::files::read_regular;

/// Where a statement may lie beside `statement.md`.
pub(super) const FOLDERS: [&str; 2] = ["statement", "problem_statement"];
/// What it may be called there, without its ending; another name is taken if there is none of
/// these.
const NAMES: [&str; 3] = ["statement", "problem", "problem.en"];
/// Its endings, the better one first.
const ENDINGS: [&str; 3] = ["md", "txt", "tex"];
/// The largest statement, in bytes.
const BYTES_MAX: u64 = 256 * 1024;
/// The largest picture of one, in bytes.
const PICTURE_BYTES_MAX: u64 = 512 * 1024;
/// All pictures of one together, in bytes.
const PICTURES_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Pictures that are shown, by their endings.
pub(super) const PICTURES: [(&str, &str); 6] = [
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
];
/// What of Markdown is understood.
pub(super) const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_MATH);
/// Addresses that a link may have.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

/// The statement of the package in a folder, with its samples where it wants them or at the end, if
/// it does not have them itself; `None` if there is none that can be shown.
pub(super) fn statement(
    root: &Path,
    tree: &Tree,
    samples: Option<Vec<String>>,
) -> Option<Arc<str>> {
    let file = find(tree)?;
    let bytes = tree.constants.file(&file, BYTES_MAX).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{FEFF}');
    let is_markdown = file.extension().is_some_and(|ending| ending == "md");
    let mut samples = samples.map(Vec::into_iter);
    let mut html = if is_markdown {
        let mut pictures = Pictures {
            root,
            folder: file.parent().unwrap_or(root),
            bytes: 0,
        };
        markdown(text, &mut pictures, samples.as_mut())
    } else {
        let mut html = String::new();
        let events = [
            Event::Start(Tag::CodeBlock(pulldown_cmark::CodeBlockKind::Indented)),
            Event::Text(text.into()),
            Event::End(TagEnd::CodeBlock),
        ];
        html::push_html(&mut html, events.into_iter());
        html
    };
    if html.trim().is_empty() {
        return None;
    }
    html.extend(samples.into_iter().flatten());
    Some(Arc::from(html))
}

/// The file of the statement.
pub(super) fn find(tree: &Tree) -> Option<PathBuf> {
    ENDINGS.iter().find_map(|ending| {
        let mut direct = tree.files("", &[ending]).into_iter();
        let direct = direct.find(|file| file.file_stem().is_some_and(|stem| stem == "statement"));
        let in_folder = |folder: &&str| {
            let files = tree.files(folder, &[ending]);
            let other = || files.iter().find(|file| !is_readme(file));
            named(&files).or_else(other).cloned()
        };
        direct.or_else(|| FOLDERS.iter().find_map(in_folder))
    })
}

/// That of these files which has the best of the names.
fn named(files: &[PathBuf]) -> Option<&PathBuf> {
    let is_called = |file: &&PathBuf, name| file.file_stem().is_some_and(|stem| stem == name);
    let mut names = NAMES.iter();
    names.find_map(|name| files.iter().find(|file| is_called(file, *name)))
}

/// The statement of a package as a PDF, in English where there are several.
pub(super) fn statement_in_pdf(tree: &Tree) -> Option<PathBuf> {
    let mut folders = ["", FOLDERS[0], FOLDERS[1]].into_iter();
    folders.find_map(|folder| {
        let files = tree.files(folder, &["pdf"]);
        let first = files.first().filter(|_| !folder.is_empty());
        named(&files).or(first).cloned()
    })
}

/// The name of the problem, where the statement is in LaTeX and says it.
pub(super) fn title_in_statement(tree: &Tree) -> Option<String> {
    let bytes = tree.constants.file(&find(tree)?, BYTES_MAX).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let (_, rest) = text.split_once("\\problemname{")?;
    let (name, _) = rest.split_once('}')?;
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

fn is_readme(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.to_ascii_lowercase().starts_with("readme")
}

/// Markdown as HTML that stands below a heading of the second level, with the samples for which it
/// has a place.
fn markdown(
    text: &str,
    pictures: &mut Pictures<'_>,
    samples: Option<&mut IntoIter<String>>,
) -> String {
    let mut events = Parser::new_ext(text, OPTIONS).peekable();
    // The page has the title already.
    let is_title =
        |event: &Event<'_>| matches!(event, Event::Start(Tag::Heading { level: H1, .. }));
    if events.next_if(is_title).is_some() {
        let is_inside = |event: &Event<'_>| !matches!(event, Event::End(TagEnd::Heading(_)));
        while events.next_if(is_inside).is_some() {}
        events.next();
    }
    let mut html = String::new();
    let mut open = Vec::new();
    let safe = events.filter_map(|event| harmless(event, &mut open, pictures));
    match samples {
        Some(samples) => html::push_html(&mut html, with_samples(safe, samples).into_iter()),
        None => html::push_html(&mut html, safe),
    }
    html
}

/// The same with samples in place of the paragraphs that stand for them.
fn with_samples<'t>(
    events: impl Iterator<Item = Event<'t>>,
    samples: &mut IntoIter<String>,
) -> Vec<Event<'t>> {
    let mut placed = Vec::new();
    for event in events {
        placed.push(event);
        let [
            ..,
            Event::Start(Tag::Paragraph),
            Event::Text(text),
            Event::End(TagEnd::Paragraph),
        ] = placed.as_slice()
        else {
            continue;
        };
        let shown: String = match &**text {
            NEXT => samples.next().unwrap_or_default(),
            REMAINING => samples.collect(),
            _ => continue,
        };
        placed.truncate(placed.len() - 3);
        placed.push(Event::Html(shown.into()));
    }
    placed
}

/// An event of which nothing is markup of ours. Of links and pictures that are `open`, each is kept
/// or not; the text of one that is not is shown.
fn harmless<'t>(
    event: Event<'t>,
    open: &mut Vec<bool>,
    pictures: &mut Pictures<'_>,
) -> Option<Event<'t>> {
    Some(match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::InlineMath(text) | Event::DisplayMath(text) => Event::Code(text),
        // Alignments would be styles within the page, which its policy forbids.
        Event::Start(Tag::Table(columns)) => {
            Event::Start(Tag::Table(vec![Alignment::None; columns.len()]))
        }
        Event::Start(Tag::Heading { level, .. }) => Event::Start(Tag::Heading {
            level: deeper(level),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        }),
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(deeper(level))),
        Event::Start(Tag::Link { ref dest_url, .. }) => {
            let is_kept = SCHEMES.iter().any(|scheme| dest_url.starts_with(scheme));
            open.push(is_kept);
            return is_kept.then_some(event);
        }
        Event::Start(Tag::Image {
            link_type,
            dest_url,
            title,
            id,
        }) => {
            let picture = pictures.embedded(&dest_url);
            open.push(picture.is_some());
            Event::Start(Tag::Image {
                link_type,
                dest_url: CowStr::from(picture?),
                title,
                id,
            })
        }
        Event::End(TagEnd::Link | TagEnd::Image) => return open.pop()?.then_some(event),
        other => other,
    })
}

/// A heading below one of the second level.
fn deeper(level: HeadingLevel) -> HeadingLevel {
    HeadingLevel::try_from((level as usize + 1).max(3)).unwrap_or(HeadingLevel::H6)
}

/// The pictures of a package.
struct Pictures<'a> {
    root: &'a Path,
    /// Where the statement lies.
    folder: &'a Path,
    bytes: usize,
}

impl Pictures<'_> {
    /// A picture as an address that holds all of it.
    fn embedded(&mut self, link: &str) -> Option<String> {
        let link = percent_encoding::percent_decode_str(link)
            .decode_utf8()
            .ok()?;
        let path = Path::new(link.as_ref());
        let is_below =
            |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if !path.components().all(is_below) {
            return None;
        }
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        let (_, kind) = PICTURES.iter().find(|(known, _)| *known == ending)?;
        // A link in the package does not lead out of it.
        let file = self.folder.join(path).canonicalize().ok()?;
        if !file.starts_with(self.root.canonicalize().ok()?) {
            return None;
        }
        let bytes = read_regular(&file, PICTURE_BYTES_MAX).ok()?;
        self.bytes += bytes.len();
        if self.bytes > PICTURES_BYTES_MAX {
            return None;
        }
        Some(format!("data:{kind};base64,{}", STANDARD.encode(bytes)))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use std::path::Path;
    use std::sync::Arc;

    use super::{BYTES_MAX, Tree};
    use crate::util::tests::files::write;

    fn statement(root: &Path) -> Option<Arc<str>> {
        let tree = Tree::read(root, &super::super::tree::Named::default()).unwrap();
        super::statement(root, &tree, None)
    }

    #[test]
    fn a_statement_is_found_where_people_put_it() {
        for (file, text, told) in [
            ("statement.md", "# Sum\n\nAdd *two*.", "<em>two</em>"),
            ("problem_statement/problem.en.md", "Add.", "<p>Add.</p>"),
            ("problem_statement/problem.tex", "\\it{<b>}", "&lt;b&gt;"),
            ("statement/problem.de.md", "Addiere.", "<p>Addiere.</p>"),
            ("statement.md", "{{nextsample}}", "<p>{{nextsample}}</p>"),
            ("statement.txt", "Add <two>", "<pre><code>Add &lt;two&gt;"),
        ] {
            let root = tempfile::tempdir().unwrap();
            write(root.path(), file, text);
            let html = statement(root.path()).unwrap();
            assert!(html.contains(told), "{html}");
            assert!(!html.contains("Sum"), "the page has the title: {html}");
        }
        let root = tempfile::tempdir().unwrap();
        assert_eq!(statement(root.path()), None);
        let large = vec![b'x'; usize::try_from(BYTES_MAX).unwrap() + 1];
        write(root.path(), "statement.md", large);
        assert_eq!(statement(root.path()), None);
    }

    #[test]
    fn nothing_in_a_statement_is_markup_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("sum");
        write(&root, "statement/a.svg", "<svg/>");
        write(folder.path(), "secret.png", "secret");
        symlink(folder.path().join("secret.png"), root.join("link.png")).unwrap();
        let text = "# Sum\n\n## Input\n\n<script>alert(1)</script> and <b onclick=x>bold</b>\n\n\
                    <div onmouseover=alert(2)>\n\n[a](javascript:alert(3)) [b](https://example.org/)\n\n\
                    ![one](statement/a.svg) ![two](../secret.png) ![three](link.png) ![four](https://example.org/x.png)\n\n\
                    | n | m |\n|:-:|---|\n| 1 | 2 |\n\n$a_1 < b_1$";
        write(&root, "statement.md", text);
        let html = statement(&root).unwrap();
        let good = "<h3>Input</h3>|&lt;script&gt;|href=\"https://example.org/\"|\
                    src=\"data:image/svg+xml;base64,|alt=\"one\"|two|four|<td>1</td>|\
                    <code>a_1 &lt; b_1</code>";
        for good in good.split('|') {
            assert!(html.contains(good), "{good} is not in {html}");
        }
        for bad in "<script|<b |<div|style|javascript:|secret.png|x.png|Sum".split('|') {
            assert!(!html.contains(bad), "{bad} is in {html}");
        }
        assert_eq!(html.matches("<img").count(), 1);
    }
}
