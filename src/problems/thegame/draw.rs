//! The picture of a query: the cards, the free ring, the path with the fewest segments, or how far
//! one can get.

use super::board::{Board, DIRECTIONS, Point, Query};
use super::solve::Polyline;
use crate::problems::Drawing;
use crate::problems::svg::{Canvas, Grid, Path, Place};
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

/// Where the cells of a board and of the ring around it are.
pub fn grid_of(board: &Board) -> Grid {
    let sides = [board.width(), board.height()].map(|side| usize::from(side) + 2);
    Grid::new(sides, 0, SIDE, CELL)
}

/// Draws a board with its one query, or with none.
pub fn draw(board: &Board, path: Option<&Polyline>, drawing: &mut Drawing) {
    let grid = grid_of(board);
    let query = board.queries.first().copied();
    drawing.describe(&format!(
        "A board of {} columns and {} rows with {} cards. Cells are named by column and row.",
        board.width(),
        board.height(),
        board.cards().len(),
    ));
    let reached = match (query, path) {
        (Some(query), None) => Some(Reached::from(board, query.from)),
        _ => None,
    };
    say(query, path, reached.as_ref(), drawing);
    drawing.hatch("reached", [0.0, 0.0], HATCH, "vd-hatch", true);
    let canvas = drawing.board(grid.size());
    paint_board(board, &grid, canvas);
    if let Some(reached) = &reached {
        let area = grid.area(|x, y| reached.has(x, y));
        canvas.patterned("vd-area", &area, "reached");
        let edge = grid.borders(|x, y| reached.has(x, y).then_some(()));
        canvas.path("vd-area-edge", &edge);
    }
    if let Some(path) = path {
        paint_path(path, &grid, canvas);
    }
    if let Some(query) = query {
        paint_cards(query, &grid, canvas);
    }
    explain(query, path, reached.as_ref(), drawing);
}

/// What there is to say.
fn say(
    query: Option<Query>,
    path: Option<&Polyline>,
    reached: Option<&Reached>,
    drawing: &mut Drawing,
) {
    let Some(Query { from, to }) = query else {
        drawing.entitle("The Game", "nothing is asked".to_owned());
        return;
    };
    let cards = format!("A is the card at {from}, B the card at {to}.");
    if let Some(path) = path {
        let count = path.segments();
        drawing.entitle("The Game", amount(count, "segment"));
        drawing.tell(format!(
            "{cards} The fewest segments: {count}. One way is drawn."
        ));
        let corners: Vec<String> = path.corners.iter().map(Point::to_string).collect();
        let listed = corners.len().min(CORNERS_LISTED_MAX);
        let more = match corners.len() - listed {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        drawing.describe(&format!(
            "It goes by {}{more}.",
            corners[..listed].join(", ")
        ));
        return;
    }
    drawing.entitle("The Game", "impossible".to_owned());
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

fn paint_board(board: &Board, grid: &Grid, canvas: &mut Canvas) {
    let sides = [board.width(), board.height()].map(usize::from);
    grid.label(canvas, sides);
    let mut inner = Path::default();
    grid.around(&mut inner, [1, 1], sides, 0.0);
    let mut ring = Path::default();
    grid.around(&mut ring, [0, 0], [grid.columns, grid.rows], 0.0);
    canvas.path("vd-board", &inner);
    canvas.path("vd-ring", &ring);
    let mut cards = Path::default();
    // A gap between cards, so that each can be told from the next.
    let inset = (grid.cell * 0.08).max(0.7);
    for Point { x, y } in board.cards() {
        let cell = [x, y].map(usize::from);
        grid.around(&mut cards, cell, [1, 1], inset);
    }
    canvas.path("vd-card", &cards);
    canvas.path("vd-frame", &inner);
}

fn centre(grid: &Grid, Point { x, y }: Point) -> Place {
    grid.centre(usize::from(x), usize::from(y))
}

/// Paints the path, a dot on every corner, and numbers on those where there is room.
fn paint_path(path: &Polyline, grid: &Grid, canvas: &mut Canvas) {
    let points: Vec<Place> = path
        .corners
        .iter()
        .map(|&corner| centre(grid, corner))
        .collect();
    canvas.polyline("vd-casing", &points);
    canvas.polyline("vd-way", &points);
    let [first, inner @ .., last] = &points[..] else {
        return;
    };
    for &corner in inner {
        canvas.circle("vd-corner", corner, (0.12 * grid.cell).max(2.2));
    }
    let radius = (0.32 * grid.cell).clamp(BADGE[0], BADGE[1]);
    let mut taken = vec![*first, *last];
    // Round numbers first: where not all have room, those tell most.
    let mut numbers: Vec<usize> = (1..=inner.len()).collect();
    numbers.sort_by_key(|number| (number % 10 != 0, number % 5 != 0, *number));
    for number in numbers {
        let at = inner[number - 1];
        let is_free = taken
            .iter()
            .all(|other| (other[0] - at[0]).hypot(other[1] - at[1]) >= 2.0 * radius);
        if is_free {
            taken.push(at);
            canvas.badge("vd-badge", at, radius, &number.to_string());
        }
    }
}

/// Paints the two cards of the query over everything.
fn paint_cards(query: Query, grid: &Grid, canvas: &mut Canvas) {
    let radius = (0.42 * grid.cell).clamp(LETTER[0], LETTER[1]);
    canvas.badge("vd-first", centre(grid, query.from), radius, "A");
    canvas.tag("vd-second", centre(grid, query.to), radius, "B");
}

fn explain(
    query: Option<Query>,
    path: Option<&Polyline>,
    reached: Option<&Reached>,
    drawing: &mut Drawing,
) {
    if query.is_some() {
        drawing.explain("A, B: the cards to join", |canvas| {
            canvas.badge("vd-first", [6.5, 8.0], 6.5, "A");
            canvas.tag("vd-second", [19.5, 8.0], 6.0, "B");
        });
    }
    drawing.explain("a card", |canvas| {
        canvas.rect("vd-card", [6.0, 1.0], 14.0, 14.0);
    });
    drawing.explain("the free ring around the board", |canvas| {
        canvas.rect("vd-ring", [2.0, 1.0], 22.0, 14.0);
        canvas.rect("vd-frame", [7.0, 5.0], 12.0, 6.0);
    });
    let corners = path.map_or(0, Polyline::segments).saturating_sub(1);
    if corners > 0 {
        drawing.explain("1: the first corner; every corner has a dot", |canvas| {
            canvas.polyline("vd-way", &[[0.0, 13.0], [12.0, 13.0], [12.0, 0.0]]);
            canvas.badge("vd-badge", [12.0, 9.0], 6.5, "1");
        });
    }
    if reached.is_some_and(|reached| reached.count > 0) {
        drawing.explain("cells that can be reached from A", |canvas| {
            let mut sign = Path::default();
            sign.rect([2.0, 0.0], 22.0, 16.0);
            canvas.patterned("vd-area", &sign, "reached");
            canvas.path("vd-area-edge", &sign);
        });
    }
}
