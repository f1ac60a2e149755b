//! What to hand in instead of the files that people most often hand in by mistake.

use super::Known;

/// Extensions of source files that are named as examples.
const EXAMPLES_MAX: usize = 3;

/// Why a file with this extension is not a program here, and what to do.
pub(super) fn unknown_extension(stem: &str, extension: &str, known: &Known) -> String {
    let extension = extension.to_ascii_lowercase();
    let is_tar = stem.to_ascii_lowercase().ends_with(".tar");
    let shown = if is_tar {
        format!(".tar.{extension}")
    } else {
        format!(".{extension}")
    };
    let source = format!("the source file{}", examples(known));
    match extension.as_str() {
        "zip" | "rar" | "7z" | "tar" | "gz" | "tgz" | "bz2" | "xz" => {
            format!("a {shown} is an archive: unpack it and hand in {source}")
        }
        "docx" | "doc" | "odt" | "rtf" | "pages" => format!(
            "a {shown} is a word processor's document, which no compiler reads: copy the program into a plain text editor and hand in {source}"
        ),
        "pdf" | "png" | "jpg" | "jpeg" | "heic" => {
            format!("a {shown} is a picture of a program at best: hand in {source}")
        }
        "ipynb" => format!(
            "a {shown} is a notebook: save it as a script (in Jupyter: File, Save and Export Notebook As, Executable Script) and hand in that{}",
            spelled(known, "py")
        ),
        "class" | "jar" => format!(
            "a {shown} is compiled Java: hand in the source file{}",
            spelled(known, "java")
        ),
        "pyc" => format!(
            "a {shown} is compiled Python: hand in the source file{}",
            spelled(known, "py")
        ),
        "exe" | "o" | "obj" | "out" | "so" | "dll" | "a" => {
            format!("a {shown} is what a compiler makes: hand in {source}")
        }
        "txt" => format!(
            "a {shown} does not say in which language it is: end its name in the language's extension; {}",
            known.languages_text()
        ),
        _ => format!(
            "no language here has the extension {shown}; {}",
            known.languages_text()
        ),
    }
}

/// ` (.c, .cpp, …)`, from the languages that are offered.
fn examples(known: &Known) -> String {
    let mut offered = known
        .languages
        .iter()
        .filter(|language| language.unavailable.is_none())
        .filter_map(|language| language.extensions.first());
    let first: Vec<String> = offered
        .by_ref()
        .take(EXAMPLES_MAX)
        .map(|extension| format!(".{extension}"))
        .collect();
    match (first.is_empty(), offered.next()) {
        (true, _) => String::new(),
        (false, None) => format!(" ({})", first.join(", ")),
        (false, Some(_)) => format!(" ({}, …)", first.join(", ")),
    }
}

/// ` (.py)` where that is offered; the languages that are offered where it is not.
fn spelled(known: &Known, extension: &str) -> String {
    let is_offered = known
        .language(extension)
        .is_some_and(|(language, _)| language.unavailable.is_none());
    if is_offered {
        format!(" (.{extension})")
    } else {
        format!("; {}", known.languages_text())
    }
}
