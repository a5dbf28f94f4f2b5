//! The entries of lists, read one by one, so that an unreadable entry does not hide the others.

use crate::json::{JsonError, RawJson, RawObject};
use std::fmt;

/// An entry of a list that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableEntry {
    /// The entry's name, if it can be read.
    pub name: Option<String>,
    /// The entry's position in the list, from 0.
    pub place: usize,
    /// The problem.
    pub problem: JsonError,
}

impl fmt::Display for UnreadableEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name:?}: {}", self.problem),
            None => write!(f, "entry {}: {}", self.place + 1, self.problem),
        }
    }
}

impl std::error::Error for UnreadableEntry {}

/// Reads the entry at a position of a list, from 0. `key` is the member that holds the entry's name.
///
/// ```
/// use mgp_types::{json::RawJson, mcp::{Tool, read_entry}};
/// let twice = RawJson::parse(r#"{"name":"add","title":"A","title":"B"}"#)?;
/// let unreadable = read_entry(0, &twice, "name", Tool::from_object).unwrap_err();
/// assert_eq!(unreadable.to_string(), r#""add": duplicate key "title""#);
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
///
/// # Errors
/// [`UnreadableEntry`], which identifies the entry.
pub fn read_entry<T>(
    place: usize,
    definition: &RawJson,
    key: &str,
    read: impl FnOnce(RawObject) -> Result<T, JsonError>,
) -> Result<T, UnreadableEntry> {
    RawObject::from_json(definition).and_then(read).map_err(|problem| UnreadableEntry {
        name: name_of(definition, key),
        place,
        problem,
    })
}

/// Returns the name of an entry that cannot be read. Like most readers, this takes the last value of a duplicate key.
fn name_of(definition: &RawJson, key: &str) -> Option<String> {
    let entry: serde_json::Value = definition.decode().ok()?;
    entry.get(key)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::Tool;

    #[test]
    fn an_unreadable_entry_is_named_or_numbered() {
        let problem = |place, text| {
            let definition = RawJson::parse(text).unwrap();
            read_entry(place, &definition, "name", Tool::from_object).map_err(|entry| entry.to_string())
        };
        let unnamed = problem(0, r#"{"name":7,"x":1}"#).unwrap_err();
        assert!(unnamed.starts_with("entry 1: invalid name: invalid type: integer `7`"), "{unnamed}");
        assert_eq!(problem(1, "7").unwrap_err(), "entry 2: expected a JSON object, found a number");
        assert_eq!(problem(2, r#"{"name":"a","b":1,"b":2}"#).unwrap_err(), r#""a": duplicate key "b""#);
        assert_eq!(problem(3, r#"{"name":"b","inputSchema":{}}"#).unwrap().name, "b");
    }
}
