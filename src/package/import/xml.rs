//! XML files of packages: read with bounds, and walked by paths of names.

use std::path::Path;

use roxmltree::{Document, Node, ParsingOptions};

use crate::domain::Complaint;

/// Elements and texts of one file: the problem.xml of five hundred tests has some thousands.
const NODES_MAX: u32 = 2_000_000;

/// Reads a file. What it would take from elsewhere by a document type is refused.
pub fn parse<'t>(text: &'t str, file: &Path) -> Result<Document<'t>, Complaint> {
    let options = ParsingOptions {
        nodes_limit: NODES_MAX,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(text.trim_start_matches('\u{FEFF}'), options).map_err(|error| {
        let at = error.pos();
        let (line, column) = (at.row as usize, at.col as usize);
        Complaint::new(file, format!("it is not XML that can be read: {error}")).at(line, column)
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

/// An attribute; empty where there is none.
pub fn attribute<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    node.attribute(name).unwrap_or_default()
}
