//! What platforms know people by.

/// By what a platform knows a student. The names are those of the roster's columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// A user name.
    Login,
    /// A mail address.
    Email,
    /// The number that the university gives.
    Id,
    /// A user name of GitHub's.
    Github,
    /// Canvas's own number for a user, the same in every assignment.
    Canvas,
    /// Moodle's number for a participant, another one in every assignment.
    Moodle,
}

impl Key {
    const ALL: [Self; 6] = [
        Self::Login,
        Self::Email,
        Self::Id,
        Self::Github,
        Self::Canvas,
        Self::Moodle,
    ];

    /// The key of a roster's column.
    pub fn of_column(column: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.column() == column)
    }

    /// Whether people use it: not one of a platform's own numbers.
    pub const fn is_readable(self) -> bool {
        !matches!(self, Self::Canvas | Self::Moodle)
    }

    /// The roster's column.
    pub const fn column(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::Email => "email",
            Self::Id => "id",
            Self::Github => "github",
            Self::Canvas => "canvas",
            Self::Moodle => "moodle",
        }
    }
}
