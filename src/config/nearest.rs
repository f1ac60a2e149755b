//! The known word that a misspelt one most likely means.

/// Longest word that is looked at, in characters: the cost grows with its square.
const WORD_CHARACTERS_MAX: usize = 64;

/// The known word nearest to this one, where one is near enough to be meant.
pub(super) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let word: Vec<char> = word.to_lowercase().chars().collect();
    if word.len() > WORD_CHARACTERS_MAX {
        return None;
    }
    known
        .into_iter()
        .map(|candidate| {
            let letters: Vec<char> = candidate.chars().collect();
            let shared = letters.starts_with(&word) && word.len() > 2;
            let cost = if shared { 1 } else { distance(&word, &letters) };
            (cost, letters.len(), candidate)
        })
        .filter(|(cost, length, _)| *cost <= (word.len().max(*length) / 3).max(1))
        .min_by_key(|(cost, _, _)| *cost)
        .map(|(_, _, candidate)| candidate)
}

/// Least number of letters to insert, remove, replace or swap with their neighbour.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut before: Vec<usize> = vec![0; other.len() + 1];
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for row in 1..=one.len() {
        let mut current = vec![row; other.len() + 1];
        for column in 1..=other.len() {
            let differs = usize::from(one[row - 1] != other[column - 1]);
            let mut cost = (last[column] + 1)
                .min(current[column - 1] + 1)
                .min(last[column - 1] + differs);
            if row > 1
                && column > 1
                && one[row - 1] == other[column - 2]
                && one[row - 2] == other[column - 1]
            {
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
    use super::nearest;

    #[test]
    fn finds_what_was_meant() {
        let known = ["cpu_s", "wall_s", "memory_mib", "processes"];
        for (word, meant) in [
            ("cpu", Some("cpu_s")),
            ("CPU_S", Some("cpu_s")),
            ("memroy_mib", Some("memory_mib")),
            ("memory", Some("memory_mib")),
            ("process", Some("processes")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
        assert_eq!(nearest(&"x".repeat(1000), known), None);
    }
}
