//! Arithmetic: Bash evaluates the values of variables in it, and runs commands in the indices of arrays.

use super::walk::Walk;
use crate::code_safety::{policy::Special, source_tree::SourceTree};

const MESSAGE: &str = "arithmetic with a value that may not be a number";

/// Returns the names that a text sets if it is arithmetic: those before an assignment operator, and those next to `++` or `--`.
fn assigned(text: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_name) {
        let (before, from) = rest.split_at(start);
        let (name, after) = from.split_at(from.find(|c| !is_name(c)).unwrap_or(from.len()));
        rest = after;
        let next = behind_index(after).trim_start();
        let operator = next.trim_start_matches(['+', '-', '*', '/', '%', '<', '>', '&', '^', '|']);
        let compares = operator.len() + 1 == next.len() && next.starts_with(['<', '>']);
        let assigns = operator.starts_with('=') && !operator.starts_with("==") && !compares;
        let counts = next.starts_with("++") || next.starts_with("--");
        let counted = before.trim_end().ends_with("++") || before.trim_end().ends_with("--");
        if (assigns || counts || counted) && !name.starts_with(|c: char| c.is_ascii_digit()) {
            names.push(name);
        }
    }
    names
}

/// Adds the variables that a text sets if it is arithmetic.
pub(super) fn sets(walk: &mut Walk<'_>, at: usize, text: &str) {
    if walk.tree.copies(text) {
        assigned(text).into_iter().for_each(|name| walk.set(at, name));
    }
}

/// The longest index that is followed, in characters.
const INDEX: usize = 256;

/// Returns the text after an array's index, if the text begins with one. After a longer index, anything may follow, such as an assignment.
fn behind_index(text: &str) -> &str {
    if !text.starts_with('[') {
        return text;
    }
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().take(INDEX) {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return &text[at + 1..];
        }
    }
    "="
}

/// Judges everything below a node as arithmetic.
pub(super) fn visit(walk: &mut Walk<'_>, at: usize) {
    let tree = walk.tree;
    sets(walk, at, tree.text(at));
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
    sets(walk, at, index);
    if !is_number(walk, index) {
        walk.undecided(at, MESSAGE);
    }
}

/// Judges the indices of arrays in a text that names one, such as the `a[1]` of `read 'a[1]'`.
pub(super) fn indices(walk: &mut Walk<'_>, at: usize, text: &str) {
    let name = text.split('[').next().unwrap_or_default();
    if name.len() == text.len() || walk.scope.is_table(name) || !walk.tree.copies(text) {
        return;
    }
    // The keys of a table are not evaluated. It is a table only where no code unsets it.
    for index in text.split('[').skip(1).filter_map(|rest| rest.split(']').next()) {
        sets(walk, at, index);
        if !matches!(index, "@" | "*") && !is_number(walk, index) {
            walk.undecided(at, MESSAGE);
        }
    }
}

/// Judges the indices of the elements of an array.
pub(super) fn elements(walk: &mut Walk<'_>, at: usize) {
    let tree = walk.tree;
    let assignment = tree.parent(at);
    let name = tree.field(assignment, "name").map(|name| tree.text(name)).unwrap_or_default();
    let name = name.split('[').next().unwrap_or_default();
    if walk.scope.is_table(name) {
        return;
    }
    let elements = tree.named_children(at).map(|element| tree.text(element));
    for element in elements.filter(|element| element.starts_with('[')).collect::<Vec<_>>() {
        indices(walk, at, element);
    }
}

/// The variables whose values Bash evaluates when they are set.
pub(super) const NUMBERS: [&str; 4] = ["RANDOM", "SRANDOM", "OPTIND", "HISTCMD"];

/// Judges a value that Bash evaluates as arithmetic because it is assigned to an integer variable.
pub(super) fn evaluated(walk: &mut Walk<'_>, at: usize) {
    let tree = walk.tree;
    let name = tree.field(at, "name").or_else(|| tree.field(at, "variable")).map(|name| tree.text(name));
    if !name.is_some_and(|name| NUMBERS.contains(&name)) {
        return;
    }
    let values: Vec<usize> = tree.children(at).filter(|child| tree.items[*child].field == "value").collect();
    let is_plain = |value: &usize| {
        let text = tree.text(*value).trim_matches(['"', '\'']);
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
    };
    if values.is_empty() || !values.iter().all(is_plain) {
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

/// Judges a single operand.
pub(super) fn operand(walk: &mut Walk<'_>, at: usize) {
    let text = walk.tree.text(at).trim_matches('"');
    sets(walk, at, text);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assigning_and_counting_operators_set_names() {
        for (text, names) in [
            ("PATH=1", &["PATH"][..]),
            ("a = b += 2", &["a", "b"]),
            ("a[i]<<=1, --b, c++", &["a", "b", "c"]),
            ("x?PATH=1:0", &["PATH"]),
            ("(LD_PRELOAD|=1)", &["LD_PRELOAD"]),
            ("a == 1 && b <= 2 || c >= 3 && d != 4 + e - f", &[]),
            ("1 + 2", &[]),
        ] {
            assert_eq!(assigned(text), names, "{text}");
        }
    }
}
