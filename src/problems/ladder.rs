//! Ladders: inputs of growing size, alike in everything else, to see how a program's time grows.

/// How time or steps grow with a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    Constant,
    Linear,
    Quadratic,
    Cubic,
    Exponential,
}

impl Law {
    /// Its word; stable.
    pub fn word(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Linear => "linear",
            Self::Quadratic => "quadratic",
            Self::Cubic => "cubic",
            Self::Exponential => "exponential",
        }
    }
}

/// A ladder of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ladder {
    /// What a size counts, one of them: `row`.
    pub unit: &'static str,
    /// How the reference solver's own time grows on it.
    pub reference: Law,
    /// The sizes, growing.
    pub sizes: &'static [u16],
}

impl Ladder {
    /// What sizes count: `rows`.
    pub fn quantity(&self) -> String {
        format!("{}s", self.unit)
    }
}
