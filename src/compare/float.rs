//! Numbers that need not agree to the last digit.

/// Whether the printed token will do for the expected one.
pub(super) fn near_enough(expected: &[u8], got: &[u8], absolute: f64, relative: f64) -> bool {
    if expected == got {
        return true;
    }
    let Some(wanted) = finite_decimal(expected) else {
        return false;
    };
    let Some(printed) = finite_decimal(got) else {
        return false;
    };
    let difference = (wanted - printed).abs();
    difference <= absolute || difference <= relative * wanted.abs()
}

/// Whether a token is a number that another may be near to.
pub(super) fn is_number(token: &[u8]) -> bool {
    finite_decimal(token).is_some()
}

/// `It is off by 0.0016; 0.000001 is allowed.`
pub(super) fn error_in_words(
    expected: &[u8],
    got: &[u8],
    absolute: f64,
    relative: f64,
) -> Option<String> {
    let (wanted, printed) = (finite_decimal(expected)?, finite_decimal(got)?);
    let off = figure((wanted - printed).abs());
    let allowed = match (absolute > 0.0, relative > 0.0) {
        (false, false) => "nothing is allowed".to_owned(),
        (true, false) => format!("{} is allowed", figure(absolute)),
        (false, true) => format!(
            "{} of the expected number ({}) is allowed",
            figure(relative),
            figure(relative * wanted.abs())
        ),
        (true, true) => format!(
            "{}, or {} of the expected number ({}), is allowed",
            figure(absolute),
            figure(relative),
            figure(relative * wanted.abs())
        ),
    };
    Some(format!("It is off by {off}; {allowed}."))
}

/// Two digits that count, in the form that is shorter to read.
fn figure(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{number:.1e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let rounded: f64 = scientific.parse().unwrap_or(number);
        rounded.to_string()
    } else {
        format!("{}e{exponent}", digits.trim_end_matches(".0"))
    }
}

/// Reads `[sign] digits [. digits] [e [sign] digits]`, with a digit before or behind the point.
///
/// The standard parser also takes `inf` and `nan`, and makes infinity of `1e999`: none of them is a
/// finite number.
fn finite_decimal(token: &[u8]) -> Option<f64> {
    let decimal = token
        .iter()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
    if !decimal {
        return None;
    }
    let number: f64 = std::str::from_utf8(token).ok()?.parse().ok()?;
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finite_decimals_are_numbers_and_nothing_else_is() {
        for row in "1=1 +1.5=1.5 -.5=-0.5 2.=2 1e3=1000 1E-2=0.01 -0=-0.0 007=7".split(' ') {
            let (token, number) = row.split_once('=').unwrap();
            let number: f64 = number.parse().unwrap();
            assert_eq!(finite_decimal(token.as_bytes()), Some(number), "{row}");
        }
        let others = " . e5 1e 1e999 inf -Infinity nan 0x10 1_000 1,5 --1 \u{feff}1 1\0";
        for token in others.split(' ') {
            assert_eq!(finite_decimal(token.as_bytes()), None, "{token:?}");
        }
    }

    #[test]
    fn the_error_is_told_with_what_is_allowed() {
        let relative = "10; 0.01 of the expected number (2) is";
        let both = "1e9; 1e-9, or 1e-9 of the expected number (1), is";
        for (expected, got, absolute, relative, words) in [
            ("3.14159", "3.14", 1e-6, 0.0, "0.0016; 1e-6 is"),
            ("200", "190", 0.0, 0.01, relative),
            ("1e9", "0", 1e-9, 1e-9, both),
            ("1", "2", 0.0, 0.0, "1; nothing is"),
            ("1", "x", 1e-6, 0.0, ""),
            ("yes", "1", 1e-6, 0.0, ""),
        ] {
            let told = error_in_words(expected.as_bytes(), got.as_bytes(), absolute, relative);
            let words = (!words.is_empty()).then(|| format!("It is off by {words} allowed."));
            assert_eq!(told, words, "{expected} {got}");
        }
    }
}
