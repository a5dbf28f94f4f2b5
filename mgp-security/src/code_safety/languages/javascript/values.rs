//! The values of expressions.

use super::{
    bindings::Bindings,
    modules::{self, module_name},
    strings::decoded,
    targets::{Source, constant_key},
};
use crate::code_safety::{
    capability::Capability,
    languages::{
        names::Names,
        value::{self, CHARACTERS, PARTS, ROUNDS, Value, add},
    },
    policy::{Policy, Special},
    source_tree::SourceTree,
};

/// The names of the global object, of `this` where it may be the global object, and of the member by which a value leads to its class.
pub(super) const GLOBAL: &str = "globalThis";
pub(super) const THIS: &str = "this";
const CONSTRUCTOR: &str = "constructor";
const FUNCTION: &str = "Function";
/// The function that returns an object which writes and deletes a file.
pub(super) const FILE: &str = "Bun.file";

/// The members of an emitter of events that return the emitter.
const FLUENT: [&str; 9] = [
    "on",
    "once",
    "off",
    "addListener",
    "removeListener",
    "removeAllListeners",
    "prependListener",
    "prependOnceListener",
    "setMaxListeners",
];

/// Returns the object of a member, if the member returns the object.
pub(super) fn fluent(name: &str) -> Option<&str> {
    let called = name.strip_suffix(".call").or_else(|| name.strip_suffix(".apply")).unwrap_or(name);
    let (object, member) = called.rsplit_once('.')?;
    FLUENT.contains(&member).then_some(object)
}

/// Returns the result of a function, if it leads on.
fn returned(name: &str) -> Option<Value> {
    let object = if name == FILE { Some(FILE) } else { fluent(name) };
    object.map(|object| Value::Name(object.to_owned()))
}

/// The values of all expressions of a tree.
#[derive(Debug)]
pub(super) struct Values<'a> {
    tree: &'a SourceTree<'a>,
    policy: &'a Policy,
    bindings: &'a Bindings,
    names: Names<'a>,
    of: Vec<Vec<Value>>,
    /// True if the values still changed after all rounds.
    pub(super) unsettled: bool,
}

impl<'a> Values<'a> {
    /// Computes the values, as long as the tree has steps and room for copies left. Expressions come after the expressions that they are in, so
    /// a walk from the end needs no recursion.
    pub(super) fn new(tree: &'a SourceTree<'a>, policy: &'a Policy, bindings: &'a Bindings) -> Self {
        let of = vec![Vec::new(); tree.items.len()];
        let names = Names::new(bindings.names.keys().map(String::as_str), tree);
        let mut values = Self { tree, policy, bindings, names, of, unsettled: true };
        for _ in 0..ROUNDS {
            for at in (0..tree.items.len()).rev() {
                if values.names.begin(at) && tree.items[at].named {
                    values.of[at] = values.evaluate(at);
                    if tree.is_exhausted() || !value::copies(tree, &values.of[at]) {
                        return values;
                    }
                }
            }
            if !values.pass_on() {
                values.unsettled = false;
                break;
            }
        }
        values
    }

    /// Returns the values of an expression. An empty list means that nothing is known.
    pub(super) fn of(&self, at: usize) -> &[Value] {
        &self.of[at]
    }

    /// Returns the names that an expression can stand for.
    pub(super) fn names_of(&self, at: usize) -> impl Iterator<Item = &str> {
        value::names(&self.of[at])
    }

    /// Returns the constant texts of an expression, if it cannot be anything else.
    pub(super) fn texts_of(&self, at: usize) -> Option<Vec<&str>> {
        value::texts(&self.of[at])
    }

    /// Returns whether an expression can only be a number.
    pub(super) fn is_number(&self, at: usize) -> bool {
        self.of[at] == [Value::Number]
    }

