//! The arguments that a JSON Schema names, wherever they stand in it, and whether they can hold text.
//!
//! The work is bounded: every reference is followed once, and what is past a bound counts as text.

use mgp_types::json::{JsonError, RawJson, RawObject};
use std::collections::HashSet;

/// The most schemas inside one that are read.
const MAX_SCHEMAS: usize = 10_000;
/// The most steps that are taken to see whether arguments can hold text.
const MAX_STEPS: usize = 50_000;
/// How deep an argument's own schema is followed.
const MAX_DEPTH: usize = 16;

/// Members that hold one schema, or several of them in an array.
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
/// Members that hold schemas by name, beside `properties`, of which the names are those of arguments.
const BY_NAME: &[&str] = &["patternProperties", "dependentSchemas"];
/// Members that refer to a schema.
const REFERENCES: &[&str] = &["$ref", "$dynamicRef", "$recursiveRef"];

/// The arguments that a schema names.
#[derive(Debug)]
pub(super) struct Arguments<'a> {
    root: &'a RawJson,
    named: Vec<(String, RawJson)>,
}

/// An argument.
#[derive(Debug, Clone, Copy)]
pub(super) struct Argument<'a> {
    /// Its name.
    pub(super) name: &'a str,
    pub(super) schema: &'a RawJson,
}

impl<'a> Arguments<'a> {
    /// Reads a schema.
    ///
    /// # Errors
    /// [`JsonError`] where a part of it can be read in two ways, or where it is past the bounds.
    pub(super) fn read(root: &'a RawJson) -> Result<Self, JsonError> {
        let (mut named, mut followed) = (Vec::new(), HashSet::from(["#".to_owned()]));
        let (mut waiting, mut read) = (vec![root.clone()], 0);
        while let Some(schema) = waiting.pop() {
            read += 1;
            if read > MAX_SCHEMAS {
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
                if followed.insert(reference.clone()) {
                    waiting.extend(resolve(root, &reference));
                }
            }
        }
        Ok(Self { root, named })
    }

    /// The arguments that can hold text. Of those that `hold_objects` names, an object with a text in it counts too.
    pub(super) fn of_text(&self, hold_objects: impl Fn(&str) -> bool) -> impl Iterator<Item = Argument<'_>> {
        let mut steps = MAX_STEPS;
        self.named.iter().filter_map(move |(name, schema)| {
            let mut look = Look { root: self.root, steps, objects: hold_objects(name) };
            let holds_text = look.takes_text(schema, MAX_DEPTH);
            steps = look.steps;
            holds_text.then_some(Argument { name, schema })
        })
    }
}

/// A look at the schema of one argument.
struct Look<'a> {
    root: &'a RawJson,
    steps: usize,
    /// Whether an object with a text in it is one.
    objects: bool,
}

impl Look<'_> {
    /// Returns whether a schema takes a string, or a list of them. A schema that gives no type may take one.
    fn takes_text(&mut self, schema: &RawJson, depth: usize) -> bool {
        let (Some(depth), Some(steps)) = (depth.checked_sub(1), self.steps.checked_sub(1)) else {
            return true;
        };
        self.steps = steps;
        let Ok(schema) = RawObject::from_json(schema) else { return true };
        // A choice among fixed values holds no program.
        if schema.get("enum").is_some() || schema.get("const").is_some() {
            return false;
        }
        if let Some(target) = schema.text("$ref").and_then(|reference| resolve(self.root, &reference))
            && !self.takes_text(&target, depth)
        {
            return false;
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

/// The schema that a reference within a schema leads to (RFC 6901).
fn resolve(root: &RawJson, reference: &str) -> Option<RawJson> {
    let mut found = root.clone();
    for part in reference.strip_prefix('#')?.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        found = if found.is_object() {
            RawObject::from_json(&found).ok()?.get(&part)?.clone()
        } else {
            let items: Vec<RawJson> = found.decode().ok()?;
            items.into_iter().nth(part.parse().ok()?)?
        };
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_that_refers_to_itself_or_never_ends_is_read_within_bounds() {
        let round = RawJson::parse(
            r##"{"properties":{"a":{"$ref":"#"},"b":{"$ref":"#/properties/b"},"c":{"anyOf":[{"$ref":"#/properties/c"},{"$ref":"#/properties/c"}]}}}"##,
        )
        .unwrap();
        let arguments = Arguments::read(&round).unwrap();
        assert_eq!(arguments.of_text(|_| true).count(), 3, "what is past the bounds counts as text");
        let chain: Vec<String> =
            (0..20_000).map(|at| format!(r##""d{at}":{{"$ref":"#/$defs/d{}"}}"##, at + 1)).collect();
        let chain = format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{}}}}}"##, chain[..200].join(","));
        assert!(Arguments::read(&RawJson::parse(chain).unwrap()).unwrap().named.is_empty());
        let wide = format!(r#"{{"anyOf":[{}]}}"#, vec!["{}"; MAX_SCHEMAS].join(","));
        assert!(Arguments::read(&RawJson::parse(wide).unwrap()).is_err());
    }

    #[test]
    fn a_schema_that_can_be_read_in_two_ways_is_refused_and_one_that_is_none_names_nothing() {
        let twice = RawJson::parse(r#"{"properties":{"a":{"properties":{"b":1,"b":2}}}}"#).unwrap();
        assert_eq!(Arguments::read(&twice).unwrap_err(), JsonError::DuplicateKey("b".into()));
        for none in ["null", "true", "[]", r#"{"properties":7,"anyOf":1,"$ref":3,"items":"x"}"#] {
            let none = RawJson::parse(none).unwrap();
            assert_eq!(Arguments::read(&none).unwrap().named.len(), 0, "{none}");
        }
    }
}
