//! `[cluster]`: the server through which other machines measure for this course.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde::de::Deserializer;

use super::value::{Wrong, optional_file, seconds, text, whole};
use crate::domain::ServerName;
use crate::util::MIB;

/// Length of the server's address, in bytes.
const URL_BYTES_MAX: usize = 1_000;

/// The server through which other machines measure for this course.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// Its address; `None`, in the file "", for this machine alone.
    #[serde(deserialize_with = "nats")]
    pub nats: Option<String>,
    /// The file with this daemon's credentials, absolute.
    #[serde(deserialize_with = "optional_file")]
    pub credentials: Option<PathBuf>,
    /// What the course is called on the server; `None` for what the credentials say, or the folder.
    #[serde(deserialize_with = "name")]
    pub name: Option<ServerName>,
    /// Whether the connection may go unencrypted to another machine.
    pub insecure: bool,
    /// By how many per cent a machine may measure faster or slower than this one.
    #[serde(deserialize_with = "whole::<1, 1_000, 1, _, _>")]
    pub tolerance_percent: u32,
    /// one order in so many is measured on two machines; `None`, in the file 0, for none.
    #[serde(deserialize_with = "measure_twice")]
    pub measure_twice: Option<NonZeroU32>,
    /// A worker that says nothing for this long is gone.
    #[serde(rename = "silent_s", deserialize_with = "seconds::<5_000, 3_600, _>")]
    pub silent: Duration,
    /// Bytes that the server keeps for workers to fetch.
    #[serde(
        rename = "keep_mib",
        deserialize_with = "whole::<256, 1_048_576, MIB, _, _>"
    )]
    pub keep_bytes: u64,
}

fn nats<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    text(from, |text| {
        let rest = ["tls://", "nats://"]
            .into_iter()
            .find_map(|scheme| text.strip_prefix(scheme));
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
        let is_good = rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(is_plain));
        if text.is_empty() {
            Ok(None)
        } else if is_good && text.len() <= URL_BYTES_MAX {
            Ok(Some(text.to_owned()))
        } else {
            Err(Wrong::new(
                "`{key}` is not the address of a server",
                "write \"tls://HOST:4222\", or \"nats://127.0.0.1:4222\" for a server on this machine; credentials are in a file of their own",
            ))
        }
    })
}

fn name<'de, D: Deserializer<'de>>(from: D) -> Result<Option<ServerName>, D::Error> {
    text(from, |text| match ServerName::new(text) {
        Some(name) => Ok(Some(name)),
        None if text.is_empty() => Ok(None),
        None => Err(Wrong::new(
            format!("`{{key}}` cannot be `{text}`"),
            format!(
                "write at most {} small letters, digits and hyphens, as in \"algorithms-2026\"",
                ServerName::BYTES_MAX
            ),
        )),
    })
}

fn measure_twice<'de, D: Deserializer<'de>>(from: D) -> Result<Option<NonZeroU32>, D::Error> {
    whole::<0, 1_000_000, 1, u32, D>(from).map(NonZeroU32::new)
}
