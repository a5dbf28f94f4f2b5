//! A list of flat objects as a table.

use crate::page::{Context, foreign};
use maud::{Markup, html};
use mgp_types::json::{RawJson, RawObject};

/// The most rows of a table.
const MAX_ROWS: usize = 200;
/// The most columns of a table.
const MAX_COLUMNS: usize = 16;

/// Returns a table of the items of a list; `None` if the items are not objects of plain values with few names. `left` is the number of values
/// that may be shown, and is lowered by those of the table.
pub(super) fn table(context: &Context, items: &[RawJson], left: &mut usize) -> Option<Markup> {
    let rows: Vec<RawObject> =
        items.iter().map(|item| RawObject::from_json(item).ok()).collect::<Option<_>>()?;
    let is_flat = |row: &RawObject| row.iter().all(|(_, value)| !value.is_object() && !value.is_array());
    if rows.is_empty() || !rows.iter().all(is_flat) {
        return None;
    }
    let mut columns: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flat_map(RawObject::iter) {
        if !columns.contains(&name) {
            columns.push(name);
        }
        if columns.len() > MAX_COLUMNS {
            return None;
        }
    }
    if columns.is_empty() {
        return None;
    }
    let shown = rows.len().min(MAX_ROWS).min(*left / columns.len());
    *left -= shown * columns.len();
    let words = &context.texts.tools;
    Some(html! {
        div .scroll tabindex="0" role="region" aria-label=(words.table) { table {
            thead { tr { @for name in &columns { th scope="col" { (foreign(name)) } } } }
            tbody { @for row in rows.iter().take(shown) {
                tr { @for name in &columns { td { (cell(row.get(name))) } } }
            } }
        } }
        @if rows.len() > shown {
            p .quiet { (crate::texts::number((rows.len() - shown) as u64, &words.more_one, &words.more_many)) }
        }
    })
}

fn cell(value: Option<&RawJson>) -> Markup {
    match value {
        None => html! {},
        Some(value) => foreign(&value.to_text().unwrap_or_else(|| value.as_str().to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::context;

    /// More values than any table of these tests has.
    const MANY: usize = 1_000_000;

    fn shown(json: &str) -> Option<String> {
        let items: Vec<RawJson> = serde_json::from_str(json).unwrap();
        table(&context(), &items, &mut MANY.clone()).map(Markup::into_string)
    }

    #[test]
    fn flat_objects_are_rows_with_all_names_as_columns() {
        let shown = shown(r#"[{"b":"<i>","a":1},{"a":2.50,"c":null}]"#).unwrap();
        let columns: Vec<_> = shown.matches("<th scope=\"col\">").collect();
        assert_eq!(columns.len(), 3);
        assert!(shown.find(">b<").unwrap() < shown.find(">a<").unwrap(), "{shown}");
        for expected in ["&lt;i&gt;", ">2.50<", ">null<"] {
            assert!(shown.contains(expected), "{expected}: {shown}");
        }
    }

    #[test]
    fn other_lists_are_not_tables() {
        let wide = (0..=MAX_COLUMNS).map(|n| format!("\"{n}\":1")).collect::<Vec<_>>().join(",");
        for json in [
            "[]",
            "[1]",
            "[{}]",
            r#"[{"a":1},2]"#,
            r#"[{"a":[1]}]"#,
            r#"[{"a":{}}]"#,
            &format!("[{{{wide}}}]"),
        ] {
            assert_eq!(shown(json), None, "{json}");
        }
    }

    #[test]
    fn a_long_table_says_how_many_rows_are_left_out() {
        let rows = vec![r#"{"a":1}"#; MAX_ROWS + 7].join(",");
        let shown = shown(&format!("[{rows}]")).unwrap();
        assert_eq!(shown.matches("<td>").count(), MAX_ROWS);
        assert!(shown.contains("7 more"), "{shown}");
    }

    #[test]
    fn a_table_takes_no_more_values_than_are_left() {
        let items: Vec<RawJson> =
            serde_json::from_str(r#"[{"a":1,"b":2},{"a":3,"b":4},{"a":5,"b":6}]"#).unwrap();
        let mut left = 5;
        let shown = table(&context(), &items, &mut left).unwrap().into_string();
        assert_eq!((left, shown.matches("<td>").count()), (1, 4));
        assert!(shown.contains("1 more"), "{shown}");
    }
}
