//! The files of a view's folder, and nothing else: no link is followed, no folder and no pipe is
//! opened.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use futures_util::stream;
use rustix::fs::{Mode, OFlags, open, openat};

/// What is read of a file at a time.
const PIECE_BYTES: usize = 64 * 1024;
/// What is held of a file at a time: the piece that is read, the one that waits, and the one that
/// is written.
pub const HELD_BYTES_MAX: u64 = 3 * PIECE_BYTES as u64;

/// Opens a file below a folder, name by name. It may be of any size, as the event feed of a long
/// course is: no more of it than a few pieces is ever held.
pub fn open_below(folder: &Path, names: &[String]) -> io::Result<(File, u64)> {
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
pub fn body(file: File, length: u64) -> Body {
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
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use super::{PIECE_BYTES, open_below, piece};

    #[test]
    fn only_plain_files_of_the_folder_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("reports");
        std::fs::create_dir_all(root.join("alpha/curling")).unwrap();
        std::fs::write(root.join("alpha/curling/1.html"), "good").unwrap();
        std::fs::write(folder.path().join("secret.html"), "secret").unwrap();
        symlink(
            folder.path().join("secret.html"),
            root.join("alpha/link.html"),
        )
        .unwrap();
        symlink(folder.path(), root.join("out")).unwrap();
        std::fs::create_dir(root.join("alpha/folder.html")).unwrap();
        let pipe = std::process::Command::new("mkfifo")
            .arg(root.join("alpha/pipe.html"))
            .status()
            .unwrap();
        assert!(pipe.success());
        let open = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            open_below(&root, &names)
        };
        let (mut file, length) = open(&["alpha", "curling", "1.html"]).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), length), ("good", 4));
        // A large one, of which nothing is on the disk.
        let large = 1 << 33;
        let feed = std::fs::File::create(root.join("event-feed.ndjson")).unwrap();
        feed.set_len(large).unwrap();
        let (file, length) = open(&["event-feed.ndjson"]).unwrap();
        assert_eq!(length, large);
        assert_eq!(piece(&file, length).unwrap().len(), PIECE_BYTES);
        for names in [
            &["alpha", "link.html"][..],
            &["out", "secret.html"],
            &["alpha", "folder.html"],
            &["alpha", "pipe.html"],
            &["alpha", "none.html"],
            &["none", "x.html"],
            &[],
        ] {
            assert!(open(names).is_err(), "{names:?}");
        }
    }
}
