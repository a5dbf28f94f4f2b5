//! Reads the lists of a server.

use crate::left_out::LeftOutEntries;
use mgp_transport::seam::CallError;
use mgp_types::{
    json::{JsonError, RawJson, RawObject},
    mcp::{Cursor, read_entry},
    rpc::RawResult,
};
use std::collections::HashSet;

/// The most of a list that is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListLimits {
    pub(crate) pages: usize,
    pub(crate) entries: usize,
    pub(crate) bytes: usize,
}

/// The entries of a list, from all its pages.
#[derive(Debug)]
pub(crate) struct List {
    pub(crate) entries: Vec<RawJson>,
    /// The reason why the list was not read to its end, if so.
    pub(crate) excess: Option<String>,
}

/// Reads every page of a list, as text. `request` sends the request for the page at a cursor.
///
/// # Errors
/// [`CallError`].
pub(crate) async fn read_list<F: Future<Output = Result<RawResult, CallError>>>(
    method: &'static str,
    member: &'static str,
    limits: ListLimits,
    request: impl Fn(Option<Cursor>) -> F,
) -> Result<List, CallError> {
    let (mut entries, mut bytes, mut cursor) = (Vec::new(), 0, None);
    let (mut seen, mut last_page) = (HashSet::new(), 0..0);
    let excess = |most: usize, of: &str| Some(format!("{method} has more than {most} {of}"));
    for _ in 0..limits.pages {
        let result = request(cursor).await?;
        let (page, next) = read_page(&result, member).map_err(|error| CallError::Result { method, error })?;
        let start = entries.len();
        for entry in page {
            bytes += entry.as_str().len();
            if entries.len() == limits.entries {
                return Ok(List { entries, excess: excess(limits.entries, "entries") });
            }
            if bytes > limits.bytes {
                return Ok(List { entries, excess: excess(limits.bytes, "bytes") });
            }
            entries.push(entry);
        }
        let Some(next) = next else { return Ok(List { entries, excess: None }) };
        // Each page behind it would be one that was read.
        if !seen.insert(next.clone()) {
            // A server that knows no cursors sends the same page again.
            if entries[last_page] == entries[start..] {
                entries.truncate(start);
            }
            let excess =
                Some(format!("{method} leads back to a page that was read: nextCursor {:?}", next.0));
            return Ok(List { entries, excess });
        }
        last_page = start..entries.len();
        cursor = Some(next);
    }
    Ok(List { entries, excess: excess(limits.pages, "pages") })
}

fn read_page(result: &RawResult, member: &'static str) -> Result<(Vec<RawJson>, Option<Cursor>), JsonError> {
    let page = RawObject::from_json(result)?;
    let entries = page.decode(member)?.ok_or(JsonError::Missing(member))?;
    // Some servers write `null` or an empty text where they mean that there is no next page.
    let next = page.decode::<Option<Cursor>>("nextCursor")?.flatten();
    Ok((entries, next.filter(|cursor| !cursor.0.is_empty())))
}

/// Reads the entries of a list, which are called by `noun` and named by their member `key`. Returns each with its text, and apart from
/// them those that cannot be read.
pub(crate) fn read_entries<T>(
    noun: &'static str,
    key: &'static str,
    entries: Vec<RawJson>,
    read: impl Fn(RawObject) -> Result<T, JsonError>,
) -> (Vec<(RawJson, T)>, LeftOutEntries) {
    let (mut whole, mut unreadable) = (Vec::with_capacity(entries.len()), LeftOutEntries::of(noun));
    for (place, definition) in entries.into_iter().enumerate() {
        match read_entry(place, &definition, key, &read) {
            Ok(entry) => whole.push((definition, entry)),
            Err(entry) => unreadable.add(entry.name.as_deref(), place, &entry.problem),
        }
    }
    (whole, unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// Reads a list whose pages have these cursors in turn. Returns the number of entries, and why the list was not read to its end.
    async fn read(cursors: &[&str]) -> (usize, Option<String>) {
        let left = RefCell::new(cursors.iter());
        let limits = ListLimits { pages: 10, entries: 100, bytes: 1000 };
        let list = read_list("tools/list", "tools", limits, |_| {
            let next =
                left.borrow_mut().next().map_or(String::new(), |next| format!(r#","nextCursor":{next}"#));
            async move { Ok(RawJson::parse(format!(r#"{{"tools":[{{}}]{next}}}"#)).unwrap()) }
        });
        let List { entries, excess } = list.await.unwrap();
        (entries.len(), excess)
    }

    #[tokio::test]
    async fn a_list_ends_with_a_cursor_that_is_absent_null_or_empty() {
        assert_eq!(read(&[r#""a""#, r#""b""#]).await, (3, None));
        assert_eq!(read(&[r#""a""#, "null"]).await, (2, None));
        assert_eq!(read(&[r#""""#]).await, (1, None));
    }

    #[tokio::test]
    async fn a_list_whose_cursors_repeat_is_read_once() {
        let (entries, excess) = read(&[r#""a""#, r#""b""#, r#""a""#, r#""b""#]).await;
        assert_eq!(entries, 2, "the third page is the second one again");
        assert!(excess.unwrap().contains(r#"leads back to a page that was read: nextCursor "a""#));
    }
}
