//! Import statements in every form.

use super::strings::normal;
use crate::code_safety::source_tree::SourceTree;

/// One import of a statement.
#[derive(Debug)]
pub(super) struct Import {
    /// The module.
    pub(super) module: String,
    /// The full name of the import: the module, or a member of it.
    pub(super) value: String,
    /// The name that is bound, or `None` if all names of the module are.
    pub(super) bound: Option<String>,
    /// The node of the name.
    pub(super) at: usize,
}

/// Returns the imports of an `import` or a `from` statement, as long as the tree has room for copies left.
pub(super) fn imported(tree: &SourceTree<'_>, statement: usize) -> Vec<Import> {
    let module = tree.field(statement, "module_name");
    let from = module.map(|at| dotted(tree, at));
    let mut all = Vec::new();
    for at in tree.named_children(statement).filter(|at| Some(*at) != module) {
        if tree.kind(at) == "wildcard_import" {
            let module = from.clone().unwrap_or_default();
            if !tree.copies_name(&module) {
                break;
            }
            all.push(Import { value: module.clone(), module, bound: None, at });
            continue;
        }
        let alias = tree.field(at, "alias").map(|alias| normal(tree.text(alias)));
        let name = dotted(tree, tree.field(at, "name").unwrap_or(at));
        let import = match &from {
            Some(module) => Import {
                value: member(module, &name),
                module: module.clone(),
                bound: Some(alias.unwrap_or(name)),
                at,
            },
            None => {
                let top = name.split('.').next().unwrap_or_default().to_owned();
                let value = if alias.is_some() { name.clone() } else { top.clone() };
                Import { value, module: name, bound: Some(alias.unwrap_or(top)), at }
            }
        };
        if !tree.copies_name(&import.module) || !tree.copies_name(&import.value) {
            break;
        }
        all.push(import);
    }
    all
}

fn member(module: &str, name: &str) -> String {
    match module {
        "builtins" => name.to_owned(),
        _ => format!("{module}.{name}"),
    }
}

/// Returns a dotted name, as Python compares it, without blanks around the dots.
fn dotted(tree: &SourceTree<'_>, at: usize) -> String {
    let text = normal(tree.text(at));
    text.chars().filter(|c| !c.is_whitespace() && *c != '\\').collect()
}
