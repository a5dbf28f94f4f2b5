//! The functions that contain expressions.

use crate::code_safety::source_tree::SourceTree;

/// The innermost function around each node.
#[derive(Debug)]
pub(super) struct Functions {
    any: Vec<Option<usize>>,
    /// The innermost function with its own `this` and `arguments`. Arrow functions have none.
    with_this: Vec<Option<usize>>,
}

impl Functions {
    /// Finds the functions of a tree.
    pub(super) fn of(tree: &SourceTree<'_>) -> Self {
        let mut any = vec![None; tree.items.len()];
        let mut with_this = any.clone();
        for at in 1..tree.items.len() {
            let parent = tree.parent(at);
            let is_inside = is_function(tree.kind(parent))
                && tree.items[at].field != "decorator"
                && tree.items[at].kind != "computed_property_name";
            any[at] = if is_inside { Some(parent) } else { any[parent] };
            let has_this = is_inside && tree.items[parent].kind != "arrow_function";
            with_this[at] = if has_this { Some(parent) } else { with_this[parent] };
        }
        Self { any, with_this }
    }

    /// Returns whether the `arguments` of a node are those of the module, which lead to `require`.
    pub(super) fn is_outside(&self, at: usize) -> bool {
        self.with_this[at].is_none()
    }

    /// Returns whether a node is in a generator, in which `yield` is a keyword.
    pub(super) fn is_in_generator(&self, tree: &SourceTree<'_>, at: usize) -> bool {
        self.any[at].is_some_and(|function| {
            tree.kind(function).starts_with("generator")
                || tree.children(function).any(|child| tree.items[child].kind == "*")
        })
    }

    /// Returns whether a node is in an async function, in which `await` is a keyword, or `None` if it is in no function.
    pub(super) fn is_in_async(&self, tree: &SourceTree<'_>, at: usize) -> Option<bool> {
        let function = self.any[at]?;
        Some(tree.children(function).any(|child| tree.items[child].kind == "async"))
    }
}

fn is_function(kind: &str) -> bool {
    matches!(
        kind,
        "function_declaration"
            | "function_expression"
            | "generator_function"
            | "generator_function_declaration"
            | "arrow_function"
            | "method_definition"
    )
}
