//! The names of tools: made of `operationId`, and unique in a document.

use crate::{limits::MAX_NAME, operation::Method};
use std::collections::{HashMap, HashSet};

/// The names that operations of a document have taken.
#[derive(Debug, Default)]
pub(crate) struct ToolNames {
    taken: HashSet<String>,
    /// The last number of each name that several operations have.
    numbers: HashMap<String, usize>,
}

impl ToolNames {
    /// Returns the name of an operation. If another operation has it already, a number follows.
    pub(crate) fn take(&mut self, operation_id: Option<&str>, method: Method, path: &str) -> String {
        let own = operation_id.map(plain).filter(|name| !name.is_empty());
        let of_path = || plain(&format!("{}_{path}", method.as_str().to_ascii_lowercase()));
        let base = cut(&own.unwrap_or_else(of_path), MAX_NAME).to_owned();
        let mut name = base.clone();
        while !self.taken.insert(name.clone()) {
            let number = self.numbers.entry(base.clone()).or_insert(1);
            *number += 1;
            let suffix = format!("_{number}");
            name = format!("{}{suffix}", cut(&base, MAX_NAME - suffix.len()));
        }
        name
    }
}

/// Returns a text with each run of other characters than letters, digits, `_` and `-` replaced by one `_`.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => plain.push(c),
            _ if plain.ends_with('_') => {}
            _ => plain.push('_'),
        }
    }
    plain.trim_matches('_').to_owned()
}

fn cut(name: &str, max: usize) -> &str {
    name.get(..max).unwrap_or(name).trim_end_matches('_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_the_operation_or_its_path() {
        let mut names = ToolNames::default();
        let mut take = |id, path| names.take(id, Method::Get, path);
        assert_eq!(take(Some("repos/list-for-user"), ""), "repos_list-for-user");
        assert_eq!(take(Some("repos list-for-user"), ""), "repos_list-for-user_2");
        assert_eq!(take(None, "/users/{id}"), "get_users_id");
        assert_eq!(take(Some("§"), "/"), "get");
        assert_eq!(take(Some("a::b.c()"), ""), "a_b_c");
    }

    #[test]
    fn long_names_are_cut_and_stay_unique() {
        let mut names = ToolNames::default();
        let long = "a".repeat(100);
        let taken: Vec<String> = (0..12).map(|_| names.take(Some(&long), Method::Get, "")).collect();
        assert!(taken.iter().all(|name| name.len() == MAX_NAME));
        assert_eq!(taken.iter().collect::<HashSet<_>>().len(), 12);
        assert!(taken[11].ends_with("a_12"));
    }
}
