//! The pool, and what is made of places that are lost, fail, or are not those that are wanted.

mod borrowing;
pub mod machines;
mod pool;
pub mod samples;
