//! The board against tables of attempts, and against itself after random events.
