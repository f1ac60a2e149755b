//! The file with which a worker or a course proves who it is. Whoever has it is believed, so a file
//! that others may read is refused.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use nkeys::{KeyPair, KeyPairType};
use serde::{Deserialize, Serialize};

use crate::cluster::subjects::Name;
use crate::domain::{Complaint, words};
use crate::util::files::{read_regular, replace_private};

/// The largest file: a few certificates.
const BYTES_MAX: u64 = 64 * 1024;

/// What a credentials file says. It is not `Debug`, because it is secret.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    /// The name on the server.
    pub name: Name,
    /// Whose they are.
    pub role: Role,
    /// The server's address.
    pub url: String,
    /// The secret key.
    pub(super) seed: String,
    /// Who vouches for the server, as PEM.
    pub(super) certificate: String,
}

impl Credentials {
    /// Reads a file.
    pub fn load(file: &Path, needed: Role) -> Result<Self, Complaint> {
        let wrong = |reason: String| Complaint::new(file, reason);
        let broken = |reason: String| {
            let needed = needed.word();
            wrong(reason).with_help(format!(
                "`verdictd cluster add-{needed}` writes such a file"
            ))
        };
        let bytes = read_regular(file, BYTES_MAX).map_err(|error| broken(error.to_string()))?;
        let about = std::fs::metadata(file).map_err(|error| broken(error.to_string()))?;
        if about.mode() & 0o007 != 0 {
            let words = "others on this machine may read it, and act with it: `chmod 600` it, and have it replaced if somebody has read it";
            return Err(wrong(words.to_owned()));
        }
        // The words of the error alone: with the line beside it may have the secret.
        let read = toml::from_slice(&bytes).map_err(|error| broken(error.message().to_owned()));
        let read: Self = read?;
        let key = KeyPair::from_seed(&read.seed);
        if !key.is_ok_and(|key| key.key_pair_type() == KeyPairType::User) {
            return Err(broken("`seed` is not the secret key of a user".to_owned()));
        }
        if read.role != needed {
            return Err(wrong(format!(
                "these are the credentials of a {}, and those of a {} are needed here",
                read.role.word(),
                needed.word()
            )));
        }
        Ok(read)
    }

    /// Writes a file. One that is there is of no use: the server does not know whose it is.
    pub(super) fn write(&self, file: &Path) -> io::Result<()> {
        let text = toml::to_string(self).map_err(io::Error::other)?;
        let head = format!(
            "# The credentials of the {0} {1} for verdictd. Whoever has this file can act as that {0}:\n\
             # move it to its machine and keep it from everybody else.\n",
            self.role.word(),
            self.name
        );
        replace_private(file, (head + &text).as_bytes())
    }
}

words! {
    /// Whose credentials they are.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Role by word {
        /// `verdictd worker`.
        Worker = "worker",
        /// `verdictd serve`.
        Course = "course",
    }
}

#[cfg(test)]
pub mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use nkeys::KeyPair;

    use super::{Credentials, Role};
    use crate::cluster::subjects::Name;

    pub fn credentials() -> Credentials {
        Credentials {
            name: Name::new("lab-07").unwrap(),
            role: Role::Worker,
            url: "tls://grader:4222".to_owned(),
            seed: KeyPair::new_user().seed().unwrap(),
            certificate: "-----BEGIN CERTIFICATE-----\n".to_owned(),
        }
    }

    fn complaint(file: &std::path::Path, role: Role) -> String {
        let error = Credentials::load(file, role).err();
        error.map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn what_is_written_is_read_and_nobody_else_may_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lab-07.creds");
        let written = credentials();
        written.write(&file).unwrap();
        let read = Credentials::load(&file, Role::Worker).unwrap_or_else(|error| panic!("{error}"));
        assert!(read.seed == written.seed && read.certificate == written.certificate);
        let wrong = complaint(&file, Role::Course);
        assert!(wrong.contains("of a worker"), "{wrong}");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let open = complaint(&file, Role::Worker);
        assert!(open.contains("chmod 600"), "{open}");
    }

    #[test]
    fn broken_files_are_named_and_their_secrets_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lab-07.creds");
        let missing = complaint(&file, Role::Worker);
        assert!(missing.contains("lab-07.creds: ") && missing.contains("add-worker"));
        credentials().write(&file).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let seed = text.split('"').find(|part| part.starts_with("SU")).unwrap();
        for (from, to, says) in [
            ("lab-07\"", "Lab 07\"", "`Lab 07` is not a valid name"),
            ("\"worker\"", "\"boss\"", "unknown variant `boss`"),
            (seed, "SUAB", "`seed` is not"),
            (seed, "SUAB\" \"", "expected"),
            ("url = ", "ulr = ", "unknown field `ulr`"),
        ] {
            fs::write(&file, text.replace(from, to)).unwrap();
            let wrong = complaint(&file, Role::Worker);
            assert!(wrong.contains(says), "{to}: {wrong}");
            assert!(!wrong.contains("SUA"), "{wrong}");
        }
    }
}
