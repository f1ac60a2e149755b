//! XML files of packages: read with bounds, and walked by paths of names.

use std::path::Path;

use roxmltree::{Document, Node, ParsingOptions};

use crate::domain::Complaint;

/// Elements and texts of one file: a problem.xml with five hundred tests has some thousands.
const NODES_MAX: u32 = 2_000_000;
/// Signs for each of which the parser makes room for an element or an attribute, before it looks
/// whether it is one.
const SIGNS_MAX: usize = 1 << 24;

/// An element.
pub type Xml<'a> = Node<'a, 'a>;

/// Reads a file. Its document type is not looked up, and may not define anything itself: what is
/// defined once can be said a million times.
pub fn parse<'t>(text: &'t str, file: &Path) -> Result<Document<'t>, Complaint> {
    let signs = text.bytes().filter(|byte| b"<=".contains(byte)).count();
    if signs > SIGNS_MAX {
        let reason = format!("it has {signs} of the signs `<` and `=`, more than {SIGNS_MAX}");
        return Err(Complaint::new(file, reason).with_help("take parts of it for themselves"));
    }
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

/// All text of an element: comments and elements may part it.
pub fn whole(node: Xml<'_>) -> String {
    let texts = node.descendants().filter(Node::is_text);
    texts.filter_map(|part| part.text()).collect()
}

/// That of the first of them, without white space around it; empty where there is none.
pub fn text(node: Xml<'_>, path: &str) -> String {
    let first = all(node, path).first().map(|node| whole(*node));
    first.unwrap_or_default().trim().to_owned()
}

/// An attribute of the first of them; empty where there is none.
pub fn attribute<'a>(node: Xml<'a>, path: &str, name: &str) -> &'a str {
    let first = all(node, path).into_iter().next();
    first.map_or("", |node| own(node, name))
}

/// An attribute of an element itself.
pub fn own<'a>(node: Xml<'a>, name: &str) -> &'a str {
    node.attribute(name).unwrap_or_default()
}
