//! §16.3, §16.4 Categories of tools, from the general to the specific.

use serde::{Deserialize, Serialize};

/// The most levels of a category, and its greatest length in bytes.
const MAX_LEVELS: usize = 4;
const MAX_LENGTH: usize = 128;

/// Returns a category in the form in which categories are compared: in lower case, with its levels separated by `/`.
/// Returns `None` if the text is not a category.
///
/// ```
/// use mgp_types::tool_index::category_path;
/// assert_eq!(category_path(" Files / Read ").as_deref(), Some("files/read"));
/// assert_eq!(category_path("a//b"), None);
/// ```
#[must_use]
pub fn category_path(text: &str) -> Option<String> {
    // Only the start of a text that is much too long is read.
    let text = text.get(..4 * MAX_LENGTH).unwrap_or(text);
    let levels: Vec<String> =
        text.split('/').take(MAX_LEVELS + 1).map(|level| level.trim().to_lowercase()).collect();
    let is_one = |level: &String| !level.is_empty() && !level.chars().any(char::is_control);
    let path = levels.join("/");
    (levels.len() <= MAX_LEVELS && levels.iter().all(is_one) && path.len() <= MAX_LENGTH).then_some(path)
}

/// Returns whether a category is the same as another one, or below it.
#[must_use]
pub fn is_filed_under(category: &str, other: &str) -> bool {
    category.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The subcategories of some categories, or the categories at the top.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CategoryIndex {
    /// The categories, those with the most tools first.
    pub categories: Vec<CategoryCount>,
    /// The number of categories that are left out.
    #[serde(default)]
    pub left_out: u64,
}

/// A category, and the number of its tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CategoryCount {
    /// The path of the category, from the top.
    pub category: String,
    /// The number of tools in the category, or below it, that the caller can call.
    pub tools: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_few_short_levels_and_none_is_empty() {
        for (text, path) in [
            ("a", Some("a")),
            ("A/b/C/d", Some("a/b/c/d")),
            ("a/b/c/d/e", None),
            ("", None),
            ("/", None),
            ("a/", None),
            ("a/\u{7}", None),
            ("Données/Été", Some("données/été")),
        ] {
            assert_eq!(category_path(text).as_deref(), path, "{text:?}");
        }
        assert_eq!(category_path(&"x".repeat(129)), None);
        assert_eq!(category_path(&"é".repeat(1_000_000)), None);
        assert!(category_path(&"x".repeat(128)).is_some());
    }

    #[test]
    fn a_subcategory_belongs_to_its_category() {
        for (category, other, expected) in [
            ("a", "a", true),
            ("a/b", "a", true),
            ("ab", "a", false),
            ("a", "a/b", false),
            ("b/a", "a", false),
        ] {
            assert_eq!(is_filed_under(category, other), expected, "{category} {other}");
        }
    }
}
