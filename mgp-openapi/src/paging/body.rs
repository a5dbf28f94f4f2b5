//! The links and cursors to the next page that bodies hold.

use serde_json::Value;

/// The way to the next page that a body names.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Continuation {
    /// A link to the next page.
    Link(String),
    /// A cursor, and the query parameters that may take it, the likeliest first.
    Cursor { value: String, parameters: Vec<&'static str> },
}

/// The members that hold a link, as JSON pointers.
const LINKS: &[&str] = &[
    "/next",
    "/links/next",
    "/links/next/href",
    "/_links/next",
    "/_links/next/href",
    "/links/pages/next",
    "/@odata.nextLink",
    "/nextLink",
    "/next_link",
    "/next_url",
    "/next_page_url",
    "/next_page_uri",
    "/next_page",
    "/paging/next",
    "/pagination/next",
    "/meta/next",
    "/pages/next",
];

/// The members that hold a cursor, with the parameters that take it.
const CURSORS: &[(&str, &[&str])] = &[
    ("next_cursor", &["cursor", "start_cursor", "next_cursor", "page_cursor", "after"]),
    ("nextCursor", &["cursor", "nextCursor", "startCursor", "after"]),
    ("nextPageToken", &["pageToken", "page_token", "nextPageToken", "page"]),
    ("next_page_token", &["page_token", "pageToken", "next_page_token", "page"]),
    ("nextToken", &["nextToken", "token"]),
    ("next_token", &["next_token", "pagination_token", "token"]),
    ("next_page", &["page", "next_page", "cursor", "page_token", "offset"]),
    ("nextPage", &["page", "nextPage", "cursor", "pageToken"]),
    ("next_offset", &["offset", "next_offset"]),
    ("nextOffset", &["offset", "nextOffset"]),
    ("continue", &["continue"]),
    ("cursor", &["cursor", "after"]),
    ("end_cursor", &["after", "cursor"]),
    ("endCursor", &["after", "cursor"]),
    ("next", &["cursor", "page", "after", "next", "offset", "start"]),
    ("after", &["after", "cursor"]),
];

/// The objects that hold a cursor; the first is the body itself.
const HOLDERS: &[&str] = &[
    "",
    "/meta",
    "/metadata",
    "/response_metadata",
    "/pagination",
    "/paging",
    "/paging/cursors",
    "/page_info",
    "/pageInfo",
    "/page",
    "/cursors",
    "/meta/pagination",
    "/meta/page",
    "/links",
];

/// The members that state whether there are more pages.
const MORE: &[&str] = &["has_more", "hasMore", "has_next", "hasNext", "has_next_page", "hasNextPage", "more"];

/// Returns the way to the next page that a body names.
pub(super) fn continuation(body: &Value) -> Option<Continuation> {
    if !body.is_object() {
        return None;
    }
    let holders = || HOLDERS.iter().filter_map(|pointer| body.pointer(pointer));
    let more = holders().find_map(|holder| MORE.iter().find_map(|name| holder.get(*name)?.as_bool()));
    if more == Some(false) {
        return None;
    }
    if let Some(link) =
        LINKS.iter().filter_map(|pointer| body.pointer(pointer)?.as_str()).find(|text| is_link(text))
    {
        return Some(Continuation::Link(link.to_owned()));
    }
    for holder in holders() {
        for (name, parameters) in CURSORS {
            // A cursor without a word about more may be that of this page.
            if *name == "cursor" && more.is_none() {
                continue;
            }
            if let Some(value) = holder.get(*name).and_then(cursor).filter(|value| !is_link(value)) {
                return Some(Continuation::Cursor { value, parameters: parameters.to_vec() });
            }
        }
    }
    if more != Some(true) {
        return None;
    }
    // Stripe and its followers: the next page begins after the last item.
    let last = body.get("last_id").or_else(|| body.get("data")?.as_array()?.last()?.get("id"));
    let parameters = vec!["starting_after", "after", "after_id"];
    last.and_then(cursor).map(|value| Continuation::Cursor { value, parameters })
}

/// Returns a text or number that is not empty.
fn cursor(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn is_link(text: &str) -> bool {
    ["http://", "https://", "/", "?"].iter().any(|start| text.starts_with(start))
}
