//! Boards at the limits. What is refused or normalised is listed in `inputs.txt`.

use super::super::map::REGIONS_MAX;
use super::super::*;
use super::{board, moves};

#[test]
fn limits_are_inclusive() {
    let line = |length: usize, colours: [&str; 2]| {
        let cells: String = (0..length).map(|cell| colours[cell % 2]).collect();
        format!("1 {length}\n{cells}\n")
    };
    assert_eq!(moves(&board(&line(50, ["1", "6"]))), 48);
    let fifty = format!("2 49\n{}1\n{}\n", "12".repeat(24), "3".repeat(49));
    assert_eq!(board(&fifty).map().first_cell.len(), REGIONS_MAX);
    assert_eq!(moves(&board(&fifty)), 0);
}

#[test]
fn the_fifty_first_region_is_refused_where_it_begins() {
    // 49 single cells, a row that is one region, and one cell more.
    let row = "3".repeat(48);
    let fifty_one = format!("3 49\n{}1\n{row}3\n{row}2\n", "12".repeat(24));
    let error = Regions.parse(fifty_one.as_bytes()).unwrap_err();
    assert_eq!((error.line, error.column), (4, 49));
    let words = "more than 50 regions: one more begins here";
    assert!(error.reason.contains(words), "{error}");
}
