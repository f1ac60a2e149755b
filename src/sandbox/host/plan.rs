//! From what the machine offers and what the configuration allows to what is enforced, or to a
//! refusal that explains itself. Pure.

use std::collections::BTreeSet;
use std::fmt;

use crate::domain::Digest;
use crate::sandbox::protection::{ALLOWED_MISSING, Hold, Protection};
use crate::util::hash::Key;

/// Changes when what the sandbox does changes in a way that can change what is measured.
const POLICY_VERSION: u64 = 5;

/// Why the sandbox does not open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The protections that are not on and not allowed to be.
    pub missing: Vec<Protection>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "this machine cannot run untrusted programs safely as things are:"
        )?;
        for protection in &self.missing {
            let word = match protection.hold {
                Hold::Weak => "weak",
                _ => "missing",
            };
            writeln!(f, "  {} is {word}: {}", protection.name, protection.how)?;
            if let Some(fix) = &protection.fix {
                writeln!(f, "    to fix it: {fix}")?;
            }
        }
        let (never, may): (Vec<_>, Vec<_>) = self
            .missing
            .iter()
            .map(|protection| protection.name)
            .partition(|name| !ALLOWED_MISSING.contains(name));
        if !may.is_empty() {
            let list: Vec<String> = may.iter().map(|name| format!("\"{name}\"")).collect();
            writeln!(f, "to run without, write in config.toml:")?;
            writeln!(f, "  [sandbox]")?;
            writeln!(f, "  allow_missing = [{}]", list.join(", "))?;
        }
        if !never.is_empty() {
            writeln!(f, "without {} there is no sandbox", never.join(", "))?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

/// Refuses unless every protection is on or allowed to be missing.
pub fn decide(found: &[Protection], allow_missing: &BTreeSet<String>) -> Result<(), Refusal> {
    let missing: Vec<Protection> = found
        .iter()
        .filter(|protection| protection.hold != Hold::On)
        .filter(|protection| {
            !ALLOWED_MISSING.contains(&protection.name) || !allow_missing.contains(protection.name)
        })
        .cloned()
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Refusal { missing })
    }
}

/// A digest of what is enforced.
pub fn policy_digest(found: &[Protection]) -> Digest {
    found
        .iter()
        .fold(
            Key::new("sandbox policy").part(&POLICY_VERSION.to_le_bytes()),
            |key, protection| {
                let (word, how) = match protection.hold {
                    Hold::On => ("on", protection.how.as_str()),
                    // The reason why it does not hold changes nothing that is measured.
                    Hold::Weak => ("weak", ""),
                    Hold::Missing => ("missing", ""),
                };
                key.part(protection.name.as_bytes())
                    .part(word.as_bytes())
                    .part(how.as_bytes())
            },
        )
        .finish()
}

#[cfg(test)]
mod tests {
    use super::{decide, policy_digest};
    use crate::sandbox::{Hold, Protection};

    fn protection(name: &'static str, hold: Hold) -> Protection {
        Protection {
            name,
            hold,
            how: "because".into(),
            fix: Some("fix it so".into()),
        }
    }

    #[test]
    fn fails_closed_and_explains_itself() {
        let found = [
            protection("isolation", Hold::On),
            protection("memory", Hold::Missing),
            protection("cpu", Hold::Weak),
        ];
        let refusal = decide(&found, &["cpu".to_owned()].into()).unwrap_err();
        let text = refusal.to_string();
        assert!(text.contains("memory is missing: because"), "{text}");
        assert!(text.contains("to fix it: fix it so"), "{text}");
        assert!(text.contains("allow_missing = [\"memory\"]"), "{text}");
        assert!(!text.contains("cpu"), "{text}");
        assert!(decide(&found, &["cpu".to_owned(), "memory".to_owned()].into()).is_ok());
    }

    #[test]
    fn isolation_cannot_be_waived() {
        let found = [protection("isolation", Hold::Missing)];
        let refusal = decide(&found, &["isolation".to_owned()].into()).unwrap_err();
        assert!(refusal.to_string().contains("there is no sandbox"));
        assert!(!refusal.to_string().contains("allow_missing"));
    }

    #[test]
    fn the_digest_follows_what_is_enforced() {
        let on = [protection("memory", Hold::On)];
        let off = [protection("memory", Hold::Missing)];
        assert_ne!(policy_digest(&on), policy_digest(&off));
        assert_eq!(policy_digest(&on), policy_digest(&on.clone()));
    }
}
