//! The edits, in any format. Each result is parsed again and compared with the expected content.

use super::{
    super::{Entry, Format},
    EditError, json, toml, yaml,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The largest file that is read, in bytes. Some hosts keep much more than servers in the file.
pub(in super::super) const MAX_SIZE: usize = 32 * 1024 * 1024;

const BOM: &str = "\u{feff}";

/// An edit of one list of servers in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListEdit {
    /// The members that lead to the list.
    pub path: Vec<String>,
    /// The names of the servers that are removed.
    pub removed: Vec<String>,
    /// The name of the entry that is added, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<String>,
}

/// Returns the content of a file, as data. An empty file has no members.
pub(in super::super) fn value(format: Format, text: &str) -> Result<Value, EditError> {
    let text = text.strip_prefix(BOM).unwrap_or(text);
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    let value = match format {
        Format::StrictJson | Format::Json => json::value(text, format)?,
        Format::Toml => toml::value(text)?,
        Format::Yaml => yaml::value(text)?,
    };
    match value {
        Value::Object(_) => Ok(value),
        // A YAML file that has only comments.
        Value::Null => Ok(Value::Object(Map::new())),
        _ => Err(EditError::syntax(1, "expected an object at the top of the file")),
    }
}

/// Returns the names and entries of a list in a file.
///
/// # Errors
/// [`EditError`] if the file is broken, or if the list is not one.
pub fn list_at(format: Format, bytes: &[u8], path: &[String]) -> Result<Vec<(String, Value)>, EditError> {
    let content = value(format, text(bytes)?)?;
    entries(format, &content, path)
}

/// Applies edits to a file: each list loses its removed servers, and gets `entry` under the name of the edit.
///
/// # Errors
/// [`EditError`] if the file is broken, or has a form that is not edited.
pub fn connect(
    format: Format,
    bytes: &[u8],
    edits: &[ListEdit],
    entry: &Entry,
) -> Result<Vec<u8>, EditError> {
    let (bom, mut edited) = split(bytes)?;
    for edit in edits {
        let before = value(format, &edited)?;
        let list = entries(format, &before, &edit.path)?;
        let mut expected: Vec<_> =
            list.into_iter().filter(|(name, _)| !edit.removed.contains(name)).collect();
        if let Some(name) = &edit.added {
            expected.retain(|(known, _)| known != name);
            expected.push((name.clone(), as_value(entry)));
        }
        edited = match format {
            Format::StrictJson | Format::Json => json::connect(&edited, format, edit, entry)?,
            Format::Toml => toml::connect(&edited, edit, entry)?,
            Format::Yaml => yaml::connect(&edited, edit, entry)?,
        };
        verify(format, &edited, &edit.path, &before, &expected)?;
    }
    Ok(format!("{bom}{edited}").into_bytes())
}

/// Takes edits back in a file that has changed since: each list loses the added entry, and gets the removed servers of the original file
/// that it does not have.
///
/// # Errors
/// [`EditError`] if the file is broken, or has a form that is not edited.
pub fn disconnect(
    format: Format,
    original: &[u8],
    current: &[u8],
    edits: &[ListEdit],
) -> Result<Vec<u8>, EditError> {
    let (_, original) = split(original)?;
    let (bom, mut edited) = split(current)?;
    let first = value(format, &original)?;
    for edit in edits {
        let before = value(format, &edited)?;
        let mut expected = entries(format, &before, &edit.path)?;
        expected.retain(|(name, _)| Some(name) != edit.added.as_ref());
        let mut back = edit.clone();
        back.removed.retain(|name| expected.iter().all(|(known, _)| known != name));
        let old = entries(format, &first, &edit.path)?;
        expected.extend(old.into_iter().filter(|(name, _)| back.removed.contains(name)));
        edited = match format {
            Format::StrictJson | Format::Json => json::disconnect(&original, &edited, format, &back)?,
            Format::Toml => toml::disconnect(&original, &edited, &back)?,
            Format::Yaml => yaml::disconnect(&original, &edited, &back)?,
        };
        verify(format, &edited, &edit.path, &before, &expected)?;
    }
    Ok(format!("{bom}{edited}").into_bytes())
}

/// Compares the content of an edited file with the expected one: the list as given, everything else as before.
fn verify(
    format: Format,
    edited: &str,
    path: &[String],
    before: &Value,
    expected: &[(String, Value)],
) -> Result<(), EditError> {
    let after = value(format, edited)?;
    let sorted = |mut list: Vec<(String, Value)>| {
        list.sort_by(|a, b| a.0.cmp(&b.0));
        list
    };
    let list = entries(format, &after, path)?;
    let is_expected =
        sorted(list) == sorted(expected.to_vec()) && without(&after, path) == without(before, path);
    is_expected.then_some(()).ok_or_else(|| {
        EditError::form(
            "its form is not understood well enough to change it safely: edit the list of servers by hand",
        )
    })
}

/// Returns a content without the list, and without the members that only lead to it.
fn without(content: &Value, path: &[String]) -> Value {
    let mut content = content.clone();
    remove(&mut content, path);
    content
}

fn remove(content: &mut Value, path: &[String]) {
    let (Some((key, rest)), Some(object)) = (path.split_first(), content.as_object_mut()) else { return };
    if !rest.is_empty()
        && let Some(inside) = object.get_mut(key)
    {
        remove(inside, rest);
        if inside.as_object().is_some_and(|inside| !inside.is_empty()) || inside.is_array() {
            return;
        }
    }
    object.remove(key);
}

/// Returns the names and entries of a list, which is an object or, in YAML, also an array of objects with names. No list is an empty one.
fn entries(format: Format, content: &Value, path: &[String]) -> Result<Vec<(String, Value)>, EditError> {
    let named = |entry: &Value| Some((entry.get("name")?.as_str()?.to_owned(), entry.clone()));
    match path.iter().try_fold(content, |value, key| value.get(key)) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Object(list)) => {
            Ok(list.iter().map(|(name, entry)| (name.clone(), entry.clone())).collect())
        }
        Some(Value::Array(list)) if format == Format::Yaml => Ok(list.iter().filter_map(named).collect()),
        Some(_) => Err(EditError::form(format!("{}: expected an object of servers", path.join(".")))),
    }
}

fn as_value(entry: &Entry) -> Value {
    Value::Object(entry.iter().map(|(key, value)| (key.to_string(), value.clone())).collect())
}

/// Splits a file into its byte order mark and the rest.
fn split(bytes: &[u8]) -> Result<(&'static str, String), EditError> {
    let text = text(bytes)?;
    Ok(match text.strip_prefix(BOM) {
        Some(rest) => (BOM, rest.to_owned()),
        None => ("", text.to_owned()),
    })
}

fn text(bytes: &[u8]) -> Result<&str, EditError> {
    if bytes.len() > MAX_SIZE {
        let size = bytes.len();
        return Err(EditError::form(format!("it holds {size} bytes: expected at most {MAX_SIZE}")));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
        EditError::syntax(line, "it is not UTF-8: save the file as UTF-8")
    })
}
