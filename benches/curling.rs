//! Bench: curling.

mod common;

fn main() {
    common::print(&[]);
}
