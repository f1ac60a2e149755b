//! XML files of packages: read with bounds, and walked by paths of names.

use std::path::Path;

use roxmltree::{Document, Node, ParsingOptions};

use crate::domain::Complaint;

/// Elements and texts of one file: a problem.xml with five hundred tests has some thousands.
const NODES_MAX: u32 = 2_000_000;

/// An element.
pub type Xml<'a> = Node<'a, 'a>;

/// Reads a file. Its document type is not looked up, and may not define anything itself: what is
/// defined once can be said a million times.
pub fn parse<'t>(text: &'t str, file: &Path) -> Result<Document<'t>, Complaint> {
    let mut options = ParsingOptions::default();
    (options.nodes_limit, options.allow_dtd) = (NODES_MAX, !text.contains("<!ENTITY"));
    let document = Document::parse_with_options(text.trim_start_matches('\u{FEFF}'), options);
    document.map_err(|error| {
        let at = error.pos();
        Complaint::new(file, error).at(at.row as usize, at.col as usize)
    })
}

/// The elements at a path of names below one.
pub fn all<'a>(node: Xml<'a>, path: &str) -> Vec<Xml<'a>> {
    path.split('/').fold(vec![node], |nodes, name| {
        let children = nodes.iter().flat_map(Node::children);
        children.filter(|child| child.has_tag_name(name)).collect()
    })
}

/// The text of the first of them, without white space around it; empty where there is none.
pub fn text<'a>(node: Xml<'a>, path: &str) -> &'a str {
    let first = all(node, path).into_iter().next();
    first
        .and_then(|node| node.text())
        .unwrap_or_default()
        .trim()
}

/// An attribute of the first of them; empty where there is none.
pub fn attribute<'a>(node: Xml<'a>, path: &str, name: &str) -> &'a str {
    let first = all(node, path).into_iter().next();
    first
        .and_then(|node| node.attribute(name))
        .unwrap_or_default()
}

/// An attribute of an element itself.
pub fn own<'a>(node: Xml<'a>, name: &str) -> &'a str {
    node.attribute(name).unwrap_or_default()
}
