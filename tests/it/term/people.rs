//! Everybody in the course, and what they hand in: all of it follows from their numbers, so that it
//! is different enough for every rule to meet somebody.

use jiff::{Span, Timestamp};

/// How many people are on the roster.
pub const PEOPLE: usize = 80;

/// When the first assignment is due: 23:59 in Oslo, in the night before the clocks go forward.
pub const DUE_1: &str = "2026-03-28T22:59:00Z";
/// When the second one is due: noon in Oslo, in summer.
pub const DUE_2: &str = "2026-04-15T10:00:00Z";

/// Minutes after the due time at which somebody hands in, where the platform tells it.
const OFFSETS: [i64; 10] = [-600, 0, 4, 6, 1_380, 1_381, 4_260, 4_261, 10_020, 10_021];

/// What a program is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quality {
    Right,
    Wrong,
    /// Right on every test, and wrong where both numbers are equal: the hack.
    Fragile,
}

impl Quality {
    /// A program for `sum`. Those of one quality and number are the same: a machine that judges
    /// eighty people has to run few of them.
    pub fn program(self, number: usize) -> String {
        let result = match self {
            Self::Right => "a + b",
            Self::Wrong => "3",
            Self::Fragile => "a + b if a != b else a",
        };
        format!("# {number}\na, b = map(int, input().split())\nprint({result})\n")
    }
}

/// Somebody, by their place on the roster, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Somebody(pub usize);

impl Somebody {
    pub fn all() -> impl Iterator<Item = Self> {
        (0..PEOPLE).map(Self)
    }

    /// The name in the submissions folder.
    pub fn student(self) -> String {
        format!("s{:02}", self.0)
    }

    /// A family name that is nobody else's.
    pub fn family(self) -> String {
        let letter = |number: usize| char::from(b'a' + u8::try_from(number % 26).unwrap());
        format!("Fam{}{}", letter(self.0 / 26), letter(self.0))
    }

    pub fn given(self) -> &'static str {
        ["Ada", "Bo", "Cy", "Zoe"][self.0 % 4]
    }

    pub fn login(self) -> String {
        format!("u{:02}", self.0)
    }

    pub fn email(self) -> String {
        format!("{}@example.org", self.login())
    }

    /// The number that the platforms know them by.
    pub fn number(self) -> usize {
        4_700 + self.0
    }

    /// The platform that they hand in the first assignment through.
    pub fn platform(self) -> usize {
        self.0 % 9
    }

    /// The line of the roster.
    pub fn row(self) -> String {
        format!(
            "{},{},{},{},{},{},{},{}\n",
            self.student(),
            self.family(),
            self.given(),
            self.email(),
            self.login(),
            self.number(),
            90_000 + self.0,
            self.login()
        )
    }

    /// The program of the first assignment, and how many minutes after the due time it comes.
    pub fn first(self) -> (Quality, i64) {
        use Quality::{Fragile, Right, Wrong};
        let quality = [Right, Right, Fragile, Wrong][self.0 / 9 % 4];
        (quality, OFFSETS[self.0 * 7 % OFFSETS.len()])
    }

    /// The same as a moment.
    pub fn first_at(self) -> Timestamp {
        after(DUE_1, self.first().1)
    }

    /// The programs of the second assignment: nothing, one that is late, or two.
    pub fn second(self) -> Vec<(Quality, i64)> {
        use Quality::{Right, Wrong};
        let quality = |is_right| if is_right { Right } else { Wrong };
        match self.0 % 5 {
            0 => Vec::new(),
            1 => vec![(Right, 60)],
            2 => vec![
                (quality(self.0.is_multiple_of(2)), -120),
                (quality(self.0 % 2 == 1), -30),
            ],
            _ => vec![(quality(self.0.is_multiple_of(3)), -120), (Right, 60)],
        }
    }

    /// The program of the third assignment: right, right on what is easy, or wrong.
    pub fn third(self) -> Option<&'static str> {
        [
            Some("a, b = map(int, input().split())\nprint(a + b)\n"),
            Some("a, b = map(int, input().split())\nprint(a + b if a + b < 1000 else 0)\n"),
            Some("print(3)\n"),
            None,
        ][self.0 % 4]
    }
}

/// So many minutes after a moment.
pub fn after(moment: &str, minutes: i64) -> Timestamp {
    let moment: Timestamp = moment.parse().unwrap();
    moment.checked_add(Span::new().minutes(minutes)).unwrap()
}
