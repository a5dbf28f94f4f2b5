//! The differences between two JSON Schemas.
//!
//! A schema of arguments breaks callers where it allows less; a schema of results breaks readers where it allows more. An unknown keyword
//! counts as breaking if JSON Schema asserts something with it, and as compatible if it does not.

use super::{
    Effect,
    alternatives::by_tag,
    definition::{Differences, child, keys},
};
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashSet};

/// The side that a change affects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// The schema of arguments, which callers fulfil.
    Input,
    /// The schema of results, on which readers rely.
    Output,
}

impl Direction {
    /// Returns the effect of allowing less than before.
    const fn narrowing(self) -> Effect {
        match self {
            Self::Input => Effect::Breaking,
            Self::Output => Effect::Compatible,
        }
    }

    /// Returns the effect of allowing more than before.
    const fn widening(self) -> Effect {
        match self {
            Self::Input => Effect::Compatible,
            Self::Output => Effect::Breaking,
        }
    }

    /// Returns the effect of a change of a set of values, which may drop values and add others.
    const fn between(self, drops: bool, adds: bool) -> Effect {
        match (drops, adds) {
            (true, true) => Effect::Breaking,
            (true, false) => self.narrowing(),
            (false, true) => self.widening(),
            // Only the order has changed, or the spelling.
            (false, false) => Effect::Text,
        }
    }
}

/// Compares two schemas. A missing schema allows everything, as `true` does.
pub(super) fn compare_schemas(
    path: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    direction: Direction,
    found: &mut Differences,
) {
    match (old, new) {
        _ if old == new => {}
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            Comparison { path, direction, found }.objects(old, new);
        }
        _ => {
            let (before, after) = (allows(old), allows(new));
            let drops = before != Allows::Nothing && after != Allows::Everything;
            let adds = after != Allows::Nothing && before != Allows::Everything;
            found.add(path, direction.between(drops, adds), old, new);
        }
    }
}

/// The values that a schema allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Allows {
    Everything,
    Something,
    Nothing,
}

fn allows(schema: Option<&Value>) -> Allows {
    match schema {
        None | Some(Value::Bool(true)) => Allows::Everything,
        Some(Value::Bool(false)) => Allows::Nothing,
        Some(Value::Object(members)) if members.keys().all(|key| is_annotation(key)) => Allows::Everything,
        Some(_) => Allows::Something,
    }
}

/// A comparison of two schemas at one place.
struct Comparison<'a> {
    path: &'a str,
    direction: Direction,
    found: &'a mut Differences,
}

