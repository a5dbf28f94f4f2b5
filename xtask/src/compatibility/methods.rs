//! The methods and notifications of MCP that have a type.

use crate::tree::Tree;
use std::collections::BTreeMap;

/// The folder of the types.
const FOLDER: &str = "mgp-types/src/mcp/";

/// Returns each method with the names of its types: lines such as `control ListTools = "tools/list": PageParams => ..`.
pub(super) fn read(tree: &Tree) -> BTreeMap<String, Vec<String>> {
    let mut methods = BTreeMap::<String, Vec<String>>::new();
    for file in tree.rust().filter(|file| file.path.starts_with(FOLDER)) {
        for line in file.text.lines() {
            if let Some((name, method)) = declared(line) {
                methods.entry(method.to_owned()).or_default().push(name.to_owned());
            }
        }
    }
    methods
}

fn declared(line: &str) -> Option<(&str, &str)> {
    let (names, rest) = line.trim().split_once(" = \"")?;
    // An enum's spelling ends in a comma; a method is followed by its params.
    let (method, _) = rest.split_once("\": ")?;
    let name = names.split(' ').next_back()?;
    let is_type = name.starts_with(|first: char| first.is_ascii_uppercase());
    (is_type && !names.contains(':')).then_some((name, method))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_told_from_members_and_spellings() {
        let text = "calls! {\n    control A = \"a/b\": P => R;\n    call B = \"c\": P => R;\n}\nnotices! {\n    N = \"n/x\": Empty;\n}\n    required uri: String = \"uri\",\n    Low = \"low\",\n";
        let tree = Tree::of(&[("mgp-types/src/mcp/a.rs", text), ("mgp-types/src/other.rs", "X = \"x\": P;")]);
        let methods: Vec<_> = read(&tree).into_keys().collect();
        assert_eq!(methods, ["a/b", "c", "n/x"]);
    }
}
