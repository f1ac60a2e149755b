//! The words and marks of a Java source.

/// Words and marks, without comments, strings, characters and text blocks.
pub(super) fn tokens(characters: &[char]) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let starts = |at: usize, text: &str| {
        text.chars()
            .enumerate()
            .all(|(offset, character)| characters.get(at + offset) == Some(&character))
    };
    while let Some(&character) = characters.get(at) {
        if starts(at, "//") {
            at += characters[at..]
                .iter()
                .take_while(|&&character| character != '\n' && character != '\r')
                .count();
        } else if starts(at, "/*") {
            at += 2;
            while at < characters.len() && !starts(at, "*/") {
                at += 1;
            }
            at += 2;
        } else if starts(at, "\"\"\"") {
            at += 3;
            while at < characters.len() && !starts(at, "\"\"\"") {
                at += if characters[at] == '\\' { 2 } else { 1 };
            }
            at += 3;
        } else if character == '"' || character == '\'' {
            at += 1;
            // A literal ends at its line's end at the latest: one that is left open does not
            // swallow the rest.
            while let Some(&inside) = characters.get(at)
                && inside != character
                && inside != '\n'
            {
                at += if inside == '\\' { 2 } else { 1 };
            }
            at += 1;
        } else if is_word(character) {
            let word: String = characters[at..]
                .iter()
                .take_while(|&&character| is_word(character))
                .collect();
            at += word.chars().count();
            tokens.push(word);
        } else {
            if !character.is_whitespace() {
                tokens.push(character.to_string());
            }
            at += 1;
        }
    }
    tokens
}

pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}
