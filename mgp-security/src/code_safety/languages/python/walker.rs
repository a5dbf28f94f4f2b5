//! The walk over a tree.

use super::{
    annotations,
    bindings::{Bindings, is_target},
    class_patterns,
    imports::imported,
    libraries,
    positions::is_called,
    runtime_names, special_calls,
    strings::{is_disguised, normal, normalized, reads_internals},
    values::{LOST, Values},
    walk::Walk,
};
use crate::code_safety::{
    finding::{Finding, Kind},
    languages::value::Value,
    policy::{Policy, prefixes},
    source_tree::SourceTree,
};

/// Returns the findings in code.
pub(in crate::code_safety) fn findings(tree: &SourceTree<'_>, policy: &Policy) -> Vec<Finding> {
    let bindings = Bindings::of(tree);
    let values = Values::new(tree, policy, &bindings);
    let mut walk = Walk { tree, policy, values: &values, findings: Vec::new() };
    if values.unsettled {
        walk.undecided(0, "names are passed on too often");
    }
    for at in tree.named() {
        walk.visit(at);
    }
    walk.findings
}

impl Walk<'_> {
    fn visit(&mut self, at: usize) {
        self.text(at);
        if annotations::is_computed(self, at) {
            self.undecided(at, "an annotation that may be a computed text");
        }
        match self.tree.kind(at) {
            "member_type" => self.member_type(at),
            "import_statement" | "import_from_statement" => self.imports(at),
            "identifier" => self.identifier(at),
            "attribute" => self.attribute(at),
            "dotted_name" => self.dotted_name(at),
            "class_pattern" => class_patterns::visit(self, at),
            "keyword_pattern" => self.keyword_pattern(at),
            "call" => special_calls::visit(self, at),
            "subscript" => self.names(at),
            "exec_statement" => self.add(at, Kind::Use("exec".to_owned())),
            "print_statement" => self.undecided(at, "a statement of Python 2"),
            "string" => self.string(at),
            "comment" => self.comment(at),
            _ => {}
        }
    }

    fn imports(&mut self, statement: usize) {
        for import in imported(self.tree, statement) {
            let value = import.value;
            if import.bound.is_none() && !self.policy.lists(&import.module) {
                self.undecided(import.at, "a star import");
            }
            if value != import.module && !import.module.starts_with(&format!("{value}.")) {
                self.add(import.at, Kind::Use(value));
            }
            self.add(import.at, Kind::Import(import.module));
        }
    }

    fn identifier(&mut self, at: usize) {
        let tree = self.tree;
        let text = tree.text(at);
        if is_disguised(text) {
            self.undecided(at, "a name that Python reads as another one than it is written");
        }
        let parent = tree.parent(at);
        let field = tree.items[at].field;
        let is_plain = match tree.kind(parent) {
            "attribute" => field != "attribute" && self.values.of(at).is_empty(),
            "keyword_argument" => field != "name",
            "keyword_pattern" => tree.children(parent).next() != Some(at),
            "dotted_name" | "aliased_import" | "relative_import" => false,
            _ => true,
        };
        // The names of the runtime's own entry points are refused even where they are bound.
        let name = normalized(text);
        let bound_over = is_target(tree, at);
        if (bound_over || is_plain || tree.kind(parent) == "keyword_argument")
            && self.names_runtime(at, &name)
        {
            self.undecided(at, &format!("the name '{name}'"));
        }
        if is_plain && bound_over && name.starts_with("__") && self.policy.is_builtin(&name) {
            self.add(at, Kind::Use(name.into_owned()));
        } else if is_plain && !bound_over {
            if self.values.is_replaced(&name) {
                self.undecided(at, &format!("'{name}', which the code replaces"));
            }
            self.names(at);
        }
    }

    /// Returns whether a name that the code binds or reads stands for internals of the runtime.
    fn names_runtime(&self, at: usize, name: &str) -> bool {
        let is_target = is_target(self.tree, at);
        if name == "__match_args__" {
            return !libraries::has_plain_texts(self, at);
        }
        runtime_names::is_internal(self.policy, name) && (is_target || name.starts_with("__"))
            || is_target
                && (runtime_names::is_read_by_helpers(name) || matches!(name, "__name__" | "__qualname__"))
    }

    fn attribute(&mut self, at: usize) {
        let tree = self.tree;
        libraries::member(self, at);
        let values = self.values.of(at);
        let is_unknown = values.is_empty() || values.contains(&Value::Other);
        if let Some(member) = tree.field(at, "attribute").filter(|_| is_unknown) {
            self.add(member, Kind::Member(normal(tree.text(member))));
        }
        let is_part = tree.kind(tree.parent(at)) == "attribute" && tree.items[at].field == "object";
        if !is_part {
            self.names(at);
        }
    }

    /// Adds the names that an expression can stand for.
    fn names(&mut self, at: usize) {
        let names: Vec<String> = self.values.names_of(at).map(str::to_owned).collect();
        for name in names {
            let is_special = self.policy.special(&name).is_some();
            let is_below_special = prefixes(&name).skip(1).any(|above| self.policy.special(above).is_some());
            if is_special && !is_called(self.tree, at) || is_below_special {
                self.undecided(at, &format!("'{name}' as a value"));
            }
            if name == LOST {
                self.undecided(at, "a name that stands for too much");
                continue;
            }
            libraries::name(self, at, &name);
            self.add(at, Kind::Use(name));
        }
    }

    fn dotted_name(&mut self, at: usize) {
        let parent = self.tree.kind(self.tree.parent(at));
        if matches!(
            parent,
            "import_statement" | "import_from_statement" | "aliased_import" | "relative_import"
        ) {
            return;
        }
        if parent != "future_import_statement" {
            self.names(at);
            for part in self.tree.named_children(at).skip(1) {
                self.add(part, Kind::Member(normal(self.tree.text(part))));
            }
        }
    }

    /// A pattern such as `case Point(x=0)` reads the member `x`.
    fn keyword_pattern(&mut self, at: usize) {
        if let Some(name) = self.tree.named_children(at).next() {
            if self.tree.text(name) == "obj" {
                self.undecided(name, "the object of an error");
            }
            self.add(name, Kind::Member(normal(self.tree.text(name))));
        }
    }

    /// The annotation `x: A[i].member` reads the member.
    fn member_type(&mut self, at: usize) {
        if let Some(member) = self.tree.named_children(at).last() {
            let name = normal(self.tree.text(member));
            if name.starts_with('_') {
                self.undecided(member, "a member of an annotation");
            }
            self.add(member, Kind::Member(name));
        }
    }

    /// Judges a constant text, which may be a name, a format or an annotation.
    fn text(&mut self, at: usize) {
        let texts: Vec<String> = self.values.texts_of(at).into_iter().flatten().map(str::to_owned).collect();
        if texts.is_empty() {
            return;
        }
        let is_type = annotations::is_annotation(self, at);
        for text in texts {
            if runtime_names::names_internals(self.policy, &text) && !libraries::is_shown(self, at) {
                self.undecided(at, &format!("a text that is the name '{text}'"));
            }
            if reads_internals(&text) {
                self.undecided(at, "a format that reads internals");
            }
            if is_type && !annotations::is_plain_type(self.policy, &text) {
                self.undecided(at, "an annotation that is code in a string");
            }
        }
    }

    fn string(&mut self, at: usize) {
        let tree = self.tree;
        let mut parts = tree.named_children(at);
        let formatted = parts.next().is_some_and(|start| tree.text(start).contains(['f', 'F', 't', 'T']));
        let is_annotation = annotations::is_annotation(self, at);
        if is_annotation && self.values.of(at).is_empty() {
            self.undecided(at, "an annotation that is a computed text");
        }
        for part in tree.named_children(at).filter(|part| tree.kind(*part) == "string_content") {
            let text = tree.text(part);
            if formatted && has_single_brace(text) {
                self.undecided(part, "a brace in a formatted string");
            }
            if !formatted && reads_internals(text) {
                self.undecided(part, "a format that reads internals");
            }
        }
    }

    /// A declared encoding changes the meaning of all of the code.
    fn comment(&mut self, at: usize) {
        let text = self.tree.text(at);
        if self.tree.place(at).line > 2 {
            return;
        }
        let mut declared = text.split("coding").skip(1).filter(|after| after.starts_with([':', '=']));
        let Some(after) = declared.next() else { return };
        let name = after[1..].trim_start_matches([' ', '\t']);
        let name: String =
            name.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect();
        if !matches!(name.to_ascii_lowercase().as_str(), "utf-8" | "utf8" | "ascii" | "us-ascii") {
            self.add(at, Kind::Use("__import__".to_owned()));
        }
    }
}

/// Returns whether a text between the expressions of a formatted string has a brace that is not doubled.
fn has_single_brace(text: &str) -> bool {
    let bare = text.replace("{{", "").replace("}}", "");
    bare.contains(['{', '}']) && !text.contains("\\N{")
}
