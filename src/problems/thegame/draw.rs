//! The picture of a query: the cards, the free ring, the path with the fewest segments, or how far
//! one can get.

use askama::Template;

use super::board::{Board, DIRECTIONS, Point, Query};
use super::solve::Polyline;
use crate::problems::drawing::{Drawing, badge, hatch, tag};
use crate::problems::grid::{Grid, Place, are_apart, points, px};
use crate::util::words::amount;

/// The longest side of a board with its ring, and the least and the largest cell, in pixels.
const SIDE: f64 = 700.0;
const CELL: [f64; 2] = [9.0, 40.0];

/// The least and the largest radius of a corner's number, and of the letters of the two cards.
const BADGE: [f64; 2] = [6.0, 10.0];
const LETTER: [f64; 2] = [6.5, 13.0];

/// The distance of the lines over the cells that can be reached.
const HATCH: f64 = 7.0;

/// The most corners that are listed for a screen reader.
const CORNERS_LISTED_MAX: usize = 60;

/// The signs of the legend, each with its words; the last one takes the picture's identifier.
#[rustfmt::skip]
const SIGNS: [(&str, &str); 5] = [
    ("A, B: the cards to join", r#"<circle class="vd-first" cx="6.5" cy="8" r="6.5"/><text class="vd-badge-text" x="6.5" y="10.73" font-size="7.8">A</text><rect class="vd-second" x="13.5" y="2" width="12" height="12" rx="1.5"/><text class="vd-badge-text" x="19.5" y="10.52" font-size="7.2">B</text>"#),
    ("a card", r#"<rect class="vd-card" x="6" y="1" width="14" height="14"/>"#),
    ("the free ring around the board", r#"<rect class="vd-ring" x="2" y="1" width="22" height="14"/><rect class="vd-frame" x="7" y="5" width="12" height="6"/>"#),
    ("1: the first corner; every corner has a dot", r#"<polyline class="vd-way" points="0,13 12,13 12,0"/><circle class="vd-badge" cx="12" cy="9" r="6.5"/><text class="vd-badge-text" x="12" y="11.73" font-size="7.8">1</text>"#),
    ("cells that can be reached from A", r#"<rect class="vd-area" fill="url(#ID-reached)" x="2" y="0" width="22" height="16"/><rect class="vd-area-edge" x="2" y="0" width="22" height="16"/>"#),
];

/// The board as it is painted.
#[derive(Template)]
#[template(path = "problems/thegame/draw.svg")]
struct Painted {
    id: String,
    hatch: String,
    labels: String,
    inner: String,
    ring: String,
    cards: String,
    reached: Option<Area>,
    /// The way from card to card, and each of its corners; nothing where there is none.
    way: String,
    corners: Vec<Place>,
    dot: f64,
    signs: String,
}

struct Area {
    area: String,
    edge: String,
}

/// Where the cells of a board and of the ring around it are.
pub fn grid_of(board: &Board) -> Grid {
    let sides = [board.width(), board.height()].map(|side| usize::from(side) + 2);
    Grid::new(sides, 0, SIDE, CELL)
}

/// Draws a board with its one query, or with none.
pub fn draw(board: &Board, path: Option<&Polyline>, prefix: &str) -> Drawing {
    let grid = grid_of(board);
    let query = board.queries.first().copied();
    let headline = match (query, path) {
        (None, _) => "nothing is asked".to_owned(),
        (Some(_), Some(path)) => amount(path.segments(), "segment"),
        (Some(_), None) => "impossible".to_owned(),
    };
    let mut drawing = Drawing::new(prefix, "The Game", &headline);
    drawing.describe(format!(
        "A board of {} columns and {} rows with {} cards. Cells are named by column and row.",
        board.width(),
        board.height(),
        board.cards().len(),
    ));
    let unjoined = query.filter(|_| path.is_none());
    let reached = unjoined.map(|query| Reached::from(board, query.from));
    if let Some(query) = query {
        say(query, path, reached.as_ref(), &mut drawing);
    }
    let painted = painted(board, (path, reached.as_ref()), &grid, &drawing.id);
    drawing.board(grid.size(), &painted);
    let shown = [
        query.is_some(),
        true,
        true,
        path.is_some_and(|path| path.segments() > 1),
        reached.is_some_and(|reached| reached.count > 0),
    ];
    for ((words, sign), _) in SIGNS.iter().zip(shown).filter(|(_, is_shown)| *is_shown) {
        let sign = sign.replace("ID", &drawing.id);
        drawing.explain(words, sign);
    }
    drawing
}

/// What there is to say of a query.
fn say(
    Query { from, to }: Query,
    path: Option<&Polyline>,
    reached: Option<&Reached>,
    drawing: &mut Drawing,
) {
    let cards = format!("A is the card at {from}, B the card at {to}.");
    if let Some(path) = path {
        let count = path.segments();
        drawing.tell(format!(
            "{cards} The fewest segments: {count}. One way is drawn."
        ));
        let corners: Vec<String> = path.corners.iter().map(Point::to_string).collect();
        let listed = corners.len().min(CORNERS_LISTED_MAX);
        let more = match corners.len() - listed {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let corners = corners[..listed].join(", ");
        drawing.describe(format!("It goes by {corners}{more}."));
        return;
    }
    drawing.tell(format!("{cards} No path joins them."));
    let count = reached.map_or(0, |reached| reached.count);
    drawing.tell(match count {
        0 => "A has no free cell beside it.".to_owned(),
        1 => "From A only the hatched cell can be reached.".to_owned(),
        _ => format!("From A only the {count} hatched cells can be reached, and none is beside B."),
    });
}

/// The free cells that can be reached from a card, on the board and on the ring around it.
struct Reached {
    /// One mask per row of the board with its ring, bit x for column x.
    rows: Vec<u128>,
    count: usize,
}

impl Reached {
    /// Goes from cell to free cell.
    fn from(board: &Board, card: Point) -> Self {
        let mut reached = Self {
            rows: vec![0; usize::from(board.height()) + 2],
            count: 0,
        };
        let mut pending = vec![card];
        while let Some(at) = pending.pop() {
            let beside = DIRECTIONS.iter().filter_map(|&way| at.step(way, 1));
            for next in beside.filter(|&next| board.is_on_ring_or_board(next)) {
                let row = &mut reached.rows[usize::from(next.y)];
                if !board.has_card(next) && *row >> next.x & 1 == 0 {
                    *row |= 1 << next.x;
                    reached.count += 1;
                    pending.push(next);
                }
            }
        }
        reached
    }

    fn has(&self, x: usize, y: usize) -> bool {
        self.rows.get(y).is_some_and(|row| row >> x & 1 == 1)
    }
}

fn painted(
    board: &Board,
    (path, reached): (Option<&Polyline>, Option<&Reached>),
    grid: &Grid,
    id: &str,
) -> Painted {
    let sides = [board.width(), board.height()].map(usize::from);
    // A gap between cards, so that each can be told from the next.
    let inset = (grid.cell * 0.08).max(0.7);
    let cards = board.cards().into_iter();
    let corners = path.map_or(&[][..], |path| &path.corners);
    let corners: Vec<Place> = corners.iter().map(|corner| centre(grid, *corner)).collect();
    let mut signs = numbers(&corners, grid);
    if let Some(query) = board.queries.first() {
        // The two cards of the query over everything.
        let radius = (0.42 * grid.cell).clamp(LETTER[0], LETTER[1]);
        signs += &badge("vd-first", centre(grid, query.from), radius, "A");
        signs += &tag("vd-second", centre(grid, query.to), radius, "B");
    }
    Painted {
        id: id.to_owned(),
        hatch: hatch(id, ("reached", "vd-hatch"), [0.0, 0.0], HATCH, true),
        labels: grid.labels(sides),
        inner: grid.around([1, 1], sides, 0.0),
        ring: grid.around([0, 0], [grid.columns, grid.rows], 0.0),
        cards: cards
            .map(|card| grid.around(place(card), [1, 1], inset))
            .collect(),
        reached: reached.map(|reached| Area {
            area: grid.area(|x, y| reached.has(x, y)),
            edge: grid.borders(|x, y| reached.has(x, y).then_some(())),
        }),
        way: points(&corners),
        corners,
        dot: px((0.12 * grid.cell).max(2.2)),
        signs,
    }
}

fn place(Point { x, y }: Point) -> [usize; 2] {
    [x, y].map(usize::from)
}

fn centre(grid: &Grid, point: Point) -> Place {
    grid.centre(place(point))
}

/// The numbers of those corners where there is room.
fn numbers(corners: &[Place], grid: &Grid) -> String {
    let [first, inner @ .., last] = corners else {
        return String::new();
    };
    let radius = (0.32 * grid.cell).clamp(BADGE[0], BADGE[1]);
    let mut taken = vec![*first, *last];
    // Round numbers first: where not all have room, those tell most.
    let mut numbers: Vec<usize> = (1..=inner.len()).collect();
    numbers.sort_by_key(|number| (number % 10 != 0, number % 5 != 0, *number));
    let mut signs = String::new();
    for number in numbers {
        let at = inner[number - 1];
        if taken
            .iter()
            .all(|other| are_apart(*other, at, 2.0 * radius))
        {
            taken.push(at);
            signs += &badge("vd-badge", at, radius, &number.to_string());
        }
    }
    signs
}
