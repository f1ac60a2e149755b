//! The `constants` of a package: values that stand in its statement, its programs and its examples
//! by their names, as in `{{n}}`, or in LaTeX `\constant{n}`.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use regex::bytes::Regex;

use super::yaml::{Node, Yaml};
use crate::domain::Complaint;
use crate::util::archive::read_program;
use crate::util::files::read_regular;

/// How a name stands in a file.
static SEQUENCE: LazyLock<Regex> = LazyLock::new(|| {
    let sequence = r"(?-u)\{\{([A-Za-z0-9_.]+)\}\}|\\constant\{([A-Za-z0-9_.]+)\}";
    Regex::new(sequence).expect("the pattern is well-formed")
});
/// The form of a value that is meant where none is named.
const VALUE: &str = "value";

/// The text of each value by its name: `n`, `n.value`, `n.tex`.
#[derive(Debug, Clone, Default)]
pub struct Constants(Arc<BTreeMap<String, String>>);

impl Constants {
    /// Those of problem.yaml.
    pub(super) fn read(yaml: &Yaml<'_>) -> Result<Self, Complaint> {
        let mut all = BTreeMap::new();
        for (name, value) in yaml.table("constants")? {
            let forms = match &value.value {
                Node::Map(_) => yaml.below(name, value)?,
                _ => BTreeMap::from([(VALUE, value)]),
            };
            if !forms.contains_key(VALUE) {
                let words = format!("the constant `{name}` has no `{VALUE}`");
                return Err(yaml.complaint(value, words, "write it beside its other forms"));
            }
            for (form, value) in forms {
                let text = yaml.single(&format!("constants.{name}.{form}"), value)?;
                let text = text.unwrap_or_default();
                if form == VALUE {
                    all.insert(name.to_owned(), text.clone());
                }
                all.insert(format!("{name}.{form}"), text);
            }
        }
        Ok(Self(Arc::new(all)))
    }

    /// A program that lies here, as it would be handed in, with the values in it.
    pub fn program(&self, path: &Path, bytes_max: u64) -> io::Result<(String, Vec<u8>)> {
        read_program(path, bytes_max, |file, most| self.file(file, most))
    }

    /// The bytes of a file in which each value stands in the place of its name. A name that is not
    /// known stays as it is.
    pub fn file(&self, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
        let bytes = read_regular(path, bytes_max)?;
        if self.0.is_empty() {
            return Ok(bytes);
        }
        let (mut filled, mut from) = (Vec::new(), 0);
        for found in SEQUENCE.captures_iter(&bytes) {
            let (_, [name]) = found.extract();
            let name = String::from_utf8_lossy(name);
            if let Some((value, whole)) = self.0.get(&*name).zip(found.get(0)) {
                filled.extend_from_slice(&bytes[from..whole.start()]);
                filled.extend_from_slice(value.as_bytes());
                from = whole.end();
            }
            if filled.len() as u64 > bytes_max {
                return Err(ErrorKind::FileTooLarge.into());
            }
        }
        filled.extend_from_slice(&bytes[from..]);
        Ok(filled)
    }
}
