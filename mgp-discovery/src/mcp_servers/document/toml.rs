//! Edits of TOML.

use super::{super::Entry, EditError, ListEdit};
use serde_json::Value;
use std::collections::HashMap;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};

/// The distance of tables' positions, more than a file can have tables.
const STEP: isize = 1 << 24;

/// Returns the content of a text.
pub(super) fn value(text: &str) -> Result<Value, EditError> {
    toml::from_str(text).map_err(|error| syntax(text, error.span(), error.message()))
}

/// Removes servers from a list, and adds an entry in their place.
pub(super) fn connect(text: &str, edit: &ListEdit, entry: &Entry) -> Result<String, EditError> {
    let mut document = document(text)?;
    let list = list(&mut document, &edit.path)?;
    let removed: Vec<_> = edit.removed.iter().filter_map(|name| list.remove(name)).collect();
    if let Some(name) = &edit.added {
        let mut table = Table::new();
        for (key, value) in entry {
            table.insert(key, Item::Value(in_toml(value)));
        }
        // The new table gets the place of the first that goes, and the comments before it.
        let first = removed.iter().filter_map(Item::as_table).min_by_key(|table| table.position());
        if let Some(first) = first {
            table.set_position(first.position());
            *table.decor_mut() = first.decor().clone();
        }
        insert(list, name, Item::Table(table));
    }
    Ok(with_line_ends_of(&[text], &document.to_string()))
}

/// Removes the added entry from a list, and adds servers of the original text.
pub(super) fn disconnect(original: &str, current: &str, edit: &ListEdit) -> Result<String, EditError> {
    let mut first = document(original)?;
    let had_list = edit.path.first().is_some_and(|key| first.contains_key(key));
    let mut document = document(current)?;
    // Makes room for the tables that come back between those that are there.
    let mut spread = |at: Option<isize>| at.map(|at| at.saturating_mul(STEP));
    reorder(document.as_item_mut(), &mut spread);
    let to = list(&mut document, &edit.path)?;
    let own = edit.added.as_ref().and_then(|name| to.remove(name));
    let mut next = own.as_ref().and_then(Item::as_table).and_then(Table::position).unwrap_or(isize::MAX / 2);
    let from = list(&mut first, &edit.path)?;
    let mut items: Vec<_> = edit.removed.iter().filter_map(|name| Some((name, from.remove(name)?))).collect();
    items.sort_by_key(|(_, item)| item.as_table().and_then(Table::position));
    for (name, mut item) in items {
        reorder(&mut item, &mut |_| {
            next += 1;
            Some(next)
        });
        insert(to, name, item);
    }
    if !had_list
        && to.is_empty()
        && let Some(key) = edit.path.first()
    {
        document.remove(key);
    }
    Ok(with_line_ends_of(&[current, original], &document.to_string()))
}

/// Gives each table the position in the text that a function returns for its old one.
fn reorder(item: &mut Item, position: &mut dyn FnMut(Option<isize>) -> Option<isize>) {
    let mut of_table = |table: &mut Table| {
        if !table.is_implicit() && !table.is_dotted() {
            table.set_position(position(table.position()));
        }
        for (_, item) in table.iter_mut() {
            reorder(item, position);
        }
    };
    match item {
        Item::Table(table) => of_table(table),
        Item::ArrayOfTables(tables) => tables.iter_mut().for_each(of_table),
        _ => {}
    }
}

fn document(text: &str) -> Result<DocumentMut, EditError> {
    text.parse().map_err(|error: toml_edit::TomlError| syntax(text, error.span(), error.message()))
}

fn syntax(text: &str, span: Option<std::ops::Range<usize>>, reason: &str) -> EditError {
    let start = span.map_or(0, |span| span.start.min(text.len()));
    let line = text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1;
    EditError::syntax(line, reason.trim().replace('\n', ", "))
}

/// Returns the list at a path, and makes it if there is none.
fn list<'a>(document: &'a mut DocumentMut, path: &[String]) -> Result<&'a mut dyn TableLike, EditError> {
    let mut item = document.as_item_mut();
    for key in path {
        let table = item.as_table_like_mut();
        let table = table.ok_or_else(|| EditError::form(format!("{key}: expected a table")))?;
        item = table.entry(key).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
    }
    item.as_table_like_mut().ok_or_else(|| EditError::form(format!("{}: expected a table", path.join("."))))
}

fn insert(list: &mut dyn TableLike, name: &str, item: Item) {
    // A table in a line holds only values.
    let is_inline = list.iter().any(|(_, item)| item.is_value()) && !list.is_dotted();
    let item = if is_inline { item.into_value().map_or_else(|item| item, Item::Value) } else { item };
    list.insert(name, item);
}

fn in_toml(value: &Value) -> toml_edit::Value {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => number.as_i64().unwrap_or_default().into(),
        Value::Array(list) => list.iter().map(in_toml).collect::<Array>().into(),
        Value::Object(object) => {
            object.iter().map(|(key, value)| (key.as_str(), in_toml(value))).collect::<InlineTable>().into()
        }
        other => other.as_str().unwrap_or_default().into(),
    }
}

/// Gives lines the ends that they have in the first of the sources that has them, because the library writes only `\n`.
fn with_line_ends_of(sources: &[&str], edited: &str) -> String {
    if !sources.iter().any(|source| source.contains('\r')) {
        return edited.to_owned();
    }
    let mut ends = HashMap::new();
    for line in sources.iter().flat_map(|source| source.split_inclusive('\n')) {
        let text = line.trim_end_matches(['\r', '\n']);
        ends.entry(text).or_insert(&line[text.len()..]);
    }
    let mut out = String::with_capacity(edited.len() * 2);
    for line in edited.split_inclusive('\n') {
        let text = line.trim_end_matches('\n');
        out.push_str(text);
        if line.ends_with('\n') {
            out.push_str(ends.get(text).copied().filter(|end| !end.is_empty()).unwrap_or("\r\n"));
        }
    }
    out
}
