//! The union of the pages of a result.

use mgp_types::json::{RawJson, RawObject};

/// The members that hold the items of a page, the likeliest first.
const ITEMS: &[&str] = &[
    "items", "data", "results", "value", "values", "records", "entries", "elements", "list", "rows",
    "content",
];

/// Joins the pages of a result: arrays become one array. Of objects, the last page stays, with the items of all pages.
///
/// Returns `None` if there are no pages, or if they have no array in common.
///
/// ```
/// use mgp_openapi::join_pages;
/// use mgp_types::json::RawJson;
///
/// let pages = [
///     RawJson::parse(r#"{"data":[1.0,2],"next_cursor":"a"}"#)?,
///     RawJson::parse(r#"{"data":[3],"next_cursor":null}"#)?,
/// ];
/// assert_eq!(join_pages(&pages).unwrap().as_str(), r#"{"data":[1.0,2,3],"next_cursor":null}"#);
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
#[must_use]
pub fn join_pages(pages: &[RawJson]) -> Option<RawJson> {
    let last = pages.last()?;
    if pages.iter().all(RawJson::is_array) {
        return array(pages.iter());
    }
    let objects: Vec<RawObject> =
        pages.iter().map(|page| RawObject::from_json(page).ok()).collect::<Option<_>>()?;
    let is_shared = |name: &str| objects.iter().all(|page| page.get(name).is_some_and(RawJson::is_array));
    let mut shared = objects.last()?.iter().map(|(name, _)| name).filter(|name| is_shared(name));
    let known = ITEMS.iter().copied().find(|name| is_shared(name));
    // Without a known name, the only array has the items.
    let name = match known {
        Some(name) => name.to_owned(),
        None => shared.next().filter(|_| shared.next().is_none())?.to_owned(),
    };
    let items = array(objects.iter().filter_map(|page| page.get(&name)))?;
    let mut joined = RawObject::from_json(last).ok()?;
    joined.insert_named(&name, items);
    Some(joined.to_json())
}

fn array<'a>(arrays: impl Iterator<Item = &'a RawJson>) -> Option<RawJson> {
    let mut items: Vec<RawJson> = Vec::new();
    for array in arrays {
        items.extend(array.decode::<Vec<RawJson>>().ok()?);
    }
    RawJson::from_value(&items).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_items_of_all_pages_are_joined() {
        for (pages, expected) in [
            (&["[1]", "[]", "[2, 3]"][..], Some("[1,2,3]")),
            (&[r#"{"users":[1],"n":1}"#, r#"{"users":[2],"n":2}"#], Some(r#"{"users":[1,2],"n":2}"#)),
            (&[r#"{"a":[1],"b":[2]}"#, r#"{"a":[3],"b":[4]}"#], None),
            (&[r#"{"data":[1],"b":[2]}"#, r#"{"data":[3],"b":[4]}"#], Some(r#"{"data":[1,3],"b":[4]}"#)),
            (&[r#"{"a":1}"#], None),
            (&["[1]", r#"{"a":[1]}"#], None),
            (&["7"], None),
            (&[], None),
        ] {
            let pages: Vec<RawJson> = pages.iter().map(|page| RawJson::parse(*page).unwrap()).collect();
            assert_eq!(join_pages(&pages).as_ref().map(RawJson::as_str), expected);
        }
    }
}
