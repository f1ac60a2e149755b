//! What goes back of each student: the points, and a comment that says how they came about.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use askama::filters::{Html, escape};

use super::manifest::Line;
use super::people::People;
use crate::course::{Grade, Grades, PersonGrades, Points, Roster, Standing};
use crate::domain::{Attempt, Key, ProblemSlug, Student};
use crate::util::words::span;

/// Which grades a person asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// The sum of an assignment, by its name; `None` for the only one.
    Assignment(Option<String>),
    /// A problem.
    Problem(ProblemSlug),
}

/// What goes back of one student.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    pub points: Points,
    /// In HTML, because platforms show it as such.
    pub comment: String,
    /// The attempts that count, by problem.
    pub attempts: BTreeMap<ProblemSlug, Attempt>,
}

/// What goes back, and who is who.
#[derive(Debug, Default)]
pub struct Marks {
    by_student: BTreeMap<Student, Mark>,
    /// The order of the roster.
    order: Vec<Student>,
    /// Everybody whom the course knows, by every name that a platform has for them.
    pub people: People,
    /// The problems that it is about.
    pub problems: Vec<ProblemSlug>,
}

impl Marks {
    /// Of everybody who has something judged. An error is the list of what may be asked for.
    pub fn of(
        grades: &Grades,
        roster: &Roster,
        imports: &[Line],
        asked: &Asked,
    ) -> Result<Self, Vec<String>> {
        let names = || -> Vec<String> {
            let all = grades.assignments.iter();
            all.map(|one| one.name.clone()).collect()
        };
        let mut marks = Self::default();
        let index = match asked {
            Asked::Problem(problem) => {
                marks.problems.push(problem.clone());
                None
            }
            Asked::Assignment(name) => {
                let found = grades.assignments.iter().position(|one| match name {
                    Some(name) => one.name == *name,
                    None => grades.assignments.len() == 1,
                });
                let index = found.ok_or_else(names)?;
                let problems = grades.assignments[index].problems.iter();
                marks.problems = problems.map(|(problem, _)| problem.clone()).collect();
                Some(index)
            }
        };
        for person in &grades.people {
            if let Some(mark) = mark(person, &marks.problems, index) {
                marks.order.push(person.student.clone());
                marks.by_student.insert(person.student.clone(), mark);
            }
        }
        marks.meet(grades, roster, imports);
        Ok(marks)
    }

    /// What goes back of a student.
    pub fn of_student(&self, student: &Student) -> Option<(&Student, &Mark)> {
        self.by_student.get_key_value(student)
    }

    /// Everybody of whom something goes back.
    pub fn students(&self) -> impl Iterator<Item = &Student> {
        self.order.iter()
    }

    /// Learns who is who: from the roster, from what was imported, and of everybody else by name.
    fn meet(&mut self, grades: &Grades, roster: &Roster, imports: &[Line]) {
        for person in roster.people() {
            self.people
                .add(&person.student, person.keys(), person.last_and_first());
        }
        let by_name: HashMap<&str, &Student> = grades
            .people
            .iter()
            .map(|one| (one.student.as_str(), &one.student))
            .collect();
        for person in &grades.people {
            self.people.add(&person.student, [], ("", ""));
        }
        // What brought one program for several students is a team's: it is nobody's own key.
        let mut of_entries: HashMap<_, BTreeSet<&str>> = HashMap::new();
        for line in imports {
            of_entries
                .entry(keys_of(line))
                .or_default()
                .insert(&line.student);
        }
        for line in imports {
            if of_entries
                .get(&keys_of(line))
                .is_some_and(|all| all.len() > 1)
            {
                continue;
            }
            let Some(student) = by_name.get(line.student.as_str()) else {
                continue;
            };
            // A participant's number is another one in every assignment.
            let is_asked = self.problems.iter().any(|one| one.as_str() == line.problem);
            let keys = line.keys.iter().filter_map(|(column, value)| {
                let key: Key = column.parse().ok()?;
                (key != Key::Moodle || is_asked).then_some((key, value.as_str()))
            });
            self.people.add(student, keys, ("", ""));
        }
    }
}

