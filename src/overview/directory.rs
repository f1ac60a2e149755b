//! Who is in the course and which problems it has, as people call them: what the scoreboard's keys
//! mean.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::domain::{Digest, ProblemSlug, Student};
use crate::util::excerpt::visible_line;
use crate::util::hash::Key;

/// Names of people and titles of problems.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directory {
    people: BTreeMap<Student, String>,
    /// Everybody on the roster, in its order; none where there is no roster.
    roster: Option<Vec<Student>>,
    problems: BTreeMap<ProblemSlug, Problem>,
}

/// What a problem is called and asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem {
    pub title: String,
    /// The statement as HTML; `None` if the package has none.
    pub statement: Option<Arc<str>>,
    /// The file that has it as a PDF.
    pub pdf: Option<PathBuf>,
}

impl Directory {
    /// Of the roster's names and the course's problems with their titles; an empty name is none.
    pub fn new(
        people: impl Iterator<Item = (Student, String)>,
        problems: impl Iterator<Item = (ProblemSlug, Problem)>,
    ) -> Self {
        let people = people.filter(|(student, name)| !name.is_empty() && name != student.as_str());
        Self {
            people: people.collect(),
            roster: None,
            problems: problems.collect(),
        }
    }

    /// The same for a course that has a roster.
    #[must_use]
    pub fn with_roster(self, roster: impl Iterator<Item = Student>) -> Self {
        Self {
            roster: Some(roster.collect()),
            ..self
        }
    }

    /// A digest of everything in it.
    pub fn digest(&self) -> Digest {
        let mut key = Key::new("directory");
        for (student, name) in &self.people {
            key = key.part(student.as_str().as_bytes()).part(name.as_bytes());
        }
        // What follows cannot be taken for people.
        key = key.part(b"").part(&[u8::from(self.roster.is_some())]);
        for student in self.roster.iter().flatten() {
            key = key.part(student.as_str().as_bytes());
        }
        key = key.part(b"");
        for (slug, problem) in &self.problems {
            let statement = problem.statement.as_deref();
            key = key
                .part(slug.as_str().as_bytes())
                .part(problem.title.as_bytes())
                .part(&[u8::from(statement.is_some())])
                .part(statement.unwrap_or_default().as_bytes());
            if let Some(pdf) = &problem.pdf {
                key = key.part(pdf.as_os_str().as_encoded_bytes());
            }
        }
        key.finish()
    }

    /// Everybody on the roster, where there is one.
    pub fn roster(&self) -> Option<&[Student]> {
        self.roster.as_deref()
    }

    /// The course's problems, in the order of their names.
    pub fn problems(&self) -> impl Iterator<Item = &ProblemSlug> {
        self.problems.keys()
    }

    /// What a problem asks, as HTML.
    pub fn statement(&self, problem: &ProblemSlug) -> Option<&Arc<str>> {
        self.problems.get(problem)?.statement.as_ref()
    }

    /// The file that has it as a PDF.
    pub fn pdf(&self, problem: &ProblemSlug) -> Option<&Path> {
        self.problems.get(problem)?.pdf.as_deref()
    }

    /// Whether the course has a problem.
    pub fn has_problem(&self, problem: &ProblemSlug) -> bool {
        self.problems.contains_key(problem)
    }

    /// A student as the staff know them: `Surname, First (s1001)`. Students see only the name in
    /// the submissions folder.
    pub fn student(&self, student: &Student, is_staff: bool) -> String {
        let key = visible_line(student.as_str());
        match self.people.get(student).filter(|_| is_staff) {
            Some(name) => format!("{} ({key})", visible_line(name)),
            None => key,
        }
    }

    /// A problem's title with the name of its folder: `Sum of two numbers (sum)`.
    pub fn problem(&self, problem: &ProblemSlug) -> String {
        match self.title(problem) {
            Some(title) => format!("{} ({problem})", visible_line(title)),
            None => problem.to_string(),
        }
    }

    /// A problem's title, where it says more than the name of its folder.
    pub fn title(&self, problem: &ProblemSlug) -> Option<&str> {
        let title = self.problems.get(problem)?.title.as_str();
        let says_more = !title.is_empty() && !title.eq_ignore_ascii_case(problem.as_str());
        says_more.then_some(title)
    }

    /// How many problems there are: those of the course that are shown, and those that somebody has
    /// tried and that are gone.
    pub fn problems_count<'a>(
        &self,
        is_told: impl Fn(&ProblemSlug) -> bool,
        tried: impl Iterator<Item = &'a ProblemSlug>,
    ) -> usize {
        let gone = tried.filter(|problem| !self.problems.contains_key(*problem));
        self.problems().filter(|problem| is_told(problem)).count() + gone.count()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Directory, PathBuf, Problem};
    use crate::util::samples::{slug, student};

    fn directory(people: &[&str], statement: Option<&str>) -> Directory {
        let person = |name: &&str| (student(name), format!("{name} B"));
        let people = people.iter().map(person);
        let pdf = statement.filter(|text| text.starts_with('/'));
        let pdf = pdf.map(PathBuf::from);
        let problem = Problem {
            title: "Sum".to_owned(),
            statement: statement.filter(|_| pdf.is_none()).map(Arc::from),
            pdf,
        };
        Directory::new(people, [(slug("sum"), problem)].into_iter())
    }

    #[test]
    fn every_part_of_it_is_in_its_digest() {
        let all = [
            directory(&[], None),
            directory(&["ada"], None),
            directory(&["ada"], Some("")),
            directory(&["ada", "bob"], None),
            directory(&["ada"], None).with_roster([].into_iter()),
            directory(&["ada"], None).with_roster([student("ada")].into_iter()),
            directory(&["ada"], Some("/sum.pdf")),
        ];
        let digests: std::collections::BTreeSet<_> = all.iter().map(Directory::digest).collect();
        assert_eq!(digests.len(), all.len());
        // The store remembers what is made of it: the layout is what it was.
        let known = "16ee7aeee06c29c9d3d95f510ec53cdf80e194ecc3eaac170776a6b68bc89b11";
        assert_eq!(all[5].digest().to_string(), known);
    }
}
