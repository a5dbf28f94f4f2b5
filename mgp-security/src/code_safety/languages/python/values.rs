//! The values that expressions can have, as far as they matter: names that lead somewhere, and constant texts.

use super::{
    bindings::{Bindings, Source},
    replaced::replaced,
    strings,
};
use crate::code_safety::{
    capability::Capability,
    languages::{
        names::Names,
        value::{self, CHARACTERS, PARTS, ROUNDS, VALUES, Value},
    },
    policy::{Policy, Special},
    source_tree::SourceTree,
};
use std::collections::HashSet;

/// The marks of names for the names of a scope, and for the members of a value.
const SCOPE: &str = "globals()";
const MEMBERS: &str = ".__dict__";

/// The name for names that are no longer distinguished.
pub(super) const LOST: &str = "<lost>";

/// Adds a value to a set. If there is no room for a name, the set holds [`LOST`] instead.
fn add(all: &mut Vec<Value>, value: Value) {
    let is_lost = matches!(value, Value::Name(_)) && all.len() >= VALUES && !all.contains(&value);
    value::add(all, if is_lost { Value::Other } else { value });
    let lost = Value::Name(LOST.to_owned());
    if is_lost && !all.contains(&lost) {
        all.push(lost);
    }
}

/// The values of all expressions of a tree.
#[derive(Debug)]
pub(super) struct Values<'a> {
    tree: &'a SourceTree<'a>,
    policy: &'a Policy,
    bindings: &'a Bindings,
    names: Names<'a>,
    of: Vec<Vec<Value>>,
    /// The names of the language that the code replaces.
    replaced: HashSet<String>,
    /// True if the values still changed after all rounds.
    pub(super) unsettled: bool,
}

