//! Who an archive's names mean: students of the roster, found by the platform's keys and, only
//! where no key says it, by a name that fits nobody else.

use std::collections::{BTreeSet, HashMap};

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::claim::Who;
use crate::domain::{Key, Student};
use crate::util::words::nearest;

/// Whom the course knows.
#[derive(Debug, Default)]
pub struct People {
    keys: HashMap<(Key, String), BTreeSet<Student>>,
    names: HashMap<String, BTreeSet<Student>>,
    /// What somebody is called by the course itself; platforms use the same as a login.
    students: HashMap<String, BTreeSet<Student>>,
    teams: HashMap<String, BTreeSet<Student>>,
    /// Who has an address on the roster.
    with_email: BTreeSet<Student>,
}

/// What is known of somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// One student.
    One(Student),
    /// Several that it might be.
    Several(Vec<Student>),
    /// The members of a team.
    Team(Vec<Student>),
    /// Nobody of the roster.
    Nobody,
}

impl People {
    /// Adds somebody of the roster: their keys, and the names that they are displayed under.
    pub fn add<'k>(
        &mut self,
        student: &Student,
        keys: impl IntoIterator<Item = (Key, &'k str)>,
        (last, first): (&str, &str),
    ) {
        let put = |map: &mut HashMap<String, BTreeSet<Student>>, name: String| {
            if !name.is_empty() {
                map.entry(name).or_default().insert(student.clone());
            }
        };
        put(&mut self.students, folded(student.as_str()));
        put(&mut self.names, sorted(&format!("{first} {last}")));
        // Canvas runs the parts together.
        for (one, other) in [(last, first), (first, last)] {
            put(&mut self.names, joined(&format!("{one}{other}")));
        }
        for (key, value) in keys {
            // A column may have a platform's number or the name that it displays.
            put(&mut self.names, sorted(value));
            if !value.is_empty() {
                if key == Key::Email {
                    self.with_email.insert(student.clone());
                }
                let known = self.keys.entry((key, folded(value))).or_default();
                known.insert(student.clone());
            }
        }
    }

    /// Adds somebody to a team; nobody is in a team without a name.
    pub fn add_to_team(&mut self, student: &Student, team: &str) {
        for name in [sorted(team), joined(team)] {
            if !name.is_empty() {
                let members = self.teams.entry(name).or_default();
                members.insert(student.clone());
            }
        }
    }

    /// Whether the course has a roster at all.
    pub fn is_empty(&self) -> bool {
        self.students.is_empty()
    }

    /// The student of the roster whose name is nearest to this one.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let known = self.students.values().flatten();
        nearest(name, known.map(Student::as_str))
    }

    /// Who is called by the course itself as a platform's key is, or as an address begins.
    fn called(&self, key: Key, value: &str) -> Option<Found> {
        if !key.is_readable() {
            return None;
        }
        if let Some(known) = self.students.get(value) {
            return Some(Found::of(known));
        }
        let (local, _) = value.split_once('@').filter(|_| key == Key::Email)?;
        let known = self.students.get(local)?;
        // Somebody with another address is somebody else.
        let others = known.iter().filter(|one| !self.with_email.contains(*one));
        match Found::of(&others.cloned().collect()) {
            Found::Nobody => None,
            found => Some(found),
        }
    }

    /// Who is meant.
    pub fn find(&self, who: &Who) -> Found {
        let keys = || who.keys.iter().map(|(key, value)| (*key, folded(value)));
        // What the roster says of any key comes before every guess.
        let known = keys().find_map(|key| self.keys.get(&key));
        if let Some(known) = known {
            return Found::of(known);
        }
        let known = keys().find_map(|(key, value)| self.called(key, &value));
        if let Some(known) = known {
            return known;
        }
        let Some(name) = &who.name else {
            return Found::Nobody;
        };
        let spelled = [sorted(name), joined(name)];
        let known = spelled.iter().find_map(|name| self.names.get(name));
        let known = known.or_else(|| self.students.get(&folded(name)));
        if let Some(known) = known {
            return Found::of(known);
        }
        let team = spelled.iter().find_map(|name| self.teams.get(name));
        team.map_or(Found::Nobody, |team| {
            Found::Team(team.iter().cloned().collect())
        })
    }
}

