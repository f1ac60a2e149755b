//! What problem.toml and the folders beside it say of a package.

use std::path::Path;

use toml::Spanned;

use super::super::error::Trouble;
use super::super::format::Format;
use super::super::groups::{check_folders, groups};
use super::super::manifest::{Manifest, is_path};
use super::super::outline::{Answers, Found, Outline, Part};
use super::super::remarks::Remarks;
use super::super::tree::{Tree, VALIDATION_FOLDERS};
use crate::config::{Place, suggestion};
use crate::domain::bounds::TESTS_MAX;
use crate::domain::{Complaint, Groups, Limits, Multipliers, Rounds, TestKind};
use crate::problems;

/// A manifest that says nothing.
pub fn silent(file: &Path, defaults: &Limits) -> Result<Manifest, Complaint> {
    Manifest::parse(&Place::new("title = \"\"", file), defaults)
}

pub fn outline(
    root: &Path,
    place: &Place<'_>,
    tree: &Tree,
    defaults: &Limits,
) -> Result<Outline, Trouble> {
    let manifest = Manifest::parse(place, defaults)?;
    // A misspelt name is told where it stands, and not where it is needed.
    check_folders(&manifest.groups, tree, place)?;
    let groups = groups(&manifest.groups, place)?;
    if let Some(span) = place.span_of(&["gives"]).filter(|_| groups.is_empty()) {
        let words = "`gives` has a meaning only with [[groups]] that have points";
        let help = "take it out, or write [[groups]] with `points`";
        return Err(place.error(span, words, help).into());
    }
    let part = |path: &Spanned<String>| Part {
        path: path.get_ref().clone(),
        span: path.span(),
        ..Part::default()
    };
    let (tests, validation_data) = tests(root, tree, &groups)?;
    let helper = |path: &Spanned<String>| Part {
        protocol: manifest.protocol,
        ..part(path)
    };
    let (interactor, checker) = (manifest.interactor.as_ref(), manifest.checker.as_ref());
    let reference = match &manifest.reference {
        None => None,
        Some(path) if is_path(path.get_ref()) => Some(Answers::Program(part(path))),
        Some(name) => match problems::find(name.get_ref()) {
            Some(task) => Some(Answers::BuiltIn(task)),
            None => return Err(unknown_reference(place, name).into()),
        },
    };
    Ok(Outline {
        format: Format::Own,
        io: manifest.io,
        limits: manifest.limits,
        multipliers: Multipliers::default(),
        mode: manifest.compare.mode(),
        wrong_layout: manifest.compare.wrong_layout,
        disclosure: manifest.disclosure,
        reference,
        validators: manifest.validator.iter().map(helper).collect(),
        other_arguments: Vec::new(),
        checker: interactor.or(checker).map(helper),
        judge: interactor.and(checker).map(helper),
        rounds: Rounds {
            interactive: manifest.interactor.is_some(),
            passes: manifest.passes.unwrap_or(1),
        },
        gives: manifest.gives,
        tests,
        validation_data,
        time_factors: manifest.time_factors,
        title: manifest.title,
        sources: manifest.sources,
        groups,
        expected: None,
        remarks: Remarks::default(),
    })
}

/// The samples, the secret tests in no group, those of each group; and what only tries the package's
/// own programs.
fn tests(root: &Path, tree: &Tree, groups: &Groups) -> Result<(Vec<Found>, Vec<Found>), Trouble> {
    let alone =
        [TestKind::Sample, TestKind::Secret].map(|kind| (kind.word().to_owned(), kind, None));
    let groups = groups.iter().enumerate().map(|(place, group)| {
        let kind = TestKind::Secret;
        (format!("{}/{}", kind.word(), group.name), kind, Some(place))
    });
    let others = VALIDATION_FOLDERS.map(|folder| (folder.to_owned(), TestKind::Secret, None));
    let mut tests = Vec::new();
    for (folder, kind, group) in alone.into_iter().chain(groups).chain(others) {
        let below = format!("data/{folder}");
        let files = tree.files(&below, &["in"]);
        if files.len() > TESTS_MAX {
            let words = format!("more than {TESTS_MAX} tests");
            return Err(Trouble::file(&root.join(below), words));
        }
        tests.extend(files.into_iter().map(|file| Found {
            file,
            folder: folder.clone(),
            kind,
            group,
            arguments: None,
            told: None,
        }));
    }
    Ok(tests.into_iter().partition(Found::is_test))
}

fn unknown_reference(place: &Place<'_>, name: &Spanned<String>) -> Complaint {
    let known: Vec<&str> = problems::ALL.iter().map(|task| task.slug()).collect();
    place.error(
        name.span(),
        format!("`{}` is not a built-in problem", name.get_ref()),
        format!(
            "{}; a program of the package is named by its path, as in \
             `submissions/accepted/main.cpp`; without `reference` every test needs a stored answer",
            suggestion(name.get_ref(), &known)
        ),
    )
}
