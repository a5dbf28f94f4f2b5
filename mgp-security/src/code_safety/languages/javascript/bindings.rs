//! The names that code binds, anywhere in it.

use super::{
    modules::{imported, source},
    strings::decoded,
    targets::{Source, target},
};
use crate::code_safety::source_tree::SourceTree;
use std::collections::HashMap;

/// The most sources of one name that are told apart.
const SOURCES: usize = 64;

/// The names that code binds.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    /// The sources of each name.
    pub(super) names: HashMap<String, Vec<Source>>,
    /// True if a name has more sources than are told apart.
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
                    for import in imported(tree, at, &module) {
                        import.bound.into_iter().for_each(|name| {
                            bindings.add(name, Source::Name(import.value.clone()));
                        });
                    }
                }
                "identifier" | "shorthand_property_identifier_pattern" => {
                    if let Some(source) = target(tree, at) {
                        bindings.add(decoded(tree.text(at)).into_owned(), source);
                        bindings.add_default(tree, at);
                    }
                }
                _ => {}
            }
        }
        bindings
    }

    /// Adds the value that a name has if nothing else is given.
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
        let is_plain = matches!(source, Source::Other | Source::Function);
        if sources.len() < SOURCES {
            sources.push(source);
        } else if !is_plain {
            self.crowded = true;
        } else if sources.len() == SOURCES {
            sources.push(Source::Other);
        }
    }
}
