//! What students are called on a board that does not name them: always the same within a course,
//! and nothing that anybody without the course's secret can trace back. Pure.

use super::secret::Secret;
use crate::domain::Student;

/// Signs that are told apart from the back of a room; without vowels they make no words.
const SIGNS: &[u8; 25] = b"bcdfghjkmnpqrstvwxz234567";
/// Signs of a pseudonym: among thousands of students no two have the same.
const LENGTH: usize = 8;

/// The pseudonyms of a course.
pub struct Pseudonyms(Secret);

impl Pseudonyms {
    pub fn new(secret: Secret) -> Self {
        Self(secret)
    }

    /// What a student is called: `k7fb-5qxd`.
    pub fn of(&self, student: &Student) -> String {
        let digest = self
            .0
            .derive("verdictd pseudonym", &[student.as_str().as_bytes()]);
        let [number, ..] = digest.0.as_chunks::<8>().0 else {
            return String::new();
        };
        let mut number = u64::from_le_bytes(*number);
        let mut name = String::with_capacity(LENGTH + 1);
        for place in 0..LENGTH {
            if place == LENGTH / 2 {
                name.push('-');
            }
            let count = SIGNS.len() as u64;
            let sign = usize::try_from(number % count).unwrap_or_default();
            name.push(char::from(SIGNS[sign]));
            number /= count;
        }
        name
    }
}

impl std::fmt::Debug for Pseudonyms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pseudonyms")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Pseudonyms;
    use crate::access::Secret;
    use crate::domain::Student;

    #[test]
    fn a_pseudonym_is_short_stable_and_depends_on_the_secret() {
        let ada = Student::new("ada").unwrap();
        let [one, again, other] = [1, 1, 2].map(|byte| Pseudonyms::new(Secret::sample(byte)));
        let name = one.of(&ada);
        assert_eq!(name, again.of(&ada));
        assert_ne!(name, other.of(&ada));
        assert_eq!((name.len(), name.find('-')), (9, Some(4)));
        let many = (0..5_000).map(|number| Student::new(&format!("s{number}")).unwrap());
        let names: HashSet<String> = many.map(|student| one.of(&student)).collect();
        assert_eq!(names.len(), 5_000);
    }
}
