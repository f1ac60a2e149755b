//! The files of a view's folder, and nothing else. Names come from the address only after they have
//! been checked as names; no link is followed, no folder and no pipe is opened.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use rustix::fs::{Mode, OFlags, open, openat};

use super::answer::{answer, not_found};
use super::gate::REPORT_POLICY;
use super::state::{Asked, Dashboard};
use crate::domain::{Attempt, ProblemSlug, Student};
use crate::exports::course_files;
use crate::report::content_type_of;

/// The type of a page that is a file.
const PAGE: &str = "html";

/// What is read of a file at a time.
const PIECE_BYTES: usize = 64 * 1024;
/// What is held of a file at a time: the piece that is read, the one that waits, and the one that
/// is written.
const HELD_BYTES_MAX: u64 = 3 * PIECE_BYTES as u64;

/// A file of the view's folder.
pub fn report(dashboard: &Arc<Dashboard>, asked: &Asked) -> Response {
    match &dashboard.folder {
        Some(folder) if !dashboard.hides(&asked.names) => {
            file(dashboard, folder, asked.names.clone())
        }
        _ => not_found(),
    }
}

/// A file below a folder of reports, by its names from there on.
pub fn file(dashboard: &Dashboard, folder: &Path, names: Vec<String>) -> Response {
    let found = wanted(names);
    let found = found.and_then(|(names, kind)| plain(dashboard, folder, &names, kind));
    found.map_or_else(not_found, |response| {
        ([(CONTENT_SECURITY_POLICY, REPORT_POLICY)], response).into_response()
    })
}

/// A PDF of a package, which a browser keeps as a file of this name.
pub fn download(dashboard: &Dashboard, file: &Path, name: &str) -> Response {
    let names = file.file_name().and_then(|name| name.to_str());
    let names: Vec<String> = names.map(str::to_owned).into_iter().collect();
    let folder = file.parent().unwrap_or(Path::new(""));
    let response = plain(dashboard, folder, &names, "application/pdf");
    let disposition = format!("attachment; filename=\"{name}\"");
    response.map_or_else(not_found, |response| {
        ([(CONTENT_DISPOSITION, disposition)], response).into_response()
    })
}

/// A plain file below a folder, by names that are checked; `None` where there is none.
pub fn plain(
    dashboard: &Dashboard,
    folder: &Path,
    names: &[String],
    content_type: &'static str,
) -> Option<Response> {
    let (file, length) = open_below(folder, names).ok()?;
    let response = answer(StatusCode::OK, content_type, body(file, length));
    let response = ([(CONTENT_LENGTH, length)], response).into_response();
    Some(dashboard.bodies.hold(response, HELD_BYTES_MAX))
}

/// The file that the names of a path after `/reports/` ask for: the names from the folder on, each
/// checked to be no more than a name, and what it is. None where it can be no file of ours.
///
/// - `index.html` and the files of the whole course: the folder's own,
/// - `STUDENT/index.html`, `problems/PROBLEM.html`,
/// - `STUDENT/PROBLEM/ATTEMPT.ENDING`, and without the ending the page.
///
/// Names stand in it as the folder spells them, so that the links between the files hold.
fn wanted(mut names: Vec<String>) -> Option<(Vec<String>, &'static str)> {
    // What a file or a folder may be called: a student, a problem, or a name of our own that looks
    // like one.
    for name in &names {
        Student::new(name).ok()?;
    }
    let content_type = match names.as_mut_slice() {
        [file] => match course_files().find(|known| known.name == file) {
            Some(known) => known.content_type,
            None => (file == "index.html").then(|| content_type_of(PAGE))??,
        },
        [_, page] => page
            .strip_suffix(".html")
            .and_then(|_| content_type_of(PAGE))?,
        [_, problem, report] => {
            ProblemSlug::new(problem.trim_end_matches('~')).ok()?;
            let (number, ending) = match report.split_once('.') {
                Some((number, ending)) => (number, ending.to_owned()),
                None => (report.as_str(), PAGE.to_owned()),
            };
            attempt(number)?;
            *report = format!("{number}.{ending}");
            content_type_of(&ending)?
        }
        _ => return None,
    };
    Some((names, content_type))
}

fn attempt(text: &str) -> Option<Attempt> {
    let number: Attempt = text.parse().ok()?;
    // `+1` and `01` would be second names of one file.
    (number >= 1 && number.to_string() == text).then_some(number)
}

/// Opens a file below a folder, name by name. It may be of any size, as the event feed of a long
/// course is: no more of it than a few pieces is ever held.
fn open_below(folder: &Path, names: &[String]) -> io::Result<(File, u64)> {
    let (last, folders) = names.split_last().ok_or(io::ErrorKind::NotFound)?;
    let as_folder = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    // The folder itself is what config.toml says, and may be a link.
    let mut place = open(folder, as_folder, Mode::empty())?;
    for name in folders {
        place = openat(
            &place,
            name.as_str(),
            as_folder | OFlags::NOFOLLOW,
            Mode::empty(),
        )?;
    }
    let as_file = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(&place, last.as_str(), as_file, Mode::empty())?);
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok((file, metadata.len()))
}

