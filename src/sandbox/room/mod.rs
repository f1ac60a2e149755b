//! What runs beyond the fork, in processes of its own that know nothing but their sockets: the
//! zygote, and of each room its keeper and its init.
//! Whatever a job can reach of the sandbox is in here.

mod init;
mod inside;
mod landlock;
mod mounts;
mod privileges;
mod scratch;
mod seccomp;
mod zygote;

pub use self::zygote::main;
