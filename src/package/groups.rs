//! The groups of tests that problem.toml declares: folders below `data/secret/` with points.

use std::collections::BTreeSet;

use serde::Deserialize;
use toml::Spanned;

use super::tree::{Entry, Tree};
use crate::config::{Place, suggestion};
use crate::domain::{Complaint, Group, Groups, Scoring};

/// Groups of one problem.
pub(super) const GROUPS_MAX: usize = 100;

/// One `[[groups]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupTable {
    /// The folder below `data/secret`.
    pub name: Spanned<String>,
    pub points: u32,
    #[serde(default = "all")]
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

/// Whether a group can have this name.
pub(super) fn is_folder_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0'])
}

/// The groups, checked one against the other.
pub(super) fn groups(tables: &[GroupTable], place: &Place<'_>) -> Result<Groups, Complaint> {
    let mut groups: Vec<Group> = Vec::new();
    for table in tables {
        let name = table.name.get_ref();
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
        let mut needs = Vec::new();
        for needed in &table.needs {
            let at = groups
                .iter()
                .position(|group| group.name == *needed.get_ref());
            let at = at.ok_or_else(|| not_before(tables, table, needed, place))?;
            needs.push(at);
            needs.extend(&groups[at].needs);
        }
        let mut seen = BTreeSet::new();
        needs.retain(|place| seen.insert(*place));
        groups.push(Group {
            name: name.clone(),
            points: table.points,
            scoring: table.score,
            needs,
            takes_hacks: takes_hacks.is_some(),
            is_pass_fail: false,
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

/// What is needed has to stand before what needs it, so that its tests have run; and so nothing can
/// need itself in a circle.
fn not_before(
    tables: &[GroupTable],
    table: &GroupTable,
    needed: &Spanned<String>,
    place: &Place<'_>,
) -> Complaint {
    let (name, wanted) = (table.name.get_ref(), needed.get_ref());
    let names = tables.iter().map(|table| table.name.get_ref().as_str());
    let others: Vec<&str> = names.filter(|other| other != name).collect();
    let (message, help) = if name == wanted {
        (
            format!("the group `{name}` needs itself"),
            "nobody could pass it; take it out of `needs`".to_owned(),
        )
    } else if others.contains(&wanted.as_str()) {
        (
            format!("the group `{name}` needs `{wanted}`, which comes after it"),
            format!(
                "groups are run in the order of this file, and need earlier ones only: move [[groups]] of `{wanted}` up"
            ),
        )
    } else if others.is_empty() {
        (
            format!("there is no group `{wanted}`"),
            "there is no other group here; take `needs` out".to_owned(),
        )
    } else {
        (
            format!("there is no group `{wanted}`"),
            suggestion(wanted, &others),
        )
    };
    place.error(needed.span(), message, help)
}

/// Checks that each group has its folder, with tests in it.
pub(super) fn check_folders(
    tables: &[GroupTable],
    tree: &Tree,
    place: &Place<'_>,
) -> Result<(), Complaint> {
    for table in tables {
        let name = table.name.get_ref();
        let below = tree.below("data/secret").filter(|entry| entry.is_folder);
        let folders: Vec<&str> = below.map(Entry::name).collect();
        let folder = format!("data/secret/{name}");
        let (message, help) = if folders.is_empty() {
            (
                format!("there is no folder {folder}"),
                "make it, and put the tests of the group into it".to_owned(),
            )
        } else if !folders.contains(&name.as_str()) {
            (
                format!("there is no folder {folder}"),
                format!("{}; or make it", suggestion(name, &folders)),
            )
        } else if tree.files(&folder, &["in"]).is_empty() {
            (
                format!("there are no tests in {folder}"),
                "put inputs that end in .in into it, or take the group out".to_owned(),
            )
        } else {
            continue;
        };
        return Err(place.error(table.name.span(), message, help));
    }
    Ok(())
}
