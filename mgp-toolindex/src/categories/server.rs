//! The categories that tools get from their server: its id, and the first word of the tools' names if several tools share it.

use crate::{tool::IndexedTool, words::plain_words};
use std::collections::HashMap;

/// Files a server's tools under the server's id and, if at least two of them begin with the same word, under that word too:
/// `git/branch`, `files/read`. A word of the id is skipped: `git_branch_list` of the server `git` begins with `branch`.
pub(crate) fn file_by_server(server_id: &str, tools: &mut [IndexedTool]) {
    let id = plain_words(server_id);
    let firsts: Vec<Option<String>> = tools
        .iter()
        .map(|tool| {
            let words = plain_words(&tool.id().tool_name);
            // The last word names the object of a tool, not a group of tools.
            let before_last = words.len().saturating_sub(1);
            words.into_iter().take(before_last).find(|word| !id.contains(word))
        })
        .collect();
    let mut shared: HashMap<&str, usize> = HashMap::new();
    for first in firsts.iter().flatten() {
        *shared.entry(first).or_default() += 1;
    }
    // A `/` in an id does not separate levels.
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
    fn tools_are_filed_under_server_and_common_first_word() {
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
