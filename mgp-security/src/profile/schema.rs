//! Finds the arguments that a JSON Schema names, at any depth, and checks whether they can hold text.
//!
//! The work is bounded: every target of a reference is read once, and parts beyond a bound count as text.

use mgp_types::json::{JsonError, RawJson, RawObject};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

/// The most schemas that are read inside one schema.
const MAX_SCHEMAS: usize = 10_000;
/// The most steps that are taken to check whether arguments can hold text.
const MAX_STEPS: usize = 50_000;
/// The most bytes of schemas that are read, to find arguments and again to check whether they hold text. A byte counts each time it
/// is read.
const MAX_BYTES: usize = 32 << 20;
/// The depth to which an argument's own schema is followed.
const MAX_DEPTH: usize = 16;

/// Members that hold one schema, or several in an array.
const SCHEMAS: &[&str] = &[
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "anyOf",
    "oneOf",
    "allOf",
    "if",
    "then",
    "else",
];
/// Members that hold schemas by name. Unlike those in `properties`, the names are not names of arguments.
const BY_NAME: &[&str] = &["patternProperties", "dependentSchemas"];
/// Members that refer to a schema.
const REFERENCES: &[&str] = &["$ref", "$dynamicRef", "$recursiveRef"];

/// The arguments that a schema names.
#[derive(Debug)]
pub(super) struct Arguments {
    /// The name and the schema of each argument.
    pub(super) named: Vec<(String, RawJson)>,
    /// The check of the arguments' schemas.
    pub(super) look: Look,
}

impl Arguments {
    /// Reads a schema.
    ///
    /// # Errors
    /// [`JsonError`] if a part of the schema is ambiguous, or if the schema exceeds the bounds.
    pub(super) fn read(root: &RawJson) -> Result<Self, JsonError> {
        let mut places = Places::of(root.clone());
        let (mut named, mut followed) = (Vec::new(), HashSet::from([ROOT]));
        let (mut waiting, mut read, mut bytes) = (vec![root.clone()], 0, 0);
        while let Some(schema) = waiting.pop() {
            read += 1;
            bytes += schema.as_bytes().len();
            if read > MAX_SCHEMAS || bytes > MAX_BYTES {
                return Err(JsonError::TooDeep { limit: MAX_SCHEMAS });
            }
            if !schema.is_object() {
                continue;
            }
            let schema = RawObject::from_json(&schema)?;
            if let Some(properties) = schema.get("properties").filter(|member| member.is_object()) {
                for (name, property) in RawObject::from_json(properties)?.iter() {
                    named.push((name.to_owned(), property.clone()));
                    waiting.push(property.clone());
                }
            }
            for member in BY_NAME.iter().filter_map(|key| schema.get(key)).filter(|member| member.is_object())
            {
                waiting.extend(RawObject::from_json(member)?.iter().map(|(_, schema)| schema.clone()));
            }
            for member in SCHEMAS.iter().filter_map(|key| schema.get(key)) {
                match member.decode::<Vec<RawJson>>() {
                    Ok(several) => waiting.extend(several),
                    Err(_) => waiting.push(member.clone()),
                }
            }
            for reference in REFERENCES.iter().filter_map(|key| schema.text(key)) {
                if let Some(place) = places.find(&reference)
                    && followed.insert(place)
                {
                    waiting.push(places.value(place).clone());
                }
            }
        }
        Ok(Self { named, look: Look { places, steps: MAX_STEPS, bytes: MAX_BYTES, objects: false } })
    }
}

/// The check whether arguments can hold text. One bound applies to all arguments of a tool together.
#[derive(Debug)]
pub(super) struct Look {
    places: Places,
    /// The remaining steps.
    steps: usize,
    /// The remaining bytes.
    bytes: usize,
    /// True if an object that can hold text counts as text.
    objects: bool,
}

impl Look {
    /// Returns whether an argument can hold text. With `objects`, text as a member of an object counts too.
    pub(super) fn finds_text(&mut self, schema: &RawJson, objects: bool) -> bool {
        self.objects = objects;
        self.takes_text(schema, MAX_DEPTH)
    }

    /// Returns whether a schema takes a string, or a list of strings. A schema without a type may take a string.
    fn takes_text(&mut self, schema: &RawJson, depth: usize) -> bool {
        let left = |of: usize, taken: usize| of.checked_sub(taken);
        let (Some(depth), Some(steps), Some(bytes)) =
            (left(depth, 1), left(self.steps, 1), left(self.bytes, schema.as_bytes().len()))
        else {
            return true;
        };
        (self.steps, self.bytes) = (steps, bytes);
        let Ok(schema) = RawObject::from_json(schema) else { return true };
        // A choice among fixed values cannot be a program.
        if schema.get("enum").is_some() || schema.get("const").is_some() {
            return false;
        }
        if let Some(place) = schema.text("$ref").and_then(|reference| self.places.find(&reference)) {
            let target = self.places.value(place).clone();
            if !self.takes_text(&target, depth) {
                return false;
            }
        }
        for key in ["anyOf", "oneOf"] {
            if let Ok(Some(choices)) = schema.decode::<Vec<RawJson>>(key)
                && !choices.iter().any(|choice| self.takes_text(choice, depth))
            {
                return false;
            }
        }
        if let Ok(Some(all)) = schema.decode::<Vec<RawJson>>("allOf")
            && !all.iter().all(|one| self.takes_text(one, depth))
        {
            return false;
        }
        let Some(kinds) = schema.get("type") else { return true };
        let takes = |kind: &str| kinds.as_str().contains(kind);
        takes("\"string\"")
            || (takes("\"array\"") && schema.get("items").is_none_or(|items| self.takes_text(items, depth)))
            || (takes("\"object\"") && self.objects && self.holds_text(&schema, depth))
    }

