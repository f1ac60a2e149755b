//! A YAML file of a package, and what can be said about a place in it.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{DuplicateKeyPolicy, Spanned};

use crate::config::Place;
use crate::domain::Complaint;

/// A value, and where it stands.
pub type Value = Spanned<Node>;

#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Nothing,
    /// A number or a truth value: its text is what stands in the file.
    Plain,
    Text(String),
    List(Vec<Value>),
    Map(BTreeMap<String, Value>),
}

/// The file.
pub struct Yaml<'a> {
    text: &'a str,
    place: Place<'a>,
    /// What it holds, by its keys.
    pub entries: BTreeMap<String, Value>,
}

impl<'a> Yaml<'a> {
    /// Reads a file that holds keys and values; an empty one has none. Of a key that is there twice
    /// the last one counts, as everywhere where these files are read.
    pub fn read(text: &'a str, file: &'a Path) -> Result<Self, Complaint> {
        let place = Place::new(text, file);
        let options = serde_saphyr::options! {
            duplicate_keys: DuplicateKeyPolicy::LastWins,
            with_snippet: false,
        };
        let read: Result<Value, _> = serde_saphyr::from_str_with_options(text, options);
        let help = "write it as YAML: lines of `key: value`";
        let value = match read {
            Ok(value) => value,
            Err(error) => {
                let span = error.location().map_or(0..0, |location| span(&location));
                let words = error.to_string();
                let words = words.lines().next().unwrap_or_default().to_owned();
                return Err(place.error(span, words, help));
            }
        };
        let at = span(&value.referenced);
        let entries = match value.value {
            Node::Map(entries) => entries,
            Node::Nothing => BTreeMap::new(),
            _ => return Err(place.error(at, "there are no keys in this file", help)),
        };
        Ok(Self {
            text,
            place,
            entries,
        })
    }

    /// The text of a value that is a single one.
    pub fn text(&self, value: &Value) -> Option<String> {
        match &value.value {
            Node::Text(text) => Some(text.clone()),
            Node::Plain => {
                // Where the value stands, which of an alias is elsewhere.
                let at = span(&value.defined);
                self.text.get(at).map(|text| text.trim().to_owned())
            }
            Node::Nothing | Node::List(_) | Node::Map(_) => None,
        }
    }

    /// The text of a key, where it has a value.
    pub fn get(&self, key: &str) -> Option<(&Value, String)> {
        let value = self.entries.get(key)?;
        self.text(value).map(|text| (value, text))
    }

    /// The words of a key; none where it is not there. One that holds a list or other keys has
    /// another meaning than its author thinks.
    pub fn words(&self, key: &str) -> Result<Option<Vec<String>>, Complaint> {
        let Some(value) = self.entries.get(key) else {
            return Ok(None);
        };
        let text = self.single(key, value)?.unwrap_or_default();
        Ok(Some(text.split_whitespace().map(str::to_owned).collect()))
    }

    /// The text of a key's value, which has to be a single one; none where it has no value.
    pub fn single(&self, key: &str, value: &Value) -> Result<Option<String>, Complaint> {
        let text = self.text(value);
        if text.is_none() && value.value != Node::Nothing {
            return Err(self.complaint(
                value,
                format!("`{key}` cannot be a list, and cannot hold keys"),
                "write its value behind it, in one line",
            ));
        }
        Ok(text)
    }

    /// The texts of a list that is the value of a key; none where it has no value.
    pub fn strings(&self, key: &str, value: &Value) -> Result<Vec<String>, Complaint> {
        let texts: Option<Vec<String>> = match &value.value {
            Node::Nothing => Some(Vec::new()),
            Node::List(list) => list.iter().map(|one| self.text(one)).collect(),
            Node::Plain | Node::Text(_) | Node::Map(_) => None,
        };
        let help = format!("write each of them for itself, as in `{key}: [one, two]`");
        texts.ok_or_else(|| {
            self.complaint(value, format!("`{key}` has to be a list of texts"), help)
        })
    }

    /// The keys and values below a key; none where there are none.
    pub fn table(&self, key: &str) -> Result<BTreeMap<&str, &Value>, Complaint> {
        let value = self.entries.get(key);
        value.map_or(Ok(BTreeMap::new()), |value| self.below(key, value))
    }

    /// The keys and values below a key with this value.
    pub fn below<'v>(
        &self,
        key: &str,
        value: &'v Value,
    ) -> Result<BTreeMap<&'v str, &'v Value>, Complaint> {
        match &value.value {
            Node::Nothing => Ok(BTreeMap::new()),
            Node::Map(table) => Ok(table.iter().map(|(key, value)| (&**key, value)).collect()),
            _ => Err(self.complaint(
                value,
                format!("`{key}` has to hold keys of its own"),
                format!("write them below it, indented, or take `{key}` out"),
            )),
        }
    }

    /// What is wrong at a value, and the way out.
    pub fn complaint(
        &self,
        value: &Value,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Complaint {
        self.place.error(span(&value.referenced), message, help)
    }
}

fn span(location: &serde_saphyr::Location) -> Range<usize> {
    let span = location.span();
    let number = |number: Option<u64>| usize::try_from(number.unwrap_or(0)).unwrap_or(0);
    let start = number(span.byte_offset());
    start..start + number(span.byte_len())
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Nodes)
    }
}

struct Nodes;

impl<'de> Visitor<'de> for Nodes {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Nothing)
    }
    fn visit_bool<E>(self, _: bool) -> Result<Node, E> {
        Ok(Node::Plain)
    }
    fn visit_i64<E>(self, _: i64) -> Result<Node, E> {
        Ok(Node::Plain)
    }
    fn visit_u64<E>(self, _: u64) -> Result<Node, E> {
        Ok(Node::Plain)
    }
    fn visit_f64<E>(self, _: f64) -> Result<Node, E> {
        Ok(Node::Plain)
    }
    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = access.next_element()? {
            list.push(value);
        }
        Ok(Node::List(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut map = BTreeMap::new();
        while let Some((key, value)) = access.next_entry()? {
            map.insert(key, value);
        }
        Ok(Node::Map(map))
    }
}
