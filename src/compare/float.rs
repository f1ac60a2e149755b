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

/// Reads `[sign] digits [. digits] [e [sign] digits]`, with a digit before or behind the point.
///
/// The standard parser also takes `inf` and `nan`, and makes infinity of `1e999`: none of them is a finite number.
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
        for (token, number) in [
            ("1", Some(1.0)),
            ("+1.5", Some(1.5)),
            ("-.5", Some(-0.5)),
            ("2.", Some(2.0)),
            ("1e3", Some(1000.0)),
            ("1E-2", Some(0.01)),
            ("-0", Some(-0.0)),
            ("007", Some(7.0)),
            ("", None),
            (".", None),
            ("e5", None),
            ("1e", None),
            ("1e999", None),
            ("inf", None),
            ("-Infinity", None),
            ("nan", None),
            ("0x10", None),
            ("1_000", None),
            ("1,5", None),
            ("--1", None),
            ("\u{feff}1", None),
            ("1\0", None),
        ] {
            assert_eq!(finite_decimal(token.as_bytes()), number, "{token:?}");
        }
    }

    #[test]
    fn a_megabyte_of_digits_is_read() {
        let mut digits = vec![b'0'; 1 << 20];
        digits.push(b'7');
        assert_eq!(finite_decimal(&digits), Some(7.0));
        digits.fill(b'9');
        assert_eq!(finite_decimal(&digits), None);
    }
}
