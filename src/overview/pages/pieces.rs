//! Pieces that several pages are made of: which part of a long table is shown, names, moments.

use askama::Template;
use jiff::tz::TimeZone;

use crate::util::clock::{on_clock, utc_text};

/// Which students of a long table are shown.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Selection {
    /// Which part, from 1.
    pub page: usize,
    /// Those of a section of the roster, for the staff.
    pub section: Option<String>,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            page: 1,
            section: None,
        }
    }
}

/// One page of something long.
pub struct Part {
    pub first: usize,
    pub last: usize,
    pub of: usize,
    pub before: Option<usize>,
    pub after: Option<usize>,
    /// What stands in the address beside the page.
    pub query: String,
    pub sections: Vec<SectionLink>,
}

/// A section of the roster, whose students alone can be shown.
pub struct SectionLink {
    pub href: String,
    pub shown: String,
    pub is_chosen: bool,
}

impl Part {
    pub(super) fn of(page: usize, size: usize, of: usize) -> Self {
        let pages = of.div_ceil(size).max(1);
        let page = page.clamp(1, pages);
        Self {
            first: ((page - 1) * size + 1).min(of),
            last: (page * size).min(of),
            of,
            before: (page > 1).then(|| page - 1),
            after: (page < pages).then_some(page + 1),
            query: String::new(),
            sections: Vec::new(),
        }
    }

    pub(super) fn take<T>(&self, all: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        let first = self.first.saturating_sub(1);
        all.skip(first).take(self.last - first)
    }
}

/// A name as it is shown, which leads to the page about it.
#[derive(Debug, Clone, Template)]
#[template(
    ext = "html",
    source = r#"{% if let Some(href) = href %}<a href="{{ href }}"{% if let Some(title) = title %} title="{{ title }}"{% endif %}><bdi>{{ shown }}</bdi></a>{% else %}<bdi>{{ shown }}</bdi>{% endif %}"#
)]
pub struct Name {
    pub shown: String,
    /// What it means, where that is shown only on request.
    pub title: Option<String>,
    /// `None` if the readers of this page have no such page.
    pub href: Option<String>,
}

/// A moment, for people and for programs.
#[derive(Debug, Clone, Template)]
#[template(
    ext = "html",
    source = r#"<time datetime="{{ machine }}">{{ text }}</time>"#
)]
pub struct Moment {
    /// Without seconds and zone; each page says once on which clock all times are.
    pub text: String,
    /// As RFC 3339 has it.
    pub machine: String,
}

impl Moment {
    /// A moment in milliseconds since 1970, on the clock of a zone.
    pub fn of(ms: i64, zone: &TimeZone) -> Self {
        Self {
            text: on_clock(ms, zone, "%Y-%m-%d %H:%M"),
            machine: utc_text(ms),
        }
    }
}
