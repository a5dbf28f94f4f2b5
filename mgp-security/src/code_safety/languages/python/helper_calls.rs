//! Methods of the standard library that set members of an object by names that are data.

use super::walk::Walk;

/// The methods of parsers that set members of their second argument.
const PARSERS: [&str; 4] =
    ["parse_args", "parse_known_args", "parse_intermixed_args", "parse_known_intermixed_args"];

/// Returns whether an argument that names a member is not constant.
fn is_computed(walk: &Walk<'_>, argument: usize) -> bool {
    let tree = walk.tree;
    match tree.kind(argument) {
        "list_splat" | "dictionary_splat" => true,
        "keyword_argument" => {
            let is_name = tree.field(argument, "name").is_some_and(|name| tree.text(name) == "dest");
            is_name && tree.field(argument, "value").is_none_or(|value| walk.values.texts_of(value).is_none())
        }
        _ => walk.values.texts_of(argument).is_none(),
    }
}

/// Judges a call of a method.
pub(super) fn visit(walk: &mut Walk<'_>, at: usize, function: usize, arguments: &[usize]) {
    let tree = walk.tree;
    let Some(method) = tree.field(function, "attribute").map(|member| tree.text(member)) else { return };
    let is_object = |(index, argument): (usize, &usize)| match tree.kind(*argument) {
        "list_splat" | "dictionary_splat" => true,
        "keyword_argument" => {
            tree.field(*argument, "name").is_some_and(|name| tree.text(name) == "namespace")
        }
        _ => index > 0,
    };
    if method == "add_argument" && arguments.iter().any(|argument| is_computed(walk, *argument)) {
        walk.undecided(at, "an argument with a computed name");
    }
    if PARSERS.contains(&method) && arguments.iter().enumerate().any(is_object) {
        walk.undecided(at, "arguments that become members of an object");
    }
}