/// A file as a body, read as fast as it is taken.
fn body(file: File, length: u64) -> Body {
    let file = Arc::new(file);
    Body::from_stream(stream::try_unfold(length, move |left| {
        let file = Arc::clone(&file);
        async move {
            if left == 0 {
                return Ok(None);
            }
            let read = tokio::task::spawn_blocking(move || piece(&file, left)).await;
            let bytes = read.map_err(io::Error::other)??;
            let left = left - bytes.len() as u64;
            Ok::<_, io::Error>(Some((bytes, left)))
        }
    }))
}

fn piece(file: &File, left: u64) -> io::Result<Bytes> {
    let mut bytes = Vec::with_capacity(PIECE_BYTES);
    file.take(left.min(PIECE_BYTES as u64))
        .read_to_end(&mut bytes)?;
    if bytes.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Bytes::from(bytes))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use percent_encoding::percent_decode_str;
    use proptest::prelude::*;

    use super::{PIECE_BYTES, open_below, piece};
    use crate::overview::pages::encoded;
    use crate::util::tests::files::write;
    use crate::util::tests::trials::trials;

    fn decoded(part: &str) -> Option<String> {
        Some(percent_decode_str(part).decode_utf8().ok()?.into_owned())
    }

    /// As the router parts a path: each name is decoded by itself.
    fn file(path: &str) -> Option<(Vec<String>, &'static str)> {
        super::wanted(path.split('/').map(decoded).collect::<Option<_>>()?)
    }

    #[test]
    fn paths_of_reports_are_files() {
        for (path, found, kind) in [
            ("index.html", "index.html", "text/html"),
            ("gradebook.csv", "gradebook.csv", "text/csv"),
            ("results.xml", "results.xml", "application/xml"),
            ("event-feed.ndjson", "event-feed.ndjson", "application"),
            ("problems/sum.html", "problems/sum.html", "text/html"),
            ("ada/sum/1", "ada/sum/1.html", "text/html"),
            ("ada/sum/12.txt", "ada/sum/12.txt", "text/plain"),
            ("a/b/1.gradescope.json", "a/b/1.gradescope.json", "app"),
            ("%E5%AD%A6%20a/b~/3.json", "学 a/b~/3.json", "application"),
        ] {
            let (names, content_type) = file(path).unwrap_or_else(|| panic!("{path}"));
            assert_eq!(names.join("/"), found);
            assert!(content_type.starts_with(kind), "{path}");
        }
    }

    proptest! {
        #![proptest_config(trials(256))]

        #[test]
        fn what_is_written_is_read_back(name in "\\PC{1,60}") {
            prop_assert_eq!(decoded(&encoded(&name)), Some(name));
        }

        #[test]
        fn no_path_leaves_its_folder(path in "[a.%20eE5cCfF/\\\\~ ]{0,24}(\\.html)?") {
            if let Some((names, _)) = file(&path) {
                for name in names {
                    prop_assert!(!name.contains(['/', '\\', '\0']) && !name.starts_with('.'), "{}", name);
                }
            }
        }
    }

    #[test]
    fn only_plain_files_of_the_folder_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("reports");
        write(&root, "alpha/curling/1.html", "good");
        write(folder.path(), "secret.html", "secret");
        let secret = folder.path().join("secret.html");
        symlink(secret, root.join("alpha/link.html")).unwrap();
        symlink(folder.path(), root.join("out")).unwrap();
        std::fs::create_dir(root.join("alpha/folder.html")).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o644);
        let pipe = root.join("alpha/pipe.html");
        rustix::fs::mkfifoat(rustix::fs::CWD, pipe, mode).unwrap();
        let open = |path: &str| {
            let names: Vec<String> = path.split_terminator('/').map(str::to_owned).collect();
            open_below(&root, &names)
        };
        let (file, length) = open("alpha/curling/1.html").unwrap();
        let text = std::io::read_to_string(file).unwrap();
        assert_eq!((text.as_str(), length), ("good", 4));
        // A large one, of which nothing is on the disk.
        let large = 1 << 33;
        let feed = std::fs::File::create(root.join("event-feed.ndjson")).unwrap();
        feed.set_len(large).unwrap();
        let (file, length) = open("event-feed.ndjson").unwrap();
        assert_eq!(length, large);
        assert_eq!(piece(&file, length).unwrap().len(), PIECE_BYTES);
        let others = "alpha/link.html|out/secret.html|alpha/folder.html|alpha/pipe.html|\
                      alpha/none.html|none/x.html|";
        for path in others.split('|') {
            assert!(open(path).is_err(), "{path}");
        }
    }
}
