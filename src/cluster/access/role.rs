//! Whose credentials somebody connects to the server with.

use serde::{Deserialize, Serialize};

use crate::domain::words;

words! {
    /// Whose credentials they are.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Role by word {
        /// `verdictd worker`.
        Worker = "worker",
        /// `verdictd serve`.
        Course = "course",
    }
}
