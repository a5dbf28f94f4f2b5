//! The walk over a tree.

use super::{
    bindings::Bindings,
    functions::Functions,
    modules::{imported, source},
    special_calls,
    strings::decoded,
    targets::target,
    values::{FILE, Values},
    walk::Walk,
    writes::relied_on,
};
use crate::code_safety::{
    capability::Capability,
    finding::{Finding, Kind},
    languages::value::{self, Value},
    policy::Policy,
    source_tree::SourceTree,
};

/// Returns the findings in code.
pub(in crate::code_safety) fn findings(tree: &SourceTree<'_>, policy: &Policy) -> Vec<Finding> {
    let bindings = Bindings::of(tree);
    let values = Values::new(tree, policy, &bindings);
    let functions = Functions::of(tree);
    let relied_on = relied_on(tree, policy, &values);
    let mut walk =
        Walk { tree, policy, values: &values, functions: &functions, relied_on, findings: Vec::new() };
    if values.unsettled || bindings.crowded {
        walk.undecided(0, "names are passed on too often");
    }
    for at in tree.named() {
        walk.visit(at);
    }
    walk.findings
}

impl Walk<'_> {
    fn visit(&mut self, at: usize) {
        match self.tree.kind(at) {
            "import_statement" | "export_statement" => self.imports(at),
            "identifier" | "shorthand_property_identifier" => self.identifier(at),
            "member_expression" | "nested_identifier" => self.member_expression(at),
            "subscript_expression" => self.subscript(at),
            "pair_pattern" => self.pattern_key(at, self.tree.field(at, "key")),
            "shorthand_property_identifier_pattern" => self.pattern_key(at, Some(at)),
            "call_expression" | "new_expression" => special_calls::visit(self, at),
            "this" => self.this(at),
            "yield_expression" | "await_expression" => self.keyword(at),
            "jsx_opening_element" | "jsx_self_closing_element" => self.element(at),
            "jsx_attribute" => self.attribute(at),
            "pair" => self.property(at),
            "comment" => self.comment(at),
            "with_statement" => self.add(at, Kind::Does(Capability::Reflection, "'with'".to_owned())),
            "html_comment" => self.add(at, Kind::Does(Capability::Eval, "'<!--'".to_owned())),
            _ => {}
        }
    }

    fn imports(&mut self, statement: usize) {
        let Some((module, at)) = source(self.tree, statement) else { return };
        let imports = imported(self.tree, statement, &module);
        let exports = self.tree.kind(statement) == "export_statement";
        if exports && imports.is_empty() {
            self.add(at, Kind::Use(module.clone()));
        }
        for import in imports {
            if exports || import.value != module && self.policy.special(&import.value).is_none() {
                self.add(import.at, Kind::Use(import.value));
            }
        }
        self.import(at, module);
    }

    fn identifier(&mut self, at: usize) {
        self.global(at);
        self.replaceable(at);
        let tree = self.tree;
        let parent = tree.parent(at);
        let field = tree.items[at].field;
        let operator = || tree.field(parent, "operator").map(|at| tree.text(at));
        let is_plain = match tree.kind(parent) {
            "member_expression" | "nested_identifier" | "subscript_expression" if field == "object" => {
                self.values.of(at).is_empty()
            }
            "unary_expression" => operator() != Some("typeof"),
            "binary_expression" => match operator() {
                Some("instanceof") => field != "right",
                Some("===" | "!==") => false,
                _ => true,
            },
            "export_specifier" => field == "name" && source(tree, tree.parent(tree.parent(parent))).is_none(),
            "jsx_opening_element" | "jsx_closing_element" | "jsx_self_closing_element" => {
                !tree.text(at).starts_with(|c: char| c.is_ascii_lowercase())
            }
            "import_clause" | "namespace_import" | "import_specifier" | "import_require_clause" => false,
            "namespace_export" | "jsx_namespace_name" => false,
            "import_alias" => tree.named_children(parent).last() == Some(at),
            "type_query" | "type_predicate" | "asserts" | "nested_type_identifier" => false,
            _ => true,
        };
        let called = special_calls::is_called(tree, at) && self.is_special(at);
        if is_plain && !called && target(tree, at).is_none() && !self.is_tracked(at) {
            self.names(at);
        }
    }

    fn is_special(&self, at: usize) -> bool {
        self.values.names_of(at).all(|name| self.policy.special(name).is_some())
    }

    fn member_expression(&mut self, at: usize) {
        let tree = self.tree;
        let Some(property) = tree.field(at, "property") else { return };
        if tree.kind(property) != "property_identifier" {
            return;
        }
        self.member(at, property, decoded(tree.text(property)).into_owned());
        self.write(at);
        let called = special_calls::is_called(tree, at) && self.is_special(at);
        self.function_as_object(at);
        let compared = tree.kind(tree.parent(at)) == "binary_expression"
            && self.values.names_of(at).all(|name| name == "require.main");
        if tree.items[at].field != "object" && !called && !compared && !self.is_tracked(at) {
            self.names(at);
        }
    }

    /// Adds a member of an object that is unknown, or may be.
    fn member(&mut self, expression: usize, at: usize, member: String) {
        let object = self.tree.field(expression, "object");
        if let Some(object) = object {
            self.member_of_global(at, self.values.of(object), &member);
        }
        let of_this = object.is_some_and(|object| self.tree.kind(object) == "this");
        if object.is_none_or(|object| self.is_unknown(self.values.of(object))) {
            self.unknown_member(at, member, of_this);
        }
    }

    /// Returns whether one of the values may be unknown to the policy.
    fn is_unknown(&self, values: &[Value]) -> bool {
        let is_known = |value: &Value| match value {
            Value::Name(name) => {
                let root = name.split('.').next().unwrap_or(name);
                let is_listed = self.policy.lists(root) || self.policy.special(root).is_some();
                is_listed || self.policy.own(root).is_some()
            }
            _ => false,
        };
        values.is_empty() || !values.iter().all(is_known)
    }

    /// Adds a member of an unknown object, which may be the global object.
    fn unknown_member(&mut self, at: usize, member: String, of_this: bool) {
        if !of_this && self.policy.is_builtin(&member) {
            self.undecided(at, &format!("'{member}', which may be that of the global object"));
        }
        self.add(at, Kind::Member(member));
    }

    fn subscript(&mut self, at: usize) {
        let tree = self.tree;
        let (Some(object), Some(index)) = (tree.field(at, "object"), tree.field(at, "index")) else { return };
        match self.values.keys(index) {
            Some(keys) => {
                keys.into_iter().for_each(|key| self.member(at, index, key));
                self.names(at);
                self.write(at);
                if self.values.texts_of(index).is_none() {
                    self.names(object);
                }
            }
            None if self.values.is_number(index) => self.names(object),
            None => {
                self.undecided(index, "a member with a computed name");
                self.names(object);
            }
        }
    }

    /// Adds the member that a pattern reads.
    fn pattern_key(&mut self, at: usize, key: Option<usize>) {
        let Some(key) = key else { return };
        let keys = match self.tree.kind(key) {
            "shorthand_property_identifier_pattern" => Some(vec![decoded(self.tree.text(key)).into_owned()]),
            _ => self.values.keys(key),
        };
        match keys {
            Some(keys) => keys.into_iter().for_each(|key| self.pattern_member(at, key)),
            None => self.undecided(key, "a member with a computed name"),
        }
    }

    fn pattern_member(&mut self, at: usize, key: String) {
        let values = self.pattern_value(at).map(|value| self.values.of(value)).unwrap_or_default();
        self.member_of_global(at, values, &key);
        let is_unknown = self.is_unknown(values);
        let members = self.values.members_of(values, &key);
        for name in value::names(&members).filter(|name| self.policy.special(name).is_none()) {
            self.add(at, Kind::Use(name.to_owned()));
        }
        if is_unknown {
            self.unknown_member(at, key, false);
        }
    }

    /// Returns the expression that a pattern destructures, if it is next to the pattern.
    fn pattern_value(&self, at: usize) -> Option<usize> {
        let tree = self.tree;
        let mut pattern = tree.parent(at);
        if tree.kind(pattern) == "object_assignment_pattern" {
            pattern = tree.parent(pattern);
        }
        let outer = tree.parent(pattern);
        let value = tree.field(outer, "value").or_else(|| tree.field(outer, "right"));
        value.filter(|value| *value != pattern)
    }

    /// Adds the names that an expression can stand for.
    pub(super) fn names(&mut self, at: usize) {
        let names: Vec<String> = self.values.names_of(at).map(str::to_owned).collect();
        for name in names {
            if let Some(reason) = self.reason_against_value(&name, at)
                && !special_calls::is_called(self.tree, at)
            {
                self.undecided(at, &reason);
            }
            self.add(at, Kind::Use(name));
        }
    }

    /// Returns whether an expression is the value of names that lead on to it, and a module that may be imported. In that case the uses
    /// of the names count.
    pub(super) fn is_tracked(&self, at: usize) -> bool {
        let tree = self.tree;
        let mut inner = at;
        while matches!(tree.kind(tree.parent(inner)), "await_expression" | "parenthesized_expression") {
            inner = tree.parent(inner);
        }
        let outer = tree.parent(inner);
        let target = match (tree.kind(outer), tree.items[inner].field) {
            ("variable_declarator", "value") => tree.field(outer, "name"),
            ("assignment_expression", "right") => tree.field(outer, "left"),
            _ => None,
        };
        let is_traced = |target: usize| match tree.kind(target) {
            "identifier" => true,
            "object_pattern" => (target..tree.items[target].end).all(|at| {
                !matches!(tree.kind(at), "rest_pattern" | "array_pattern" | "computed_property_name")
            }),
            _ => false,
        };
        let is_module =
            |name: &str| name == FILE || self.policy.lists(name.split('.').next().unwrap_or(name));
        target.is_some_and(is_traced)
            && self.values.of(at).iter().all(|value| match value {
                Value::Name(name) => is_module(name),
                _ => false,
            })
    }
}
