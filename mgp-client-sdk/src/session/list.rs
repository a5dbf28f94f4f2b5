//! Reads the lists of a server.

use crate::left_out::LeftOutEntries;
use mgp_transport::seam::CallError;
use mgp_types::{
    json::{JsonError, RawJson, RawObject},
    mcp::{Cursor, read_entry},
    rpc::RawResult,
};
use std::collections::HashSet;

/// The limits of a list.
#[derive(Debug, Clone, Copy)]
pub struct ListLimits {
    pub pages: usize,
    pub entries: usize,
    pub bytes: usize,
}

/// The maximum number of consecutive pages without a new entry, after which the rest of a list is not read.
const PAGES_IN_VAIN: usize = 8;

/// The entries of a list, from all its pages.
#[derive(Debug)]
pub struct List {
    pub entries: Vec<RawJson>,
    /// The limit that the list exceeds, if it does; the entries past the limit are left out.
    pub excess: Option<String>,
    /// The fault in the server's cursors because of which no further page was requested, if any.
    pub fault: Option<String>,
}

/// Reads every page of a list, as text. `request` sends the request for the page at a cursor.
///
/// # Errors
/// [`CallError`].
pub async fn read_list<F: Future<Output = Result<RawResult, CallError>>>(
    method: &'static str,
    member: &'static str,
    limits: ListLimits,
    request: impl Fn(Option<Cursor>) -> F,
) -> Result<List, CallError> {
    let (mut entries, mut bytes, mut cursor) = (Vec::new(), 0, None);
    let (mut read, mut cursors, mut in_vain) = (HashSet::new(), HashSet::new(), 0);
    let excess = |most: usize, of: &str| Some(format!("{method} has more than {most} {of}"));
    let list = |entries, excess| Ok(List { entries, excess, fault: None });
    let faulty = |entries, fault| Ok(List { entries, excess: None, fault: Some(fault) });
    for _ in 0..limits.pages {
        let result = request(cursor).await?;
        let (page, next) = read_page(&result, member).map_err(|error| CallError::Result { method, error })?;
        // A server that does not know cursors sends the same page again, perhaps with another time or number in its entries.
        let mut page: Vec<_> = page.into_iter().map(|entry| (id_of(&entry), entry)).collect();
        page.retain(|(id, _)| !read.contains(id));
        in_vain = if page.is_empty() { in_vain + 1 } else { 0 };
        for (id, entry) in page {
            bytes += entry.as_str().len();
            if entries.len() == limits.entries {
                return list(entries, excess(limits.entries, "entries"));
            }
            if bytes > limits.bytes {
                return list(entries, excess(limits.bytes, "bytes"));
            }
            read.insert(id);
            entries.push(entry);
        }
        let next = match next {
            Ok(Some(next)) => next,
            Ok(None) => return list(entries, None),
            Err(found) => return faulty(entries, format!("nextCursor is {found}, expected a string")),
        };
        if !cursors.insert(next.clone()) {
            return faulty(entries, format!("nextCursor {:?} came before", next.0));
        }
        if in_vain == PAGES_IN_VAIN {
            return faulty(entries, format!("{PAGES_IN_VAIN} pages in a row have no new entry"));
        }
        cursor = Some(next);
    }
    list(entries, excess(limits.pages, "pages"))
}

/// Returns the text that identifies an entry, or the whole entry if it has none.
fn id_of(entry: &RawJson) -> String {
    let members = RawObject::from_json(entry).ok();
    let id = |members: RawObject| ["uri", "uriTemplate", "name"].iter().find_map(|key| members.text(key));
    members.and_then(id).unwrap_or_else(|| entry.as_str().to_owned())
}

