//! Reads pictures back with an independent XML parser: what is on the board, and that nothing else
//! is in them.

use std::collections::BTreeSet;

use roxmltree::{Document, Node};

use super::super::grid::{Grid, Place};
use crate::domain::is_invisible;

/// The most bytes of a picture.
const SVG_BYTES_MAX: usize = 512 * 1024;

/// Every element that a picture may have.
const ELEMENTS: &str =
    "svg title desc style defs pattern g rect circle line polyline polygon path text";

/// Every attribute that a picture may have; none of them can run anything, and `fill` is looked at.
const ATTRIBUTES: &str = "aria-label aria-labelledby class cx cy d fill font-size height id \
    patternUnits points r role rx transform viewBox width x x1 x2 y y1 y2";

/// The style drawing of all pictures.
pub fn style() -> &'static str {
    super::super::drawing::STYLE
}

/// Parses a picture; whatever is not XML fails here.
pub fn parse(svg: &str) -> Document<'_> {
    match Document::parse(svg) {
        Ok(document) => document,
        Err(error) => panic!("{error}\n{svg}"),
    }
}

/// Whether an element has this class.
pub fn is(node: &Node<'_, '_>, class: &str) -> bool {
    node.attribute("class") == Some(class)
}

/// The elements of this class that are painted on the board, in their order.
pub fn on_board<'a>(document: &'a Document<'a>, class: &'a str) -> Vec<Node<'a, 'a>> {
    let root = document.root_element();
    let mut groups = root.children().filter(|child| child.has_tag_name("g"));
    let board = groups.next().expect("a picture has a board");
    board.descendants().filter(|node| is(node, class)).collect()
}

/// What is read of each of them.
pub fn drawn<'a, T>(
    document: &'a Document<'a>,
    class: &'a str,
    read: impl FnMut(&Node<'a, 'a>) -> T,
) -> Vec<T> {
    on_board(document, class).iter().map(read).collect()
}

/// A number that an attribute holds.
pub fn number(node: &Node<'_, '_>, attribute: &str) -> f64 {
    let number = node.attribute(attribute).and_then(|text| text.parse().ok());
    number.unwrap_or_else(|| panic!("{attribute} of {node:?}"))
}

/// The cell in which a place lies that two attributes hold.
pub fn cell(grid: &Grid, node: &Node<'_, '_>, x: &str, y: &str) -> [usize; 2] {
    let place = [number(node, x), number(node, y)];
    grid.cell_at(place).expect("a place on the board")
}

/// The cells that a polyline goes by.
pub fn cells_of_polyline(grid: &Grid, node: &Node<'_, '_>) -> Vec<[usize; 2]> {
    let points = node.attribute("points").unwrap_or_default();
    let cell = |point: &str| {
        let (x, y) = point.split_once(',').expect("two numbers");
        let place: Place = [x.parse().unwrap(), y.parse().unwrap()];
        grid.cell_at(place).expect("a place on the board")
    };
    points.split_whitespace().map(cell).collect()
}

/// The cells of rectangles that a path is made of, each `Mx yhWvHh-Wz`.
pub fn cells_of_path(grid: &Grid, node: &Node<'_, '_>) -> BTreeSet<[usize; 2]> {
    let mut cells = BTreeSet::new();
    let drawn = node.attribute("d").unwrap_or_default();
    for part in drawn.split_terminator('z') {
        let numbers = part.split(['M', ' ', 'h', 'v']);
        let numbers = numbers.filter(|number| !number.is_empty());
        let numbers = numbers.map(|number| number.parse::<f64>().unwrap());
        let [x, y, width, height, back] = numbers.collect::<Vec<_>>()[..] else {
            panic!("not a rectangle: {part}");
        };
        assert!((width + back).abs() < 0.01, "{part}");
        let is_column = |column: &usize| (x..x + width).contains(&grid.centre([*column, 0])[0]);
        let is_row = |row: &usize| (y..y + height).contains(&grid.centre([0, *row])[1]);
        let columns: Vec<usize> = (0..grid.columns).filter(is_column).collect();
        for row in (0..grid.rows).filter(is_row) {
            cells.extend(columns.iter().map(|column| [*column, row]));
        }
    }
    cells
}

/// All text that a reader sees, line by line.
pub fn words(document: &Document<'_>) -> String {
    let texts = document.descendants();
    let texts = texts.filter(|node| node.has_tag_name("text"));
    let texts: Vec<&str> = texts.filter_map(|node| node.text()).collect();
    texts.join("\n")
}

/// The same as one line: a sentence may go over several in the picture.
pub fn sentences(document: &Document<'_>) -> String {
    let words = words(document);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Asserts that a picture is well-formed, says what it is, and holds nothing but shapes and text.
pub fn assert_passive(svg: &str) {
    assert!(svg.len() <= SVG_BYTES_MAX, "{} bytes", svg.len());
    let document = parse(svg);
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    let of = |name: &str| {
        let mut found = root.children().filter(|node| node.has_tag_name(name));
        let node = found.next().unwrap_or_else(|| panic!("no {name}"));
        assert!(!node.text().unwrap_or_default().trim().is_empty(), "{name}");
        node.attribute("id").unwrap().to_owned()
    };
    let named = format!("{} {}", of("title"), of("desc"));
    assert_eq!(root.attribute("aria-labelledby"), Some(&named[..]));
    let mut ids = BTreeSet::new();
    for node in document.descendants().filter(Node::is_element) {
        let name = node.tag_name().name();
        assert!(ELEMENTS.split(' ').any(|known| known == name), "<{name}>");
        assert_eq!(node.tag_name().namespace(), root.tag_name().namespace());
        for attribute in node.attributes() {
            let name = attribute.name();
            let is_known = ATTRIBUTES.split_whitespace().any(|known| known == name);
            assert!(is_known && attribute.namespace().is_none(), "{name}");
        }
        if let Some(id) = node.attribute("id") {
            assert!(ids.insert(id.to_owned()), "{id} twice");
        }
        if let Some(class) = node.attribute("class") {
            let has_look = style().contains(&format!(".{class}"));
            assert!(has_look, "{class} has no look");
        }
    }
    for node in document.descendants() {
        if let Some(fill) = node.attribute("fill") {
            let is_there = ids.iter().any(|id| *fill == format!("url(#{id})"));
            assert!(is_there, "fill is {fill}");
        }
        if node.is_text() && !node.parent().is_some_and(|node| node.has_tag_name("style")) {
            let hidden = |character: &char| is_invisible(*character) && *character != '\n';
            let found = node.text().unwrap_or_default().chars().find(hidden);
            assert_eq!(found, None, "{svg}");
        }
    }
}