/// Which entry of which archive it was, and what the platform knows its student by.
fn keys_of(line: &Line) -> (&str, &str, &BTreeMap<String, String>) {
    (&line.archive, &line.entry, &line.keys)
}

/// What goes back of a person; `None` of somebody who has nothing judged and nothing decided.
fn mark(
    person: &PersonGrades,
    problems: &[ProblemSlug],
    assignment: Option<usize>,
) -> Option<Mark> {
    let cells = problems
        .iter()
        .filter_map(|problem| Some((problem, person.cells.get(problem)?)));
    let cells: Vec<(&ProblemSlug, &Grade)> = cells.filter(|(_, grade)| grade.is_judged).collect();
    if cells.is_empty() {
        return None;
    }
    let points = match assignment {
        Some(index) => person.totals.get(index).copied().unwrap_or_default(),
        None => cells.iter().map(|(_, grade)| grade.points).sum(),
    };
    let attempts = cells.iter().filter_map(|(problem, grade)| {
        let counted = grade.counted.as_ref()?;
        Some(((*problem).clone(), counted.handed_in.attempt))
    });
    Some(Mark {
        points,
        comment: cells
            .iter()
            .map(|(problem, grade)| told(problem, grade))
            .collect(),
        attempts: attempts.collect(),
    })
}

/// `<p>curling: Accepted, 8 of 10 points (attempt 3, 2 h late: counts 80 %)</p>`
fn told(problem: &ProblemSlug, grade: &Grade) -> String {
    let mut text = format!("{problem}: ");
    if let Some(verdict) = grade.counted.as_ref().and_then(|counted| counted.verdict) {
        // Writing to a String cannot fail.
        let _ = write!(text, "{}, ", verdict.words());
    }
    let how = grade.how();
    let _ = write!(text, "{} of {} points{how}", grade.points, grade.of);
    if let Some(counted) = &grade.counted {
        let _ = write!(text, " (attempt {}", counted.handed_in.attempt);
        if let Standing::Late { seconds, percent } = counted.standing {
            let _ = write!(text, ", {} late: counts {percent} %", span(seconds));
        }
        text.push(')');
    } else if grade.decision.is_none() {
        text.push_str(" (no attempt counts)");
    }
    if let Some(decision) = &grade.decision
        && !decision.reason.is_empty()
    {
        let _ = write!(text, "; {}", decision.reason);
    }
    let text = escape(text, Html).map_or_else(|_| String::new(), |text| text.to_string());
    format!("<p>{text}</p>")
}

/// Somebody of a test: name, points in hundredths (none where nothing is judged), family name and
/// given name, keys.
#[cfg(test)]
type Made<'a> = (
    &'a str,
    Option<u64>,
    (&'a str, &'a str),
    &'a [(Key, &'a str)],
);

