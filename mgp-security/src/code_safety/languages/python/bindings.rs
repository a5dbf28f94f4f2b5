//! The names that code binds, anywhere in it.

use super::{imports::imported, strings::normal, values::LOST};
use crate::code_safety::{policy::prefixes, source_tree::SourceTree};
use std::collections::{HashMap, HashSet};

/// The source of a name's value.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// A module, or a member of one.
    Name(String),
    /// An expression.
    Expression(usize),
    /// A class or a function.
    Definition(usize),
    /// Anything else.
    Other,
}

/// The names that code binds, and the modules of its star imports.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    /// The sources of each name.
    pub(super) names: HashMap<String, Vec<Source>>,
    /// The modules that are imported, and those above them.
    pub(super) modules: HashSet<String>,
    /// The modules of star imports.
    pub(super) stars: Vec<String>,
}

/// The most sources of one name that are distinguished.
const SOURCES: usize = 256;

impl Bindings {
    /// Collects the bindings of a tree.
    pub(super) fn of(tree: &SourceTree<'_>) -> Self {
        let mut bindings = Self::default();
        for at in tree.named() {
            match tree.kind(at) {
                "import_statement" | "import_from_statement" => {
                    for import in imported(tree, at) {
                        let above = prefixes(&import.module).take_while(|above| tree.copies(above));
                        bindings.modules.extend(above.map(str::to_owned));
                        match import.bound {
                            Some(name) => bindings.add(name, Source::Name(import.value)),
                            None => bindings.add_star(import.module),
                        }
                    }
                }
                "assignment" => bindings.add_assignment(tree, at),
                "identifier" if is_target(tree, at) => {
                    let source = source_of(tree, at);
                    bindings.add(normal(tree.text(at)), source);
                    bindings.add_default(tree, at);
                }
                _ => {}
            }
        }
        bindings
    }

    fn add(&mut self, name: String, source: Source) {
        let sources = self.names.entry(name).or_default();
        match sources.len() {
            0..SOURCES => sources.push(source),
            SOURCES => sources.push(Source::Name(LOST.to_owned())),
            _ => {}
        }
    }

    /// Adds the default value of a parameter. The values that calls give it may be anything.
    fn add_default(&mut self, tree: &SourceTree<'_>, at: usize) {
        let parent = tree.parent(at);
        let is_parameter = matches!(tree.kind(parent), "default_parameter" | "typed_default_parameter");
        if let Some(value) = tree.field(parent, "value").filter(|_| is_parameter) {
            self.add(normal(tree.text(at)), Source::Expression(value));
        }
    }

    fn add_star(&mut self, module: String) {
        if self.stars.len() < SOURCES && !self.stars.contains(&module) {
            self.stars.push(module);
        }
    }

    /// Adds the pairs of an assignment whose two sides have the same shape.
    fn add_assignment(&mut self, tree: &SourceTree<'_>, at: usize) {
        let (Some(left), Some(right)) = (tree.field(at, "left"), tree.field(at, "right")) else { return };
        if tree.kind(left) == "identifier" {
            return self.add(normal(tree.text(left)), Source::Expression(right));
        }
        let is_list = |at: usize| {
            matches!(
                tree.kind(at),
                "pattern_list" | "tuple_pattern" | "list_pattern" | "expression_list" | "tuple" | "list"
            )
        };
        if !is_list(left) || !is_list(right) {
            return;
        }
        let targets: Vec<usize> = tree.named_children(left).collect();
        let sources: Vec<usize> = tree.named_children(right).collect();
        if targets.len() == sources.len() {
            for (target, source) in targets.into_iter().zip(sources) {
                if tree.kind(target) == "identifier" {
                    self.add(normal(tree.text(target)), Source::Expression(source));
                }
            }
        }
    }
}

/// Returns whether an identifier is bound at its position.
pub(super) fn is_target(tree: &SourceTree<'_>, at: usize) -> bool {
    let mut inner = at;
    let mut outer = tree.parent(at);
    while matches!(
        tree.kind(outer),
        "pattern_list" | "tuple_pattern" | "list_pattern" | "list_splat_pattern" | "dictionary_splat_pattern"
    ) {
        (inner, outer) = (outer, tree.parent(outer));
    }
    if is_captured(tree, at) || is_in_as_target(tree, at) {
        return true;
    }
    let field = tree.items[inner].field;
    match tree.kind(outer) {
        "assignment" | "augmented_assignment" | "for_statement" | "for_in_clause" => field == "left",
        "named_expression" | "function_definition" | "class_definition" => field == "name",
        "default_parameter" | "typed_default_parameter" => field == "name",
        "parameters" | "lambda_parameters" | "as_pattern_target" | "global_statement" => true,
        "nonlocal_statement" => true,
        "typed_parameter" => field != "type",
        _ => false,
    }
}

/// Returns whether a pattern of `case` binds an identifier: one without a dot that is neither a class nor the name of a member.
fn is_captured(tree: &SourceTree<'_>, at: usize) -> bool {
    let parent = tree.parent(at);
    match tree.kind(parent) {
        "dotted_name" => {
            let is_alone = tree.named_children(parent).count() == 1;
            is_alone
                && matches!(
                    tree.kind(tree.parent(parent)),
                    "case_pattern" | "keyword_pattern" | "dict_pattern"
                )
        }
        "keyword_pattern" => tree.named_children(parent).next() != Some(at),
        "splat_pattern" | "case_pattern" | "dict_pattern" => true,
        "as_pattern" => tree.kind(tree.parent(parent)) == "case_pattern",
        _ => false,
    }
}

/// Returns whether an identifier is in the tuple or list after `as`.
fn is_in_as_target(tree: &SourceTree<'_>, at: usize) -> bool {
    let mut outer = tree.parent(at);
    while matches!(tree.kind(outer), "tuple" | "list" | "parenthesized_expression" | "list_splat") {
        outer = tree.parent(outer);
    }
    tree.kind(outer) == "as_pattern_target"
}

/// Returns the source of an identifier that is bound at its position. The source of an assignment is added with the assignment.
fn source_of(tree: &SourceTree<'_>, at: usize) -> Source {
    let parent = tree.parent(at);
    match tree.kind(parent) {
        "named_expression" => tree.field(parent, "value").map_or(Source::Other, Source::Expression),
        "assignment" => tree.field(parent, "right").map_or(Source::Other, Source::Expression),
        "class_definition" | "function_definition" if tree.items[at].field == "name" => {
            Source::Definition(parent)
        }
        _ => Source::Other,
    }
}
