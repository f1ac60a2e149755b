//! One picture: a title, what there is to say, the board, and a legend of the signs in it.

use std::fmt::Write as _;

use super::{Canvas, Escaped, Number, Place, length};
use crate::problems::cases::Picture;
use crate::util::columns::{clipped, columns, wrapped};
use crate::util::excerpt::{decode, visible_line};

/// The largest picture; if a board would make it larger, the board is left out and the picture
/// says so.
pub const SVG_BYTES_MAX: usize = 512 * 1024;

/// The most words for a screen reader.
const DESCRIPTION_BYTES_MAX: usize = 16 * 1024;

/// The most bytes of a program's words that are looked at.
const SAID_BYTES_MAX: usize = 4096;

/// The most lines of a program's words that are shown.
const SAID_LINES_MAX: usize = 4;

/// The most columns that are shown of a line of a program's words.
const SAID_COLUMNS_MAX: usize = 81;

/// The looks of everything; there is nothing to load in it.
pub(super) const STYLE: &str = include_str!("picture.css");

/// The room around everything.
const PADDING: f64 = 16.0;
/// The least room for words, so that they stand beside a narrow board, too.
const WIDTH_MIN: f64 = 460.0;
const TITLE_SIZE: f64 = 15.0;
const TITLE_LEADING: f64 = 21.0;
const TEXT_SIZE: f64 = 13.0;
const TEXT_LEADING: f64 = 18.0;
/// The room between words and board.
const GAP: f64 = 8.0;
const LEGEND_SIZE: f64 = 12.0;
const LEGEND_LEADING: f64 = 24.0;
/// The room for the sign of a legend, and how far the next one is from its words.
const SIGN: Place = [26.0, 16.0];
const SIGN_GAP: f64 = 18.0;
/// Widths of characters in parts of the font size: a cautious guess, since the font is the
/// reader's.
const CHARACTER: f64 = 0.56;
const BOLD_CHARACTER: f64 = 0.64;
const MONO_CHARACTER: f64 = 0.62;

/// A picture that is being made.
#[derive(Debug, Clone)]
pub struct Drawing {
    subject: &'static str,
    case: Option<String>,
    headline: String,
    description: String,
    captions: Vec<(&'static str, String)>,
    patterns: Canvas,
    board: Canvas,
    size: Place,
    legend: Vec<(Canvas, String)>,
}

impl Drawing {
    /// An empty drawing. Identifiers in it begin with the prefix, which must differ between
    /// pictures of one page.
    pub fn new(prefix: &str) -> Self {
        Self {
            subject: "",
            case: None,
            headline: String::new(),
            description: String::new(),
            captions: Vec::new(),
            patterns: Canvas::new(prefix),
            board: Canvas::new(prefix),
            size: [0.0, 0.0],
            legend: Vec::new(),
        }
    }

    /// Says what is seen: of which problem, and the one thing to know about it.
    pub fn entitle(&mut self, subject: &'static str, headline: String) {
        self.subject = subject;
        self.headline = headline;
    }

    /// Whether there is anything to see.
    pub fn is_entitled(&self) -> bool {
        !self.subject.is_empty()
    }

    /// Says which case it is, if there are several.
    pub fn name_case(&mut self, case: String) {
        self.case = Some(case);
    }

    /// Says something above the board, and to a screen reader.
    pub fn tell(&mut self, words: String) {
        self.describe(&words);
        self.captions.push(("vd-caption", words));
    }

    /// Says something to a screen reader only: what others see.
    pub fn describe(&mut self, words: &str) {
        if !self.description.is_empty() {
            self.description.push('\n');
        }
        self.description.push_str(words);
    }

