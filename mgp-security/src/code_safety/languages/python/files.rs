//! Opened files: whether they are written, and where they are.

use super::{data_files::is_data, walk::Walk};
use crate::code_safety::{capability::Capability, finding::Kind, languages::value::Value};

/// The number of arguments of `open` before the function that opens the file instead.
const BEFORE_OPENER: usize = 7;

/// Judges a call of `open`: the second argument is the mode.
pub(super) fn open(walk: &mut Walk<'_>, at: usize, name: &str, arguments: &[usize]) {
    let tree = walk.tree;
    let keyword = |wanted: &str| {
        let mut named = arguments.iter().filter(|argument| tree.kind(**argument) == "keyword_argument");
        named.find(|argument| tree.field(**argument, "name").is_some_and(|name| tree.text(name) == wanted))
    };
    let splat = |argument: &usize| matches!(tree.kind(*argument), "list_splat" | "dictionary_splat");
    if arguments.iter().any(splat) || keyword("opener").is_some() || arguments.len() > BEFORE_OPENER {
        return walk.undecided(at, "a file that is opened with computed arguments");
    }
    let value = |argument: &usize| tree.field(*argument, "value");
    let positional =
        |index: usize| arguments.get(index).copied().filter(|at| tree.kind(*at) != "keyword_argument");
    // An unbuffered file opens any other file by its constructor.
    let buffering = keyword("buffering").and_then(value).or_else(|| positional(2));
    let is_buffered =
        |at: usize| tree.kind(at) == "integer" && tree.text(at).starts_with(|c| ('1'..='9').contains(&c));
    if matches!(name, "open" | "io.open")
        && buffering.is_some_and(|at| !is_buffered(at) && tree.text(at) != "-1")
    {
        walk.undecided(at, "a file that is opened without a buffer");
    }
    let Some(mode) = keyword("mode").and_then(value).or_else(|| positional(1)) else { return };
    let path = keyword("file").and_then(value).or_else(|| positional(0));
    let Some(modes) = walk.values.texts_of(mode) else {
        return walk.undecided(at, "a file that is opened in a computed mode");
    };
    if !modes.iter().any(|mode| writes(mode)) {
        return;
    }
    let paths = path.and_then(|path| walk.values.texts_of(path));
    let is_near = paths.is_some_and(|paths| paths.iter().all(|path| is_data(path)));
    let capability = if is_near { Capability::Write } else { Capability::WriteAnywhere };
    walk.add(at, Kind::Does(capability, format!("'{name}'")));
}

/// Judges a call of a method `open` of an unknown value. Its mode may be the first or the second argument.
pub(super) fn open_method(walk: &mut Walk<'_>, at: usize, function: usize, arguments: &[usize]) {
    let tree = walk.tree;
    let is_open = tree.field(function, "attribute").is_some_and(|member| tree.text(member) == "open");
    let of = walk.values.of(function);
    let is_special =
        |value: &Value| matches!(value, Value::Name(name) if walk.policy.special(name).is_some());
    if !is_open || !of.is_empty() && of.iter().all(is_special) {
        return;
    }
    let values = arguments.iter().map(|at| tree.field(*at, "value").unwrap_or(*at)).take(2);
    let modes: Vec<_> = values.map(|value| walk.values.texts_of(value)).collect();
    let is_mode = |text: &str| text.len() <= 4 && text.chars().all(|c| "rwaxbt+U".contains(c));
    if modes.iter().any(Option::is_none) {
        walk.undecided(at, "a file that is opened with computed arguments");
    }
    if modes.iter().flatten().flatten().any(|text| is_mode(text) && writes(text)) {
        walk.add(at, Kind::Does(Capability::WriteAnywhere, "'open'".to_owned()));
    }
}

fn writes(mode: &str) -> bool {
    mode.contains(['w', 'a', 'x', '+'])
}
