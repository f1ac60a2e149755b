//! What passes between a program and the package's program that it talks with, or that gives it one
//! input after the other.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Compared, base64};

/// How a program of a package judges others: by one output, or by a talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rounds {
    /// Whether both run at the same time and each reads what the other prints.
    pub interactive: bool,
    /// How often a program is run on one test at most, each time on what was made of the time
    /// before.
    pub passes: u32,
}

impl Rounds {
    /// The most passes that a package may ask for.
    pub const PASSES_MAX: u16 = 100;

    /// Whether a run is more than an output.
    pub fn is_talk(self) -> bool {
        self.interactive || self.passes > 1
    }

    /// As keys are made of it: nothing where a run is no more than an output.
    pub fn key_text(self) -> String {
        match (self.interactive, self.passes) {
            (false, 1) => String::new(),
            (true, passes) => format!(" interactive in {passes}"),
            (false, passes) => format!(" in {passes}"),
        }
    }
}

/// One output, and one judgement of it.
impl Default for Rounds {
    fn default() -> Self {
        Self {
            interactive: false,
            passes: 1,
        }
    }
}

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// The program that is judged.
    Program,
    /// The package's program.
    Interactor,
    /// Nobody: another pass begins, or something is left out.
    Pass,
}

/// What one of them says without a word from the other in between.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    pub by: Speaker,
    #[serde(with = "base64")]
    pub bytes: Vec<u8>,
}

impl Said {
    /// Whether what somebody says next belongs to it. Two passes in which nobody says a word are two.
    fn is_followed(&self, by: Speaker) -> bool {
        self.by == by && by != Speaker::Pass
    }
}

/// What is said, in its order: of a long talk the beginning and the end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transcript {
    pub beginning: Vec<Said>,
    /// How many bytes are left out between the two.
    pub left_out: u64,
    pub end: VecDeque<Said>,
}

/// What is kept of the beginning of a talk, and as much of its end, in bytes.
const HALF_BYTES_MAX: usize = 32 * 1024;
/// What each part costs beside its bytes.
const PART_BYTES: usize = 32;

fn cost<'s>(parts: impl IntoIterator<Item = &'s Said>) -> usize {
    let costs = parts.into_iter().map(|said| said.bytes.len() + PART_BYTES);
    costs.sum()
}

impl Transcript {
    /// One of them says something more.
    pub fn say(&mut self, by: Speaker, bytes: &[u8]) {
        let mut bytes = bytes;
        if self.end.is_empty() {
            let is_new = !self
                .beginning
                .last()
                .is_some_and(|last| last.is_followed(by));
            let needed = cost(&self.beginning) + if is_new { PART_BYTES } else { 0 };
            let (fits, rest) =
                bytes.split_at(HALF_BYTES_MAX.saturating_sub(needed).min(bytes.len()));
            match self.beginning.last_mut().filter(|_| !is_new) {
                Some(last) => last.bytes.extend_from_slice(fits),
                None if needed < HALF_BYTES_MAX => self.beginning.push(Said {
                    by,
                    bytes: fits.to_vec(),
                }),
                None => {}
            }
            if rest.is_empty() && needed < HALF_BYTES_MAX {
                return;
            }
            bytes = rest;
        }
        match self.end.back_mut().filter(|last| last.is_followed(by)) {
            Some(last) => last.bytes.extend_from_slice(bytes),
            None => self.end.push_back(Said {
                by,
                bytes: bytes.to_vec(),
            }),
        }
        self.leave_out();
    }

    /// Drops what is too much of the end, the earliest first.
    fn leave_out(&mut self) {
        let mut excess = cost(&self.end).saturating_sub(HALF_BYTES_MAX);
        while excess > 0
            && let Some(mut first) = self.end.pop_front()
        {
            let length = first.bytes.len();
            if length > excess || self.end.is_empty() {
                let dropped = excess.min(length);
                first.bytes.drain(..dropped);
                self.left_out += dropped as u64;
                self.end.push_front(first);
                return;
            }
            self.left_out += length as u64;
            excess = excess.saturating_sub(length + PART_BYTES);
        }
    }

