//! One page of a registry's list.

use super::Entry;
use mgp_types::json::{RawJson, RawObject};

/// The most entries that one page may have.
const MAX_ENTRIES: usize = 1_000;

/// The longest cursor, in bytes.
const MAX_CURSOR: usize = 4_096;

/// One page of a registry's list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The servers on the page that can be read.
    pub entries: Vec<Entry>,
    /// The number of entries on the page that cannot be read.
    pub unreadable: usize,
    /// The cursor of the next page. `None` on the last page.
    pub next_cursor: Option<String>,
}

impl Page {
    /// Reads a page.
    ///
    /// # Errors
    /// A sentence that states the problem with the page as a whole. An unreadable entry is only counted.
    ///
    /// ```
    /// use mgp_discovery::public_registry::Page;
    /// let page = Page::parse(br#"{"servers": [{"server": {"name": "com.example/time", "version": "1.0.0"}}]}"#)?;
    /// assert_eq!(page.entries[0].name, "com.example/time");
    /// # Ok::<(), String>(())
    /// ```
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
        let page = RawObject::parse(text.to_owned()).map_err(|error| error.to_string())?;
        let list = page.get("servers").ok_or("it has no servers: expected a list of them")?;
        let list: Vec<RawJson> =
            list.decode::<Option<_>>().map_err(|error| error.to_string())?.unwrap_or_default();
        if list.len() > MAX_ENTRIES {
            return Err(format!("{} servers on one page: expected at most {MAX_ENTRIES}", list.len()));
        }
        let metadata = page.object("metadata").unwrap_or_default();
        let next = metadata.text("nextCursor").or_else(|| metadata.text("next_cursor"));
        let next_cursor = next.filter(|cursor| !cursor.is_empty());
        if let Some(cursor) = next_cursor.as_ref().filter(|cursor| cursor.len() > MAX_CURSOR) {
            return Err(format!("a cursor of {} bytes: expected at most {MAX_CURSOR}", cursor.len()));
        }
        let entries: Vec<_> = list.iter().filter_map(|entry| Entry::read(entry).ok()).collect();
        let unreadable = list.len() - entries.len();
        Ok(Self { entries, unreadable, next_cursor })
    }
}
