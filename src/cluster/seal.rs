//! What the server keeps can be found and read only with its digest.
//!
//! A worker may ask the server for any subject below those of its courses, and for `*` in place of a
//! digest as well: the server then answers with the newest bytes, whatever they are. So the digest is
//! the key: it names bytes by another digest that is made from it, and they are encrypted with what
//! is made from it. The same key is never used for two texts, because it is the digest of the text;
//! whether somebody changed them, the digest tells.

use crate::domain::Digest;

/// Changed together with how bytes are sealed.
const NAME: &str = "verdictd 2026-11 name of bytes on a server";
const KEY: &str = "verdictd 2026-11 key of bytes on a server";
/// Bytes of the key's stream at a time.
const CHUNK: usize = 64 * 1024;

/// What stands in the subject in place of the digest.
pub fn name(digest: &Digest) -> Digest {
    Digest(blake3::derive_key(NAME, &digest.0))
}

/// Encrypts bytes with their digest, or decrypts them.
pub fn apply(digest: &Digest, bytes: &mut [u8]) {
    let mut key = blake3::Hasher::new_derive_key(KEY);
    key.update(&digest.0);
    let mut stream = key.finalize_xof();
    let mut pad = vec![0; CHUNK.min(bytes.len())];
    for chunk in bytes.chunks_mut(CHUNK) {
        let pad = &mut pad[..chunk.len()];
        stream.fill(pad);
        for (byte, pad) in chunk.iter_mut().zip(pad) {
            *byte ^= *pad;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{apply, name};
    use crate::util::hash::digest;

    #[test]
    fn only_the_digest_opens_what_it_sealed() {
        for length in [0, 1, 65_535, 65_536, 200_000] {
            let text: Vec<u8> = (0..=250).cycle().take(length).collect();
            let key = digest(&text);
            let mut bytes = text.clone();
            apply(&key, &mut bytes);
            assert!(length < 2 || bytes != text, "{length}");
            let mut other = bytes.clone();
            apply(&name(&key), &mut other);
            assert!(
                length < 2 || other != text,
                "the name in the subject is not the key"
            );
            apply(&key, &mut bytes);
            assert_eq!(bytes, text);
        }
    }
}