#[cfg(test)]
impl Marks {
    /// Marks of a test.
    pub fn made(people: &[Made<'_>]) -> Self {
        let mut marks = Self::default();
        for (name, points, names, keys) in people {
            let student = Student::new(name).unwrap();
            marks.people.add(&student, keys.iter().copied(), *names);
            if let Some(points) = points {
                let mark = Mark {
                    points: Points::hundredths(*points),
                    comment: format!("<p>{name}: said \"so\", twice</p>"),
                    attempts: BTreeMap::new(),
                };
                marks.order.push(student.clone());
                marks.by_student.insert(student, mark);
            }
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::sync::Arc;

    use super::{Asked, Marks};
    use crate::course::tests::{decision, handed_in};
    use crate::course::{Action, Counts, Decisions, Grades, Roster, Rules, Terms};
    use crate::domain::{Key, Score, Verdict};
    use crate::lms::Line;
    use crate::lms::claim::Who;
    use crate::lms::people::Found;
    use crate::util::samples::{slug, student};

    /// With an assignment of one point that has these times.
    fn of_assignment(times: &str) -> Marks {
        let folder = tempfile::tempdir().unwrap();
        let course = format!("[[assignments]]\nname = \"a\"\npoints = {{ sum = 1 }}\n{times}");
        std::fs::write(folder.path().join("course.toml"), course).unwrap();
        let terms = Terms::load(folder.path()).unwrap().unwrap();
        graded(Arc::new(terms), &[], &[])
    }

    #[test]
    fn lateness_goes_back_as_pages_say_it_and_nothing_of_what_came_after_the_end() {
        let late = "late = [{ until = \"1d\", percent = 80 }]\ndue = \"2026-10-02 07:55\"";
        let late = of_assignment(late);
        let (_, mark) = late.of_student(&student("ada")).unwrap();
        let said = mark.comment.to_lowercase();
        let words = "0.8 of 1 points (attempt 1, 2 h 5 min late: counts 80 %)";
        assert_eq!(said, format!("<p>sum: accepted, {words}</p>"));
        let closed = of_assignment("closes = \"2026-10-01\"");
        assert_eq!(closed.students().count(), 0);
    }

    /// Without course.toml.
    fn marks(decided: &[Action], imports: &[Line]) -> Marks {
        let whole = Terms::without_file(Counts::Best);
        graded(Arc::new(whole), decided, imports)
    }

    /// Ada and Bo have one accepted attempt each; what is decided is about Ada's.
    fn graded(terms: Arc<Terms>, decided: &[Action], imports: &[Line]) -> Marks {
        let mut attempt = handed_in(1, "2026-10-02T10:00:00Z".parse().unwrap());
        attempt.verdict = Some(Verdict::Accepted);
        attempt.score = Some(Score { got: 1, of: 1 });
        let decisions = decided.iter();
        let decisions = decisions.map(|&action| decision("sum", Some(1), action));
        let rules = Rules {
            terms,
            decisions: Arc::new(Decisions::new(decisions)),
        };
        let attempts = BTreeMap::from([(slug("sum"), vec![attempt])]);
        let all = ["ada", "bo"].map(|name| (student(name), attempts.clone()));
        let roster = Roster::default();
        let problems = BTreeSet::from([slug("sum")]);
        let grades = Grades::of(&rules, &roster, &problems, &BTreeMap::from(all));
        Marks::of(&grades, &roster, imports, &Asked::Problem(slug("sum"))).unwrap()
    }

    #[test]
    fn an_attempt_that_was_taken_out_brings_nothing_instead_of_what_it_brought() {
        for (decided, points, words) in [
            (&[][..], "1", "accepted, 1 of 1 points (attempt 1)"),
            (&[Action::Exclude], "0", "0 of 1 points (no attempt counts)"),
        ] {
            let marks = marks(decided, &[]);
            let (_, mark) = marks.of_student(&student("ada")).unwrap();
            assert_eq!(mark.points.to_string(), points);
            assert_eq!(mark.comment.to_lowercase(), format!("<p>sum: {words}</p>"));
        }
    }

    #[test]
    fn a_key_that_brought_one_program_for_a_team_is_nobodys() {
        let line = |entry: &str, student: &str, canvas: &str| -> Line {
            let text = format!(
                r#"{{"platform":"canvas","archive":"a.zip","entry":"{entry}","student":"{student}",
                "problem":"sum","source":"aa","keys":{{"canvas":"{canvas}"}}}}"#
            );
            serde_json::from_str(&text).unwrap()
        };
        let of_team = ["ada", "bo"].map(|student| line("blue_71_1_sum.py", student, "71"));
        let found = |marks: &Marks, key| marks.people.find(&Who::by(Key::Canvas, key));
        assert_eq!(found(&marks(&[], &of_team), "71"), Found::Nobody);
        let mut all = of_team.to_vec();
        all.push(line("ada_71_2_sum.py", "ada", "71"));
        all.push(line("bo_72_3_sum.py", "bo", "72"));
        let marks = marks(&[], &all);
        assert_eq!(found(&marks, "71"), Found::One(student("ada")));
        assert_eq!(found(&marks, "72"), Found::One(student("bo")));
    }
}