    /// All of the other one, after what is here.
    pub fn append(&mut self, other: &Self) {
        for said in other.beginning.iter().chain(&other.end) {
            self.say(said.by, &said.bytes);
        }
        self.left_out += other.left_out;
    }
}

/// Who ended first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum First {
    Program,
    /// The package's program, without having been told of an end of the other.
    Interactor,
}

/// A whole talk: what is kept of it in the place of an output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Talk {
    pub rounds: Rounds,
    /// The passes that were made.
    pub passes: u32,
    /// Who ended first, of the last pass.
    pub first: First,
    /// What the package's program says; none where it was not needed any more.
    pub opinion: Option<Compared>,
    /// Whether that is what another one says of what it has written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_judged: bool,
    pub said: Transcript,
}

impl Talk {
    /// As it is kept.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts, numbers and lists of them always have a JSON form")
    }

    /// Reads [`Talk::to_bytes`] back.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{Compared, First, HALF_BYTES_MAX, Rounds, Speaker, Talk, Transcript, cost};
    use crate::domain::bounds::OUTPUT_KEPT_WHOLE_BYTES_MAX;

    #[test]
    fn a_short_talk_is_kept_as_it_was() {
        let mut talk = Transcript::default();
        talk.say(Speaker::Program, b"5");
        talk.say(Speaker::Program, b"0\n");
        talk.say(Speaker::Interactor, b"lower\n");
        // Passes without a word are told apart.
        talk.say(Speaker::Pass, b"1");
        talk.say(Speaker::Pass, b"2");
        let parts = talk.beginning.iter();
        let parts = parts.map(|said| format!("{:?} {}", said.by, said.bytes.escape_ascii()));
        let expected = "Program 50\\n, Interactor lower\\n, Pass 1, Pass 2";
        assert_eq!(parts.collect::<Vec<String>>().join(", "), expected);
        assert!(talk.end.is_empty() && talk.left_out == 0);
    }

    #[test]
    fn of_a_long_talk_the_beginning_and_the_end_are_kept() {
        for length in [1, 7, 1_000, 40_000, 70_000] {
            let mut talk = Transcript::default();
            let mut all = Vec::new();
            for round in 0_u32..(200_000 / length) {
                let speaker = [Speaker::Program, Speaker::Interactor][round as usize % 2];
                let bytes = vec![b'a' + u8::try_from(round % 26).unwrap(); length as usize];
                talk.say(speaker, &bytes);
                all.extend(bytes);
            }
            let bytes = |parts: Vec<&super::Said>| -> Vec<u8> {
                parts.iter().flat_map(|said| said.bytes.clone()).collect()
            };
            let beginning = bytes(talk.beginning.iter().collect());
            let end = bytes(talk.end.iter().collect());
            assert!(all.starts_with(&beginning), "{length}");
            assert!(all.ends_with(&end), "{length}");
            let kept = beginning.len() + end.len();
            let left_out = usize::try_from(talk.left_out).unwrap();
            assert_eq!(kept + left_out, all.len(), "{length}");
            assert!(cost(&talk.beginning) <= HALF_BYTES_MAX, "{length}");
            assert!(cost(&talk.end) <= HALF_BYTES_MAX, "{length}");
            assert!(!end.is_empty() && !beginning.is_empty());
            let whole = Talk {
                rounds: Rounds::default(),
                passes: 1,
                first: First::Program,
                opinion: Some(Compared::accepted()),
                is_judged: false,
                said: talk,
            };
            let kept = whole.to_bytes();
            assert!(kept.len() < OUTPUT_KEPT_WHOLE_BYTES_MAX);
            assert_eq!(Talk::from_bytes(&kept), Some(whole));
        }
    }
}