    /// Returns whether a name is bound only to known values.
    pub(super) fn is_constant(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|values| !values.contains(&Value::Other))
    }

    /// Returns the values of a member of values.
    pub(super) fn members_of(&self, values: &[Value], member: &str) -> Vec<Value> {
        let mut all = Vec::new();
        for value in values {
            add(&mut all, self.member(value, member));
        }
        all
    }

    /// Returns the bindings that the values follow.
    pub(super) fn bindings(&self) -> &Bindings {
        self.bindings
    }

    fn member(&self, value: &Value, member: &str) -> Value {
        let name = match value {
            Value::Name(name) => name.as_str(),
            Value::Function if member == CONSTRUCTOR => return Value::Name(FUNCTION.to_owned()),
            _ if member == CONSTRUCTOR => return Value::Name(CONSTRUCTOR.to_owned()),
            _ => return Value::Other,
        };
        let full = modules::member(name, member);
        match name {
            GLOBAL => self.value_of_global(member),
            THIS if self.policy.is_builtin(member) || self.is_constant(member) => {
                Value::Name(member.to_owned())
            }
            THIS if member == CONSTRUCTOR => Value::Name(CONSTRUCTOR.to_owned()),
            THIS => Value::Other,
            _ if member == CONSTRUCTOR && self.policy.capability(&full) == Capability::Harmless => {
                Value::Name(FUNCTION.to_owned())
            }
            _ if self.policy.own(&full).is_some() => Value::Name(full),
            _ if member == CONSTRUCTOR => Value::Name(FUNCTION.to_owned()),
            _ if matches!(member, "bind" | "valueOf") || name.split('.').count() >= PARTS => {
                Value::Name(name.to_owned())
            }
            _ => Value::Name(full),
        }
    }

    /// Returns the value of a name of the language; some names mean the global object.
    fn value_of_global(&self, name: &str) -> Value {
        let is_global = self.policy.special(name) == Some(Special::Scope);
        Value::Name(if is_global { GLOBAL } else { name }.to_owned())
    }

    /// Passes assigned values on to names. Returns whether anything changed.
    fn pass_on(&mut self) -> bool {
        let mut changed = false;
        for (name, sources) in &self.bindings.names {
            if self.tree.is_exhausted() {
                return false;
            }
            let mut all = Vec::new();
            for source in sources {
                match source {
                    Source::Name(path) => add(&mut all, Value::Name(path.clone())),
                    Source::Member(at, keys) => {
                        let first = self.of[*at].clone();
                        let values = keys.iter().fold(first, |values, key| self.members_of(&values, key));
                        values.into_iter().for_each(|value| add(&mut all, value));
                    }
                    Source::Function => add(&mut all, Value::Function),
                    Source::Parameter | Source::Other => add(&mut all, Value::Other),
                }
            }
            changed |= self.names.set(name, all, self.tree);
        }
        changed
    }

    fn evaluate(&self, at: usize) -> Vec<Value> {
        let tree = self.tree;
        match tree.kind(at) {
            "identifier" | "shorthand_property_identifier" => self.name(&decoded(tree.text(at))),
            "this" => self.this(at),
            "meta_property" => vec![Value::Name(tree.text(at).to_owned())],
            "member_expression" | "nested_identifier" => self.member_expression(at),
            "subscript_expression" => self.subscript(at),
            "call_expression" => self.call(at),
            "string" => vec![Value::Text(modules::unquoted(tree, at))],
            "template_string" => self.template(at),
            "number" | "update_expression" => vec![Value::Number],
            "unary_expression" => self.unary(at),
            "binary_expression" | "augmented_assignment_expression" => self.binary(at),
            "ternary_expression" => self.either(&["consequence", "alternative"], at),
            "assignment_expression" => self.in_field(at, "right"),
            "parenthesized_expression"
            | "template_substitution"
            | "await_expression"
            | "as_expression"
            | "satisfies_expression"
            | "instantiation_expression"
            | "non_null_expression" => self.child(tree.named_children(at).next()),
            "type_assertion" | "sequence_expression" => self.child(tree.named_children(at).last()),
            "function_expression" | "arrow_function" | "generator_function" | "class" => {
                vec![Value::Function]
            }
            _ => vec![Value::Other],
        }
    }

    fn child(&self, at: Option<usize>) -> Vec<Value> {
        at.map(|at| self.of[at].clone()).unwrap_or_default()
    }

    fn in_field(&self, at: usize, field: &str) -> Vec<Value> {
        self.child(self.tree.field(at, field))
    }

    fn either(&self, fields: &[&str], at: usize) -> Vec<Value> {
        let mut all = Vec::new();
        fields.iter().flat_map(|field| self.in_field(at, field)).for_each(|value| add(&mut all, value));
        all
    }

    /// Returns the values of a name: those bound to it, or else the language's value of that name.
    fn name(&self, name: &str) -> Vec<Value> {
        let bound = self.names.get(name);
        let mut all = bound.map(<[Value]>::to_vec).unwrap_or_default();
        if bound.is_none() || self.policy.is_builtin(name) && !self.bindings.is_lexical(name) {
            add(&mut all, self.value_of_global(name));
        }
        all
    }

    /// Returns the values of `this`, which is the global object in functions that are called on their own, but never in a class.
    fn this(&self, at: usize) -> Vec<Value> {
        let mut above = at;
        while above != self.tree.parent(above) {
            above = self.tree.parent(above);
            if self.tree.kind(above) == "class_body" {
                return vec![Value::Other];
            }
        }
        vec![Value::Name(THIS.to_owned()), Value::Other]
    }

    fn member_expression(&self, at: usize) -> Vec<Value> {
        let tree = self.tree;
        let (Some(object), Some(property)) = (tree.field(at, "object"), tree.field(at, "property")) else {
            return Vec::new();
        };
        match tree.kind(property) {
            "property_identifier" => self.members_of(&self.of[object], &decoded(tree.text(property))),
            _ => vec![Value::Other],
        }
    }

    fn subscript(&self, at: usize) -> Vec<Value> {
        let tree = self.tree;
        let (Some(object), Some(index)) = (tree.field(at, "object"), tree.field(at, "index")) else {
            return Vec::new();
        };
        let mut all = Vec::new();
        match self.texts_of(index) {
            Some(keys) => {
                let values = keys.into_iter().flat_map(|key| self.members_of(&self.of[object], key));
                values.for_each(|value| add(&mut all, value));
            }
            None => add(&mut all, Value::Other),
        }
        all
    }

    fn call(&self, at: usize) -> Vec<Value> {
        let tree = self.tree;
        let Some(function) = tree.field(at, "function") else { return Vec::new() };
        let list = tree.field(at, "arguments");
        let arguments: Vec<usize> = list.map(|list| tree.named_children(list).collect()).unwrap_or_default();
        let text = |index: usize| arguments.get(index).and_then(|at| self.texts_of(*at)).unwrap_or_default();
        if tree.kind(function) == "import" {
            return text(0).into_iter().map(|text| Value::Name(module_name(text))).collect();
        }
        let mut all = Vec::new();
        for value in &self.of[function] {
            let Value::Name(name) = value else {
                add(&mut all, Value::Other);
                continue;
            };
            match (self.policy.special(name), &arguments[..]) {
                (Some(Special::Import), _) => {
                    text(0).into_iter().for_each(|text| add(&mut all, Value::Name(module_name(text))));
                }
                (Some(Special::Attribute), [object, ..]) => {
                    let values = text(1).into_iter().flat_map(|key| self.members_of(&self.of[*object], key));
                    values.for_each(|value| add(&mut all, value));
                }
                (Some(Special::Number), _) => add(&mut all, Value::Number),
                (None, _) => add(&mut all, returned(name).unwrap_or(Value::Other)),
                _ => add(&mut all, Value::Other),
            }
        }
        self.bound_function(function).or_else(|| self.joined_array(function, &text(0))).unwrap_or(all)
    }

    /// Returns the function that `bind` returns: the function whose member it is.
    fn bound_function(&self, function: usize) -> Option<Vec<Value>> {
        let property = self.tree.field(function, "property")?;
        let object = self.tree.field(function, "object")?;
        let is_number = |name: &str| self.policy.special(name) == Some(Special::Number);
        let is_known = !self.names_of(object).any(is_number);
        (is_known && self.tree.text(property) == "bind").then(|| self.of[object].clone())
    }

    /// Evaluates `join` of an array of constant texts.
    fn joined_array(&self, function: usize, separator: &[&str]) -> Option<Vec<Value>> {
        let tree = self.tree;
        let array = tree.field(function, "object").filter(|at| tree.kind(*at) == "array")?;
        let is_join = tree.text(tree.field(function, "property")?) == "join";
        let [separator] = separator else { return None };
        let parts: Vec<usize> = tree.named_children(array).collect();
        is_join.then(|| self.joined(&parts, separator))
    }

    fn unary(&self, at: usize) -> Vec<Value> {
        let operator = self.tree.field(at, "operator").map(|at| self.tree.text(at));
        vec![if matches!(operator, Some("+" | "-" | "~")) { Value::Number } else { Value::Other }]
    }

    fn binary(&self, at: usize) -> Vec<Value> {
        let tree = self.tree;
        let operator = tree.field(at, "operator").map(|at| tree.text(at)).unwrap_or_default();
        let (Some(left), Some(right)) = (tree.field(at, "left"), tree.field(at, "right")) else {
            return Vec::new();
        };
        match operator {
            "+" | "+=" if self.of[left].is_empty() => self.of[right].clone(),
            "+" | "+=" if self.is_number(left) && self.is_number(right) => vec![Value::Number],
            "+" => self.joined(&[left, right], ""),
            "-" | "*" | "/" | "%" | "**" | "&" | "|" | "^" | "<<" | ">>" | ">>>" => vec![Value::Number],
            "-=" | "*=" | "/=" | "%=" | "**=" | "&=" | "|=" | "^=" | "<<=" | ">>=" | ">>>=" => {
                vec![Value::Number]
            }
            "||" | "&&" | "??" | "||=" | "&&=" | "??=" => self.either(&["left", "right"], at),
            _ => vec![Value::Other],
        }
    }

    fn template(&self, at: usize) -> Vec<Value> {
        let tree = self.tree;
        let mut result = String::new();
        for part in tree.named_children(at) {
            match tree.kind(part) {
                "template_substitution" => match self.texts_of(part).as_deref() {
                    Some([text]) => result.push_str(text),
                    _ => return vec![Value::Other],
                },
                _ => result.push_str(&decoded(tree.text(part))),
            }
        }
        vec![if result.len() > CHARACTERS { Value::Other } else { Value::Text(result) }]
    }

    /// Joins constant texts.
    fn joined(&self, parts: &[usize], between: &str) -> Vec<Value> {
        let mut texts = Vec::with_capacity(parts.len());
        for part in parts {
            match self.texts_of(*part).as_deref() {
                Some([text]) => texts.push((*text).to_owned()),
                _ => return vec![Value::Other],
            }
        }
        let length: usize = texts.iter().map(|text| text.len() + between.len()).sum();
        vec![if length > CHARACTERS { Value::Other } else { Value::Text(texts.join(between)) }]
    }

    /// Returns the key of a member that a subscript or a pattern reads, if it is constant.
    pub(super) fn keys(&self, at: usize) -> Option<Vec<String>> {
        let tree = self.tree;
        let inner = match tree.kind(at) {
            "computed_property_name" => tree.named_children(at).next()?,
            "property_identifier" | "number" | "string" => return Some(vec![constant_key(tree, at)?]),
            _ => at,
        };
        self.texts_of(inner).map(|texts| texts.into_iter().map(str::to_owned).collect())
    }
}