    fn holds_text(&mut self, schema: &RawObject, depth: usize) -> bool {
        match schema.object("properties") {
            Some(properties) if !properties.is_empty() => {
                properties.iter().any(|(_, property)| self.takes_text(property, depth))
            }
            _ => true,
        }
    }
}

/// The index of the whole schema.
const ROOT: usize = 0;

/// The values inside a schema that references lead to. Each object or array on the way is read once.
#[derive(Debug)]
struct Places(Vec<Place>);

#[derive(Debug)]
struct Place {
    value: RawJson,
    /// The places inside the value. `None` before the value is read.
    inside: Option<Inside>,
}

#[derive(Debug)]
enum Inside {
    Members(HashMap<String, usize>),
    Items(Range<usize>),
}

impl Places {
    fn of(root: RawJson) -> Self {
        Self(vec![Place { value: root, inside: None }])
    }

    fn value(&self, place: usize) -> &RawJson {
        &self.0[place].value
    }

    /// Returns the place that a reference within the schema leads to (RFC 6901).
    fn find(&mut self, reference: &str) -> Option<usize> {
        let mut place = ROOT;
        for part in reference.strip_prefix('#')?.split('/').skip(1) {
            let part = part.replace("~1", "/").replace("~0", "~");
            place = match self.inside(place) {
                Inside::Members(members) => *members.get(&part)?,
                Inside::Items(items) => items.clone().nth(part.parse().ok()?)?,
            };
        }
        Some(place)
    }

    fn inside(&mut self, place: usize) -> &Inside {
        if self.0[place].inside.is_none() {
            let value = self.0[place].value.clone();
            let inside = if value.is_object() {
                let object = RawObject::from_json(&value).unwrap_or_default();
                let add = |(name, value): (&str, &RawJson)| (name.to_owned(), self.add(value.clone()));
                Inside::Members(object.iter().map(add).collect())
            } else {
                let items: Vec<RawJson> = value.decode().unwrap_or_default();
                let first = self.0.len();
                self.0.extend(items.into_iter().map(|value| Place { value, inside: None }));
                Inside::Items(first..self.0.len())
            };
            self.0[place].inside = Some(inside);
        }
        self.0[place].inside.get_or_insert(Inside::Items(0..0))
    }

    fn add(&mut self, value: RawJson) -> usize {
        self.0.push(Place { value, inside: None });
        self.0.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recursive_and_endless_schemas_are_read_within_bounds() {
        let round = RawJson::parse(
            r##"{"properties":{"a":{"$ref":"#"},"b":{"$ref":"#/properties/b"},"c":{"anyOf":[{"$ref":"#/properties/c"},{"$ref":"#/properties/c"}]}}}"##,
        )
        .unwrap();
        let Arguments { named, mut look } = Arguments::read(&round).unwrap();
        let texts = named.iter().filter(|(_, schema)| look.finds_text(schema, true)).count();
        assert_eq!((named.len(), texts), (3, 3), "what is past the bounds counts as text");
        let chain: Vec<String> =
            (0..20_000).map(|at| format!(r##""d{at}":{{"$ref":"#/$defs/d{}"}}"##, at + 1)).collect();
        let chain = format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{}}}}}"##, chain[..200].join(","));
        assert!(Arguments::read(&RawJson::parse(chain).unwrap()).unwrap().named.is_empty());
        let wide = format!(r#"{{"anyOf":[{}]}}"#, vec!["{}"; MAX_SCHEMAS].join(","));
        assert!(Arguments::read(&RawJson::parse(wide).unwrap()).is_err());
    }

    #[test]
    fn an_ambiguous_schema_is_refused_and_an_invalid_one_is_empty() {
        let twice = RawJson::parse(r#"{"properties":{"a":{"properties":{"b":1,"b":2}}}}"#).unwrap();
        assert_eq!(Arguments::read(&twice).unwrap_err(), JsonError::DuplicateKey("b".into()));
        for none in ["null", "true", "[]", r#"{"properties":7,"anyOf":1,"$ref":3,"items":"x"}"#] {
            let none = RawJson::parse(none).unwrap();
            assert_eq!(Arguments::read(&none).unwrap().named.len(), 0, "{none}");
        }
    }
    #[test]
    fn many_references_into_a_large_schema_are_read_fast() {
        let large = vec!["1"; 1 << 20].join(",");
        let chain: Vec<String> =
            (0..9000).map(|at| format!(r##""d{at}":{{"$ref":"#/$defs/d{}"}}"##, at + 1)).collect();
        let chain = format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{}}},"x":[{large}]}}"##, chain.join(","));
        let chain = RawJson::parse(chain).unwrap();
        assert!(Arguments::read(&chain).unwrap().named.is_empty());
        // One place, in as many spellings as there are references.
        let same: Vec<String> = (0..9000).map(|at| format!(r##"{{"$ref":"#{at}/$defs/x"}}"##)).collect();
        let same = format!(r##"{{"anyOf":[{}],"$defs":{{"x":{{"enum":[{large}]}}}}}}"##, same.join(","));
        let same = RawJson::parse(same).unwrap();
        assert!(Arguments::read(&same).unwrap().named.is_empty());
    }
}
