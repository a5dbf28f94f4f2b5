//! Makes a value for a schema, within bounds.

use super::{array, merge::merged, number, object, string};
use serde_json::{Map, Value};

/// The deepest nesting of schemas that is followed, in levels.
const MAX_DEPTH: usize = 24;

/// The most schemas that are looked at for one example.
const MAX_SCHEMAS: usize = 2_000;

/// The choices that are made for one example.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// True if members that are not required are there too.
    pub(super) full: bool,
    /// True if values that the schema gives as examples and defaults are taken.
    pub(super) given: bool,
    /// The number of the branch, and of the value among several.
    pub(super) nth: usize,
}

impl Style {
    const fn new(full: bool, given: bool, nth: usize) -> Self {
        Self { full, given, nth }
    }

    /// Every style, in the order in which they are tried.
    pub(super) const ALL: [Self; 8] = [
        Self::new(true, true, 0),
        Self::new(false, true, 0),
        Self::new(true, true, 1),
        Self::new(true, false, 0),
        Self::new(false, false, 0),
        Self::new(false, true, 1),
        Self::new(true, false, 2),
        Self::new(false, false, 2),
    ];
}

/// A maker of values for one schema, within bounds.
pub(super) struct Generator<'s> {
    root: &'s Value,
    pub(super) style: Style,
    depth: usize,
    left: usize,
}

impl<'s> Generator<'s> {
    pub(super) fn new(root: &'s Value, style: Style) -> Self {
        Self { root, style, depth: MAX_DEPTH, left: MAX_SCHEMAS }
    }

    /// Returns a value that is likely to fit; `None` if none was found, or the bounds are reached.
    pub(super) fn value(&mut self, schema: &Value) -> Option<Value> {
        self.nth_value(schema, self.style.nth)
    }

    /// Returns a value among several that are likely to fit.
    pub(super) fn nth_value(&mut self, schema: &Value, nth: usize) -> Option<Value> {
        self.depth = self.depth.checked_sub(1)?;
        let value = self.left.checked_sub(1).and_then(|left| {
            self.left = left;
            self.inside(schema, nth)
        });
        self.depth += 1;
        value
    }

    /// Returns whether members that are not required would lead too deep.
    pub(super) fn is_deep(&self) -> bool {
        self.depth < MAX_DEPTH / 2 || self.left < MAX_SCHEMAS / 4
    }

    fn inside(&mut self, schema: &Value, nth: usize) -> Option<Value> {
        let members = match schema {
            Value::Bool(true) => return Some(Value::String(string::plain(nth))),
            Value::Object(members) => members,
            _ => return None,
        };
        if let Some(value) = self.given(members, nth) {
            return Some(value);
        }
        if let Some(members) = self.whole(members, nth) {
            return self.nth_value(&Value::Object(members), nth);
        }
        match kind(members, nth) {
            "object" => object::value(self, members, nth),
            "array" => array::value(self, members, nth),
            "integer" => number::integer(members, nth),
            "number" => number::number(members, nth),
            "boolean" => Some(Value::Bool(nth.is_multiple_of(2))),
            "null" => Some(Value::Null),
            _ => string::value(members, nth),
        }
    }

    /// Returns a value that the schema itself gives.
    fn given(&self, members: &Map<String, Value>, nth: usize) -> Option<Value> {
        if let Some(value) = members.get("const") {
            return Some(value.clone());
        }
        let one_of = |key| {
            let values = members.get(key)?.as_array().filter(|values| !values.is_empty())?;
            values.get(nth % values.len()).cloned()
        };
        if let Some(value) = one_of("enum") {
            return Some(value);
        }
        if !self.style.given {
            return None;
        }
        one_of("examples").or_else(|| members.get("default").filter(|_| nth == 0).cloned())
    }

    /// Returns the schema together with what it refers to, and with one of its branches; `None` if it stands alone.
    fn whole(&self, members: &Map<String, Value>, nth: usize) -> Option<Map<String, Value>> {
        let mut rest = members.clone();
        if let Some(reference) = rest.remove("$ref") {
            return Some(merged(&rest, self.target(&reference)?));
        }
        if let Some(Value::Array(all)) = rest.remove("allOf") {
            return Some(all.iter().fold(rest, |whole, one| merged(&whole, one)));
        }
        for key in ["oneOf", "anyOf"] {
            if let Some(Value::Array(branches)) = rest.remove(key)
                && !branches.is_empty()
            {
                return Some(merged(&rest, &branches[nth % branches.len()]));
            }
        }
        None
    }

    /// Returns the schema at a pointer within the document (RFC 6901).
    fn target(&self, reference: &Value) -> Option<&'s Value> {
        self.root.pointer(reference.as_str()?.strip_prefix('#')?)
    }
}

/// Returns the type of the values: the one that the schema names, or that its keywords are about.
fn kind(members: &Map<String, Value>, nth: usize) -> &str {
    match members.get("type") {
        Some(Value::String(kind)) => return kind,
        Some(Value::Array(kinds)) => {
            let kinds: Vec<&str> =
                kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect();
            return kinds.get(nth % kinds.len().max(1)).copied().unwrap_or("null");
        }
        _ => {}
    }
    let has = |keys: &[&str]| keys.iter().any(|key| members.contains_key(*key));
    if has(&["properties", "required", "additionalProperties", "patternProperties", "minProperties"]) {
        "object"
    } else if has(&["items", "prefixItems", "minItems", "uniqueItems", "contains"]) {
        "array"
    } else if has(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]) {
        "number"
    } else {
        "string"
    }
}
