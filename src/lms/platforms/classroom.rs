//! GitHub Classroom: what `gh classroom clone student-repos` leaves behind, `SLUG-submissions/`
//! with one repository per student, or such repositories in any folder.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::domain::Key;
use crate::lms::archive::Archive;
use crate::lms::claim::{Reading, Stamp, Who};
use crate::lms::git::committed_at;
use crate::lms::platform::Platform;
use crate::util::table::Table;

/// What the folder's name has after the assignment's.
const ENDING: &str = "-submissions";
/// `gh classroom assignment-grades`, put beside the repositories: it knows the times.
const GRADES: &str = "grades.csv";
/// The longest name of a user.
const LOGIN_BYTES_MAX: usize = 39;
/// A file that says that a folder is a clone.
const HEAD_BYTES_MAX: u64 = 1024;

pub fn platform() -> Platform {
    let files = [
        r"^(?P<own>grades\.csv)$",
        r"^(?P<hand_in>[^/]+)/(?P<file>.+)$",
    ];
    Platform {
        complete,
        ..Platform::new("classroom", "GitHub Classroom", &files)
    }
}

fn complete(archive: &mut Archive<'_>, readings: &mut [Reading]) {
    let Some(slug) = slug(archive) else {
        readings.fill(Reading::Strange);
        return;
    };
    let times = archive.text(GRADES).and_then(|text| times(&text));
    let times = times.unwrap_or_default();
    let mut commits: HashMap<String, Option<Stamp>> = HashMap::new();
    for reading in readings {
        let Reading::Claim(claim) = reading else {
            continue;
        };
        // The slug is known: user names have hyphens, and `hw1` is how `hw1-bonus` begins. The
        // folder of all repositories may be in the archive too.
        let repository = &claim.hand_in;
        let login = repository.strip_prefix(slug.as_str());
        let login = login.filter(|rest| *rest != ENDING);
        let Some(login) = login.and_then(|rest| rest.strip_prefix('-')) else {
            *reading = Reading::Strange;
            continue;
        };
        // GitHub's clock, else that of whoever made the last commit.
        claim.time = times.get(login).copied().or_else(|| {
            let committed = commits.entry(repository.clone()).or_insert_with(|| {
                let repository = archive.full(repository);
                committed_at(archive.source, &repository).map(Stamp::Instant)
            });
            *committed
        });
        claim.who = vec![Who::by(Key::Github, login)];
        claim.assignment = Some(slug.clone());
    }
}

/// The assignment's name: the outermost folder says it, or else all repositories begin with it.
fn slug(archive: &mut Archive<'_>) -> Option<String> {
    let (paths, outermost) = (archive.paths.clone(), archive.outermost.clone());
    if let Some(slug) = outermost.strip_suffix(ENDING) {
        return Some(slug.to_owned());
    }
    // Whether each folder has a README, as repositories have.
    let mut repositories: BTreeMap<&str, bool> = BTreeMap::new();
    for path in paths.iter().flatten().filter(|path| *path != GRADES) {
        let (folder, file) = path.split_once('/')?;
        *repositories.entry(folder).or_default() |= file.to_ascii_lowercase().starts_with("readme");
    }
    let (first, last) = (
        *repositories.keys().next()?,
        *repositories.keys().next_back()?,
    );
    let slug = if first == last {
        login(first, &outermost).map(|_| outermost.as_str())?
    } else {
        // What the first and the last of them have in common, all have.
        let both = first.char_indices().zip(last.chars());
        let same = both.take_while(|((_, one), other)| one == other);
        let common = same
            .last()
            .map_or(0, |((at, letter), _)| at + letter.len_utf8());
        &first[..first[..common].rfind('-')?]
    };
    let mut logins = repositories.keys().map(|name| login(name, slug));
    // `week-1` and `week-2` are nobody's.
    let is_number = |login: Option<&str>| {
        login.is_some_and(|login| login.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if slug.is_empty() || !logins.clone().all(|login| login.is_some()) || logins.all(is_number) {
        return None;
    }
    let mut is_clone = |folder: &str| {
        let head = format!("{}/.git/HEAD", archive.full(folder));
        archive.source.file(&head, HEAD_BYTES_MAX).is_some()
    };
    let alike = repositories.iter();
    let alike = alike.filter(|(folder, has_readme)| **has_readme || is_clone(folder));
    let most = alike.count() * 2 > repositories.len();
    (most || archive.is_named).then(|| slug.to_owned())
}

/// Whose a repository is.
fn login<'n>(repository: &'n str, slug: &str) -> Option<&'n str> {
    let login = repository.strip_prefix(slug)?.strip_prefix('-')?;
    let may = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_login = (1..=LOGIN_BYTES_MAX).contains(&login.len()) && login.bytes().all(may);
    is_login.then_some(login)
}

/// When each user handed in; nothing where the list is not one.
fn times(text: &str) -> Option<HashMap<String, Stamp>> {
    let table = Table::read(Path::new(GRADES), text.as_bytes()).ok()?;
    let column = |name| table.find(name).ok().flatten();
    let (user, time) = (column("github_username")?, column("submission_timestamp")?);
    let rows = table.rows();
    let times =
        rows.filter_map(|(_, row)| Some((row.get(user).to_owned(), Stamp::read(row.get(time))?)));
    Some(times.collect())
}
