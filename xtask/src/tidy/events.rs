//! Our own event types: the page about the program explains each, and `mgp audit --type` accepts each.

use super::Finding;
use crate::tree::Tree;

const PREFIX: &str = "\"dev.cloto.mgp.";
const PAGE: &str = "docs/cli.md";
/// The source with the types that can be selected by their last word.
const COMMAND: &str = "mgp/src/command/audit/filter.rs";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let text = |path: &str| tree.file(path).map_or("", |file| file.text.as_str());
    let (page, command) = (text(PAGE), text(COMMAND));
    let mut findings = Vec::new();
    for file in tree.rust().filter(|file| file.path.starts_with("mgp") && !file.is_test()) {
        for (line, text) in file.text.lines().enumerate() {
            let names = text.split(PREFIX).skip(1).filter_map(|rest| rest.split_once('"'));
            for name in names.map(|(name, _)| name).filter(|name| is_type(name)) {
                if !page.contains(&format!("`dev.cloto.mgp.{name}`")) {
                    findings.push(Finding::on_line(&file.path, line + 1, format!("{PAGE} lacks {name}")));
                }
                if !command.contains(&format!("\"{name}\"")) {
                    findings.push(Finding::on_line(&file.path, line + 1, format!("{COMMAND} lacks {name}")));
                }
            }
        }
    }
    findings
}

fn is_type(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undocumented_or_unselectable_type_is_found() {
        let source = "const A: &str = \"dev.cloto.mgp.A_B\";\nconst C: &str = \"dev.cloto.mgp.C\";\n";
        let tree = |page, command| {
            check(&Tree::of(&[
                (PAGE, page),
                (COMMAND, command),
                ("mgp-a/src/b.rs", source),
                ("mgp-a/tests/b.rs", "\"dev.cloto.mgp.D\""),
            ]))
        };
        let both = "const NAMESPACE: &str = \"dev.cloto.mgp.\";\nconst OWN: [&str; 2] = [\"A_B\", \"C\"];\n";
        assert_eq!(tree("`dev.cloto.mgp.A_B`, `dev.cloto.mgp.C`", both), []);
        let lacks = |line, what: &str| Finding::on_line("mgp-a/src/b.rs", line, format!("{what} lacks C"));
        assert_eq!(tree("`dev.cloto.mgp.A_B`", "[\"A_B\"]"), [lacks(2, PAGE), lacks(2, COMMAND)]);
    }
}