impl<'a> Values<'a> {
    /// Computes the values, as long as the tree has steps and room for copies left. Expressions come after the expressions that they are in, so
    /// a walk from the end needs no recursion.
    pub(super) fn new(tree: &'a SourceTree<'a>, policy: &'a Policy, bindings: &'a Bindings) -> Self {
        let of = vec![Vec::new(); tree.items.len()];
        let names = Names::new(bindings.names.keys().map(String::as_str), tree);
        let mut values =
            Self { tree, policy, bindings, names, of, unsettled: true, replaced: replaced(tree, policy) };
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

    /// Returns whether an import statement names exactly this module, or one below it.
    pub(super) fn is_imported(&self, name: &str) -> bool {
        self.bindings.modules.contains(name)
    }

    /// Returns the sources of a name that the code binds.
    pub(super) fn sources(&self, name: &str) -> &[Source] {
        self.bindings.names.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the classes and calls that code binds a name to, if it binds the name at all. If other values are bound too, the list is
    /// empty.
    pub(super) fn definitions(&self, name: &str) -> Option<Vec<usize>> {
        let sources = self.bindings.names.get(name)?;
        let definition = |source: &Source| match source {
            Source::Definition(at) if self.tree.kind(*at) == "class_definition" => Some(*at),
            Source::Expression(at) if self.tree.kind(*at) == "call" => Some(*at),
            _ => None,
        };
        Some(sources.iter().map(definition).collect::<Option<_>>().unwrap_or_default())
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
                    Source::Expression(at) if !self.of[*at].is_empty() => {
                        self.of[*at].iter().for_each(|value| add(&mut all, value.clone()));
                    }
                    Source::Expression(_) | Source::Definition(_) | Source::Other => {
                        add(&mut all, Value::Other);
                    }
                }
            }
            changed |= self.names.set(name, all, self.tree);
        }
        changed
    }

    fn evaluate(&self, at: usize) -> Vec<Value> {
        let tree = self.tree;
        match tree.kind(at) {
            "identifier" => self.name(&strings::normalized(tree.text(at))),
            "attribute" => {
                let (Some(object), Some(member)) = (tree.field(at, "object"), tree.field(at, "attribute"))
                else {
                    return Vec::new();
                };
                self.members(object, &strings::normalized(tree.text(member)))
            }
            "dotted_name" => self.dotted(at),
            "call" => self.call(at),
            "subscript" => self.subscript(at),
            "string" => self.string(at),
            "concatenated_string" => self.joined(tree.named_children(at).collect(), ""),
            "binary_operator" if tree.children(at).any(|child| tree.kind(child) == "+") => {
                self.joined(tree.named_children(at).collect(), "")
            }
            "parenthesized_expression" | "interpolation" => {
                tree.named_children(at).next().map(|inner| self.of[inner].clone()).unwrap_or_default()
            }
            "named_expression" => self.in_field(at, "value"),
            "assignment" => self.in_field(at, "right"),
            "conditional_expression" | "boolean_operator" => {
                let mut all = Vec::new();
                for child in tree.named_children(at) {
                    match &self.of[child][..] {
                        [] => add(&mut all, Value::Other),
                        values => values.iter().for_each(|value| add(&mut all, value.clone())),
                    }
                }
                all
            }
            _ => Vec::new(),
        }
    }

    fn in_field(&self, at: usize, field: &str) -> Vec<Value> {
        self.tree.field(at, field).map(|inner| self.of[inner].clone()).unwrap_or_default()
    }

    /// Returns the values of a name: those bound to it, or else the value that the language or a star import has for that name.
    fn name(&self, name: &str) -> Vec<Value> {
        let bound = self.names.get(name);
        let mut all = bound.map(<[Value]>::to_vec).unwrap_or_default();
        if bound.is_none() || self.policy.is_builtin(name) && !self.is_replaced(name) {
            add(&mut all, Value::Name(name.to_owned()));
        }
        // A star import binds a name as other bindings do.
        for module in &self.bindings.stars {
            let member = self.member(module, name);
            if bound.is_none() || self.is_door(module, &member) {
                add(&mut all, Value::Name(member));
            }
        }
        all
    }

    /// Returns whether the code replaces a name of the language before it can use it.
    pub(super) fn is_replaced(&self, name: &str) -> bool {
        self.replaced.contains(name) && self.bindings.stars.is_empty()
    }

    /// Returns whether a member of a module is another module, or not harmless.
    fn is_door(&self, module: &str, member: &str) -> bool {
        let is_of_module = member.strip_prefix(module).is_some_and(|rest| rest.starts_with('.'));
        let own =
            self.policy.own(member).or_else(|| (module == "sys").then(|| self.policy.capability(member)));
        !is_of_module
            || self.policy.special(member).is_some()
            || own.is_some_and(|own| own != Capability::Harmless)
    }

    fn dotted(&self, at: usize) -> Vec<Value> {
        let mut parts = self.tree.named_children(at).map(|part| strings::normal(self.tree.text(part)));
        let mut all = parts.next().map(|first| self.name(&first)).unwrap_or_default();
        for part in parts {
            all = self.members_of(&all, &part);
        }
        all
    }

    fn members(&self, object: usize, member: &str) -> Vec<Value> {
        self.members_of(&self.of[object], member)
    }

    fn members_of(&self, values: &[Value], member: &str) -> Vec<Value> {
        let mut all = Vec::new();
        for value in values {
            match value {
                Value::Name(name) => add(&mut all, Value::Name(self.member(name, member))),
                _ => add(&mut all, Value::Other),
            }
        }
        all
    }

    /// Returns the full name of a member of a name. A module that is a member of another one keeps its own name.
    pub(super) fn member(&self, name: &str, member: &str) -> String {
        let full = format!("{name}.{member}");
        let module = member.trim_start_matches('_');
        let is_of_object = member.starts_with("__") && !self.policy.is_builtin(member);
        if matches!(name, "builtins" | "__builtins__") && !is_of_object {
            member.to_owned()
        } else if self.policy.own(&full).is_none() && self.policy.is_sensitive_module(module) {
            module.to_owned()
        } else if name == LOST || name.split('.').count() >= PARTS {
            LOST.to_owned()
        } else if self.policy.own(&full).is_none()
            && self.policy.lists(name)
            && name != member
            && self.is_module_with_doors(member)
        {
            member.to_owned()
        } else {
            full
        }
    }

    /// Returns whether a name is that of an allowed module of which not all members are harmless.
    fn is_module_with_doors(&self, name: &str) -> bool {
        self.policy.lists(name) && self.policy.beginning_with(&format!("{name}.")).is_some()
    }

    fn call(&self, at: usize) -> Vec<Value> {
        let tree = self.tree;
        let (Some(function), Some(list)) = (tree.field(at, "function"), tree.field(at, "arguments")) else {
            return Vec::new();
        };
        let arguments: Vec<usize> = tree.named_children(list).collect();
        let text = |index: usize| arguments.get(index).and_then(|argument| self.texts_of(*argument));
        let mut all = Vec::new();
        for name in self.names_of(function) {
            match (self.policy.special(name), &arguments[..]) {
                (Some(Special::Attribute), [object, ..]) => {
                    for member in text(1).unwrap_or_default() {
                        self.members(*object, member).into_iter().for_each(|value| add(&mut all, value));
                    }
                }
                (Some(Special::Import), [_, ..]) => {
                    let modules = text(0).unwrap_or_default().into_iter();
                    let top = |module: &str| module.split('.').next().unwrap_or_default().to_owned();
                    let of_builtin = name == "__import__";
                    modules
                        .map(|module| if of_builtin { top(module) } else { module.to_owned() })
                        .for_each(|module| add(&mut all, Value::Name(module)));
                }
                (Some(Special::Scope), []) => add(&mut all, Value::Name(SCOPE.to_owned())),
                (Some(Special::Scope), [object, ..]) => {
                    let members = self.names_of(*object).map(|name| format!("{name}{MEMBERS}"));
                    members.for_each(|name| add(&mut all, Value::Name(name)));
                }
                (None, [code]) if name == "chr" => {
                    let letter = tree.text(*code).parse().ok().and_then(char::from_u32);
                    letter.into_iter().for_each(|letter| add(&mut all, Value::Text(letter.to_string())));
                }
                _ => {}
            }
        }
        if all.is_empty() { self.call_of_text(function, &arguments) } else { all }
    }

    /// Evaluates the methods of constant texts that compose names.
    fn call_of_text(&self, function: usize, arguments: &[usize]) -> Vec<Value> {
        let tree = self.tree;
        let (Some(object), Some(method)) =
            (tree.field(function, "object"), tree.field(function, "attribute"))
        else {
            return Vec::new();
        };
        let Some(texts) = self.texts_of(object) else { return Vec::new() };
        let [text] = texts[..] else { return Vec::new() };
        let argument = |index: usize| self.texts_of(*arguments.get(index)?)?.first().copied();
        let is_utf8 = |name: &str| {
            matches!(name.to_ascii_lowercase().as_str(), "utf-8" | "utf8" | "utf_8" | "ascii")
                && text.is_ascii()
        };
        let result = match tree.text(method) {
            "lower" if arguments.is_empty() => text.to_lowercase(),
            "casefold" if arguments.is_empty() && text.is_ascii() => text.to_lowercase(),
            "upper" if arguments.is_empty() => text.to_uppercase(),
            "strip" if arguments.is_empty() => text.trim().to_owned(),
            "decode" | "encode" if arguments.is_empty() && text.is_ascii() => text.to_owned(),
            "decode" | "encode" if arguments.len() == 1 && argument(0).is_some_and(is_utf8) => {
                text.to_owned()
            }
            "replace" if arguments.len() == 2 => match (argument(0), argument(1)) {
                (Some(from), Some(to)) if text.len() <= 200 && to.len() <= 10 => text.replace(from, to),
                _ => return Vec::new(),
            },
            "join" => match arguments {
                [list] if matches!(tree.kind(*list), "list" | "tuple") => {
                    return self.joined(tree.named_children(*list).collect(), text);
                }
                _ => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        vec![Value::Text(result)]
    }

    fn subscript(&self, at: usize) -> Vec<Value> {
        let tree = self.tree;
        let (Some(object), Some(key)) = (tree.field(at, "value"), tree.field(at, "subscript")) else {
            return Vec::new();
        };
        if tree.kind(key) == "slice" {
            let reversed = tree.text(key).split_whitespace().collect::<String>() == "::-1";
            let text = self.texts_of(object).filter(|_| reversed).unwrap_or_default();
            return text.iter().map(|text| Value::Text(text.chars().rev().collect())).collect();
        }
        let mut all = Vec::new();
        for key in self.texts_of(key).unwrap_or_default() {
            for name in self.names_of(object) {
                match name {
                    SCOPE => self.name(key).into_iter().for_each(|value| add(&mut all, value)),
                    "sys.modules" => add(&mut all, Value::Name(key.to_owned())),
                    _ => {
                        let owner = name.strip_suffix(MEMBERS).or((name == "__builtins__").then_some(name));
                        let member = owner.map(|owner| Value::Name(self.member(owner, key)));
                        member.into_iter().for_each(|member| add(&mut all, member));
                    }
                }
            }
        }
        all
    }

    /// Evaluates a string, whose parts are texts and expressions.
    fn string(&self, at: usize) -> Vec<Value> {
        let tree = self.tree;
        let Some(start) = tree.named_children(at).next() else { return Vec::new() };
        let raw = tree.text(start).contains(['r', 'R']);
        let mut result = String::new();
        for part in tree.named_children(at) {
            match tree.kind(part) {
                "string_content" => match strings::decoded(tree.text(part), raw) {
                    Some(text) => result.push_str(&text),
                    None => return Vec::new(),
                },
                // A conversion and a format change the text.
                "interpolation"
                    if tree.named_children(part).count() > 1 || !tree.text(part).ends_with('}') =>
                {
                    return Vec::new();
                }
                "interpolation" => match self.texts_of(part).as_deref() {
                    Some([text]) => result.push_str(text),
                    _ => return Vec::new(),
                },
                _ => {}
            }
        }
        if result.len() > CHARACTERS { Vec::new() } else { vec![Value::Text(result)] }
    }

    /// Joins constant texts.
    fn joined(&self, parts: Vec<usize>, between: &str) -> Vec<Value> {
        let mut texts = Vec::with_capacity(parts.len());
        for part in parts {
            match self.texts_of(part).as_deref() {
                Some([text]) => texts.push((*text).to_owned()),
                _ => return Vec::new(),
            }
        }
        let length: usize = texts.iter().map(|text| text.len() + between.len()).sum();
        if length > CHARACTERS { Vec::new() } else { vec![Value::Text(texts.join(between))] }
    }
}
