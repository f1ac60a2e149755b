//! One picture as SVG: a title, what there is to say, the board, and a legend of the signs in it.
//!
//! Pictures are templates: `picture.svg` is the frame, and each problem has its `draw.svg` for the
//! board. Templates escape every text, so nothing that a program printed can be more than text.
//! Looks come from one style sheet (`picture.css`) that works in a file alone and within a page: all
//! its classes begin with `vd-`. Nothing is told by colour alone.

use askama::Template;

use super::grid::{Place, length, px};
use crate::util::columns::{clipped, columns, wrapped};
use crate::util::excerpt::{decode, visible_line};

/// The looks of everything; there is nothing to load in it.
pub(super) const STYLE: &str = include_str!("picture.css");

/// The most characters of an identifier that a caller chooses.
const PREFIX_CHARS_MAX: usize = 64;
/// The most bytes of a program's words that are looked at.
const SAID_BYTES_MAX: usize = 4096;
/// The most lines of a program's words that are shown.
const SAID_LINES_MAX: usize = 4;
/// The most columns that are shown of a line of a program's words.
const SAID_COLUMNS_MAX: usize = 81;

/// The room around everything, as in the template.
const PADDING: f64 = 16.0;
/// The least room for words, so that they stand beside a narrow board, too.
const WIDTH_MIN: f64 = 460.0;
/// The room between words and board.
const GAP: f64 = 8.0;
/// The height of a line of the legend, and how far a sign is from the words before it.
const LEGEND_LEADING: f64 = 24.0;
const SIGN_GAP: f64 = 18.0;
/// The room for a sign and the gap to its words, as in the template.
const SIGN: f64 = 32.0;
const LEGEND_SIZE: f64 = 12.0;
/// The width of a character in parts of the font size: a cautious guess, since the font is the
/// reader's.
const CHARACTER: f64 = 0.56;

/// Of each class of text above a board: its size, the height of a line, how far that is above the
/// next one, and the width of a character in parts of the size.
const TITLE: (&str, [f64; 4]) = ("vd-title", [15.0, 21.0, 6.0, 0.64]);
const CAPTION: (&str, [f64; 4]) = ("vd-caption", [13.0, 18.0, 5.0, CHARACTER]);
const SAID: (&str, [f64; 4]) = ("vd-said", [13.0, 18.0, 5.0, 0.62]);

/// A finished picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// What it shows, as plain text; the picture itself says it, too.
    pub title: String,
    /// An `svg` element: a file by itself, or a part of an HTML page. It has no scripts and refers
    /// to nothing outside.
    pub svg: String,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
}

/// A picture that is being made.
#[derive(Debug, Clone)]
pub struct Drawing {
    /// What its identifiers begin with.
    pub id: String,
    title: String,
    description: Vec<String>,
    /// What there is to say, each with its class.
    said: Vec<((&'static str, [f64; 4]), String)>,
    /// The board as SVG, and how much room it takes.
    board: String,
    size: Place,
    /// The signs of the legend as SVG, each in a box of 26 by 16 pixels, with their words.
    legend: Vec<(String, &'static str)>,
}

impl Drawing {
    /// A drawing of which problem, and the one thing to know about it. Identifiers in it begin with
    /// the prefix, which must differ between pictures of one page.
    pub fn new(prefix: &str, subject: &str, headline: &str) -> Self {
        Self {
            id: identifier(prefix),
            title: format!("{subject}: {headline}"),
            description: Vec::new(),
            said: Vec::new(),
            board: String::new(),
            size: [0.0, 0.0],
            legend: Vec::new(),
        }
    }

    /// Says in the title which case it is.
    pub fn name_case(&mut self, case: &str) {
        if let Some((subject, headline)) = self.title.split_once(": ") {
            self.title = format!("{subject}, {case}: {headline}");
        }
    }

    /// Says something above the board.
    pub fn tell(&mut self, words: String) {
        self.description.push(words.clone());
        self.said.push((CAPTION, words));
    }

    /// Says something to a screen reader only: what others see.
    pub fn describe(&mut self, words: String) {
        self.description.push(words);
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
            // XML has no place for these two, not even escaped.
            let line = visible_line(line).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
            let line = clipped(&line, SAID_COLUMNS_MAX);
            self.describe(line.clone());
            self.said.push((SAID, line));
        }
        if words.cut || lines.next().is_some() {
            self.tell("… and more.".to_owned());
        }
    }

    /// Puts a board into it that takes so much room.
    pub fn board(&mut self, size: Place, board: &impl Template) {
        self.size = size;
        self.board = rendered(board);
    }

    /// Explains a sign, which is SVG for a box of 26 by 16 pixels.
    pub fn explain(&mut self, words: &'static str, sign: String) {
        self.legend.push((sign, words));
    }

    /// Makes the picture.
    pub fn finish(self) -> Picture {
        let room = self.size[0].max(WIDTH_MIN);
        let mut y = PADDING;
        let mut lines = Vec::new();
        let title = std::iter::once((TITLE, self.title.clone()));
        for ((class, [size, leading, above, character]), words) in title.chain(self.said) {
            for text in wrapped(&words, whole(room / (size * character)) as usize) {
                y += leading;
                lines.push(TextLine {
                    class,
                    size,
                    y: y - above,
                    text,
                });
            }
        }
        let top = y + GAP;
        let (legend, end) = laid_out(&self.legend, top + self.size[1] + GAP, room);
        let [width, height] = [room + 2.0 * PADDING, end + PADDING].map(|side| whole(side.ceil()));
        let frame = Frame {
            id: &self.id,
            width,
            height,
            title: &self.title,
            description: &self.description.join("\n"),
            style: STYLE,
            lines,
            top: px(top),
            board: &self.board,
            legend,
        };
        Picture {
            svg: rendered(&frame),
            title: self.title,
            width,
            height,
        }
    }
}

/// The whole picture.
#[derive(Template)]
#[template(path = "problems/picture.svg")]
struct Frame<'d> {
    id: &'d str,
    width: u32,
    height: u32,
    title: &'d str,
    description: &'d str,
    style: &'static str,
    lines: Vec<TextLine>,
    top: f64,
    board: &'d str,
    legend: Vec<LegendLine<'d>>,
}

struct TextLine {
    class: &'static str,
    size: f64,
    y: f64,
    text: String,
}

struct LegendLine<'d> {
    x: f64,
    y: f64,
    sign: &'d str,
    words: &'static str,
}

