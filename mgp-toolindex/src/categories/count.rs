//! Counts the visible tools of each category.

use crate::tool::IndexedTool;
use mgp_types::tool_index::{CategoryCount, CategoryIndex};
use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap},
};

/// The most categories that are shown at once.
pub const MAX_SHOWN: usize = 100;

/// Counts the tools of each category right below those in `below`, or of each top category if `below` is empty. A tool counts for a
/// category if it is filed under that category or anywhere below it.
///
/// Pass only tools that the caller may see: a category without visible tools does not exist for the caller.
pub fn count<'t>(tools: impl IntoIterator<Item = &'t IndexedTool>, below: &[String]) -> CategoryIndex {
    let mut counts: HashMap<&str, u64> = HashMap::new();
    for tool in tools {
        let children: BTreeSet<&str> =
            tool.categories().iter().flat_map(|category| children(category, below)).collect();
        for child in children {
            *counts.entry(child).or_default() += 1;
        }
    }
    let mut counts: Vec<(&str, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(category, tools)| (Reverse(*tools), *category));
    let left_out = counts.len().saturating_sub(MAX_SHOWN) as u64;
    let shown = counts.into_iter().take(MAX_SHOWN);
    let categories = shown.map(|(category, tools)| CategoryCount { category: category.to_owned(), tools });
    CategoryIndex { categories: categories.collect(), left_out }
}

/// Returns the parts of a category path that end one level below one of `below`, or its first level if `below` is empty.
fn children<'c>(category: &'c str, below: &[String]) -> Vec<&'c str> {
    let up_to_next = |start: usize| {
        let end = category[start..].find('/').map_or(category.len(), |end| start + end);
        &category[..end]
    };
    if below.is_empty() {
        return vec![up_to_next(0)];
    }
    let starts = below.iter().filter_map(|parent| {
        let rest = category.strip_prefix(parent.as_str())?;
        rest.starts_with('/').then_some(parent.len() + 1)
    });
    starts.map(up_to_next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::{context::RiskLevel, json::RawJson};

    fn tool(categories: &str) -> IndexedTool {
        let definition = format!(r#"{{"name":"x","categories":{categories}}}"#);
        IndexedTool::new("s", &RawJson::parse(definition).unwrap(), RiskLevel::Safe).unwrap()
    }

    fn counted(below: &[&str]) -> String {
        let tools = [tool(r#"["a/b/c","a/b/d"]"#), tool(r#"["a/e","z"]"#), tool(r#"["a","ab/c"]"#)];
        let below: Vec<String> = below.iter().map(ToString::to_string).collect();
        let index = count(&tools, &below);
        let each = index.categories.iter().map(|counted| format!("{}={}", counted.category, counted.tools));
        each.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_tool_counts_once_in_each_category_above_it() {
        assert_eq!(counted(&[]), "a=3 ab=1 z=1");
        assert_eq!(counted(&["a"]), "a/b=1 a/e=1");
        assert_eq!(counted(&["a/b", "ab"]), "a/b/c=1 a/b/d=1 ab/c=1");
        assert_eq!((counted(&["z"]), counted(&["nothing"])), (String::new(), String::new()));
    }

    #[test]
    fn shown_categories_are_bounded_and_the_rest_is_counted() {
        let tools: Vec<_> = (0..150).map(|number| tool(&format!(r#"["c{number:03}"]"#))).collect();
        let index = count(&tools, &[]);
        assert_eq!((index.categories.len(), index.left_out), (MAX_SHOWN, 50));
        assert_eq!(index.categories[0].category, "c000");
    }
}
