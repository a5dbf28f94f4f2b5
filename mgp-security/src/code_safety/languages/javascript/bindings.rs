//! The names that code binds, anywhere in it.

use super::{
    modules::{imported, source},
    strings::decoded,
    targets::{Source, is_assigned, target},
};
use crate::code_safety::source_tree::SourceTree;
use std::collections::{HashMap, HashSet};

/// The most sources of one name that are distinguished.
const SOURCES: usize = 64;

/// The names that code binds.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    /// The sources of each name.
    pub(super) names: HashMap<String, Vec<Source>>,
    /// The names that are declared, not only assigned to.
    declared: HashSet<String>,
    /// The names that declarations of the program itself bind before anything can read them, so that they cannot mean anything else.
    lexical: HashSet<String>,
    /// True if a name has more sources than are distinguished.
    pub(super) crowded: bool,
}

impl Bindings {
    /// Collects the bindings of a tree.
    pub(super) fn of(tree: &SourceTree<'_>) -> Self {
        let mut bindings = Self::default();
        for at in tree.named() {
            match tree.kind(at) {
                "import_statement" => {
                    let Some((module, _)) = source(tree, at) else { continue };
                    let is_of_types = tree.children(at).any(|at| tree.items[at].kind == "type");
                    for import in imported(tree, at, &module) {
                        let Some(name) = import.bound else { continue };
                        let is_type =
                            tree.children(tree.parent(import.at)).any(|at| tree.items[at].kind == "type");
                        if !is_of_types && !is_type {
                            bindings.lexical.insert(name.clone());
                        }
                        bindings.declared.insert(name.clone());
                        bindings.add(name, Source::Name(import.value));
                    }
                }
                "identifier"
                | "shorthand_property_identifier_pattern"
                | "type_identifier"
                | "property_identifier" => {
                    let is_name = match tree.kind(at) {
                        "type_identifier" => tree.items[at].field == "name",
                        "property_identifier" => tree.kind(tree.parent(at)).starts_with("enum_"),
                        _ => true,
                    };
                    let Some(source) = target(tree, at).filter(|_| is_name) else { continue };
                    let name = decoded(tree.text(at)).into_owned();
                    if !is_assigned(tree, at) {
                        bindings.declared.insert(name.clone());
                    }
                    if is_lexical(tree, at) {
                        bindings.lexical.insert(name.clone());
                    }
                    bindings.add(name, source);
                    bindings.add_default(tree, at);
                }
                _ => {}
            }
        }
        bindings
    }

    /// Returns whether code assigns to a name that it does not declare, which makes it a member of the global object.
    pub(super) fn is_global(&self, name: &str) -> bool {
        !self.declared.contains(name) && self.names.contains_key(name)
    }

    /// Returns whether a name can only mean what the program declares.
    pub(super) fn is_lexical(&self, name: &str) -> bool {
        self.lexical.contains(name)
    }

    /// Adds the default value of a name.
    fn add_default(&mut self, tree: &SourceTree<'_>, at: usize) {
        let parent = tree.parent(at);
        let field = match tree.kind(parent) {
            "object_assignment_pattern" | "assignment_pattern" => "right",
            "required_parameter" | "optional_parameter" => "value",
            _ => return,
        };
        if let Some(value) = tree.field(parent, field).filter(|value| *value != at) {
            self.add(decoded(tree.text(at)).into_owned(), Source::Member(value, Vec::new()));
        }
    }

    fn add(&mut self, name: String, source: Source) {
        let sources = self.names.entry(name).or_default();
        let is_plain = matches!(source, Source::Other | Source::Function | Source::Parameter);
        if sources.len() < SOURCES {
            sources.push(source);
        } else if !is_plain {
            self.crowded = true;
        } else if sources.len() == SOURCES {
            sources.push(Source::Other);
        }
    }
}

/// Returns whether a class, `const` or `let` of the program itself binds a name.
fn is_lexical(tree: &SourceTree<'_>, at: usize) -> bool {
    let (mut inner, mut declaration) = (at, tree.parent(at));
    let is_pattern = |at: usize| {
        matches!(
            tree.kind(at),
            "object_pattern"
                | "array_pattern"
                | "rest_pattern"
                | "pair_pattern"
                | "object_assignment_pattern"
        )
    };
    while is_pattern(declaration) {
        (inner, declaration) = (declaration, tree.parent(declaration));
    }
    let is_declarator = tree.kind(declaration) == "variable_declarator" && tree.items[inner].field == "name";
    if is_declarator {
        declaration = tree.parent(declaration);
    }
    let mut outer = tree.parent(declaration);
    if tree.kind(outer) == "export_statement" {
        outer = tree.parent(outer);
    }
    let declares = match tree.kind(declaration) {
        "class_declaration" | "abstract_class_declaration" => tree.items[at].field == "name",
        "lexical_declaration" => is_declarator,
        _ => false,
    };
    declares && outer == 0
}
