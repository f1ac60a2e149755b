//! Pictures as SVG: a canvas for shapes, a grid for boards, a drawing that makes a whole picture of
//! them.
//!
//! Class names are words of this crate, numbers are formatted here, and every text is escaped, so
//! nothing that a program printed can be more than text. Looks come from one style drawing
//! (`picture.css`) that works in a file alone and within a page: all its classes begin with `vd-`.
//! Nothing is told by colour alone.

pub mod drawing;
mod grid;

use std::fmt::{self, Write as _};

pub use drawing::{Drawing, stacked};
pub use grid::Grid;

/// The most characters of an identifier that a caller chooses.
const PREFIX_CHARS_MAX: usize = 64;

/// A point in pixels.
pub type Place = [f64; 2];

/// Shapes in the order in which they are painted.
#[derive(Debug, Clone)]
pub struct Canvas {
    /// What identifiers begin with, so that those of several pictures in one page differ.
    prefix: String,
    text: String,
}

impl Canvas {
    /// An empty canvas whose identifiers begin with this.
    pub fn new(prefix: &str) -> Self {
        Self {
            prefix: identifier(prefix),
            text: String::new(),
        }
    }

    /// Another empty canvas of the same picture.
    fn blank(&self) -> Self {
        Self {
            prefix: self.prefix.clone(),
            text: String::new(),
        }
    }

    /// Adds an element that numbers describe: `rect`, `circle` or `line`.
    pub fn shape(
        &mut self,
        element: &'static str,
        class: &'static str,
        numbers: &[(&'static str, f64)],
    ) {
        // Writing to a string cannot fail, here and below.
        let _ = write!(self.text, "<{element} class=\"{class}\"");
        for &(name, value) in numbers {
            let _ = write!(self.text, " {name}=\"{}\"", Number(value));
        }
        self.text.push_str("/>");
    }

    /// Adds a rectangle.
    pub fn rect(&mut self, class: &'static str, [x, y]: Place, width: f64, height: f64) {
        let numbers = [("x", x), ("y", y), ("width", width), ("height", height)];
        self.shape("rect", class, &numbers);
    }

    /// Adds a circle.
    pub fn circle(&mut self, class: &'static str, [x, y]: Place, radius: f64) {
        self.shape("circle", class, &[("cx", x), ("cy", y), ("r", radius)]);
    }

    /// Adds a straight line.
    pub fn line(&mut self, class: &'static str, from: Place, to: Place) {
        let [x1, y1] = from;
        let [x2, y2] = to;
        let numbers = [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)];
        self.shape("line", class, &numbers);
    }

    /// Adds a line through these points.
    pub fn polyline(&mut self, class: &'static str, points: &[Place]) {
        self.through("polyline", class, points);
    }

    /// Adds a filled shape with these corners.
    pub fn polygon(&mut self, class: &'static str, points: &[Place]) {
        self.through("polygon", class, points);
    }

    fn through(&mut self, element: &'static str, class: &'static str, points: &[Place]) {
        let _ = write!(self.text, "<{element} class=\"{class}\" points=\"");
        for (index, &[x, y]) in points.iter().enumerate() {
            let blank = if index == 0 { "" } else { " " };
            let _ = write!(self.text, "{blank}{},{}", Number(x), Number(y));
        }
        self.text.push_str("\"/>");
    }

    /// Adds a path; nothing if it has no part.
    pub fn path(&mut self, class: &'static str, path: &Path) {
        if !path.0.is_empty() {
            let _ = write!(self.text, "<path class=\"{class}\" d=\"{}\"/>", path.0);
        }
    }

    /// Adds a path filled with a pattern of the drawing.
    pub fn patterned(&mut self, class: &'static str, path: &Path, pattern: &'static str) {
        if !path.0.is_empty() {
            let _ = write!(
                self.text,
                "<path class=\"{class}\" fill=\"url(#{}-{pattern})\" d=\"{}\"/>",
                self.prefix, path.0
            );
        }
    }

    /// Adds text in so many pixels; the class says how it is aligned to the place, which is on its
    /// base line.
    pub fn text(&mut self, class: &'static str, [x, y]: Place, size: f64, text: &str) {
        let _ = write!(
            self.text,
            "<text class=\"{class}\" x=\"{}\" y=\"{}\" font-size=\"{}\">{}</text>",
            Number(x),
            Number(y),
            Number(size),
            Escaped(text)
        );
    }

    /// Adds text with its middle at this place, across and along.
    pub fn centred(&mut self, class: &'static str, [x, y]: Place, size: f64, text: &str) {
        // Capital letters and digits are about 0.7 of the size high.
        self.text(class, [x, y + 0.35 * size], size, text);
    }

    /// A round sign with a number or a letter in it.
    pub fn badge(&mut self, class: &'static str, at: Place, radius: f64, text: &str) {
        self.circle(class, at, radius);
        self.sign_text(at, radius, text);
    }

    /// A square sign with a number or a letter in it: told from a round one by more than its
    /// colour.
    pub fn tag(&mut self, class: &'static str, [x, y]: Place, half: f64, text: &str) {
        let numbers = [
            ("x", x - half),
            ("y", y - half),
            ("width", 2.0 * half),
            ("height", 2.0 * half),
            ("rx", half / 4.0),
        ];
        self.shape("rect", class, &numbers);
        self.sign_text([x, y], half, text);
    }

    fn sign_text(&mut self, at: Place, half: f64, text: &str) {
        let size = half * if text.len() > 2 { 0.95 } else { 1.2 };
        self.centred("vd-badge-text", at, size, text);
    }

    /// Adds what another canvas holds, moved to this place.
    pub fn place(&mut self, [x, y]: Place, other: &Self) {
        let _ = write!(
            self.text,
            "<g transform=\"translate({} {})\">{}</g>",
            Number(x),
            Number(y),
            other.text
        );
    }
}

/// The outline of shapes, many in one element.
#[derive(Debug, Clone, Default)]
pub struct Path(String);

impl Path {
    /// Adds a rectangle.
    pub fn rect(&mut self, [x, y]: Place, width: f64, height: f64) {
        let [x, y, width, height] = [x, y, width, height].map(Number);
        let _ = write!(self.0, "M{x} {y}h{width}v{height}h-{width}z");
    }

    /// Adds a straight line.
    pub fn line(&mut self, [x1, y1]: Place, [x2, y2]: Place) {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(Number);
        let _ = write!(self.0, "M{x1} {y1}L{x2} {y2}");
    }
}

/// A number with at most two decimals.
struct Number(f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding nothing makes a plain zero of a negative one.
        write!(f, "{}", (self.0 * 100.0).round() / 100.0 + 0.0)
    }
}

/// Text between tags and within quotes.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                // XML has no place for these, not even escaped.
                '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}' => {
                    f.write_char(char::REPLACEMENT_CHARACTER)?;
                }
                _ => f.write_char(character)?,
            }
        }
        Ok(())
    }
}

/// An identifier that is valid everywhere, whatever the caller wishes.
fn identifier(wish: &str) -> String {
    let kept = wish
        .chars()
        .filter(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_'))
        .take(PREFIX_CHARS_MAX);
    "vd-".chars().chain(kept).collect()
}

/// A count as a length.
pub fn length(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[cfg(test)]
pub mod tests;
