//! Whom the course knows: which student a spelling means, where there is a roster.
//!
//! Case does not count, and a platform's name for somebody stands for the roster's. A spelling that
//! two people could mean is nobody's but its own, so that no program becomes another student's.

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization as _;

use crate::domain::{NameError, Student};
use crate::util::words::nearest;

/// The students of a course, by every name that they go by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Register {
    names: HashSet<Student>,
    /// The student of each folded name; `None` where there are several.
    spellings: HashMap<String, Option<Student>>,
    aliases: HashMap<String, Option<Student>>,
    /// Whether strangers are rejected.
    rejects: bool,
}

impl Register {
    /// A register of these students and what else they are called. `rejects` says whether programs
    /// of others are refused.
    pub fn new<'a, A: IntoIterator<Item = &'a str>>(
        people: impl IntoIterator<Item = (&'a Student, A)>,
        rejects: bool,
    ) -> Self {
        let mut register = Self {
            rejects,
            ..Self::default()
        };
        for (student, aliases) in people {
            register.names.insert(student.clone());
            put(&mut register.spellings, student.as_str(), student);
            for alias in aliases {
                put(&mut register.aliases, alias, student);
            }
        }
        register
    }

    /// The student that a spelling means: the roster's, or somebody of this name.
    pub fn student(&self, spelling: &str) -> Result<Student, NameError> {
        let spelled = Student::spelled(spelling)?;
        if self.names.contains(&spelled) {
            return Ok(spelled);
        }
        let folded = fold(spelled.as_str());
        let known = self
            .spellings
            .get(&folded)
            .or_else(|| self.aliases.get(&folded));
        Ok(known.cloned().flatten().unwrap_or(spelled))
    }

    /// Whether somebody is on the roster.
    pub fn has(&self, student: &Student) -> bool {
        self.names.contains(student)
    }

    /// That somebody is not on the roster, where their programs are not taken.
    pub fn refusal(&self, student: &Student) -> Option<String> {
        self.remark(student).filter(|_| self.rejects)
    }

    /// That somebody is not on the roster, and who was probably meant; `None` for those who are, and
    /// where there is no roster.
    pub fn remark(&self, student: &Student) -> Option<String> {
        if self.names.is_empty() || self.names.contains(student) {
            return None;
        }
        let known = self.names.iter().map(Student::as_str);
        let hint = nearest(student.as_str(), known)
            .map_or_else(String::new, |meant| format!(" (did you mean {meant}?)"));
        Some(format!("{student} is not on the roster{hint}"))
    }
}

fn put(map: &mut HashMap<String, Option<Student>>, name: &str, student: &Student) {
    let name = fold(name);
    if !name.is_empty() {
        let known = map.entry(name).or_insert_with(|| Some(student.clone()));
        if known.as_ref() != Some(student) {
            *known = None;
        }
    }
}

/// One form for every case and every way of composing letters.
fn fold(name: &str) -> String {
    name.trim()
        .nfc()
        .flat_map(char::to_lowercase)
        .nfc()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::Register;
    use crate::util::samples::student;

    #[test]
    fn a_spelling_means_one_person_of_the_roster_or_itself() {
        let names = ["ada", "Bo", "zoe", "Zoe", "Jörg"].map(student);
        let aliases = ["4711 ada@x.edu ", "bobo shared", "shared ada", "", "jg"];
        let aliases = aliases.map(|aliases| aliases.split(' '));
        let register = Register::new(names.iter().zip(aliases), false);
        // Two are called Zoe: each only by the exact spelling.
        let spellings = "ada=ada|Ada=ada| ADA =ada|ADA@x.edu=ada|4711=ada|bo=Bo|BoBo=Bo|\
                         Jo\u{308}rg=Jörg|JÖRG=Jörg|zoe=zoe|Zoe=Zoe|ZOE=ZOE|shared=shared|\
                         stranger=stranger";
        for row in spellings.split('|') {
            let (spelling, meant) = row.split_once('=').unwrap();
            let found = register.student(spelling).unwrap();
            assert_eq!(found.as_str(), meant, "{spelling:?}");
            let again = register.student(found.as_str()).unwrap();
            assert_eq!(again, found, "{spelling:?}");
        }
        assert!(register.student("a/b").is_err());
        let empty = Register::default();
        assert_eq!(empty.student("Ada").unwrap(), student("Ada"));
        assert_eq!(empty.remark(&student("Ada")), None);
    }
}
