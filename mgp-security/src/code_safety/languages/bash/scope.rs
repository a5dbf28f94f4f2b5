//! The names that code sets, anywhere in it: variables and functions.

use super::words::{OPAQUE, word};
use crate::code_safety::{
    policy::{Policy, Special},
    source_tree::SourceTree,
};
use std::collections::{HashMap, HashSet};

/// The values of a variable, as far as they are known.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Variable {
    /// Always one text, once it is set.
    Constant(String),
    /// Always a number.
    Number,
    /// Always a new temporary file or folder.
    Temporary,
    /// Anything.
    Other,
}

/// The names that code sets.
#[derive(Debug, Default)]
pub(super) struct Scope {
    variables: HashMap<String, Variable>,
    tables: HashSet<String>,
    /// True if the code unsets variables.
    unsets: bool,
    /// The functions that are always defined, each with the first node that defines it.
    functions: HashMap<String, usize>,
}

impl Scope {
    /// Collects the names of a tree.
    pub(super) fn of(tree: &SourceTree<'_>, policy: &Policy) -> Self {
        let mut scope = Self::default();
        for at in tree.named() {
            match tree.kind(at) {
                "variable_assignment" => scope.add_assignment(tree, at),
                "for_statement" => scope.add_loop(tree, at),
                "function_definition" if tree.kind(tree.parent(at)) == "program" => {
                    if let Some(name) = tree.field(at, "name") {
                        scope.functions.entry(tree.text(name).to_owned()).or_insert(at);
                    }
                }
                "command" | "declaration_command" | "unset_command" => scope.add_command(tree, policy, at),
                "expansion" if tree.children(at).any(|child| matches!(tree.text(child), "=" | ":=")) => {
                    let name = tree.children(at).find(|child| tree.kind(*child) == "variable_name");
                    name.into_iter().for_each(|name| scope.add(tree.text(name), &Variable::Other));
                }
                "binary_expression" | "postfix_expression" | "unary_expression" => {
                    let operator = tree.field(at, "operator").map(|operator| tree.text(operator));
                    let sets =
                        operator.is_some_and(|text| matches!(text, "++" | "--") || text.ends_with('='));
                    let named = |at: &usize| matches!(tree.kind(*at), "variable_name" | "word");
                    if let Some(name) = tree.named_children(at).find(named).filter(|_| sets) {
                        scope.add(tree.text(name), &Variable::Number);
                    }
                }
                _ => {}
            }
        }
        scope
    }

    fn add(&mut self, name: &str, value: &Variable) {
        let known = self.variables.entry(name.to_owned()).or_insert_with(|| value.clone());
        let is_number = |variable: &Variable| match variable {
            Variable::Number => true,
            Variable::Constant(text) => is_number(text),
            Variable::Temporary | Variable::Other => false,
        };
        if known != value {
            *known = if is_number(known) && is_number(value) { Variable::Number } else { Variable::Other };
        }
    }

    fn add_assignment(&mut self, tree: &SourceTree<'_>, at: usize) {
        let Some(name) = tree.field(at, "name") else { return };
        let appends = tree.children(at).any(|child| tree.text(child) == "+=");
        let value = match tree.field(at, "value") {
            _ if appends || tree.kind(name) != "variable_name" => Variable::Other,
            None => Variable::Constant(String::new()),
            Some(value) => self.value(tree, value),
        };
        let name = tree.text(name).split('[').next().unwrap_or_default();
        self.add(name, &value);
    }

    fn value(&self, tree: &SourceTree<'_>, at: usize) -> Variable {
        let is_length = tree.kind(at) == "expansion" && tree.text(at).starts_with("${#");
        if tree.kind(at) == "arithmetic_expansion" || is_length {
            return Variable::Number;
        }
        if tree.text(at).trim_start_matches('"').starts_with("$(mktemp") {
            return Variable::Temporary;
        }
        if tree.kind(at) == "array" {
            return Variable::Other;
        }
        // Values of other variables are not followed.
        let text = word(tree, &Self::default(), at);
        if text.contains(OPAQUE) { Variable::Other } else { Variable::Constant(text) }
    }

    fn add_loop(&mut self, tree: &SourceTree<'_>, at: usize) {
        let Some(name) = tree.field(at, "variable") else { return };
        let values: Vec<usize> = tree.children(at).filter(|at| tree.items[*at].field == "value").collect();
        let is_number = |at: &usize| {
            tree.kind(*at) == "brace_expression"
                && !tree.text(*at).contains(|c: char| c.is_ascii_alphabetic())
                || is_number(&word(tree, &Self::default(), *at))
        };
        let all = !values.is_empty() && values.iter().all(is_number);
        self.add(tree.text(name), if all { &Variable::Number } else { &Variable::Other });
    }