    /// Says what a program printed, whatever bytes that are.
    pub fn say(&mut self, said: &[u8]) {
        let words = decode(said, SAID_BYTES_MAX);
        let mut lines = words
            .text
            .lines()
            .map(str::trim_end)
            .filter(|line| !line.is_empty());
        let shown: Vec<&str> = lines.by_ref().take(SAID_LINES_MAX).collect();
        if shown.is_empty() && !words.cut {
            self.tell("The program said nothing here.".to_owned());
            return;
        }
        self.tell("The program said:".to_owned());
        for line in shown {
            let line = clipped(&visible_line(line), SAID_COLUMNS_MAX);
            self.describe(&line);
            self.captions.push(("vd-said", line));
        }
        if words.cut || lines.next().is_some() {
            self.tell("… and more.".to_owned());
        }
    }

    /// Where the board is painted; `size` is how much room it takes.
    pub fn board(&mut self, size: Place) -> &mut Canvas {
        self.size = size;
        &mut self.board
    }

    /// Defines a pattern: a square tile of this size that is laid from this place on.
    pub fn pattern(
        &mut self,
        name: &'static str,
        [x, y]: Place,
        tile: f64,
        paint: impl FnOnce(&mut Canvas),
    ) {
        let canvas = &mut self.patterns;
        let (x, y, side) = (Number(x), Number(y), Number(tile));
        // Writing to a string cannot fail, here and below.
        let _ = write!(
            canvas.text,
            "<pattern id=\"{}-{name}\" patternUnits=\"userSpaceOnUse\" x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\">",
            canvas.prefix
        );
        paint(canvas);
        canvas.text.push_str("</pattern>");
    }

    /// Defines a pattern of slanted lines of this class, rising or falling, so far apart.
    pub fn hatch(
        &mut self,
        name: &'static str,
        origin: Place,
        apart: f64,
        class: &'static str,
        rises: bool,
    ) {
        // The lines go beyond the tile, so that they meet at its corners.
        let ends = [-1.0, apart + 1.0];
        let [from, to] = if rises { [ends[1], ends[0]] } else { ends };
        self.pattern(name, origin, apart, |canvas| {
            for shift in [-apart, 0.0, apart] {
                canvas.line(class, [shift - 1.0, from], [shift + apart + 1.0, to]);
            }
        });
    }

    /// Explains a sign, which is painted into a box of 26 by 16 pixels.
    pub fn explain(&mut self, words: &str, paint: impl FnOnce(&mut Canvas)) {
        let mut sign = self.board.blank();
        paint(&mut sign);
        self.legend.push((sign, words.to_owned()));
    }

    fn title(&self) -> String {
        match &self.case {
            Some(case) => format!("{}, {case}: {}", self.subject, self.headline),
            None => format!("{}: {}", self.subject, self.headline),
        }
    }

    /// Makes the picture.
    pub fn finish(mut self) -> Picture {
        let picture = self.compose();
        if picture.svg.len() <= SVG_BYTES_MAX {
            return picture;
        }
        self.board = self.board.blank();
        self.legend.clear();
        self.size = [0.0, 0.0];
        self.tell("This board is too large to be drawn.".to_owned());
        self.compose()
    }

    fn compose(&self) -> Picture {
        let title = self.title();
        let mut canvas = self.board.blank();
        let room = self.size[0].max(WIDTH_MIN);
        let mut y = PADDING;
        for line in wrapped(&title, fitting(room, TITLE_SIZE * BOLD_CHARACTER)) {
            y += TITLE_LEADING;
            canvas.text("vd-title", [PADDING, y - 6.0], TITLE_SIZE, &line);
        }
        for (class, words) in &self.captions {
            let character = match *class {
                "vd-said" => MONO_CHARACTER,
                _ => CHARACTER,
            };
            for line in wrapped(words, fitting(room, TEXT_SIZE * character)) {
                y += TEXT_LEADING;
                canvas.text(class, [PADDING, y - 5.0], TEXT_SIZE, &line);
            }
        }
        y += GAP;
        canvas.place([PADDING, y], &self.board);
        y += self.size[1] + GAP;
        y = self.paint_legend(&mut canvas, y, room);
        let size = [room + 2.0 * PADDING, y + PADDING];
        let svg = self.element(&title, size, &canvas);
        Picture {
            title,
            svg,
            width: whole(size[0].ceil()),
            height: whole(size[1].ceil()),
        }
    }

