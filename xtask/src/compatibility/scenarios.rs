//! The scenarios of MCP's conformance suite, by the list beside the workspace.

use std::path::Path;

/// Whether a list of scenarios has a name. The list writes families such as `auth/{a,b}` and `tools-call-{a,b}`.
pub(super) fn has(list: &str, name: &str) -> bool {
    expanded(list).iter().any(|known| known == name)
}

/// The list, where it is.
pub(super) fn read(root: &Path) -> Option<String> {
    std::fs::read_to_string(root.join("../shared/conformance/fixture.md")).ok()
}

/// Every word of the list, families taken apart.
fn expanded(list: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = list;
    while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
        rest = &rest[start..];
        let mut depth = 0;
        let end = rest.find(|c: char| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            c.is_whitespace() && depth == 0
        });
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        words.extend(family(word));
        rest = after;
    }
    words
}

fn family(word: &str) -> Vec<String> {
    let trimmed = |word: &str| word.trim_matches([',', '.', ';', ':', '(', ')']).to_owned();
    let Some((head, tail)) = word.split_once('{') else { return vec![trimmed(word)] };
    let Some((inner, tail)) = tail.split_once('}') else { return vec![trimmed(word)] };
    let one = |part: &str| trimmed(&format!("{head}{}{tail}", part.trim()));
    inner.split(',').map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_taken_apart() {
        let list = "SCORED (2): ping tools-call-{a, b} auth/{x,y}. Unscored: last";
        for name in ["ping", "tools-call-a", "tools-call-b", "auth/y", "last"] {
            assert!(has(list, name), "{name}");
        }
        assert!(!has(list, "tools-call-c") && !has(list, "auth/"));
    }
}
