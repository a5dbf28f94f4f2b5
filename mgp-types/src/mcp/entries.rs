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

/// Returns the name of an entry that cannot be read. Like most readers, it takes the last value of a duplicate key.
fn name_of(definition: &RawJson, key: &str) -> Option<String> {
    let entry: serde_json::Value = definition.decode().ok()?;
    entry.get(key)?.as_str().map(str::to_owned)
}

/// Takes the entries out of a page of a list. Returns them, and the entries that cannot be read.
pub(super) fn take_entries<T>(
    page: &mut RawObject,
    member: &'static str,
    key: &str,
    read: impl Fn(RawObject) -> Result<T, JsonError>,
) -> Result<(Vec<T>, Vec<UnreadableEntry>), JsonError> {
    let definitions: Vec<RawJson> = page.take(member)?.ok_or(JsonError::Missing(member))?;
    let (mut entries, mut unreadable) = (Vec::with_capacity(definitions.len()), Vec::new());
    for (place, definition) in definitions.into_iter().enumerate() {
        match read_entry(place, &definition, key, &read) {
            Ok(entry) => entries.push(entry),
            Err(entry) => unreadable.push(entry),
        }
    }
    Ok((entries, unreadable))
}

/// Implements for a list result a function that reads its entries one by one.
macro_rules! reads_each {
    ($list:ident, $field:ident: $entry:ident in $member:literal by $key:literal) => {
        impl $list {
            /// Reads a list entry by entry, so that an unreadable entry does not hide the others.
            ///
            /// # Errors
            /// [`JsonError`](crate::json::JsonError) if the list itself cannot be read.
            pub fn read_each(
                result: &crate::json::RawJson,
            ) -> Result<(Self, Vec<crate::mcp::UnreadableEntry>), crate::json::JsonError> {
                let mut page = crate::json::RawObject::from_json(result)?;
                let (entries, unreadable) =
                    crate::mcp::entries::take_entries(&mut page, $member, $key, $entry::from_object)?;
                let mut list = Self::from_object(page)?;
                list.$field = entries;
                Ok((list, unreadable))
            }
        }
    };
}
pub(super) use reads_each;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::{Cursor, ListPromptsResult, ListResourcesResult, ListToolsResult};

    fn json(text: &'static str) -> RawJson {
        RawJson::parse(text).unwrap()
    }

    #[test]
    fn an_entry_that_cannot_be_read_does_not_hide_the_others_and_is_named() {
        let text = r#"{"tools":[{"name":7,"x":1},7,{"name":"a","b":1,"b":2},{"name":"b","inputSchema":{}}],"ttlMs":1,"nextCursor":"c"}"#;
        let (list, unreadable) = ListToolsResult::read_each(&json(text)).unwrap();
        assert_eq!(list.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["b"]);
        assert_eq!(list.next_cursor, Some(Cursor("c".into())));
        let said: Vec<String> = unreadable.iter().map(ToString::to_string).collect();
        assert!(said[0].starts_with("entry 1: invalid name: invalid type: integer `7`"), "{said:?}");
        assert_eq!(
            said[1..],
            ["entry 2: expected a JSON object, found a number", r#""a": duplicate key "b""#]
        );
        let text = r#"{"resources":[{"uri":"r://1"},{"uri":"r://2","name":"two"}]}"#;
        let (list, unreadable) = ListResourcesResult::read_each(&json(text)).unwrap();
        assert_eq!((list.resources.len(), unreadable[0].name.as_deref()), (1, Some("r://1")));
        assert!(ListPromptsResult::read_each(&json(r#"{"tools":[]}"#)).is_err());
    }
}
