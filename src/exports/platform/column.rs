//! Finding columns by what their headers say.

use super::fill::{LISTED_MAX, Wrong};
use crate::course::Points;
use crate::util::excerpt::visible_line;
use crate::util::nearest::nearest;
use crate::util::sheet::{Row, unwrapped};

/// The column with one of these names, in any case.
pub fn named(header: &Row, names: &[&str]) -> Option<usize> {
    header.iter().position(|cell| {
        let cell = unwrapped(cell);
        names.iter().any(|name| cell.eq_ignore_ascii_case(name))
    })
}

/// The column that a person means: by its whole header, or by the key that stands in it as `is_key`
/// finds it. `possible` says which columns may be filled at all.
pub fn wanted(
    header: &Row,
    wanted: &str,
    possible: impl Fn(&str) -> bool,
    name_of: impl Fn(&str) -> &str,
) -> Result<usize, Wrong> {
    let possible: Vec<(usize, &str)> = header
        .iter()
        .enumerate()
        .filter(|(_, cell)| possible(cell))
        .collect();
    let wanted = wanted.trim();
    let exact = |text: &str| text.trim().eq_ignore_ascii_case(wanted);
    let whole: Vec<usize> = places(&possible, exact);
    let found = if whole.is_empty() {
        places(&possible, |cell| exact(name_of(cell)))
    } else {
        whole
    };
    match found[..] {
        [column] => Ok(column),
        [] => {
            let names = possible
                .iter()
                .flat_map(|(_, cell)| [name_of(cell), cell.trim()]);
            let hint = nearest(wanted, names)
                .map_or_else(String::new, |meant| format!(" (did you mean {meant:?}?)"));
            let known = possible.iter().map(|(_, cell)| visible_line(cell.trim()));
            let known: Vec<String> = known.take(LISTED_MAX).collect();
            Err(Wrong::new(
                header.line,
                format!("no column that can be filled is called {wanted:?}{hint}"),
                if known.is_empty() {
                    "there is none; make the assignment on the platform and export again".to_owned()
                } else {
                    format!("the columns are {}", known.join(", "))
                },
            ))
        }
        _ => Err(Wrong::new(
            header.line,
            format!("several columns are called {wanted:?}"),
            "give the whole header of the one that is meant",
        )),
    }
}

fn places(cells: &[(usize, &str)], is_it: impl Fn(&str) -> bool) -> Vec<usize> {
    let cells = cells.iter().filter(|(_, cell)| is_it(cell));
    cells.map(|(column, _)| *column).collect()
}

/// A number of points as a platform writes it, with either decimal sign.
pub fn points(text: &str) -> Option<Points> {
    let number: f64 = unwrapped(text).replace(',', ".").parse().ok()?;
    Points::from_number(number)
}
