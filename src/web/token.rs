//! The staff's token: read from its file, compared without telling how much of it was right, and
//! never kept as it is.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read;
use std::net::IpAddr;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::util::hash::Key;
use crate::util::sync::lock;

/// The shortest token, in characters.
const CHARACTERS_MIN: usize = 16;
/// The longest one.
const CHARACTERS_MAX: usize = 256;
/// The largest file.
const FILE_BYTES_MAX: u64 = 4 * 1024;
/// Rights of others on the file.
const OTHERS: u32 = 0o077;
/// Wrong tokens from one address per minute; after that, the address has to wait.
const FAILURES_MAX: u32 = 20;
/// The time after which wrong tokens are forgotten.
const FAILURES_WINDOW: Duration = Duration::from_mins(1);
/// Addresses whose wrong tokens are counted; with one more the oldest count is forgotten.
const PEERS_MAX: usize = 256;
/// The name of the cookie.
const COOKIE: &str = "verdictd-staff";

/// Why there is no staff view.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read.
    #[error("{}: {source}; make it: `openssl rand -hex 16 > FILE; chmod 600 FILE`", .file.display())]
    Read {
        file: PathBuf,
        source: std::io::Error,
    },
    /// Somebody else could read it.
    #[error("{}: others on this machine can read it (mode {mode:o}); `chmod 600` it", .file.display())]
    Open {
        file: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// What is in it is no token.
    #[error("{}: {reason}; `openssl rand -hex 16` makes a good one", .file.display())]
    Content { file: PathBuf, reason: String },
}

/// What the staff shows to be let in.
#[derive(Debug)]
pub struct Token {
    /// A digest, so that the token itself is nowhere in memory.
    digest: blake3::Hash,
    cookie: String,
    failures: Mutex<Failures>,
}

impl Token {
    /// Reads the token's file.
    pub fn read(file: &Path) -> Result<Self, TokenError> {
        let unreadable = |source| TokenError::Read {
            file: file.to_owned(),
            source,
        };
        let content = |reason: String| TokenError::Content {
            file: file.to_owned(),
            reason,
        };
        // A pipe in its place is not waited for.
        let nonblocking = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
        let mut options = File::options();
        options.read(true).custom_flags(nonblocking);
        let opened = options.open(file).map_err(unreadable)?;
        let metadata = opened.metadata().map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(content("it is not a file".to_owned()));
        }
        if metadata.mode() & OTHERS != 0 {
            return Err(TokenError::Open {
                file: file.to_owned(),
                mode: metadata.mode() & 0o7777,
            });
        }
        let mut text = String::new();
        opened
            .take(FILE_BYTES_MAX)
            .read_to_string(&mut text)
            .map_err(unreadable)?;
        Self::of(text.trim()).map_err(content)
    }

    fn of(text: &str) -> Result<Self, String> {
        let characters = text.chars().count();
        if !(CHARACTERS_MIN..=CHARACTERS_MAX).contains(&characters) {
            return Err(format!(
                "a token has {CHARACTERS_MIN} to {CHARACTERS_MAX} characters, and this one has {characters}"
            ));
        }
        if !text.chars().all(|character| character.is_ascii_graphic()) {
            return Err(
                "a token has only ASCII letters, digits and signs, and no spaces".to_owned(),
            );
        }
        // The browser keeps something else than the token: other programs on this machine get to
        // see its cookies.
        let cookie = Key::new("verdictd staff cookie")
            .part(text.as_bytes())
            .finish();
        Ok(Self {
            digest: blake3::hash(text.as_bytes()),
            cookie: cookie.to_string(),
            failures: Mutex::default(),
        })
    }

    /// Whether this is the token. It is compared however many wrong ones there were, so that nobody
    /// can lock others out.
    pub fn is(&self, text: &str) -> bool {
        // Two such digests take the same time to compare wherever they differ.
        blake3::hash(text.as_bytes()) == self.digest
    }

    /// Counts a wrong token from this address; whether there were too many lately.
    pub fn count_wrong(&self, peer: IpAddr, now: Instant) -> bool {
        let mut failures = lock(&self.failures);
        failures.count(peer.to_canonical(), now) > FAILURES_MAX
    }

    /// Whether a `Cookie` header has what this daemon has set. It has 256 bits; to guess it is
    /// hopeless, however often one tries.
    pub fn has_cookie(&self, header: &str) -> bool {
        header
            .split(';')
            .filter_map(|pair| pair.trim().split_once('='))
            .any(|(name, value)| {
                let digest = |text: &str| blake3::hash(text.as_bytes());
                name == COOKIE && digest(value) == digest(&self.cookie)
            })
    }

    /// The `Set-Cookie` header of somebody who has shown the token.
    pub fn set_cookie(&self) -> String {
        format!(
            "{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict",
            self.cookie
        )
    }
}

