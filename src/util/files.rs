//! Files that are replaced whole, and reads that are bounded.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::crash::point;

/// Replaces a file in one step: a reader sees the old bytes or the new ones, also after a power cut.
/// Makes the folder if it is missing.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut scratch = tempfile::Builder::new()
        .prefix(".verdictd-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .tempfile_in(folder)?;
    scratch.write_all(bytes)?;
    scratch.as_file().sync_all()?;
    point("scratch written");
    scratch.persist(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}

/// Reads a regular file that may not be larger than `bytes_max`. A pipe with that name is refused, and never waited for.
pub fn read_regular(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let nonblocking = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(nonblocking)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    read_at_most(file, bytes_max)
}

/// Reads a file, or whatever a person names in its place, up to a bound.
pub fn read_bounded(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    read_at_most(File::open(path)?, bytes_max)
}

fn read_at_most(file: File, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("larger than {bytes_max} bytes"),
        ));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::{read_bounded, replace};

    #[test]
    fn replaced_whole_and_read_within_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/file");
        replace(&path, b"one").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(read_bounded(&path, 3).unwrap(), b"two");
        assert!(read_bounded(&path, 2).is_err());
        let names: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().collect();
        assert_eq!(names.len(), 1, "no scratch file is left");
    }
}