    /// Adds the variables that a command sets by their names.
    fn add_command(&mut self, tree: &SourceTree<'_>, policy: &Policy, at: usize) {
        let mut children = tree.children(at).filter(|at| {
            !matches!(tree.kind(*at), "variable_assignment" | "file_redirect" | "herestring_redirect")
        });
        let Some(name) = children.next().map(|at| word(tree, &Self::default(), at)) else { return };
        if policy.special(&name) != Some(Special::Names) {
            return;
        }
        self.unsets |= name == "unset";
        let own: &[&str] = match name.as_str() {
            "read" => &["REPLY"],
            "mapfile" | "readarray" => &["MAPFILE"],
            "getopts" => &["OPTARG", "OPTIND"],
            _ => &[],
        };
        own.iter().for_each(|name| self.add(name, &Variable::Other));
        let arguments: Vec<String> = children.map(|at| word(tree, &Self::default(), at)).collect();
        let is_table = arguments.iter().any(|word| word.starts_with('-') && word.contains('A'));
        for argument in &arguments {
            let variable = argument.split(['=', '[', '+']).next().unwrap_or_default();
            self.add(variable, &Variable::Other);
            if is_table && is_of_script(tree, at) {
                self.tables.insert(variable.to_owned());
            }
        }
        let assigned = tree.children(at).filter(|at| tree.kind(*at) == "variable_assignment");
        let is_table = is_table && is_of_script(tree, at);
        for name in assigned.filter(|_| is_table).filter_map(|at| tree.field(at, "name")) {
            self.tables.insert(tree.text(name).to_owned());
        }
    }

    /// Returns the value of an expansion of a variable that always has one.
    pub(super) fn constant<'a>(&'a self, tree: &SourceTree<'a>, at: usize) -> Option<&'a str> {
        let mut children = tree.named_children(at);
        let name = children.next().map(|at| tree.text(at))?;
        let is_plain = children.next().is_none() && tree.text(at).trim_matches(['$', '{', '}']) == name;
        match self.variables.get(name).filter(|_| is_plain && !is_of_shell(name)) {
            Some(Variable::Constant(text)) => Some(text),
            None if is_plain && matches!(name, "SHELL" | "BASH") => Some("bash"),
            _ => None,
        }
    }

    /// Returns whether a variable is always a number.
    pub(super) fn is_number(&self, name: &str) -> bool {
        if is_of_shell(name) {
            return false;
        }
        match self.variables.get(name) {
            Some(Variable::Number) => true,
            Some(Variable::Constant(text)) => text.is_empty() || is_number(text),
            _ => false,
        }
    }

    /// Returns whether the known value of a variable is no longer certain once a command has set it.
    pub(super) fn is_certain(&self, policy: &Policy, name: &str) -> bool {
        match self.variables.get(name) {
            Some(variable) => *variable != Variable::Other,
            None => policy.special(name) == Some(Special::Number),
        }
    }

    /// Returns whether a variable is always a new temporary file or folder.
    pub(super) fn is_temporary(&self, name: &str) -> bool {
        self.variables.get(name) == Some(&Variable::Temporary)
    }

    /// Returns whether a name is that of a function that is defined at a node or, with `later`, after it.
    pub(super) fn is_function(&self, name: &str, at: usize, later: bool) -> bool {
        self.functions.get(name).is_some_and(|made| *made < at || later)
    }

    /// Returns whether a variable is a table, whose keys are texts, wherever the code uses it.
    pub(super) fn is_table(&self, name: &str) -> bool {
        self.tables.contains(name) && !self.unsets
    }

    /// Returns whether code sets a variable.
    pub(super) fn sets(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }
}

/// Returns whether a declaration applies to the whole script: it is outside functions and subshells.
fn is_of_script(tree: &SourceTree<'_>, at: usize) -> bool {
    let mut above = at;
    while above != tree.parent(above) {
        above = tree.parent(above);
        if matches!(
            tree.kind(above),
            "function_definition" | "subshell" | "command_substitution" | "process_substitution" | "pipeline"
        ) {
            return false;
        }
    }
    true
}

/// Returns whether Bash sets a variable by itself, whatever the code sets it to.
fn is_of_shell(name: &str) -> bool {
    const SET: [&str; 17] = [
        "_",
        "REPLY",
        "MAPFILE",
        "OPTARG",
        "OPTIND",
        "PWD",
        "OLDPWD",
        "RANDOM",
        "SRANDOM",
        "SECONDS",
        "LINENO",
        "FUNCNAME",
        "PIPESTATUS",
        "DIRSTACK",
        "GROUPS",
        "EPOCHSECONDS",
        "EPOCHREALTIME",
    ];
    SET.contains(&name) || name.starts_with("BASH") || name.starts_with("COMP_") || name.starts_with("COPROC")
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}