    /// Lays the signs and their words in lines, and says where they end.
    fn paint_legend(&self, canvas: &mut Canvas, mut y: f64, room: f64) -> f64 {
        let mut x = 0.0;
        for (sign, words) in &self.legend {
            let width = SIGN[0] + 6.0 + length(columns(words)) * LEGEND_SIZE * CHARACTER;
            if x > 0.0 && x + width > room {
                x = 0.0;
                y += LEGEND_LEADING;
            }
            canvas.place([PADDING + x, y], sign);
            let place = [PADDING + x + SIGN[0] + 6.0, y + SIGN[1] / 2.0 + 4.0];
            canvas.text("vd-legend", place, LEGEND_SIZE, words);
            x += width + SIGN_GAP;
        }
        if self.legend.is_empty() {
            y
        } else {
            y + LEGEND_LEADING - GAP
        }
    }

    fn element(&self, title: &str, size: Place, canvas: &Canvas) -> String {
        let [width, height] = size.map(|side| Number(side.ceil()));
        let prefix = &canvas.prefix;
        let mut end = self.description.len().min(DESCRIPTION_BYTES_MAX);
        while !self.description.is_char_boundary(end) {
            end -= 1;
        }
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"vd-picture\" role=\"img\" \
             aria-labelledby=\"{prefix}-title {prefix}-desc\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\">\n<title id=\"{prefix}-title\">{}</title>\n\
             <desc id=\"{prefix}-desc\">{}</desc>\n<style>\n{STYLE}</style>\n",
            Escaped(title),
            Escaped(&self.description[..end]),
        );
        if !self.patterns.text.is_empty() {
            let _ = writeln!(svg, "<defs>{}</defs>", self.patterns.text);
        }
        let _ = write!(
            svg,
            "<rect class=\"vd-ground\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n{}\n</svg>\n",
            canvas.text
        );
        svg
    }
}

/// Several pictures below each other as one; the only one as it is.
pub fn stacked(title: &str, pictures: &[Picture]) -> String {
    if let [only] = pictures {
        return only.svg.clone();
    }
    let width = pictures.iter().map(|picture| picture.width).max();
    let height: u32 = pictures.iter().map(|picture| picture.height).sum();
    let width = width.unwrap_or(1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"group\" aria-label=\"{title}\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<title>{title}</title>\n\
         <desc>{} pictures, one below the other.</desc>\n",
        pictures.len(),
        height = height.max(1),
        title = Escaped(title),
    );
    let mut y = 0;
    for picture in pictures {
        let _ = writeln!(svg, "<g transform=\"translate(0 {y})\">{}</g>", picture.svg);
        y += picture.height;
    }
    svg.push_str("</svg>\n");
    svg
}

/// How many characters of usual width fit into this room.
fn fitting(room: f64, character: f64) -> usize {
    whole((room / character).floor()) as usize
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is whole and within bounds"
)]
fn whole(number: f64) -> u32 {
    number.clamp(1.0, 100_000.0) as u32
}

#[cfg(test)]
mod tests {
    use super::super::tests::reading::{assert_passive, parse, words};
    use super::{Drawing, SVG_BYTES_MAX};

    #[test]
    fn a_picture_that_would_be_too_large_says_so() {
        let mut drawing = Drawing::new("large");
        drawing.entitle("Nothing", "too many circles".to_owned());
        drawing.tell("Circles.".to_owned());
        let canvas = drawing.board([100.0, 100.0]);
        for _ in 0..SVG_BYTES_MAX / 40 {
            canvas.circle("vd-corner", [50.0, 50.0], 3.0);
        }
        let picture = drawing.finish();
        assert_passive(&picture.svg);
        assert!(words(&parse(&picture.svg)).contains("too large to be drawn"));
    }
}
