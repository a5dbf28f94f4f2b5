//! The walk over a tree.

use super::{arithmetic, commands, files, guards, scope::Scope, walk::Walk};
use crate::{
    code_safety::{
        capability::Capability,
        finding::{Finding, Kind, Place},
        policy::Policy,
        source_tree::SourceTree,
    },
    syntax::{Grammar, parse},
};

/// The most nested texts that are judged.
const NESTED: usize = 16;

/// Returns the findings in code.
pub(in crate::code_safety) fn findings(tree: &SourceTree<'_>, policy: &Policy) -> Vec<Finding> {
    let scope = Scope::of(tree, policy);
    let (mut findings, mut nested) = walk(tree, policy, &scope, false);
    let mut judged = 0;
    while let Some((text, place)) = nested.pop() {
        judged += 1;
        let undecided = |text: &str| Finding { kind: Kind::Undecided(text.to_owned()), place };
        if judged > NESTED {
            findings.push(undecided("code in too many texts"));
            break;
        }
        let parsed = parse(Grammar::Bash, &text, tree.interrupt());
        match parsed
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|inner| SourceTree::new(inner, &text, tree.interrupt()))
        {
            Err(_) => findings.push(undecided("code in a text that cannot be read")),
            Ok(inner) => {
                if (0..inner.items.len()).any(|at| sets(&inner, at)) {
                    findings.push(undecided("a variable that is set in a text"));
                }
                inner.share_room(tree);
                let (more, deeper) = walk(&inner, policy, &scope, true);
                tree.share_room(&inner);
                findings.extend(more.into_iter().map(|finding| Finding { place, ..finding }));
                nested.extend(deeper.into_iter().map(|(text, _)| (text, place)));
                if inner.is_exhausted() {
                    tree.exhaust();
                }
            }
        }
    }
    findings
}

/// Returns whether a node may set a variable to anything.
fn sets(tree: &SourceTree<'_>, at: usize) -> bool {
    let assigns = |child: usize| matches!(tree.text(child), "=" | ":=");
    match tree.kind(at) {
        "variable_assignment" | "for_statement" => true,
        "expansion" => tree.children(at).any(assigns),
        _ => false,
    }
}

fn walk(
    tree: &SourceTree<'_>,
    policy: &Policy,
    scope: &Scope,
    is_nested: bool,
) -> (Vec<Finding>, Vec<(String, Place)>) {
    let mut walk = Walk { tree, policy, scope, is_nested, findings: Vec::new(), nested: Vec::new() };
    for at in tree.named() {
        walk.visit(at);
    }
    (walk.findings, walk.nested)
}

impl Walk<'_> {
    fn visit(&mut self, at: usize) {
        let tree = self.tree;
        match tree.kind(at) {
            "command" | "declaration_command" | "unset_command" => {
                guards::command(self, at);
                commands::visit(self, at);
            }
            "test_command" => guards::command(self, at),
            "program" => guards::joined_lines(self, at),
            "variable_assignment" => {
                self.set_field(at, tree.field(at, "name"));
                arithmetic::evaluated(self, at);
            }
            "for_statement" => {
                self.set_field(at, tree.field(at, "variable"));
                arithmetic::evaluated(self, at);
            }
            "array" => arithmetic::elements(self, at),
            "expansion" => self.expansion(at),
            "file_redirect" => files::redirect(self, at),
            "heredoc_redirect" | "herestring_redirect" => {
                files::sets_variable(self, at);
                if tree.kind(at) == "heredoc_redirect" {
                    guards::here_document(self, at);
                }
            }
            "command_substitution" => guards::backquotes(self, at),
            "function_definition" => self.function(at),
            "arithmetic_expansion" | "c_style_for_statement" => self.arithmetic(at),
            "compound_statement" if tree.text(at).starts_with("((") => arithmetic::visit(self, at),
            "subscript" => arithmetic::subscript(self, at),
            "binary_expression" => arithmetic::comparison(self, at),
            "test_operator" if matches!(tree.text(at), "-v" | "-R") => {
                self.undecided(at, "a test of a variable");
            }
            "comment" => guards::comment(self, at),
            "string" => guards::quotes(self, at),
            "raw_string" | "ansi_c_string" => {
                guards::quotes(self, at);
                guards::leaf(self, at);
            }
            _ if tree.is_leaf(at) && tree.items[at].named => guards::leaf(self, at),
            _ => {}
        }
    }

    fn set_field(&mut self, at: usize, name: Option<usize>) {
        let name = name.map(|name| self.tree.text(name)).unwrap_or_default();
        self.set(at, name.split('[').next().unwrap_or_default());
    }

    fn arithmetic(&mut self, at: usize) {
        let tree = self.tree;
        if tree.kind(at) == "arithmetic_expansion" {
            return arithmetic::visit(self, at);
        }
        let parts = tree
            .children(at)
            .filter(|at| matches!(tree.items[*at].field, "initializer" | "condition" | "update"));
        parts.collect::<Vec<_>>().into_iter().for_each(|part| arithmetic::visit(self, part));
    }

    fn expansion(&mut self, at: usize) {
        let tree = self.tree;
        let text = tree.text(at);
        let operators: Vec<&str> =
            tree.children(at).filter(|at| tree.is_leaf(*at)).map(|at| tree.text(at)).collect();
        if text.starts_with("${!") && !text.ends_with("[@]}") && !text.ends_with("[*]}") {
            self.undecided(at, "a variable with a computed name");
        }
        if operators.contains(&"@") && operators.contains(&"P") || text.ends_with("@P}") {
            self.add(at, Kind::Does(Capability::Eval, "'${...@P}'".to_owned()));
        }
        if operators.iter().any(|operator| matches!(*operator, "=" | ":=")) {
            self.set_field(at, tree.children(at).find(|child| tree.kind(*child) == "variable_name"));
        }
        if let Some(colon) = tree.children(at).find(|child| tree.text(*child) == ":") {
            let parts = tree.children(at).filter(|child| *child > colon && tree.items[*child].named);
            parts.collect::<Vec<_>>().into_iter().for_each(|part| arithmetic::operand(self, part));
        }
    }

    fn function(&mut self, at: usize) {
        let tree = self.tree;
        let Some(name) = tree.field(at, "name").map(|name| tree.text(name)) else { return };
        if commands::is_known(self, name) {
            self.undecided(at, "a function with the name of a program");
        }
        let inside = at + 1..tree.items[at].end;
        let calls_itself = |at: usize| tree.kind(at) == "command_name" && tree.text(at) == name;
        let in_pipe = |at: usize| tree.kind(tree.parent(tree.parent(at))) == "pipeline";
        let in_background = |at: usize| {
            let behind = tree.items[tree.parent(at)].end;
            behind < tree.items.len() && tree.text(behind) == "&"
        };
        if inside.clone().any(|at| calls_itself(at) && (in_pipe(at) || in_background(at))) {
            self.add(
                at,
                Kind::Does(
                    Capability::Process,
                    format!("'{}', which runs itself without end,", files::shown(name)),
                ),
            );
        }
    }
}
