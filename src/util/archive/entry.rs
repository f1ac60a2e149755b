//! What a zip file or a folder holds, as names that are safe to look at.
//!
//! No name from outside is ever joined to a path of ours: an import chooses its own names, and
//! keeps these only to tell people about them and to hand grades back.

/// Characters of a name that no archive of a platform needs.
const PATH_BYTES_MAX: usize = 1_024;
/// Folders inside folders.
const DEPTH_MAX: usize = 16;
/// What operating systems and editors leave in archives. Compared without regard to case.
const NOISE: [&str; 8] = [
    "__macosx",
    ".ds_store",
    "thumbs.db",
    "desktop.ini",
    ".git",
    ".ipynb_checkpoints",
    "node_modules",
    "__pycache__",
];

/// One entry of an archive that is not a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name exactly as the archive has it: grades go back under it.
    pub raw: Vec<u8>,
    /// The same as text, with `/` between its parts and none of them empty, `.` or `..`.
    pub path: String,
    /// What nobody may read it for: a link, a device, a path that leads elsewhere.
    pub refused: Option<&'static str>,
    /// Whether its contents are the target of a link.
    pub is_link: bool,
}

impl Entry {
    /// An entry of a zip file, whose names may come from any system.
    pub fn of_archive(raw: &[u8], text: &str, refused: Option<&'static str>) -> Self {
        // Windows' own tools write backslashes, which the format does not allow.
        let text = text.replace('\\', "/");
        let absolute = text.starts_with('/') || text.get(1..2) == Some(":");
        let parts: Vec<&str> = parts_of(&text).collect();
        let refused = refused.or(if absolute {
            Some("its path is absolute")
        } else if parts.contains(&"..") {
            Some("its path leads out of the archive")
        } else if parts.len() > DEPTH_MAX || text.len() > PATH_BYTES_MAX {
            Some("its path is too long")
        } else if text.chars().any(char::is_control) {
            Some("its name has control characters")
        } else {
            None
        });
        Self {
            raw: raw.to_owned(),
            path: parts.join("/"),
            refused,
            is_link: false,
        }
    }

    /// Whether it is what operating systems and editors leave behind, and nobody handed in.
    pub fn is_noise(&self) -> bool {
        parts_of(&self.path).any(|part| {
            part.starts_with("._") || NOISE.iter().any(|noise| part.eq_ignore_ascii_case(noise))
        })
    }

    /// The name as people read it, where it may be shown.
    pub fn shown(&self) -> String {
        crate::util::excerpt::visible_line(&self.path)
    }
}

fn parts_of(path: &str) -> impl Iterator<Item = &str> {
    path.split('/')
        .filter(|part| !part.is_empty() && *part != ".")
}

#[cfg(test)]
mod tests {
    use super::Entry;

    fn entry(name: &str) -> Entry {
        Entry::of_archive(name.as_bytes(), name, None)
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for (name, refused) in [
            ("/etc/passwd", "absolute"),
            ("C:\\b.py", "absolute"),
            ("\\\\host\\b.py", "absolute"),
            ("a/../../b.py", "out of the archive"),
            ("..\\b.py", "out of the archive"),
            ("a/b\u{7}.py", "control"),
            (&"a/".repeat(17), "too long"),
            (&"a".repeat(1_025), "too long"),
        ] {
            let found = entry(name).refused.unwrap();
            assert!(found.contains(refused), "{name}: {found}");
        }
        for name in ["a/b.py", "./a//b.py", "a..b/c.py"] {
            assert_eq!(entry(name).refused, None, "{name}");
        }
        assert_eq!(entry("./a\\\\b//c.py").path, "a/b/c.py");
    }

    #[test]
    fn what_systems_leave_behind_is_noise() {
        let noise =
            "__MACOSX/a/._b.py a/.DS_Store a/thumbs.DB repository/.git/config a/._curling.py";
        let others = "a/curling.py a/.gitignore a/git/b.py";
        for (names, expected) in [(noise, true), (others, false)] {
            for name in names.split(' ') {
                assert_eq!(entry(name).is_noise(), expected, "{name}");
            }
        }
    }
}
