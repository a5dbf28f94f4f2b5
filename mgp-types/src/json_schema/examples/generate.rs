//! Generates a value for a schema, within bounds.

use super::{array, budget::Budget, merge::merge, number, object, string};
use serde_json::{Map, Value};

/// The deepest nesting of schemas that is followed, in levels.
const MAX_DEPTH: usize = 24;

/// The most schemas that are visited for one example.
const MAX_SCHEMAS: usize = 2_000;

/// The members of a schema that do not constrain its values, or that are read elsewhere.
const ANNOTATIONS: [&str; 9] = [
    "$comment",
    "$defs",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    "readOnly",
    "title",
];

/// The replacement of a schema: the target of its reference, or several schemas joined.
enum Whole<'s> {
    Target(&'s Value),
    Joined(Map<String, Value>),
}

/// The choices for one example.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// True if optional members are included.
    pub(super) full: bool,
    /// True if the schema's own examples and defaults are used.
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

/// A generator of values for one schema, within bounds.
pub(super) struct Generator<'s, 'b> {
    root: &'s Value,
    pub(super) style: Style,
    pub(super) budget: &'b mut Budget,
    depth: usize,
    left: usize,
}

impl<'s, 'b> Generator<'s, 'b> {
    pub(super) fn new(root: &'s Value, style: Style, budget: &'b mut Budget) -> Self {
        Self { root, style, budget, depth: MAX_DEPTH, left: MAX_SCHEMAS }
    }

    /// Returns a value that is likely to fit; or `None` if none was found or the bounds were reached.
    pub(super) fn value(&mut self, schema: &Value) -> Option<Value> {
        self.nth_value(schema, self.style.nth)
    }

    /// Returns a value among several that are likely to fit.
    pub(super) fn nth_value(&mut self, schema: &Value, nth: usize) -> Option<Value> {
        self.depth = self.depth.checked_sub(1)?;
        let value = self.left.checked_sub(1).and_then(|left| {
            self.left = left;
            self.budget.look()?;
            self.inside(schema, nth)
        });
        self.depth += 1;
        value
    }

    /// Returns whether optional members would nest too deeply.
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
            return self.budget.copy(value);
        }
        match self.whole(members, nth)? {
            Some(Whole::Target(target)) => return self.nth_value(target, nth),
            Some(Whole::Joined(members)) => return self.nth_value(&Value::Object(members), nth),
            None => {}
        }
        match kind(members, nth) {
            "object" => object::value(self, members, nth),
            "array" => array::value(self, members, nth),
            "integer" => number::integer(members, nth),
            "number" => number::number(members, nth),
            "boolean" => Some(Value::Bool(nth.is_multiple_of(2))),
            "null" => Some(Value::Null),
            _ => string::value(self.budget, members, nth),
        }
    }

    /// Returns a value given by the schema itself.
    fn given<'v>(&self, members: &'v Map<String, Value>, nth: usize) -> Option<&'v Value> {
        if let Some(value) = members.get("const") {
            return Some(value);
        }
        let one_of = |key| {
            let values = members.get(key)?.as_array().filter(|values| !values.is_empty())?;
            values.get(nth % values.len())
        };
        if let Some(value) = one_of("enum") {
            return Some(value);
        }
        if !self.style.given {
            return None;
        }
        one_of("examples").or_else(|| members.get("default").filter(|_| nth == 0))
    }

    /// Returns the schema joined with the target of its reference, or with one of its branches. Returns `Some(None)` if it has neither, and
    /// `None` if joining them is too much work.
    fn whole<'m>(&mut self, members: &'m Map<String, Value>, nth: usize) -> Option<Option<Whole<'m>>>
    where
        's: 'm,
    {
        let (key, parts) = match self.parts(members, nth) {
            Some((_, [])) | None => return Some(None),
            Some(found) => found,
        };
        let others = members.iter().filter(|(name, _)| **name != key);
        let mut others = others.filter(|(name, _)| !ANNOTATIONS.contains(&name.as_str())).peekable();
        if let (None, [target]) = (others.peek(), parts) {
            return Some(Some(Whole::Target(target)));
        }
        let mut whole = Map::new();
        for (name, member) in others {
            whole.insert(name.clone(), self.budget.copy(member)?);
        }
        for part in parts {
            merge(self.budget, &mut whole, part)?;
        }
        Some(Some(Whole::Joined(whole)))
    }

    /// Returns the first keyword by which a schema includes others, with the included schemas.
    fn parts<'m>(&self, members: &'m Map<String, Value>, nth: usize) -> Option<(&'static str, &'m [Value])>
    where
        's: 'm,
    {
        if let Some(reference) = members.get("$ref") {
            return Some(("$ref", std::slice::from_ref(self.target(reference)?)));
        }
        if let Some(Value::Array(all)) = members.get("allOf") {
            return Some(("allOf", all));
        }
        let branches =
            |key| Some((key, members.get(key)?.as_array().filter(|branches| !branches.is_empty())?));
        let (key, branches) = ["oneOf", "anyOf"].into_iter().find_map(branches)?;
        Some((key, std::slice::from_ref(&branches[nth % branches.len()])))
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