impl Comparison<'_> {
    fn objects(&mut self, old: &Map<String, Value>, new: &Map<String, Value>) {
        for key in keys(old, new) {
            let (before, after) = (old.get(key), new.get(key));
            if before == after {
                continue;
            }
            match key {
                "properties" => self.properties(old, new),
                "required" => self.required(old, new),
                "type" => self.types(before, after),
                "enum" | "const" => self.values(key, before, after),
                "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties"
                | "minContains" => {
                    self.bound(key, before, after, f64::lt);
                }
                "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties"
                | "maxContains" => {
                    self.bound(key, before, after, f64::gt);
                }
                "items"
                | "additionalProperties"
                | "contains"
                | "propertyNames"
                | "additionalItems"
                | "unevaluatedProperties"
                | "unevaluatedItems" => {
                    compare_schemas(&child(self.path, key), before, after, self.direction, self.found);
                }
                "$defs" | "definitions" => self.definitions(key, before, after),
                "anyOf" => self.branches(key, before, after),
                "oneOf" => self.alternatives(key, before, after),
                // A keyword that is added allows less, one that is removed allows more, and any other change may do both.
                "pattern" | "format" | "multipleOf" | "uniqueItems" | "dependentRequired" | "not"
                | "allOf" => {
                    self.add(key, self.direction.between(after.is_some(), before.is_some()), before, after);
                }
                "description"
                | "title"
                | "$comment"
                | "examples"
                | "example"
                | "default"
                | "deprecated"
                | "markdownDescription"
                | "enumDescriptions" => self.add(key, Effect::Text, before, after),
                _ if is_annotation(key) => self.add(key, Effect::Compatible, before, after),
                _ => self.add(key, Effect::Breaking, before, after),
            }
        }
    }

    fn add(&mut self, key: &str, effect: Effect, old: Option<&Value>, new: Option<&Value>) {
        self.found.add(&child(self.path, key), effect, old, new);
    }

    /// Compares parameters, or members of a result. A removed one breaks callers who send it, and readers who expect it.
    fn properties(&mut self, old: &Map<String, Value>, new: &Map<String, Value>) {
        let (before, after) = (members(old, "properties"), members(new, "properties"));
        let path = child(self.path, "properties");
        for name in keys(before, after) {
            let place = child(&path, name);
            let closed = || {
                ["additionalProperties", "unevaluatedProperties"]
                    .iter()
                    .any(|key| allows(old.get(*key)) != Allows::Everything)
            };
            match (before.get(name), after.get(name)) {
                // Any member of this schema could have the name.
                (None, Some(added))
                    if self.direction == Direction::Input
                        && !requires(new, name)
                        && allows(old.get("additionalProperties")) == Allows::Something =>
                {
                    let any = old.get("additionalProperties");
                    compare_schemas(&place, any, Some(added), self.direction, self.found);
                }
                (None, Some(added)) => {
                    let needed = self.direction == Direction::Input && requires(new, name);
                    // A reader that validates results refuses members that its schema does not allow.
                    let refused = self.direction == Direction::Output && closed();
                    let effect = if needed || refused { Effect::Breaking } else { Effect::Compatible };
                    self.found.add(&place, effect, None, Some(added));
                }
                (Some(removed), None) => self.found.add(&place, Effect::Breaking, Some(removed), None),
                (before, after) => compare_schemas(&place, before, after, self.direction, self.found),
            }
        }
    }

    fn required(&mut self, old: &Map<String, Value>, new: &Map<String, Value>) {
        let names = |schema: &'_ Map<String, Value>| -> BTreeSet<String> {
            let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
        };
        let (before, after) = (names(old), names(new));
        let effect = self.direction.between(!after.is_subset(&before), !before.is_subset(&after));
        self.add("required", effect, old.get("required"), new.get("required"));
    }

    fn types(&mut self, old: Option<&Value>, new: Option<&Value>) {
        let (before, after) = (types(old), types(new));
        let lacks = |from: &Option<Vec<&str>>, of: &Option<Vec<&str>>| match (from, of) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(from), Some(of)) => {
                let has =
                    |name: &&str| from.contains(name) || (*name == "integer" && from.contains(&"number"));
                !of.iter().all(has)
            }
        };
        let effect = self.direction.between(lacks(&after, &before), lacks(&before, &after));
        self.add("type", effect, old, new);
    }

    fn values(&mut self, key: &str, old: Option<&Value>, new: Option<&Value>) {
        let lacks = |from: Option<&Value>, of: Option<&Value>| match (from, of) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(Value::Array(from)), Some(Value::Array(of))) if key == "enum" => {
                !set(of).is_subset(&set(from))
            }
            (Some(from), Some(of)) => from != of,
        };
        self.add(key, self.direction.between(lacks(new, old), lacks(old, new)), old, new);
    }

    /// Compares a bound, which allows more if the new one is `looser` than the old one.
    fn bound(&mut self, key: &str, old: Option<&Value>, new: Option<&Value>, looser: fn(&f64, &f64) -> bool) {
        let number = |value: Option<&Value>| value.and_then(Value::as_f64);
        let effect = match (number(old), number(new)) {
            (Some(old), Some(new)) if looser(&new, &old) => self.direction.widening(),
            (Some(old), Some(new)) if looser(&old, &new) => self.direction.narrowing(),
            (Some(_), Some(_)) => Effect::Text,
            _ => self.direction.between(new.is_some(), old.is_some()),
        };
        self.add(key, effect, old, new);
    }

    /// Compares schemas for references. An added one is only referenced by changed places.
    fn definitions(&mut self, key: &str, old: Option<&Value>, new: Option<&Value>) {
        let empty = Map::new();
        let objects = |value: Option<&Value>| value.and_then(Value::as_object).cloned();
        let (before, after) =
            (objects(old).unwrap_or_else(|| empty.clone()), objects(new).unwrap_or_else(|| empty.clone()));
        let path = child(self.path, key);
        for name in keys(&before, &after) {
            let place = child(&path, name);
            match (before.get(name), after.get(name)) {
                (None, added) => self.found.add(&place, Effect::Compatible, None, added),
                (removed, None) => self.found.add(&place, Effect::Breaking, removed, None),
                (before, after) => compare_schemas(&place, before, after, self.direction, self.found),
            }
        }
    }

    /// Compares alternatives with a tag individually. For others, it is unknown which values each allows.
    fn alternatives(&mut self, key: &str, old: Option<&Value>, new: Option<&Value>) {
        let [before, after] = [old, new].map(|all| by_tag(all?.as_array()?));
        let (Some(before), Some(after)) = (before, after) else {
            return self.add(key, Effect::Breaking, old, new);
        };
        let tags: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for tag in tags {
            let place = child(&child(self.path, key), tag);
            match (before.get(tag).copied(), after.get(tag).copied()) {
                (None, added) => self.found.add(&place, self.direction.widening(), None, added),
                (removed, None) => self.found.add(&place, self.direction.narrowing(), removed, None),
                (before, after) => compare_schemas(&place, before, after, self.direction, self.found),
            }
        }
    }

    fn branches(&mut self, key: &str, old: Option<&Value>, new: Option<&Value>) {
        let (Some(Value::Array(before)), Some(Value::Array(after))) = (old, new) else {
            return self.add(key, self.direction.between(new.is_some(), old.is_some()), old, new);
        };
        let [known, told] = [before, after].map(|branches| set(branches));
        let dropped: Vec<&Value> = before.iter().filter(|branch| !told.contains(branch)).collect();
        let added: Vec<_> = after.iter().enumerate().filter(|(_, branch)| !known.contains(branch)).collect();
        match (&dropped[..], &added[..]) {
            // The other alternatives allow the same values as before.
            ([before], [(at, after)]) => {
                let place = child(&child(self.path, key), &at.to_string());
                compare_schemas(&place, Some(before), Some(after), self.direction, self.found);
            }
            _ => self.add(key, self.direction.between(!dropped.is_empty(), !added.is_empty()), old, new),
        }
    }
}

