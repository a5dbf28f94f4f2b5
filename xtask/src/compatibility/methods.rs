//! The methods and notifications that have a type.

use crate::tree::Tree;
use std::collections::BTreeSet;

/// The protocol of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// MCP, whose types have a separate folder.
    Mcp,
    /// MGP's specification. Methods of our own (`dev.cloto/..`) belong to neither.
    Mgp,
}

/// The folder of the types.
const FOLDER: &str = "mgp-types/src/";
/// The folder of MCP's types.
const MCP_FOLDER: &str = "mgp-types/src/mcp/";

/// Returns the methods of a protocol: lines such as `control ListTools = "tools/list": PageParams => ..`.
pub(crate) fn read(tree: &Tree, protocol: Protocol) -> BTreeSet<&str> {
    let files = tree.rust().filter(|file| file.path.starts_with(FOLDER));
    let of_mcp = |path: &str| path.starts_with(MCP_FOLDER);
    let files = files.filter(|file| of_mcp(&file.path) == (protocol == Protocol::Mcp));
    let methods = files.flat_map(|file| file.text.lines().filter_map(declared));
    methods.filter(|method| protocol == Protocol::Mcp || is_of_mgp(method)).collect()
}

/// Returns `true` for a method or notification with MGP's prefix.
pub(super) fn is_of_mgp(method: &str) -> bool {
    method.starts_with("mgp/") || method.starts_with("notifications/mgp.")
}

fn declared(line: &str) -> Option<&str> {
    let (names, rest) = line.trim().split_once(" = \"")?;
    // An enum's spelling ends in a comma; a method is followed by its params.
    let (method, _) = rest.split_once("\": ")?;
    let name = names.split(' ').next_back()?;
    let is_type = name.starts_with(|first: char| first.is_ascii_uppercase());
    (is_type && !names.contains(':')).then_some(method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_protocol_has_its_methods_apart_from_members() {
        let mcp = "calls! {\n    control A = \"a/b\": P => R;\n    call B = \"c\": P => R;\n}\nnotices! {\n    N = \"n/x\": Empty;\n}\n    required uri: String = \"uri\",\n    Low = \"low\",\n";
        let mgp = "    call X = \"mgp/x\": P => R;\n    Y = \"notifications/mgp.y\": P;\n    call Z = \"dev.cloto/z\": P => R;\n";
        let tree = Tree::of(&[
            ("mgp-types/src/mcp/a.rs", mcp),
            ("mgp-types/src/other.rs", mgp),
            ("mgp-stream/src/other.rs", "call X = \"mgp/other\": P => R;"),
        ]);
        let methods = |protocol| read(&tree, protocol).into_iter().collect::<Vec<_>>();
        assert_eq!(methods(Protocol::Mcp), ["a/b", "c", "n/x"]);
        assert_eq!(methods(Protocol::Mgp), ["mgp/x", "notifications/mgp.y"]);
    }
}
