//! Names that code does not bind, and expressions that lead to the global object without a name.

use super::{
    strings::decoded,
    targets::target,
    values::{FILE, GLOBAL, THIS, fluent},
    walk::Walk,
};
use crate::code_safety::{
    capability::Capability,
    finding::Kind,
    languages::value::{self, Value},
    policy::Special,
};

impl Walk<'_> {
    /// Adds a name that is neither bound nor known, or whose only binding is an assignment that sets a member of the runtime.
    pub(super) fn global(&mut self, at: usize) {
        let name = decoded(self.tree.text(at));
        let is_known = self.policy.own(&name).is_some() || self.policy.special(&name).is_some();
        if name == "arguments" && self.functions.is_outside(at) {
            self.add(at, Kind::Does(Capability::Reflection, "'arguments' of the module".to_owned()));
        }
        if target(self.tree, at).is_some() {
            if self.values.bindings().is_global(&name) && (is_known || name.starts_with("on")) {
                self.undecided(at, &format!("'{name}', which is set for the whole runtime"));
            }
            if matches!(&*name, "yield" | "await") {
                self.undecided(at, &format!("'{name}' as a name"));
            }
        } else if !is_known && !self.values.bindings().names.contains_key(&*name) && self.is_read(at) {
            self.add(at, Kind::Global(name.into_owned()));
        }
    }

    /// Returns whether an identifier that is not bound at its position is evaluated there.
    fn is_read(&self, at: usize) -> bool {
        let tree = self.tree;
        let mut outer = at;
        while tree.items[outer].field == "object"
            && matches!(tree.kind(tree.parent(outer)), "nested_identifier" | "member_expression")
        {
            outer = tree.parent(outer);
        }
        let parent = tree.parent(outer);
        match tree.kind(parent) {
            "import_clause" | "namespace_import" | "import_specifier" | "import_require_clause" => false,
            "namespace_export" | "jsx_namespace_name" | "type_query" | "type_predicate" | "asserts" => false,
            "nested_type_identifier" | "function_signature" | "tuple_parameter" => false,
            "optional_tuple_parameter" => false,
            "export_specifier" => {
                let statement = tree.parent(tree.parent(parent));
                tree.items[outer].field == "name" && tree.field(statement, "source").is_none()
            }
            "jsx_opening_element" | "jsx_closing_element" | "jsx_self_closing_element" => {
                outer != at || !tree.text(at).starts_with(|c: char| c.is_ascii_lowercase())
            }
            "unary_expression" if outer == at => {
                tree.field(parent, "operator").map(|at| tree.text(at)) != Some("typeof")
            }
            "variable_declarator" => tree.items[outer].field != "name",
            _ => true,
        }
    }

    /// Adds `this` if it is passed on and may be the global object, or the process.
    pub(super) fn this(&mut self, at: usize) {
        let tree = self.tree;
        let parent = tree.parent(at);
        let is_part = tree.items[at].field == "object";
        let is_named = tree.kind(parent) == "variable_declarator"
            && tree
                .field(parent, "name")
                .is_some_and(|name| tree.kind(name) == "identifier" && is_name(self.values.of(name), THIS));
        if !is_part && !is_named {
            self.names(at);
        }
    }

    /// Adds a member of `this`, and an unknown member of the global object. In a function that is called on its own, `this` is the global
    /// object. In a function that the process calls, `this` is the process.
    pub(super) fn member_of_global(&mut self, at: usize, values: &[Value], member: &str) {
        let own = |name: &str| self.policy.own(name).filter(|capability| *capability != Capability::Harmless);
        let leads_on = own(member).or_else(|| own(&format!("process.{member}"))).is_some();
        if is_name(values, THIS) && leads_on && !member.starts_with('_') {
            self.undecided(at, &format!("'{member}', which may be that of the global object or the process"));
        }
        let is_known = self.policy.own(member).is_some() || self.policy.special(member).is_some();
        if is_name(values, GLOBAL) && !is_known && !self.values.bindings().names.contains_key(member) {
            self.add(at, Kind::Global(member.to_owned()));
        }
    }

    /// Returns why a name must not be passed on as a value.
    pub(super) fn reason_against_value(&self, name: &str, at: usize) -> Option<String> {
        if name == THIS {
            return Some("'this', which may be the global object".to_owned());
        }
        let is_value = self.is_judged_by_arguments(name);
        let is_process = fluent(name).is_some_and(|object| object == "process");
        let is_file = name == FILE && self.tree.kind(at) == "call_expression";
        (is_value || is_process || is_file).then(|| format!("'{name}' as a value"))
    }

    /// Adds a function that is judged by its arguments if `call`, `apply` or `bind` calls it with others.
    pub(super) fn function_as_object(&mut self, at: usize) {
        let Some(object) = self.tree.field(at, "object") else { return };
        let is_listed =
            self.values.names_of(at).any(|name| !self.values.names_of(object).any(|object| object == name))
                && self.values.names_of(at).all(|name| self.policy.own(name).is_some());
        if !is_listed && self.values.names_of(object).any(|name| self.is_judged_by_arguments(name)) {
            self.undecided(at, "a function that is called through a member of it");
        }
    }

    fn is_judged_by_arguments(&self, name: &str) -> bool {
        matches!(
            self.policy.special(name),
            Some(Special::Attribute | Special::Import | Special::Open | Special::WriteFile | Special::Timer)
        )
    }

    /// Adds `yield` and `await` where they may be names, so that the text after them is read differently.
    pub(super) fn keyword(&mut self, at: usize) {
        let tree = self.tree;
        let is_keyword = match tree.kind(at) {
            "yield_expression" => self.functions.is_in_generator(tree, at),
            _ => self.functions.is_in_async(tree, at).unwrap_or_else(|| {
                let operand = tree.named_children(at).next();
                operand.is_none_or(|at| !matches!(tree.kind(at), "regex" | "array" | "template_string"))
            }),
        };
        if !is_keyword {
            self.undecided(at, "a keyword that may be a name here");
        }
    }
}

/// Returns whether values contain a name.
pub(super) fn is_name(values: &[Value], name: &str) -> bool {
    value::names(values).any(|value| value == name)
}
