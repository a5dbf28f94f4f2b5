//! Reads the lists of a server.

use crate::left_out::LeftOutEntries;
use mgp_transport::seam::CallError;
use mgp_types::{
    json::{JsonError, RawJson, RawObject},
    mcp::{Cursor, read_entry},
    rpc::RawResult,
};

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
    /// The limit that the list exceeds, if it does; the entries past the limit are left out.
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
    let excess = |most: usize, of: &str| Some(format!("{method} has more than {most} {of}"));
    for _ in 0..limits.pages {
        let result = request(cursor).await?;
        let (page, next) = read_page(&result, member).map_err(|error| CallError::Result { method, error })?;
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
        if next.is_none() {
            return Ok(List { entries, excess: None });
        }
        cursor = next;
    }
    Ok(List { entries, excess: excess(limits.pages, "pages") })
}

fn read_page(result: &RawResult, member: &'static str) -> Result<(Vec<RawJson>, Option<Cursor>), JsonError> {
    let page = RawObject::from_json(result)?;
    let entries = page.decode(member)?.ok_or(JsonError::Missing(member))?;
    // Some servers write `null` where they mean that there is no next page.
    Ok((entries, page.decode::<Option<Cursor>>("nextCursor")?.flatten()))
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