/// Lays the signs and their words in lines, and says where they end.
fn laid_out<'d>(
    legend: &'d [(String, &'static str)],
    from: f64,
    room: f64,
) -> (Vec<LegendLine<'d>>, f64) {
    let (mut x, mut y) = (0.0, from);
    let mut lines = Vec::new();
    for (sign, words) in legend {
        let width = SIGN + length(columns(words)) * LEGEND_SIZE * CHARACTER;
        if x > 0.0 && x + width > room {
            x = 0.0;
            y += LEGEND_LEADING;
        }
        let (x_here, y) = (px(PADDING + x), px(y));
        lines.push(LegendLine {
            x: x_here,
            y,
            sign,
            words,
        });
        x += width + SIGN_GAP;
    }
    let end = if legend.is_empty() {
        y
    } else {
        y + LEGEND_LEADING - GAP
    };
    (lines, end)
}

/// A round sign with a number or a letter in it.
pub fn badge(class: &str, [x, y]: Place, radius: f64, text: &str) -> String {
    let radius = px(radius);
    let text = sign_text([x, y], radius, text);
    format!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>{text}")
}

/// A square sign with a number or a letter in it: told from a round one by more than its colour.
pub fn tag(class: &str, [x, y]: Place, half: f64, text: &str) -> String {
    let [left, top] = [px(x - half), px(y - half)];
    let [side, corner] = [px(2.0 * half), px(half / 4.0)];
    let text = sign_text([x, y], half, text);
    format!(
        "<rect class=\"{class}\" x=\"{left}\" y=\"{top}\" width=\"{side}\" height=\"{side}\" rx=\"{corner}\"/>{text}"
    )
}

fn sign_text([x, y]: Place, half: f64, text: &str) -> String {
    let size = half * if text.len() > 2 { 0.95 } else { 1.2 };
    // Capital letters and digits are about 0.7 of the size high.
    let [y, size] = [px(y + 0.35 * size), px(size)];
    format!("<text class=\"vd-badge-text\" x=\"{x}\" y=\"{y}\" font-size=\"{size}\">{text}</text>")
}

/// A pattern of slanted lines of this class, rising or falling, so far apart, laid from this place
/// on.
pub fn hatch(
    id: &str,
    (name, class): (&str, &str),
    [x, y]: Place,
    apart: f64,
    rises: bool,
) -> String {
    // The lines go beyond the tile, so that they meet at its corners.
    let (low, high) = (-1.0, apart + 1.0);
    let (from, to) = if rises { (high, low) } else { (low, high) };
    let lines = [-apart, 0.0, apart].map(|shift| {
        let [left, right] = [shift + low, shift + high];
        format!("<line class=\"{class}\" x1=\"{left}\" y1=\"{from}\" x2=\"{right}\" y2=\"{to}\"/>")
    });
    let tile = format!("x=\"{x}\" y=\"{y}\" width=\"{apart}\" height=\"{apart}\"");
    let lines = lines.concat();
    format!("<pattern id=\"{id}-{name}\" patternUnits=\"userSpaceOnUse\" {tile}>{lines}</pattern>")
}

/// A template as text.
pub fn rendered(template: &impl Template) -> String {
    // Writing to a string cannot fail.
    template.render().unwrap_or_default()
}

/// Several pictures below each other as one; the only one as it is.
pub fn stacked(title: &str, pictures: &[Picture]) -> String {
    #[derive(Template)]
    #[template(
        ext = "svg",
        source = r#"<svg xmlns="http://www.w3.org/2000/svg" role="group" aria-label="{{ title }}" width="{{ width }}" height="{{ height }}" viewBox="0 0 {{ width }} {{ height }}">
<title>{{ title }}</title>
<desc>{{ pictures.len() }} pictures, one below the other.</desc>
{% for (y, picture) in pictures %}<g transform="translate(0 {{ y }})">{{ picture|safe }}</g>
{% endfor %}</svg>
"#
    )]
    struct Stack<'p> {
        title: &'p str,
        width: u32,
        height: u32,
        pictures: Vec<(u32, &'p str)>,
    }

    if let [only] = pictures {
        return only.svg.clone();
    }
    let mut height = 0;
    let mut placed = Vec::new();
    for picture in pictures {
        placed.push((height, &picture.svg[..]));
        height += picture.height;
    }
    let width = pictures.iter().map(|picture| picture.width).max();
    rendered(&Stack {
        title,
        width: width.unwrap_or(1),
        height: height.max(1),
        pictures: placed,
    })
}

/// An identifier that is valid everywhere, whatever the caller wishes.
fn identifier(wish: &str) -> String {
    let kept = wish
        .chars()
        .filter(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_'))
        .take(PREFIX_CHARS_MAX);
    "vd-".chars().chain(kept).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is within bounds"
)]
fn whole(number: f64) -> u32 {
    number.clamp(1.0, 100_000.0) as u32
}
