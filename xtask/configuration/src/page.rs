//! The tables of keys in the document.
//!
//! A table stands between the comments `<!-- keys: ROOTS -->` and `<!-- end of keys -->`. It has the keys below its roots, except for those
//! below a longer root of another table.

use mgp_discovery::config::ConfigKey;
use std::fmt::Write as _;

pub(crate) const FILE: &str = "docs/configuration.md";

const BEGIN: &str = "<!-- keys: ";
const BEGIN_END: &str = " -->\n";
const END: &str = "<!-- end of keys -->";
const HEAD: &str = "| key | type | default | meaning |\n|---|---|---|---|\n";
/// The address of the documents, by which the types link to them.
const DOCUMENTS: &str = "https://github.com/mgp-rs/mgp/blob/main/docs/";

/// Returns the page with its tables made of the keys.
///
/// # Errors
/// A table without an end, a key without a table or without a meaning, or a table without keys.
pub(crate) fn filled(page: &str, keys: &[ConfigKey]) -> Result<String, String> {
    let roots: Vec<&str> = page
        .split(BEGIN)
        .skip(1)
        .filter_map(|rest| rest.split_once(BEGIN_END))
        .flat_map(|(list, _)| list.split(", "))
        .collect();
    for key in keys {
        if key.meaning.is_empty() {
            return Err(format!("{} has no meaning: add a doc comment to its field", key.path));
        }
        if root_of(&key.path, &roots).is_none() {
            return Err(format!("no table for {}: add `{BEGIN}ROOT{}`", key.path, BEGIN_END.trim_end()));
        }
    }
    let (mut filled, mut rest) = (String::with_capacity(page.len()), page);
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (list, after) = after.split_once(BEGIN_END).ok_or("a comment of a table has no end")?;
        let (_, after) = after
            .split_once(END)
            .ok_or_else(|| format!("the table of {list} has no end: expected `{END}`"))?;
        let of_table = |key: &&ConfigKey| {
            root_of(&key.path, &roots).is_some_and(|root| list.split(", ").any(|own| own == root))
        };
        let rows: String = keys.iter().filter(of_table).map(row).collect();
        if rows.is_empty() {
            return Err(format!("no key is below {list}"));
        }
        let _ = write!(filled, "{before}{BEGIN}{list}{BEGIN_END}\n{HEAD}{rows}\n{END}");
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// Returns the longest root that a path is below.
fn root_of<'a>(path: &str, roots: &[&'a str]) -> Option<&'a str> {
    let is_below = |root: &&&str| path.strip_prefix(**root).is_some_and(|rest| rest.starts_with(['.', '[']));
    roots.iter().filter(is_below).max_by_key(|root| root.len()).copied()
}

fn row(key: &ConfigKey) -> String {
    let ConfigKey { path, kind, default, meaning } = key;
    let default = match default.as_str() {
        "required" | "none" => default.clone(),
        value => format!("`{value}`"),
    };
    let meaning = meaning.replace(&format!("{DOCUMENTS}configuration.md#"), "#").replace(DOCUMENTS, "");
    format!("| `{path}` | {kind} | {default} | {meaning} |\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(path: &str, default: &str) -> ConfigKey {
        let meaning = format!("See [a]({DOCUMENTS}configuration.md#a), [b]({DOCUMENTS}b.md).");
        ConfigKey { path: path.to_owned(), kind: "string".to_owned(), default: default.to_owned(), meaning }
    }

    const PAGE: &str = "# A\n\n<!-- keys: s[], t -->\n<!-- end of keys -->\n\nText.\n\n<!-- keys: s[].in -->\nold\n<!-- end of keys -->\n";

    #[test]
    fn each_key_belongs_to_the_table_with_the_longest_root() {
        let keys = [key("s[].id", "required"), key("s[].in.x", "\"a\""), key("t.y", "none")];
        let filled = filled(PAGE, &keys).unwrap();
        let rows: Vec<_> =
            filled.lines().filter(|line| line.starts_with("| `") || line.starts_with("<!-- k")).collect();
        assert_eq!(
            rows,
            [
                "<!-- keys: s[], t -->",
                "| `s[].id` | string | required | See [a](#a), [b](b.md). |",
                "| `t.y` | string | none | See [a](#a), [b](b.md). |",
                "<!-- keys: s[].in -->",
                "| `s[].in.x` | string | `\"a\"` | See [a](#a), [b](b.md). |",
            ]
        );
        assert!(!filled.contains("old") && filled.contains("Text."));
        assert_eq!(super::filled(&filled, &keys).unwrap(), filled);
    }

    #[test]
    fn a_key_without_a_table_and_a_table_without_keys_are_errors() {
        let error = filled(PAGE, &[key("other.x", "none")]).unwrap_err();
        assert!(error.starts_with("no table for other.x"), "{error}");
        assert_eq!(filled(PAGE, &[key("t.y", "none")]).unwrap_err(), "no key is below s[].in");
        assert!(filled("<!-- keys: t -->\n", &[key("t.y", "none")]).unwrap_err().contains("has no end"));
    }
}
