//! Small things that every layer needs: digests, the clock, atomic files, readable excerpts of
//! untrusted bytes.

pub mod archive;
pub mod calibrate;
pub mod clock;
pub mod columns;
pub mod cores;
pub mod crash;
pub mod descriptors;
pub mod disk;
pub mod excerpt;
pub mod files;
pub mod hash;
pub mod machine;
pub mod order;
pub mod sheet;
pub mod signals;
pub mod sync;
pub mod table;
#[cfg(test)]
pub mod tests;
pub mod text;
pub mod watched;
pub mod words;
#[cfg(test)]
pub use tests::samples;

/// Bytes of one KiB.
pub const KIB: u64 = 1 << 10;
/// Bytes of one MiB.
pub const MIB: u64 = 1 << 20;
