//! XML files of packages: read with bounds, and walked by paths of names.

use std::path::Path;

use roxmltree::{Document, Node, ParsingOptions};

use crate::domain::Complaint;

/// Elements and texts of one file: a problem.xml with five hundred tests has some thousands.
const NODES_MAX: u32 = 2_000_000;

/// Reads a file. Document types, which could name other files, are refused.
pub fn parse<'t>(text: &'t str, file: &Path) -> Result<Document<'t>, Complaint> {
    let mut options = ParsingOptions::default();
    options.nodes_limit = NODES_MAX;
    let document = Document::parse_with_options(text.trim_start_matches('\u{FEFF}'), options);
    document.map_err(|error| {
        let at = error.pos();
        Complaint::new(file, error).at(at.row as usize, at.col as usize)
    })
}

/// The elements at a path of names below one.
pub fn all<'a, 't>(node: Node<'a, 't>, path: &str) -> Vec<Node<'a, 't>> {
    path.split('/').fold(vec![node], |nodes, name| {
        let children = nodes.iter().flat_map(Node::children);
        children.filter(|child| child.has_tag_name(name)).collect()
    })
}

/// The text of the first of them, without white space around it; empty where there is none.
pub fn text<'a>(node: Node<'a, '_>, path: &str) -> &'a str {
    let first = all(node, path).into_iter().next();
    first
        .and_then(|node| node.text())
        .unwrap_or_default()
        .trim()
}

/// An attribute of the first of them; empty where there is none.
pub fn attribute<'a>(node: Node<'a, '_>, path: &str, name: &str) -> &'a str {
    let first = all(node, path).into_iter().next();
    first
        .and_then(|node| node.attribute(name))
        .unwrap_or_default()
}

/// An attribute of an element itself.
pub fn own<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    node.attribute(name).unwrap_or_default()
}
