//! Inputs that are long, empty, or look like others. What else is refused or normalised is listed in
//! `inputs.txt`.

use super::super::board::Instance;
use crate::problems::find;

#[test]
fn the_hundred_and_first_dataset_is_refused() {
    let hundred = "2 1\n2 3\n".repeat(100);
    let valid = format!("{hundred}0 0\n");
    assert_eq!(
        Instance::parse(valid.as_bytes())
            .unwrap()
            .input
            .boards
            .len(),
        100
    );
    let error = Instance::parse(format!("{hundred}2 1\n2 3\n0 0\n").as_bytes()).unwrap_err();
    assert_eq!((error.line, error.column), (201, 1));
    assert!(
        error
            .reason
            .contains("only the last line `0 0` may follow dataset 100")
    );
}

#[test]
fn no_dataset_at_all_is_valid() {
    let parsed = Instance::parse(b"0 0\n").unwrap();
    assert_eq!(parsed.input, Instance::default());
    assert_eq!(find("curling").unwrap().answer(b"0 0\n").unwrap(), b"");
    assert_eq!(
        find("curling").unwrap().witness(b"0 0\n").unwrap().unwrap(),
        ""
    );
}

#[test]
fn rows_of_two_zeros_are_rows() {
    let input = b"2 4\n0 0\n2 0\n0 0\n3 0\n2 1\n3 2\n0 0\n";
    assert_eq!(find("curling").unwrap().answer(input).unwrap(), b"1\n1\n");
}
