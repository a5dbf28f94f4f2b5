//! A JSON value whose parts fold.

use super::table::table;
use crate::{
    page::{Context, foreign, foreign_block},
    texts::number,
};
use maud::{Markup, html};
use mgp_types::json::{RawJson, RawObject};

/// The most parts of a result that are shown one by one.
pub(super) const MAX_PARTS: usize = 4000;
/// The depth to which parts are shown one by one.
const MAX_DEPTH: usize = 10;
/// The depth to which parts are unfolded at first.
const OPEN: usize = 2;
/// The longest text in a line, in bytes.
const LINE: usize = 160;

/// Returns a value with parts that fold. Lists of flat objects are tables. Parts beyond a limit are shown as text.
pub(in crate::pages::tools) fn value_view(context: &Context, value: &RawJson) -> Markup {
    value_within(context, value, &mut MAX_PARTS.clone())
}

/// Returns a value as [`value_view`] does. `left` is the number of parts that may be shown one by one, and is lowered by those that are.
pub(super) fn value_within(context: &Context, value: &RawJson, left: &mut usize) -> Markup {
    ValueViewer { context, left }.value(value, 0)
}

struct ValueViewer<'a> {
    context: &'a Context,
    left: &'a mut usize,
}

impl ValueViewer<'_> {
    fn value(&mut self, value: &RawJson, depth: usize) -> Markup {
        let is_whole = depth < MAX_DEPTH && *self.left > 0;
        if is_whole
            && value.is_object()
            && let Ok(object) = RawObject::from_json(value)
        {
            return self.object(&object, depth);
        }
        if is_whole
            && value.is_array()
            && let Ok(items) = value.decode::<Vec<RawJson>>()
        {
            return match table(self.context, &items, self.left) {
                Some(table) => table,
                None => self.list(&items, depth),
            };
        }
        match value.to_text() {
            Some(text) if text.len() > LINE || text.contains('\n') => foreign_block(&text),
            Some(text) => html! { span .text { (foreign(&text)) } },
            None if value.as_str().len() > LINE => foreign_block(value.as_str()),
            None => foreign(value.as_str()),
        }
    }

    fn object(&mut self, object: &RawObject, depth: usize) -> Markup {
        let words = &self.context.texts.tools;
        let mut rows = Vec::new();
        for (name, value) in object.iter() {
            if *self.left == 0 {
                break;
            }
            *self.left -= 1;
            rows.push((foreign(name), self.value(value, depth + 1)));
        }
        let left_out = object.len() - rows.len();
        self.folding(
            depth,
            object.len(),
            &number(object.len() as u64, &words.member_one, &words.member_many),
            html! {
                dl .value { @for (name, value) in rows { dt { (name) } dd { (value) } } }
                (self.left_out(left_out))
            },
        )
    }

    fn list(&mut self, items: &[RawJson], depth: usize) -> Markup {
        let words = &self.context.texts.tools;
        let mut rows = Vec::new();
        for item in items {
            if *self.left == 0 {
                break;
            }
            *self.left -= 1;
            rows.push(self.value(item, depth + 1));
        }
        let left_out = items.len() - rows.len();
        self.folding(
            depth,
            items.len(),
            &number(items.len() as u64, &words.item_one, &words.item_many),
            html! {
                ol .value { @for row in rows { li { (row) } } }
                (self.left_out(left_out))
            },
        )
    }

    /// Returns parts under a line that folds them. The outermost parts need no such line.
    fn folding(&self, depth: usize, count: usize, summary: &str, parts: Markup) -> Markup {
        match (depth, count) {
            (_, 0) => html! { span .quiet { (summary) } },
            (0, _) => parts,
            _ => html! { details open[depth < OPEN] { summary { (summary) } (parts) } },
        }
    }

    fn left_out(&self, count: usize) -> Markup {
        let words = &self.context.texts.tools;
        html! { @if count > 0 { p .quiet { (number(count as u64, &words.more_one, &words.more_many)) } } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::context;

    fn shown(json: &str) -> String {
        value_view(&context(), &RawJson::parse(json.to_owned()).unwrap()).into_string()
    }

    #[test]
    fn parts_of_a_value_fold_and_are_escaped() {
        let shown = shown(r#"{"<b>":{"deep":{"deeper":[1,{"x":[]}]}},"text":"<script>","many":"a\nb"}"#);
        assert!(shown.contains("&lt;b&gt;") && shown.contains("&lt;script&gt;"), "{shown}");
        assert!(!shown.contains("<script") && shown.contains("<details open><summary>"), "{shown}");
        assert!(shown.contains("<details><summary>"), "deep parts are folded: {shown}");
        assert!(shown.contains("<pre class=\"foreign\""), "{shown}");
    }

    #[test]
    fn a_list_of_flat_objects_is_a_table() {
        assert!(shown(r#"{"notes":[{"a":1},{"a":2}]}"#).contains("<table>"));
        assert!(!shown(r#"{"notes":[{"a":1},2]}"#).contains("<table>"));
    }

    #[test]
    fn a_huge_value_is_bounded() {
        let list = vec!["[1]"; 100_000].join(",");
        let shown_list = shown(&format!("[{list}]"));
        assert!(shown_list.len() < 1_000_000, "{}", shown_list.len());
        assert!(shown_list.contains("more"));
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        assert!(shown(&deep).contains("[[["));
        let long = format!("{{\"{}\":\"{}\"}}", "k".repeat(1_000_000), "v".repeat(1_000_000));
        assert!(shown(&long).len() < 60_000);
    }

    #[test]
    fn numbers_and_doubled_names_are_shown_as_they_are() {
        assert!(shown("[1e500,1.50,12345678901234567890123]").contains("1e500"));
        assert!(shown(r#"{"a":1,"a":2}"#).contains("{&quot;a&quot;:1,&quot;a&quot;:2}"));
    }
}
