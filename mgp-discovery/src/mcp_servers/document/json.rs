//! Edits of JSON, with and without comments.

use super::{
    super::{Entry, Format},
    EditError, ListEdit,
};
use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::Object,
    cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode},
    errors::ParseError,
    parse_to_ast,
};
use serde_json::Value;
use std::ops::Range;

/// The name of a member that is replaced by servers.
const PLACE: &str = "the place of the servers that mgp disconnect puts back";

/// Returns the content of a text.
pub(super) fn value(text: &str, format: Format) -> Result<Value, EditError> {
    no_duplicates(text, format)?;
    Ok(tree(text, format)?.to_serde_value().unwrap_or_default())
}

/// Removes servers from a list, and adds an entry in their place.
pub(super) fn connect(
    text: &str,
    format: Format,
    edit: &ListEdit,
    entry: &Entry,
) -> Result<String, EditError> {
    let mut edited = text.to_owned();
    if let Some(name) = &edit.added {
        let root = tree(text, format)?;
        let list = list(&root, &edit.path)?;
        let names: Vec<_> = list.properties().iter().map(CstObjectProp::decoded_name).collect();
        let is_removed =
            |name: &&Option<String>| name.as_ref().is_some_and(|name| edit.removed.contains(name));
        // Behind the first removed servers, so that a comment before them stays before the entry.
        let first = names.iter().position(|name| is_removed(&name));
        let index =
            first.map_or(names.len(), |first| first + names[first..].iter().take_while(is_removed).count());
        let entry =
            CstInputValue::Object(entry.iter().map(|(key, value)| (key.to_string(), input(value))).collect());
        match list.get(name) {
            Some(own) => own.set_value(entry),
            None => drop(list.insert(index, name, entry)),
        }
        edited = root.to_string();
    }
    while let Some(range) =
        with_list(&edited, format, &edit.path, |list| removable(&edited, list, &edit.removed))?
    {
        edited.replace_range(range, "");
    }
    Ok(edited)
}

/// Puts servers of the original text in the place of the added entry.
pub(super) fn disconnect(
    original: &str,
    current: &str,
    format: Format,
    edit: &ListEdit,
) -> Result<String, EditError> {
    let text = |list: &Object<'_>| {
        Some(runs(list, &edit.removed).into_iter().map(|run| original[run].to_owned()).collect::<Vec<_>>())
    };
    let slices = with_list(original, format, &edit.path, text)?.unwrap_or_default();
    let root = tree(current, format)?;
    if slices.is_empty() {
        let own = edit.added.iter().cloned().collect::<Vec<_>>();
        let mut edited = current.to_owned();
        while let Some(range) = with_list(&edited, format, &edit.path, |list| removable(&edited, list, &own))?
        {
            edited.replace_range(range, "");
        }
        let had_list = with_list(original, format, &edit.path, |_| Some(()))?.is_some();
        return if had_list { Ok(edited) } else { without_empty(&edited, format, &edit.path) };
    }
    let list = list(&root, &edit.path)?;
    let name = edit.added.as_deref().filter(|name| list.get(name).is_some()).unwrap_or(PLACE);
    if name == PLACE {
        list.append(PLACE, CstInputValue::Null);
    }
    let marked = root.to_string();
    let place = with_list(&marked, format, &edit.path, |list| {
        let Range { start, end } = ranges(list).find(|(known, _)| *known == name)?.1;
        let line = marked[..start].rfind('\n').map_or(0, |at| at + 1)..start;
        Some((start..end, line))
    })?;
    let Some((place, line)) = place else { return Ok(marked) };
    let indent = &marked[line];
    let newline = if marked.contains("\r\n") { "\r\n" } else { "\n" };
    let between = if indent.trim().is_empty() { format!(",{newline}{indent}") } else { ", ".to_owned() };
    let mut edited = marked.clone();
    edited.replace_range(place, &slices.join(&between));
    Ok(edited)
}

