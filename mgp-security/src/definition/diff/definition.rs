//! The differences between two definitions.

use super::{
    Difference, Effect,
    schema::{Direction, compare_schemas},
};
use crate::definition::DefinitionText;
use mgp_types::{
    json::{RawJson, RawObject},
    tool_metadata::{TOOL_KEY, ToolMetadata},
};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The differences between two definitions of a tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DefinitionDiff {
    /// The differences, at most [`MAX`](Self::MAX).
    pub differences: Vec<Difference>,
    /// The number of further differences.
    pub left_out: usize,
    /// False if only the hashes show that the definitions differ: one is too long to be kept, or is JSON that parsers do not read alike.
    pub compared: bool,
    /// True if a difference that is left out is breaking.
    #[serde(skip)]
    breaks_beyond: bool,
}

impl DefinitionDiff {
    /// The most differences that are listed.
    pub const MAX: usize = 256;

    /// Compares two definitions, as texts that a server wrote.
    #[must_use]
    pub fn of(old: &RawJson, new: &RawJson) -> Self {
        match (old.decode(), new.decode()) {
            (Ok(Value::Object(old)), Ok(Value::Object(new))) => Self::of_objects(&old, &new),
            _ => Self { differences: Vec::new(), left_out: 0, compared: old == new, breaks_beyond: false },
        }
    }

    /// Compares two definitions, as far as their texts are kept.
    #[must_use]
    pub fn between(old: &DefinitionText, new: &DefinitionText) -> Self {
        match (&old.text, &new.text) {
            (Some(old_text), Some(new_text)) => {
                let diff = Self::of(old_text, new_text);
                // Another hash without a difference: a key occurs twice in an object, and parsers differ in which one counts.
                let is_told = !diff.differences.is_empty() || old.hash == new.hash;
                Self { compared: diff.compared && is_told, ..diff }
            }
            _ => Self {
                differences: Vec::new(),
                left_out: 0,
                compared: old.hash == new.hash,
                breaks_beyond: false,
            },
        }
    }

    /// Returns whether a caller of the old definition may fail with the new one. Definitions that cannot be compared count as breaking.
    #[must_use]
    pub fn is_breaking(&self) -> bool {
        let breaking = |one: &Difference| one.effect == Effect::Breaking;
        !self.compared || self.breaks_beyond || self.differences.iter().any(breaking)
    }

    fn of_objects(old: &Map<String, Value>, new: &Map<String, Value>) -> Self {
        let mut found = Differences::default();
        // The texts that a model reads come first, so that nothing displaces them from the list.
        let mut keys: Vec<_> = keys(old, new).into_iter().collect();
        keys.sort_by_key(|key| !matches!(*key, "name" | "title" | "description"));
        for key in keys {
            let (path, old, new) = (child("", key), old.get(key), new.get(key));
            match key {
                _ if old == new => {}
                "inputSchema" => compare_schemas(&path, old, new, Direction::Input, &mut found),
                "outputSchema" => compare_output(&path, old, new, &mut found),
                "annotations" => compare_annotations(&path, old, new, &mut found),
                "_meta" if without_version(old) == without_version(new) => {}
                "execution" => compare_execution(&path, old, new, &mut found),
                _ => found.add(&path, Effect::Text, old, new),
            }
        }
        compare_input_size(old, new, &mut found);
        let Differences { listed, left_out, breaks_beyond } = found;
        Self { differences: listed, left_out, compared: true, breaks_beyond }
    }
}

/// The differences that were found so far.
#[derive(Debug, Default)]
pub(super) struct Differences {
    listed: Vec<Difference>,
    left_out: usize,
    breaks_beyond: bool,
}

impl Differences {
    pub(super) fn add(&mut self, path: &str, effect: Effect, old: Option<&Value>, new: Option<&Value>) {
        if self.listed.len() == DefinitionDiff::MAX {
            self.left_out += 1;
            self.breaks_beyond |= effect == Effect::Breaking;
            return;
        }
        let (old, new) = (old.cloned(), new.cloned());
        self.listed.push(Difference { path: path.to_owned(), effect, old, new });
    }
}

