//! Modules: their names, and the statements that import them.

use super::strings::decoded;
use crate::code_safety::source_tree::SourceTree;

/// One import of a statement.
#[derive(Debug)]
pub(super) struct Import {
    /// The full name of the import: the module, or a member of it.
    pub(super) value: String,
    /// The name that is bound, or `None` if it is only passed on.
    pub(super) bound: Option<String>,
    /// The node of the name.
    pub(super) at: usize,
}

/// The built-in modules that policies allow, and those of their parts that are modules.
const BUILT_IN: &str = "assert assert/strict buffer console crypto events fs fs/promises os path path/posix path/win32 perf_hooks punycode \
    querystring readline readline/promises stream stream/consumers stream/promises stream/web string_decoder timers timers/promises url util \
    util/types zlib";

/// Returns the name of a module as policies write it: without a scheme, and with dots for the parts of its path. A file or a package
/// that only resembles a built-in module keeps its specifier.
pub(super) fn module_name(specifier: &str) -> String {
    let is_built_in = |name: &str| BUILT_IN.split_whitespace().any(|built_in| built_in == name);
    let plain = specifier.strip_prefix("node:").unwrap_or(specifier);
    let bare = plain.strip_prefix("npm:").unwrap_or(plain);
    let installed = bare.rsplit_once("node_modules/").map_or(bare, |(_, module)| module);
    if installed.starts_with(['.', '/']) || installed.contains(':') {
        return installed.to_owned();
    }
    let (scope, name) = installed.split_at(usize::from(installed.starts_with('@')));
    let package = name.split(['/', '@', '\\', '%']).next().unwrap_or_default();
    let looks_built_in = scope.is_empty() && is_built_in(package) && !is_built_in(plain);
    if looks_built_in || name.split(['/', '\\']).any(|part| part == "..") {
        return format!("./node_modules/{installed}");
    }
    let name = name.split('@').next().unwrap_or_default();
    format!("{scope}{}", name.trim_end_matches('/').replace('/', "."))
}

/// Returns the module that an `import` or `export` statement names, and the node of its name.
pub(super) fn source(tree: &SourceTree<'_>, statement: usize) -> Option<(String, usize)> {
    let clause = tree.children(statement).find(|at| tree.kind(*at) == "import_require_clause");
    let at = tree.field(statement, "source").or_else(|| tree.field(clause?, "source"))?;
    Some((module_name(&unquoted(tree, at)), at))
}

/// Returns the imports of a statement from the module that it names, as long as the tree has room for copies left.
pub(super) fn imported(tree: &SourceTree<'_>, statement: usize, module: &str) -> Vec<Import> {
    let name_of = |at: usize| unquoted(tree, at);
    let mut all = Vec::new();
    for at in statement + 1..tree.items[statement].end {
        let import = match tree.kind(at) {
            "import_specifier" | "export_specifier" => {
                let Some(name) = tree.field(at, "name") else { continue };
                let alias = tree.field(at, "alias").unwrap_or(name);
                let is_import = tree.kind(at) == "import_specifier";
                Import {
                    value: member(module, &name_of(name)),
                    bound: is_import.then(|| name_of(alias)),
                    at: name,
                }
            }
            "identifier"
                if matches!(
                    tree.kind(tree.parent(at)),
                    "import_clause" | "namespace_import" | "import_require_clause"
                ) =>
            {
                Import { value: module.to_owned(), bound: Some(name_of(at)), at }
            }
            _ => continue,
        };
        if !tree.copies_name(&import.value) {
            break;
        }
        all.push(import);
    }
    all
}

/// Returns the full name of a member of a module. The name of the default export is that of the module.
pub(super) fn member(module: &str, name: &str) -> String {
    if name == "default" { module.to_owned() } else { format!("{module}.{name}") }
}

/// Returns an identifier, or the text of a string.
pub(super) fn unquoted(tree: &SourceTree<'_>, at: usize) -> String {
    let text = tree.text(at);
    let inner =
        if tree.kind(at) == "string" { text.get(1..text.len() - 1).unwrap_or_default() } else { text };
    decoded(inner).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_have_one_name_in_any_spelling() {
        for (specifier, name) in [
            ("node:fs/promises", "fs.promises"),
            ("fs", "fs"),
            ("npm:execa@8", "execa"),
            ("@scope/pkg@1/x", "@scope/pkg"),
            ("../node_modules/shelljs/shell", "shelljs.shell"),
            ("./fs", "./fs"),
            ("util/x.txt", "./node_modules/util/x.txt"),
            ("/tmp/node_modules/os", "./node_modules/os"),
            ("npm:fs@1", "./node_modules/fs@1"),
            ("util/", "./node_modules/util/"),
            ("lodash/../x", "./node_modules/lodash/../x"),
            ("data:text/javascript,x", "data:text/javascript,x"),
        ] {
            let name = name.replace("@scope/", "@scope.");
            assert_eq!(module_name(specifier), name);
        }
    }
}