fn options(format: Format) -> ParseOptions {
    let is_jsonc = format == Format::Json;
    ParseOptions {
        allow_comments: is_jsonc,
        allow_trailing_commas: is_jsonc,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn tree(text: &str, format: Format) -> Result<CstRootNode, EditError> {
    CstRootNode::parse(text, &options(format)).map_err(|error| syntax(&error))
}

fn syntax(error: &ParseError) -> EditError {
    EditError::syntax(error.line_display(), error.kind().to_string())
}

/// Returns the list at a path, and makes it if there is none.
fn list(root: &CstRootNode, path: &[String]) -> Result<CstObject, EditError> {
    let wrong = |key: &str| EditError::form(format!("{key}: expected an object"));
    let mut object = root.object_value_or_create().ok_or_else(|| wrong("the file"))?;
    for key in path {
        let is_null = object
            .get(key)
            .and_then(|property| property.value())
            .is_some_and(|value| value.as_null_keyword().is_some());
        object = if is_null {
            object.object_value_or_set(key)
        } else {
            object.object_value_or_create(key).ok_or_else(|| wrong(key))?
        };
    }
    Ok(object)
}

/// Removes the members that lead to a list if they are empty.
fn without_empty(text: &str, format: Format, path: &[String]) -> Result<String, EditError> {
    let root = tree(text, format)?;
    for end in (1..=path.len()).rev() {
        let parent = path[..end - 1].iter().try_fold(root.object_value(), |object, key| {
            Some(object.and_then(|object| object.object_value(key)))
        });
        let Some(property) = parent.flatten().and_then(|parent| parent.get(&path[end - 1])) else { break };
        if property.object_value().is_none_or(|object| !object.properties().is_empty()) {
            break;
        }
        property.remove();
    }
    Ok(root.to_string())
}

/// Calls a function on the list at a path. Without a list, returns nothing.
fn with_list<T>(
    text: &str,
    format: Format,
    path: &[String],
    function: impl FnOnce(&Object<'_>) -> Option<T>,
) -> Result<Option<T>, EditError> {
    let parsed =
        parse_to_ast(text, &CollectOptions::default(), &options(format)).map_err(|error| syntax(&error))?;
    let root = parsed.value.as_ref().and_then(|value| value.as_object());
    let list =
        path.iter().try_fold(root, |object, key| Some(object.and_then(|object| object.get_object(key))));
    Ok(list.flatten().and_then(function))
}

/// Returns the range of the first neighbouring members with any of the names, including the commas that must go with them.
fn removable(text: &str, list: &Object<'_>, names: &[String]) -> Option<Range<usize>> {
    let members: Vec<_> = ranges(list).collect();
    let is_named = |member: &&(&str, Range<usize>)| names.iter().any(|name| name == member.0);
    let first = members.iter().position(|member| is_named(&member))?;
    let count = members[first..].iter().take_while(is_named).count();
    let (start, end) = (members[first].1.start, members[first + count - 1].1.end);
    Some(match (first.checked_sub(1), members.get(first + count)) {
        (_, Some((_, next))) => start..next.start,
        (Some(before), None) => members[before].1.end..end,
        (None, None) => alone(text, list.range.start + 1..list.range.end - 1, start..end),
    })
}

/// Returns the range of the only members of a list: with its line and the comma that may follow or, without comments, all that is inside.
fn alone(text: &str, inside: Range<usize>, members: Range<usize>) -> Range<usize> {
    let after = &text[members.end..inside.end];
    let end = members.end + (after.len() - after.trim_start().trim_start_matches(',').len());
    let before = &text[inside.start..members.start];
    let line = before.trim_end_matches([' ', '\t']);
    let line = line.strip_suffix('\n').map_or(before, |line| line.trim_end_matches('\r'));
    if before.trim().is_empty() && text[end..inside.end].trim().is_empty() {
        return inside;
    }
    let end = if text[members.end..end].contains(',') { end } else { members.end };
    inside.start + line.len()..end
}

/// Returns the ranges of members with any of the names; neighbours are one range, with all that is between them.
fn runs(list: &Object<'_>, names: &[String]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut was_named = false;
    for (name, range) in ranges(list) {
        let is_named = names.iter().any(|known| known == name);
        match runs.last_mut().filter(|_| was_named) {
            Some(run) if is_named => run.end = range.end,
            _ if is_named => runs.push(range),
            _ => {}
        }
        was_named = is_named;
    }
    runs
}

/// Returns the names and ranges of the members of a list.
fn ranges<'a>(list: &'a Object<'a>) -> impl Iterator<Item = (&'a str, Range<usize>)> {
    list.properties.iter().map(|property| (property.name.as_str(), property.range.start..property.range.end))
}

/// Refuses members of the same name in one object, of which a host reads only one.
fn no_duplicates(text: &str, format: Format) -> Result<(), EditError> {
    let parsed =
        parse_to_ast(text, &CollectOptions::default(), &options(format)).map_err(|error| syntax(&error))?;
    let mut open: Vec<_> = parsed.value.iter().collect();
    while let Some(value) = open.pop() {
        if let Some(array) = value.as_array() {
            open.extend(&array.elements);
        }
        let Some(object) = value.as_object() else { continue };
        let mut names = std::collections::HashSet::new();
        for property in &object.properties {
            if !names.insert(property.name.as_str()) {
                let line = text[..property.range.start].matches('\n').count() + 1;
                let name = property.name.as_str();
                return Err(EditError::syntax(line, format!("{name:?} is there twice: remove one of them")));
            }
            open.push(&property.value);
        }
    }
    Ok(())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(object) => {
            CstInputValue::Object(object.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}
