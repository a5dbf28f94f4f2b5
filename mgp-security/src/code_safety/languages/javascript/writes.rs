//! Changes to functions that the evaluation of expressions relies on.

use super::{
    globals::is_name,
    special_calls,
    strings::decoded,
    targets::{is_cast, target},
    values::{THIS, Values},
    walk::Walk,
};
use crate::code_safety::{
    capability::Capability,
    languages::value,
    policy::{Policy, Special},
    source_tree::SourceTree,
};
use std::collections::HashSet;

/// Returns the globals whose functions the evaluation of expressions relies on.
pub(super) fn relied_on(tree: &SourceTree<'_>, policy: &Policy, values: &Values<'_>) -> HashSet<String> {
    let mut all = HashSet::new();
    for at in tree.named() {
        if !matches!(tree.kind(at), "member_expression" | "subscript_expression") {
            continue;
        }
        for name in values.names_of(at).filter(|name| policy.special(name) == Some(Special::Number)) {
            all.extend(name.split_once('.').map(|(root, _)| root.to_owned()));
        }
        let is_of_array = tree.field(at, "object").is_some_and(|object| tree.kind(object) == "array");
        let property = tree.field(at, "property").map(|property| tree.text(property));
        if is_of_array && property == Some("join") {
            all.insert("Array".to_owned());
        }
    }
    all
}

impl Walk<'_> {
    /// Adds a global that is passed on although the evaluation relies on its functions, because they could be replaced.
    pub(super) fn replaceable(&mut self, at: usize) {
        let tree = self.tree;
        let name = decoded(tree.text(at));
        let parent = tree.parent(at);
        let is_part = match tree.kind(parent) {
            "member_expression" | "subscript_expression" | "nested_identifier" => {
                tree.items[at].field == "object"
            }
            "new_expression" => tree.items[at].field == "constructor",
            "binary_expression" => true,
            _ => special_calls::is_called(tree, at),
        };
        if !is_part && self.relied_on.contains(&*name) && target(tree, at).is_none() {
            self.undecided(at, &format!("'{name}' as a value, whose functions can be replaced"));
        }
    }

    /// Adds a write to a member that is considered known, or that other objects inherit.
    pub(super) fn write(&mut self, at: usize) {
        if !is_written(self.tree, at) {
            return;
        }
        let tree = self.tree;
        let is_number = |name: &str| self.policy.special(name) == Some(Special::Number);
        let changes = value::names(self.values.of(at)).any(|name| {
            let root = name.split('.').next().unwrap_or(name);
            let is_of_language = root != "exports" && self.policy.own(root) == Some(Capability::Harmless);
            is_number(name) || is_of_language || name.contains(".prototype.") || self.values.is_constant(name)
        });
        let object = tree.field(at, "object");
        let property =
            tree.field(at, "property").map(|property| vec![decoded(tree.text(property)).into_owned()]);
        let index = || self.values.keys(tree.field(at, "index")?);
        let keys = property.or_else(index).unwrap_or_default();
        let is_of_language =
            |key: &String| is_number(key) || self.policy.own(key) == Some(Capability::Harmless);
        let is_global = object.is_some_and(|object| is_name(self.values.of(object), THIS))
            && keys.iter().any(is_of_language);
        let is_arguments = object.is_some_and(|object| tree.text(object) == "arguments");
        if changes || is_global || is_arguments || keys.iter().any(|key| key == "bind") {
            self.undecided(at, "a name that is changed through an object");
        }
    }
}

/// Returns whether an expression is written at its position.
fn is_written(tree: &SourceTree<'_>, at: usize) -> bool {
    let mut inner = at;
    while is_cast(tree.kind(tree.parent(inner))) {
        inner = tree.parent(inner);
    }
    let field = tree.items[inner].field;
    match tree.kind(tree.parent(inner)) {
        "assignment_expression" | "augmented_assignment_expression" | "for_in_statement" => field == "left",
        "assignment_pattern" | "object_assignment_pattern" => field == "left",
        "pair_pattern" => field == "value",
        "array_pattern" | "rest_pattern" | "update_expression" => true,
        _ => false,
    }
}