/// Returns the values as a set, so that many can be compared with many.
fn set(values: &[Value]) -> HashSet<&Value> {
    values.iter().collect()
}

fn members<'a>(schema: &'a Map<String, Value>, key: &str) -> &'a Map<String, Value> {
    static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    schema.get(key).and_then(Value::as_object).unwrap_or(&EMPTY)
}

fn requires(schema: &Map<String, Value>, name: &str) -> bool {
    let names = schema.get("required").and_then(Value::as_array);
    names.is_some_and(|names| names.iter().any(|required| required == name))
}

/// Returns the types that `type` allows; `None` for all of them.
fn types(value: Option<&Value>) -> Option<Vec<&str>> {
    match value? {
        Value::Array(types) => Some(types.iter().filter_map(Value::as_str).collect()),
        one => Some(one.as_str().into_iter().collect()),
    }
}

/// Returns whether JSON Schema asserts nothing by a keyword.
fn is_annotation(key: &str) -> bool {
    !matches!(
        key,
        "$ref"
            | "$dynamicRef"
            | "$recursiveRef"
            | "additionalItems"
            | "additionalProperties"
            | "allOf"
            | "anyOf"
            | "const"
            | "contains"
            | "dependencies"
            | "dependentRequired"
            | "dependentSchemas"
            | "else"
            | "enum"
            | "exclusiveMaximum"
            | "exclusiveMinimum"
            | "format"
            | "if"
            | "items"
            | "maxContains"
            | "maxItems"
            | "maxLength"
            | "maxProperties"
            | "maximum"
            | "minContains"
            | "minItems"
            | "minLength"
            | "minProperties"
            | "minimum"
            | "multipleOf"
            | "not"
            | "oneOf"
            | "pattern"
            | "patternProperties"
            | "prefixItems"
            | "properties"
            | "propertyNames"
            | "required"
            | "then"
            | "type"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "uniqueItems"
    )
}