/// Returns the keys of both objects, each once.
pub(super) fn keys<'a>(old: &'a Map<String, Value>, new: &'a Map<String, Value>) -> BTreeSet<&'a str> {
    old.keys().chain(new.keys()).map(String::as_str).collect()
}

/// Returns the JSON pointer of a member.
pub(super) fn child(path: &str, key: &str) -> String {
    format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// Returns a tool's `_meta` without its version, which only states how much changed.
fn without_version(meta: Option<&Value>) -> Value {
    let mut meta = meta.cloned().unwrap_or_else(|| Value::Object(Map::new()));
    let Some(members) = meta.as_object_mut() else { return meta };
    if let Some(Value::Object(own)) = members.get_mut(TOOL_KEY) {
        own.remove("version");
        if own.is_empty() {
            members.remove(TOOL_KEY);
        }
    }
    meta
}

/// Compares the schemas of results. Readers of a removed schema have nothing to rely on.
fn compare_output(path: &str, old: Option<&Value>, new: Option<&Value>, found: &mut Differences) {
    match (old, new) {
        (None, _) => found.add(path, Effect::Compatible, old, new),
        (_, None) => found.add(path, Effect::Breaking, old, new),
        _ => compare_schemas(path, old, new, Direction::Output, found),
    }
}

/// Compares the ways in which a tool may be called: as a task, or without one.
fn compare_execution(path: &str, old: Option<&Value>, new: Option<&Value>, found: &mut Differences) {
    let ways = |execution: Option<&Value>| match execution
        .and_then(|execution| execution.get("taskSupport"))
        .and_then(Value::as_str)
    {
        Some("required") => [false, true],
        Some("optional") => [true, true],
        _ => [true, false],
    };
    let (before, after) = (ways(old), ways(new));
    let is_lost = before.iter().zip(after).any(|(before, after)| *before && !after);
    let effect = match (is_lost, before == after) {
        (true, _) => Effect::Breaking,
        (false, false) => Effect::Compatible,
        (false, true) => Effect::Text,
    };
    found.add(path, effect, old, new);
}

/// Compares the largest arguments that a tool takes, wherever its definition states them.
fn compare_input_size(old: &Map<String, Value>, new: &Map<String, Value>, found: &mut Differences) {
    let most = |definition: &Map<String, Value>| {
        let definition = RawObject::from_json(&RawJson::from_value(definition).ok()?).ok()?;
        ToolMetadata::of_definition(&definition).metadata.max_input_size_bytes
    };
    let (before, after) = (most(old), most(new));
    if before == after {
        return;
    }
    let is_less = after.is_some_and(|after| before.is_none_or(|before| after < before));
    let effect = if is_less { Effect::Breaking } else { Effect::Compatible };
    let [before, after] = [before, after].map(|most| most.map(Value::from));
    let path = format!("{}/max_input_size_bytes", child("/_meta", TOOL_KEY));
    found.add(&path, effect, before.as_ref(), after.as_ref());
}

fn compare_annotations(path: &str, old: Option<&Value>, new: Option<&Value>, found: &mut Differences) {
    let empty = Map::new();
    let members = |value: Option<&'_ Value>| match value {
        None => Some(empty.clone()),
        Some(Value::Object(members)) => Some(members.clone()),
        Some(_) => None,
    };
    let (Some(old), Some(new)) = (members(old), members(new)) else {
        return found.add(path, Effect::Text, old, new);
    };
    for key in keys(&old, &new) {
        let (path, old, new) = (child(path, key), old.get(key), new.get(key));
        if old != new {
            found.add(&path, effect_of_hint(key, old, new), old, new);
        }
    }
}

/// Returns the effect of a hint that changed. A hint that is missing has MCP's default.
fn effect_of_hint(key: &str, old: Option<&Value>, new: Option<&Value>) -> Effect {
    let (harmless, default) = match key {
        "readOnlyHint" | "idempotentHint" => (true, false),
        "destructiveHint" | "openWorldHint" => (false, true),
        _ => return Effect::Text,
    };
    let value = |hint: Option<&Value>| hint.and_then(Value::as_bool).unwrap_or(default);
    match (value(old) == harmless, value(new) == harmless) {
        (false, true) => Effect::LowerRisk,
        (true, false) => Effect::HigherRisk,
        _ => Effect::Compatible,
    }
}