/// How often wrong tokens were shown lately, by address; the oldest count first.
#[derive(Debug, Default)]
struct Failures(VecDeque<Failed>);

#[derive(Debug)]
struct Failed {
    peer: IpAddr,
    since: Instant,
    count: u32,
}

impl Failures {
    /// One more from this address; how many that makes.
    fn count(&mut self, peer: IpAddr, now: Instant) -> u32 {
        let is_over =
            |failed: &Failed| now.saturating_duration_since(failed.since) >= FAILURES_WINDOW;
        while self.0.front().is_some_and(is_over) {
            self.0.pop_front();
        }
        if let Some(failed) = self.0.iter_mut().find(|failed| failed.peer == peer) {
            failed.count = failed.count.saturating_add(1);
            return failed.count;
        }
        if self.0.len() >= PEERS_MAX {
            self.0.pop_front();
        }
        let (since, count) = (now, 1);
        self.0.push_back(Failed { peer, since, count });
        count
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::net::{IpAddr, Ipv4Addr};
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, Instant};

    use super::{FAILURES_MAX, FAILURES_WINDOW, PEERS_MAX, Token};

    const GOOD: &str = "0123456789abcdef";

    #[test]
    fn only_the_token_lets_in() {
        let token = Token::of(GOOD).unwrap();
        assert!(token.is(GOOD));
        for wrong in ["", "0", "0123456789abcdeg", "0123456789abcdef0", "\0"] {
            assert!(!token.is(wrong), "{wrong:?}");
        }
        let cookie = token.set_cookie();
        let pair = cookie.split(';').next().unwrap();
        assert!(!cookie.contains(GOOD) && cookie.contains("HttpOnly"));
        assert!(token.has_cookie(pair));
        assert!(token.has_cookie(&format!("a=b; {pair}; c=d")));
        let [longer, other] = [format!("{pair}0"), format!("x{pair}")];
        for wrong in ["", "verdictd-staff=", &longer, &other] {
            assert!(!token.has_cookie(wrong), "{wrong}");
        }
        assert!(!Token::of("another-token-of-16").unwrap().has_cookie(pair));
    }

    #[test]
    fn whoever_shows_many_wrong_tokens_waits_and_nobody_else() {
        let token = Token::of(GOOD).unwrap();
        let now = Instant::now();
        let [mallory, alice] = [1, 2].map(|last| IpAddr::from([192, 0, 2, last]));
        for _ in 0..FAILURES_MAX {
            assert!(!token.count_wrong(mallory, now));
        }
        assert!(token.count_wrong(mallory, now));
        assert!(!token.count_wrong(alice, now));
        assert!(token.is(GOOD), "the right one always lets in");
        let later = now + FAILURES_WINDOW.saturating_sub(Duration::from_millis(1));
        assert!(token.count_wrong(mallory, later));
        assert!(!token.count_wrong(mallory, now + FAILURES_WINDOW));
        // Only so many addresses are remembered.
        for number in 0..10_000u32 {
            token.count_wrong(Ipv4Addr::from_bits(number).into(), now);
        }
        assert_eq!(token.failures.lock().unwrap().0.len(), PEERS_MAX);
    }

    #[test]
    fn a_file_that_is_no_secret_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        let said = |text: &str, mode| {
            std::fs::write(&file, text).unwrap();
            std::fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            Token::read(&file).map_err(|error| error.to_string())
        };
        assert!(said(&format!("{GOOD}\n"), 0o600).is_ok());
        assert!(said(GOOD, 0o640).unwrap_err().contains("mode 640"));
        assert!(said("short\n", 0o600).unwrap_err().contains("has 5"));
        let spaces = said("0123456789 abcdef", 0o600).unwrap_err();
        assert!(spaces.contains("spaces"), "{spaces}");
        assert!(said(&"x".repeat(5_000), 0o600).is_err());
        let missing = Token::read(&folder.path().join("none")).unwrap_err();
        assert!(missing.to_string().contains("openssl rand"), "{missing}");
    }
}
