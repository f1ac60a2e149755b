//! Names that are nobody's work: what editors, browsers, copying programs and systems leave, in any
//! folder.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

const TEMPORARY_NAME: &str = "a temporary file's";
const BACKUP_NAME: &str = "a backup's";

/// Names that editors, browsers, copying programs and systems leave for a moment or for themselves,
/// in any folder.
pub fn ignored(name: &OsStr) -> Option<&'static str> {
    const TEMPORARY: &[&[u8]] = &[
        b"~",
        b".swp",
        b".swo",
        b".swx",
        b".tmp",
        b".temp",
        b".part",
        b".partial",
        b".filepart",
        b".crdownload",
        b".download",
        b".opdownload",
        b"___jb_tmp___",
        b"___jb_old___",
    ];
    const BACKUP: &[&[u8]] = &[b".bak", b".orig"];
    const SYSTEM: &[&[u8]] = &[
        b"thumbs.db",
        b"desktop.ini",
        b"__macosx",
        b"__pycache__",
        b"lost+found",
    ];
    let name = name.as_bytes();
    let ends_in = |ends: &[&[u8]]| {
        ends.iter().any(|end| {
            name.len() >= end.len() && name[name.len() - end.len()..].eq_ignore_ascii_case(end)
        })
    };
    // Hidden names cover vim's `.x.swp`, rsync's `.x.cpp.AbC123`, `.goutputstream-…`, `.nfs…`,
    // `.#x` and `.DS_Store`.
    if name.first() == Some(&b'.') {
        Some("a hidden name")
    } else if ends_in(TEMPORARY)
        || name == b"4913"
        || name.starts_with(b"~$")
        || (name.len() > 1 && name.starts_with(b"#") && name.ends_with(b"#"))
    {
        Some(TEMPORARY_NAME)
    } else if ends_in(BACKUP) {
        Some(BACKUP_NAME)
    } else if SYSTEM.iter().any(|it| name.eq_ignore_ascii_case(it)) {
        Some("a system's own name")
    } else {
        None
    }
}

/// What a folder directly below the submissions folder is called where its name is one that is left
/// for a moment, or a backup's:
/// a whole student's folder must not be passed over in silence. Hidden folders and systems' own
/// hold nobody's work.
pub fn is_misplaced(folder: &OsStr) -> Option<&'static str> {
    ignored(folder).filter(|why| matches!(*why, TEMPORARY_NAME | BACKUP_NAME))
}
