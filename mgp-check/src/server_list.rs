//! The lists of a server, in pages.

use crate::session::{Exchange, Session, weight};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The most pages of a list that are read.
const PAGES: usize = 100;
/// The most entries of a list that are kept.
const ENTRIES: usize = 5_000;
/// The longest cursor that is sent back, in bytes.
const LONGEST_CURSOR: usize = 64 << 10;
/// The most weight of a list's entries that are kept.
const LIST_WEIGHT: usize = 16 << 20;

/// A list, up to the point where it was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServerList {
    pub(crate) entries: Vec<Value>,
    /// The number of pages.
    pub(crate) pages: usize,
    /// The answer that was not a page.
    pub(crate) refusal: Option<Exchange>,
    /// The reason why reading ended before the list did.
    pub(crate) endless: Option<String>,
    /// True if there were more entries than are kept.
    pub(crate) is_cut: bool,
}

impl ServerList {
    /// Returns the names of the entries.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.entries.iter().filter_map(|entry| entry["name"].as_str()).collect()
    }

    /// Adds the entries of a page, as many as fit.
    fn add(&mut self, entries: &[Value], room: &mut usize) {
        for entry in entries {
            let left = room.checked_sub(weight(entry)).filter(|_| self.entries.len() < ENTRIES);
            let Some(left) = left else {
                self.is_cut = true;
                return;
            };
            *room = left;
            self.entries.push(entry.clone());
        }
    }
}

/// Reads a list to its end, within bounds.
pub(crate) async fn list(session: &mut Session, method: &str, member: &str) -> ServerList {
    let mut listing = ServerList::default();
    let mut cursors = BTreeSet::new();
    let mut params = json!({});
    let mut room = LIST_WEIGHT;
    loop {
        let page = session.request(method, params).await;
        let Ok(result) = page.result("a page") else {
            listing.refusal = Some(page);
            return listing;
        };
        listing.pages += 1;
        listing.add(result[member].as_array().map(Vec::as_slice).unwrap_or_default(), &mut room);
        let Some(cursor) = result["nextCursor"].as_str() else { return listing };
        if cursor.len() > LONGEST_CURSOR {
            listing.endless = Some(format!("a cursor longer than {LONGEST_CURSOR} bytes"));
        } else if !cursors.insert(cursor.to_owned()) {
            listing.endless = Some(format!("the cursor {cursor:?} twice"));
        } else if listing.pages >= PAGES {
            listing.endless = Some(format!("more than {PAGES} pages"));
        } else if listing.is_cut {
            listing.endless =
                Some(format!("more than {ENTRIES} entries, or {} MiB of them", LIST_WEIGHT >> 20));
        }
        if listing.endless.is_some() {
            return listing;
        }
        params = json!({ "cursor": cursor });
    }
}
