//! What a server's tools are filed under because they are its: the server's id, and the first word of their names where they share one.

use crate::{tool::IndexedTool, words::plain_words};
use std::collections::HashMap;

/// Files a server's tools under its id, and under the first word of their names that at least two of them have, such as `git/branch` or
/// `files/read`. A word that says no more than the id is skipped: `git_log` of the server `git` begins with `log`.
pub(crate) fn file_by_server(server_id: &str, tools: &mut [IndexedTool]) {
    let id = plain_words(server_id);
    let firsts: Vec<Option<String>> = tools
        .iter()
        .map(|tool| {
            let words = plain_words(&tool.id().tool_name);
            // The last word says what it is about, not what it is like.
            let before_last = words.len().saturating_sub(1);
            words.into_iter().take(before_last).find(|word| !id.contains(word))
        })
        .collect();
    let mut shared: HashMap<&str, usize> = HashMap::new();
    for first in firsts.iter().flatten() {
        *shared.entry(first).or_default() += 1;
    }
    // A `/` in an id is no level.
    let root = server_id.replace('/', "-");
    for (tool, first) in tools.iter_mut().zip(&firsts) {
        tool.file_under(&root);
        if let Some(first) = first.as_deref().filter(|first| shared[first] > 1) {
            tool.file_under(&format!("{root}/{first}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::{context::RiskLevel, json::RawJson};

    fn filed(server_id: &str, names: &[&str]) -> Vec<String> {
        let tool = |name: &&str| {
            let definition = RawJson::parse(format!(r#"{{"name":"{name}"}}"#)).unwrap();
            IndexedTool::new(server_id, &definition, RiskLevel::Safe).unwrap()
        };
        let mut tools: Vec<_> = names.iter().map(tool).collect();
        file_by_server(server_id, &mut tools);
        let joined = |tool: &IndexedTool| tool.categories().iter().cloned().collect::<Vec<_>>().join(" ");
        tools.iter().map(joined).collect()
    }

    #[test]
    fn tools_are_filed_under_their_server_and_the_word_that_several_begin_with() {
        assert_eq!(
            filed("Files", &["read_file", "readFolder", "write_file", "read"]),
            ["files files/read", "files files/read", "files", "files"]
        );
        assert_eq!(
            filed("git", &["git_log", "git_branch_list", "git_branch_delete"]),
            ["git", "git git/branch", "git git/branch"]
        );
        assert_eq!(filed("a/b", &["x"]), ["a-b"]);
    }
}
