//! How far one word is from another, for "did you mean".

/// The least number of slips (a letter too many, missing, other, or swapped with its neighbour) that lead from one word to the other.
/// The cost grows with the product of the lengths: callers bound them.
pub fn slips(one: &[char], other: &[char]) -> usize {
    // Three rows of the table are enough: the one before the last is needed for swaps.
    let mut before: Vec<usize> = vec![0; other.len() + 1];
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for row in 1..=one.len() {
        let mut current = vec![row; other.len() + 1];
        for column in 1..=other.len() {
            let differs = usize::from(one[row - 1] != other[column - 1]);
            let mut cost = (last[column] + 1)
                .min(current[column - 1] + 1)
                .min(last[column - 1] + differs);
            let swapped = row > 1
                && column > 1
                && one[row - 1] == other[column - 2]
                && one[row - 2] == other[column - 1];
            if swapped {
                cost = cost.min(before[column - 2] + 1);
            }
            current[column] = cost;
        }
        before = std::mem::replace(&mut last, current);
    }
    last[other.len()]
}

#[cfg(test)]
mod tests {
    use super::slips;

    #[test]
    fn counts_slips() {
        for (one, other, count) in [
            ("curling", "curling", 0),
            ("curlnig", "curling", 1),
            ("curlin", "curling", 1),
            ("ccurling", "curling", 1),
            ("kurling", "curling", 1),
            ("", "abc", 3),
            ("abc", "", 3),
        ] {
            let letters = |word: &str| word.chars().collect::<Vec<char>>();
            assert_eq!(
                slips(&letters(one), &letters(other)),
                count,
                "{one} {other}"
            );
        }
    }
}
