//! Text and numbers of pictures, and pictures read again.

pub mod reading;

use super::{Escaped, Number, identifier};

#[test]
fn numbers_are_short() {
    let shown = |number: f64| Number(number).to_string();
    assert_eq!(shown(12.0), "12");
    assert_eq!(shown(0.1 + 0.2), "0.3");
    assert_eq!(shown(-0.001), "0");
    assert_eq!(shown(-7.126), "-7.13");
}

#[test]
fn text_stays_text() {
    assert_eq!(
        Escaped("</svg><script a='\"'>&\0\u{ffff}é").to_string(),
        "&lt;/svg&gt;&lt;script a=&#39;&quot;&#39;&gt;&amp;\u{fffd}\u{fffd}é"
    );
}

#[test]
fn identifiers_are_valid_whatever_is_wished() {
    assert_eq!(identifier("case-1"), "vd-case-1");
    assert_eq!(identifier("9\"><script>é"), "vd-9script");
    assert_eq!(identifier(&"x".repeat(1000)).len(), 67);
}
