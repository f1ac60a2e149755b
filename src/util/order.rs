//! The order in which people count: 1, 2, 10, and not 1, 10, 2.

use std::cmp::Ordering;
use std::path::Path;

/// Compares names: runs of digits by their value, everything else byte by byte. Two names are equal
/// only if their bytes are, so that nothing depends on the order in which a folder lists its files.
pub fn natural(one: &[u8], other: &[u8]) -> Ordering {
    let (mut left, mut right) = (one, other);
    loop {
        let order = match (left.first(), right.first()) {
            (None, None) => return one.cmp(other),
            (Some(a), Some(b)) if a.is_ascii_digit() && b.is_ascii_digit() => {
                let (a, b) = (number(&mut left), number(&mut right));
                a.len().cmp(&b.len()).then_with(|| a.cmp(b))
            }
            (a, b) => {
                left = left.get(1..).unwrap_or_default();
                right = right.get(1..).unwrap_or_default();
                a.cmp(&b)
            }
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Takes the digits with which a name begins, and gives them without the zeros in front.
fn number<'n>(name: &mut &'n [u8]) -> &'n [u8] {
    let end = name.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = name.split_at(end);
    *name = rest;
    let zeros = digits.iter().take_while(|byte| **byte == b'0').count();
    &digits[zeros..]
}

/// Compares files by their names: by what stands before the extension first, so that `1.in` comes
/// before `1-small.in`.
pub fn natural_files(one: &Path, other: &Path) -> Ordering {
    let stem = |path: &Path| {
        let stem = path.file_stem().unwrap_or_default();
        stem.as_encoded_bytes().to_owned()
    };
    natural(&stem(one), &stem(other)).then_with(|| one.cmp(other))
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;
    use std::path::Path;

    use super::{natural, natural_files};

    #[test]
    fn names_are_sorted_as_people_count() {
        for sorted in [
            "1 2 10 11-neg 100",
            " 0 00 a a1 a1b a2 a10 b",
            "001 01 1 02 2 99999999999999999999999 100000000000000000000000",
            "sample/2 sample/10 secret/1",
            "012-a 13 200-hard",
        ] {
            let mut names: Vec<&str> = sorted.split(' ').rev().collect();
            names.sort_by(|a, b| natural(a.as_bytes(), b.as_bytes()));
            assert_eq!(names.join(" "), sorted);
        }
    }

    #[test]
    fn the_order_is_one_order() {
        let names: Vec<&str> = " 0 00 1 01 1a 1-a 10 2 a a0 a00 é".split(' ').collect();
        let natural = |a: &str, b: &str| natural(a.as_bytes(), b.as_bytes());
        for a in &names {
            for b in &names {
                let order = natural(a, b);
                assert_eq!(order, natural(b, a).reverse());
                assert_eq!(order == Ordering::Equal, a == b, "{a} {b}");
                for c in names.iter().filter(|c| natural(b, c) == order) {
                    assert_eq!(natural(a, c), order, "{a} {b} {c}");
                }
            }
        }
    }

    #[test]
    fn an_extension_counts_last() {
        let files = ["d/1-small.in", "d/10.in", "d/1.txt", "d/1.in", "d/2.in"];
        let mut files = files.map(Path::new);
        files.sort_by(|a, b| natural_files(a, b));
        let expected = ["d/1.in", "d/1.txt", "d/1-small.in", "d/2.in", "d/10.in"];
        assert_eq!(files, expected.map(Path::new));
    }
}