impl Found {
    fn of(students: &BTreeSet<Student>) -> Self {
        let mut students: Vec<Student> = students.iter().cloned().collect();
        match students.pop() {
            Some(only) if students.is_empty() => Self::One(only),
            Some(last) => {
                students.push(last);
                Self::Several(students)
            }
            None => Self::Nobody,
        }
    }
}

/// The name that somebody gets who is on no roster: the surest key that a person can read,
/// otherwise the displayed name.
pub fn newcomer(who: &Who) -> Option<&str> {
    let key = who.keys.iter().find(|(key, _)| key.is_readable());
    let key = key.map(|(_, value)| value.as_str());
    let number = who.keys.first().map(|(_, value)| value.as_str());
    key.or(who.name.as_deref()).or(number)
}

/// Without accents and case: how platforms and people write one name differently.
fn folded(text: &str) -> String {
    let letters = text.trim().nfd().filter(|c| !is_combining_mark(*c));
    letters.flat_map(char::to_lowercase).nfc().collect()
}

/// The words of a name in an order of their own, without what platforms take out of names.
fn sorted(name: &str) -> String {
    let name = folded(name).replace(['\'', '\u{2019}', '`'], "");
    let mut words: Vec<&str> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.sort_unstable();
    words.join(" ")
}

/// All letters and digits of a name, run together.
fn joined(name: &str) -> String {
    folded(name)
        .chars()
        .filter(|c| c.is_alphanumeric())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Found, People};
    use crate::domain::Key;
    use crate::lms::claim::Who;
    use crate::util::samples::student;

    fn people() -> People {
        let mut people = People::default();
        let roster = [
            ("s1", "O'Brien", "Anna", "4711", "ab12@x.edu"),
            ("s2", "García Márquez", "José", "4712", ""),
            ("s3", "Doe", "Jane", "", "jane@x.edu"),
            ("s4", "Doe", "Jane", "99", ""),
            ("s5", "李", "雷", "", ""),
        ];
        for (name, last, first, id, email) in roster {
            let keys = [(Key::Id, id), (Key::Email, email)];
            people.add(&student(name), keys, (last, first));
        }
        for name in ["s1", "s5"] {
            people.add_to_team(&student(name), "The Blue Team");
        }
        people
    }

    #[test]
    fn a_key_decides_and_a_name_only_where_it_is_one_persons() {
        let people = people();
        let one = |name| Found::One(student(name));
        let named = |name: &str| Who::default().named(name);
        let janes = Found::Several(vec![student("s3"), student("s4")]);
        let team = Found::Team(vec![student("s1"), student("s5")]);
        let mut two_keys = Who::by(Key::Login, "s2");
        two_keys.keys.push((Key::Email, "jane@x.edu".to_owned()));
        for (who, expected) in [
            (Who::by(Key::Id, "4711").named("Jane Doe"), one("s1")),
            (Who::by(Key::Email, "JANE@x.edu"), one("s3")),
            (Who::by(Key::Email, "s5@x.edu"), one("s5")),
            (Who::by(Key::Login, "S2"), one("s2")),
            // Everything that the roster says comes before a folder's name.
            (two_keys, one("s3")),
            // Jane has another address.
            (Who::by(Key::Email, "s3@elsewhere.org"), Found::Nobody),
            (Who::by(Key::Canvas, "4711").named("obrienanna"), one("s1")),
            (Who::by(Key::Moodle, "4712").named("Anna OBrien"), one("s1")),
            (named("GARCIA MARQUEZ, Jose"), one("s2")),
            (named("garciamarquezjose"), one("s2")),
            (named("李雷"), one("s5")),
            (named("雷 李"), one("s5")),
            (named("Doe, Jane"), janes),
            (named("Jane"), Found::Nobody),
            (Who::by(Key::Canvas, "9").named("theblueteam"), team),
            (Who::by(Key::Login, "nobody"), Found::Nobody),
        ] {
            assert_eq!(people.find(&who), expected, "{who:?}");
        }
    }
}
