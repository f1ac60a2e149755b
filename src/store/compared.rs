//! The shape of a kept comparison: a JSON object in a column of its run.

use rusqlite::types::{FromSqlError, Type};
use serde::{Deserialize, Serialize};

use crate::domain::{Cause, Compared, Difference, Digest, Verdict};

/// The column's object.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    expected: String,
    mode: String,
    verdict: String,
    cause: Option<String>,
    difference: Option<DifferenceShape>,
    #[serde(default)]
    words: Option<String>,
    #[serde(default)]
    judge_message: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DifferenceShape {
    line: usize,
    column: usize,
    expected: String,
    got: String,
}

/// Writes the column.
pub(super) fn to_column(compared: &Compared) -> rusqlite::Result<String> {
    let shape = Shape {
        expected: compared.expected.to_string(),
        mode: compared.mode.clone(),
        verdict: compared.verdict.code().to_owned(),
        cause: compared.cause.as_ref().map(Cause::code),
        difference: compared.difference.as_ref().map(|found| DifferenceShape {
            line: found.line,
            column: found.column,
            expected: found.expected.clone(),
            got: found.got.clone(),
        }),
        words: compared.words.clone(),
        judge_message: compared.judge_message.clone(),
    };
    serde_json::to_string(&shape)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

/// Reads the column with this index.
pub(super) fn of_column(index: usize, text: &str) -> rusqlite::Result<Compared> {
    let bad = |error: Box<dyn std::error::Error + Send + Sync>| {
        rusqlite::Error::FromSqlConversionFailure(index, Type::Text, error)
    };
    let shape: Shape = serde_json::from_str(text).map_err(|error| bad(Box::new(error)))?;
    let unknown = || bad(Box::new(FromSqlError::InvalidType));
    let cause = match shape.cause {
        None => None,
        Some(code) => Some(Cause::from_code(&code).ok_or_else(unknown)?),
    };
    Ok(Compared {
        expected: Digest::parse(&shape.expected).ok_or_else(unknown)?,
        mode: shape.mode,
        verdict: Verdict::from_code(&shape.verdict).ok_or_else(unknown)?,
        cause,
        difference: shape.difference.map(|found| Difference {
            line: found.line,
            column: found.column,
            expected: found.expected,
            got: found.got,
        }),
        words: shape.words,
        judge_message: shape.judge_message,
    })
}

#[cfg(test)]
mod tests {
    use super::{of_column, to_column};
    use crate::domain::{Cause, Compared, Difference, Digest, Verdict};

    #[test]
    fn written_and_read_back() {
        let compared = Compared {
            expected: Digest([7; 32]),
            mode: "Lines/Presentation".into(),
            verdict: Verdict::WrongAnswer,
            cause: Some(Cause::Missing),
            difference: Some(Difference {
                line: 3,
                column: 1,
                expected: "\"4\"".into(),
                got: String::new(),
            }),
            words: Some("case 2: not a permutation".into()),
            judge_message: Some("7 twice".into()),
        };
        let text = to_column(&compared).unwrap();
        assert_eq!(of_column(0, &text).unwrap(), compared);
        let without = text
            .replace(",\"words\":\"case 2: not a permutation\"", "")
            .replace(",\"judge_message\":\"7 twice\"", "");
        let read = of_column(0, &without).unwrap();
        assert_eq!(
            (read.words, read.judge_message),
            (None, None),
            "as written before there were checkers"
        );
        assert!(of_column(0, &text.replace("WA", "XX")).is_err());
        assert!(of_column(0, "{}").is_err());
    }
}
