//! What lists of platforms call their columns.

use std::collections::HashMap;
use std::sync::LazyLock;

static HEADERS: LazyLock<HashMap<String, Vec<String>>> =
    LazyLock::new(|| toml::from_str(include_str!("headers.toml")).expect("a test reads it"));

/// Whether this is what a platform calls such a column, in any of its languages: `login`, `id`,
/// `email`, `first_name`, `last_name`, `full_name`, `group` or `comments`.
pub fn is_called(what: &str, header: &str) -> bool {
    let header = header.trim().to_lowercase();
    HEADERS
        .get(what)
        .is_some_and(|names| names.contains(&header))
}
