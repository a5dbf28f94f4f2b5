//! Arithmetic: Bash evaluates the texts of variables in it, and runs commands that stand in their indices.

use super::walker::Walk;
use crate::code_safety::{policy::Special, source_tree::SourceTree};

const MESSAGE: &str = "arithmetic with what may be no number";

/// Judges everything below a node as arithmetic.
pub(super) fn visit(walk: &mut Walk<'_>, at: usize) {
    let tree = walk.tree;
    let mut next = at + 1;
    let end = tree.items[at].end;
    while next < end {
        let text = tree.text(next);
        let is_bad = match tree.kind(next) {
            "command_substitution" | "string" | "raw_string" | "ansi_c_string" | "concatenation" => {
                let skip = tree.items[next].end;
                if !tree.text(next).trim_matches(['"', '\'']).bytes().all(|b| b.is_ascii_digit()) {
                    walk.undecided(next, MESSAGE);
                }
                next = skip;
                continue;
            }
            "expansion" if text.starts_with("${#") => {
                next = tree.items[next].end;
                continue;
            }
            "variable_name" | "word" | "special_variable_name" => {
                !is_number(walk, text) || is_position(tree, next)
            }
            _ => false,
        };
        if is_bad {
            walk.undecided(next, MESSAGE);
        }
        next += 1;
    }
}

/// Returns whether a name is that of an argument of the script.
fn is_position(tree: &SourceTree<'_>, at: usize) -> bool {
    let is_expanded = matches!(tree.kind(tree.parent(at)), "simple_expansion" | "expansion");
    is_expanded && tree.text(at).bytes().all(|b| b.is_ascii_digit())
}

/// Judges the index of an array or a table.
pub(super) fn subscript(walk: &mut Walk<'_>, at: usize) {
    let tree = walk.tree;
    let name = tree.field(at, "name").map(|name| tree.text(name)).unwrap_or_default();
    let index = tree.field(at, "index").map(|index| tree.text(index)).unwrap_or_default();
    if walk.scope.is_table(name) || matches!(index, "@" | "*") {
        return;
    }
    if !is_number(walk, index) {
        walk.undecided(at, MESSAGE);
    }
}

/// Judges a comparison of numbers in `[[ ]]`.
pub(super) fn comparison(walk: &mut Walk<'_>, at: usize) {
    let tree = walk.tree;
    let operator = tree.field(at, "operator").map(|operator| tree.text(operator));
    let compares = matches!(operator, Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge"));
    let mut above = at;
    while compares && above != tree.parent(above) {
        above = tree.parent(above);
        if tree.kind(above) == "test_command" {
            if tree.text(above).starts_with("[[") {
                for side in ["left", "right"].into_iter().filter_map(|side| tree.field(at, side)) {
                    operand(walk, side);
                }
            }
            return;
        }
    }
}

/// Judges an operand that stands alone.
pub(super) fn operand(walk: &mut Walk<'_>, at: usize) {
    let text = walk.tree.text(at).trim_matches('"');
    if !text.starts_with("${#") && !is_number(walk, text) {
        walk.undecided(at, MESSAGE);
    }
}

/// Returns whether an operand, with or without a dollar, is always a number.
fn is_number(walk: &Walk<'_>, text: &str) -> bool {
    let name = text.trim_matches(['$', '{', '}']);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_literal = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let is_special = !walk.scope.sets(name) && walk.policy.special(name) == Some(Special::Number);
    is_literal || walk.scope.is_number(name) || is_special
}
