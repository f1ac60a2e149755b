//! What keeps a running daemon from its work, for `verdictd status`: a file beside the store, which
//! cannot be written to when it is the store's own disk that is full.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::util::excerpt::visible_line;

const FILE: &str = "trouble";
/// Its size never changes, so that there is room for it on a full disk.
const BYTES: usize = 4096;
const FILLING: u8 = b' ';

/// The file, open for writing.
#[derive(Debug)]
pub(super) struct TroubleFile {
    file: File,
    told: Vec<String>,
}

impl TroubleFile {
    /// Takes the room that it will need; nothing is the matter yet.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join(FILE))?;
        let opened = Self {
            file,
            told: Vec::new(),
        };
        opened.write()?;
        Ok(opened)
    }

    /// Says what is the matter now, if that has changed.
    pub fn tell(&mut self, lines: Vec<String>) -> io::Result<()> {
        if self.told == lines {
            return Ok(());
        }
        self.told = lines;
        self.write()
    }

    fn write(&self) -> io::Result<()> {
        let mut bytes = Vec::new();
        for line in &self.told {
            let line = visible_line(line);
            if bytes.len() + line.len() + 1 > BYTES {
                break;
            }
            bytes.extend(line.as_bytes());
            bytes.push(b'\n');
        }
        bytes.resize(BYTES, FILLING);
        self.file.write_all_at(&bytes, 0)
    }
}

/// What the daemon that holds this folder said last.
pub fn read_trouble(folder: &Path) -> Vec<String> {
    let mut bytes = [FILLING; BYTES];
    let read = File::open(folder.join(FILE)).and_then(|file| file.read_at(&mut bytes, 0));
    let length = read.unwrap_or(0);
    String::from_utf8_lossy(&bytes[..length])
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .map(visible_line)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{BYTES, TroubleFile, read_trouble};

    #[test]
    fn what_is_told_last_is_read_and_the_file_never_grows() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read_trouble(folder.path()), [""; 0]);
        let mut file = TroubleFile::open(folder.path()).unwrap();
        assert_eq!(read_trouble(folder.path()), [""; 0]);
        let long = "x".repeat(BYTES);
        for lines in [
            vec!["the disk is full".to_owned(), "two\nlines".to_owned()],
            vec!["one".to_owned()],
            vec!["one".to_owned(), long],
            Vec::new(),
        ] {
            file.tell(lines.clone()).unwrap();
            let read = read_trouble(folder.path());
            let expected = lines.iter().filter(|line| line.len() < BYTES);
            assert_eq!(read.len(), expected.count(), "{read:?}");
            assert_eq!(read.is_empty(), lines.is_empty());
            let size = std::fs::metadata(folder.path().join("trouble"));
            assert_eq!(size.unwrap().len(), BYTES as u64);
        }
    }
}