/// The entries of a page, and the cursor of the next page; for a cursor that is not a string, its kind.
type Page = (Vec<RawJson>, Result<Option<Cursor>, &'static str>);

fn read_page(result: &RawResult, member: &'static str) -> Result<Page, JsonError> {
    let page = RawObject::from_json(result)?;
    let entries = page.decode(member)?.ok_or(JsonError::Missing(member))?;
    // Some servers write `null`, `false` or an empty string to mean that there is no next page.
    let next = page.get("nextCursor").filter(|next| !matches!(next.as_str(), "null" | "false" | "\"\""));
    let next = next.map(|next| next.to_text().map(Cursor).ok_or(next.kind_without_text())).transpose();
    Ok((entries, next))
}

/// Parses the entries of a list, which are called by `noun` and named by their member `key`. Returns each with its text, and
/// separately those that cannot be parsed.
pub fn read_entries<T>(
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
    use std::cell::Cell;

    /// A page's tools, by the page's number.
    type Tools<'a> = &'a dyn Fn(usize) -> String;

    /// Reads a list whose pages have these tools and these cursors in turn. Returns the number of entries, the fault
    /// of the cursors, and the number of requests.
    async fn read(tools: Tools<'_>, cursors: &[&str]) -> (usize, Option<String>, usize) {
        let pages = Cell::new(0);
        let limits = ListLimits { pages: 20, entries: 100, bytes: 1000 };
        let list = read_list("tools/list", "tools", limits, |_| {
            let page = pages.replace(pages.get() + 1);
            let next = cursors.get(page).map_or(String::new(), |next| format!(r#","nextCursor":{next}"#));
            let text = format!(r#"{{"tools":{}{next}}}"#, tools(page));
            async move { Ok(RawJson::parse(text).unwrap()) }
        });
        let List { entries, excess, fault } = list.await.unwrap();
        assert_eq!(excess, None);
        (entries.len(), fault, pages.get())
    }

    /// Returns one tool, whose name is the page's number.
    fn distinct(page: usize) -> String {
        format!(r#"[{{"name":"{page}"}}]"#)
    }

    #[tokio::test]
    async fn a_list_ends_with_a_cursor_that_is_absent_null_or_empty() {
        assert_eq!(read(&distinct, &[r#""a""#, r#""b""#]).await, (3, None, 3));
        assert_eq!(read(&distinct, &[r#""a""#, "null"]).await, (2, None, 2));
        assert_eq!(read(&distinct, &[r#""""#, r#""b""#]).await, (1, None, 1));
        assert_eq!(read(&distinct, &["false", r#""b""#]).await, (1, None, 1));
    }

    #[tokio::test]
    async fn a_cursor_that_is_not_a_string_costs_no_entry_that_was_read() {
        let fault = "nextCursor is a number, expected a string".to_owned();
        assert_eq!(read(&distinct, &["2", "3"]).await, (1, Some(fault), 1));
    }

    #[tokio::test]
    async fn a_list_whose_cursors_repeat_is_read_once() {
        let same = |_| distinct(0);
        let constant: &[_] = &[r#""a""#, r#""a""#, r#""a""#];
        let circle: &[_] = &[r#""a""#, r#""b""#, r#""a""#, r#""b""#];
        for (tools, cursors, expected) in
            [(&same as Tools<'_>, constant, (1, 2)), (&distinct, circle, (3, 3))]
        {
            let (entries, fault, requests) = read(tools, cursors).await;
            assert_eq!((entries, requests), expected);
            assert_eq!(fault.unwrap(), r#"nextCursor "a" came before"#);
        }
    }

    #[tokio::test]
    async fn paging_stops_when_pages_add_nothing_new() {
        let cursors: Vec<_> = (0..30).map(|page| format!("\"{page}\"")).collect();
        let cursors: Vec<_> = cursors.iter().map(String::as_str).collect();
        let two_in_turn = |page: usize| distinct(page % 2);
        let empty = |_| "[]".to_owned();
        let counting = |page: usize| format!(r#"[{{"name":"a","_meta":{{"at":{page}}}}}]"#);
        for (tools, expected) in [(&two_in_turn as Tools<'_>, (2, 10)), (&empty, (0, 8)), (&counting, (1, 9))]
        {
            let (entries, fault, requests) = read(tools, &cursors).await;
            assert_eq!((entries, requests), expected);
            assert_eq!(fault.unwrap(), "8 pages in a row have no new entry");
        }
    }

    #[tokio::test]
    async fn equal_entries_of_one_page_are_all_kept() {
        assert_eq!(read(&|_| "[{},{}]".to_owned(), &[]).await, (2, None, 1));
    }
}
