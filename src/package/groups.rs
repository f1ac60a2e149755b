//! The groups of tests that problem.toml declares: folders below `data/secret/` with points.

use std::path::Path;

use serde::Deserialize;
use serde::de::Deserializer;
use toml::Spanned;

use super::error::PackageError;
use super::folder::{entries, files_with};
use crate::config::{ConfigError, Place, Wrong, one_of, suggestion, whole};
use crate::domain::{Group, Groups, Scoring};

/// Groups of one problem.
pub(super) const GROUPS_MAX: usize = 100;
/// Entries of `data/secret` among which the folder is looked for that was meant.
const MEANT_AMONG_MAX: usize = 1_000;

/// One `[[groups]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupTable {
    /// The folder below `data/secret`.
    pub name: Spanned<String>,
    #[serde(deserialize_with = "whole::<0, 1_000_000, 1, _, _>")]
    pub points: u32,
    #[serde(default = "all", deserialize_with = "scoring")]
    pub score: Scoring,
    /// The groups that must be passed for this one to bring anything.
    #[serde(default)]
    pub needs: Vec<Spanned<String>>,
    /// Whether hacks are tests of this group.
    #[serde(default)]
    pub hacks: Option<Spanned<bool>>,
}

fn all() -> Scoring {
    Scoring::All
}

fn scoring<'de, D: Deserializer<'de>>(from: D) -> Result<Scoring, D::Error> {
    let choices = [Scoring::All, Scoring::Sum].map(|scoring| (scoring.word(), scoring));
    one_of(from, &choices)
}

/// Reads the list, of which there is a bound.
pub fn tables<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<GroupTable>, D::Error> {
    let tables = Vec::deserialize(from)?;
    if tables.len() > GROUPS_MAX {
        let message = format!("there are more than {GROUPS_MAX} groups");
        return Err(Wrong::new(message, "put tests that belong together into one").error(None));
    }
    Ok(tables)
}

/// Whether a group can have this name.
pub(super) fn is_folder_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0'])
}

/// The groups, checked one against the other.
pub(super) fn groups(tables: &[GroupTable], place: &Place<'_>) -> Result<Groups, ConfigError> {
    let mut groups: Vec<Group> = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        let name = table.name.get_ref();
        if !is_folder_name(name) {
            return Err(place.error(
                table.name.span(),
                format!("`{}` is not the name of a folder", name.escape_debug()),
                "write the name of a folder below data/secret, as in \"easy\" for data/secret/easy",
            ));
        }
        if groups.iter().any(|group| group.name == *name) {
            return Err(place.error(
                table.name.span(),
                format!("the group `{name}` is here twice"),
                "take one of the two out; each has a folder of its own",
            ));
        }
        let takes_hacks = table.hacks.as_ref().filter(|hacks| *hacks.get_ref());
        if let Some(hacks) = takes_hacks
            && let Some(other) = groups.iter().find(|group| group.takes_hacks)
        {
            return Err(place.error(
                hacks.span(),
                format!("hacks belong to the group `{}` already", other.name),
                "take `hacks` out of one of the two",
            ));
        }
        groups.push(Group {
            name: name.clone(),
            points: table.points,
            scoring: table.score,
            needs: needs(tables, index, &groups, place)?,
            takes_hacks: takes_hacks.is_some(),
        });
    }
    if let Some(first) = tables.first()
        && groups.iter().all(|group| group.points == 0)
    {
        return Err(place.error(
            first.name.span(),
            "no group has any points",
            "give at least one of them `points` of 1 or more",
        ));
    }
    Ok(Groups::new(groups))
}

/// The places of what a group needs, and of what that needs. What is needed stands before it, so
/// that its tests have run; and so nothing can need itself in a circle.
fn needs(
    tables: &[GroupTable],
    index: usize,
    before: &[Group],
    place: &Place<'_>,
) -> Result<Vec<usize>, ConfigError> {
    let mut places = Vec::new();
    let name = tables[index].name.get_ref();
    for needed in &tables[index].needs {
        let needed_name = needed.get_ref();
        let wrong = |message: String, help: String| place.error(needed.span(), message, help);
        let named = |table: &GroupTable| table.name.get_ref() == needed_name;
        let Some(at) = tables.iter().position(named) else {
            let known: Vec<&str> = tables
                .iter()
                .map(|table| table.name.get_ref().as_str())
                .filter(|known| known != name)
                .collect();
            return Err(wrong(
                format!("there is no group `{needed_name}`"),
                if known.is_empty() {
                    "there is no other group here; take `needs` out".to_owned()
                } else {
                    suggestion(needed_name, &known)
                },
            ));
        };
        if reaches(tables, at, index) {
            let circle = if at == index {
                format!("the group `{name}` needs itself")
            } else {
                format!("the groups `{name}` and `{needed_name}` need each other")
            };
            return Err(wrong(
                circle,
                "nobody could pass either; take one of the `needs` out".to_owned(),
            ));
        }
        if at > index {
            return Err(wrong(
                format!("the group `{name}` needs `{needed_name}`, which comes after it"),
                format!(
                    "groups are run in the order of this file: move [[groups]] of \
                     `{needed_name}` up"
                ),
            ));
        }
        for place in std::iter::once(at).chain(before[at].needs.iter().copied()) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    Ok(places)
}

/// Whether a group needs another one, over however many others.
fn reaches(tables: &[GroupTable], from: usize, to: usize) -> bool {
    let mut open = vec![from];
    let mut seen = vec![false; tables.len()];
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            let needed = tables[at].needs.iter();
            open.extend(needed.filter_map(|needed| {
                let mut all = tables.iter();
                all.position(|table| table.name.get_ref() == needed.get_ref())
            }));
        }
    }
    false
}

/// Checks that each group has its folder, with tests in it; what is no name of a folder is left to
/// [`groups`].
pub(super) fn check_folders(
    tables: &[GroupTable],
    secret: &Path,
    place: &Place<'_>,
) -> Result<(), PackageError> {
    for table in tables
        .iter()
        .filter(|table| is_folder_name(table.name.get_ref()))
    {
        let name = table.name.get_ref();
        let folder = secret.join(name);
        if !folder.is_dir() {
            let there = entries(secret, MEANT_AMONG_MAX).unwrap_or_default();
            let there = there.iter().filter(|entry| entry.is_folder);
            let there: Vec<&str> = there.map(|entry| entry.name.as_str()).collect();
            let help = if there.is_empty() {
                "make it, and put the tests of the group into it".to_owned()
            } else {
                format!("{}; or make it", suggestion(name, &there))
            };
            let message = format!("there is no folder data/secret/{name}");
            return Err(place.error(table.name.span(), message, help).into());
        }
        if files_with(&folder, &["in"])?.is_empty() {
            return Err(place
                .error(
                    table.name.span(),
                    format!("there are no tests in data/secret/{name}"),
                    "put inputs that end in .in into it, or take the group out",
                )
                .into());
        }
    }
    Ok(())
}
