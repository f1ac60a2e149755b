//! The grade book as a program for spreadsheets reads it.

use std::collections::BTreeMap;

use crate::place::Place;

/// Cells by their column.
pub type Row = BTreeMap<String, String>;

/// The rows of a table in their order.
pub fn rows(text: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(text.trim_start_matches('\u{FEFF}').as_bytes());
    let names = reader.headers().unwrap().clone();
    let row = |record: csv::StringRecord| {
        let cells = names.iter().zip(&record);
        let owned = cells.map(|(name, cell)| (name.to_owned(), cell.to_owned()));
        owned.collect()
    };
    let records = reader.records();
    records.map(|record| row(record.unwrap())).collect()
}

/// The rows of a course's grade book.
pub fn book(place: &Place) -> Vec<Row> {
    rows(&place.read("staff/gradebook.csv"))
}
