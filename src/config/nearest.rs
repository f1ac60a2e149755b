//! The known word that a misspelt one most likely means.

use crate::util::slips::slips;

/// Longest word that is looked at, in characters: the cost grows with its square.
const WORD_CHARACTERS_MAX: usize = 64;

/// The known word nearest to this one, where one is near enough to be meant.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let word: Vec<char> = word.to_lowercase().chars().collect();
    if word.len() > WORD_CHARACTERS_MAX {
        return None;
    }
    known
        .into_iter()
        .map(|candidate| {
            let letters: Vec<char> = candidate.chars().collect();
            let shared = letters.starts_with(&word) && word.len() > 2;
            let cost = if shared { 1 } else { slips(&word, &letters) };
            (cost, letters.len(), candidate)
        })
        .filter(|(cost, length, _)| *cost <= (word.len().max(*length) / 3).max(1))
        .min_by_key(|(cost, _, _)| *cost)
        .map(|(_, _, candidate)| candidate)
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
