//! One schema that stands on its own, made of a schema and the definitions that it refers to.
//!
//! A definition that is small or used once replaces its reference. Recursive and shared definitions stay in `$defs`.
//! Beyond the bound on the size, definitions are replaced by their type and description, those farthest from the root
//! first.

use super::{
    reduce::{reduce, size, stub},
    table::{Conversion, SchemaTable},
};
use serde_json::{Map, Value};
use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    sync::Arc,
};

/// The largest definition that is repeated in each place that refers to it, in bytes of JSON.
const MAX_REPEATED: usize = 120;

/// The depth from which on references stay references, so that the schema does not nest without end.
const MAX_DEPTH: usize = 40;

/// The depth below which a schema is cut, so that every reader of JSON can read it.
const MAX_WRITTEN_DEPTH: usize = 90;

/// A schema that refers to nothing outside itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Assembly {
    pub(crate) schema: Value,
    /// True if parts were left out, because the whole would be too large.
    pub(crate) is_simplified: bool,
}

/// The definitions of one schema.
struct Definitions {
    included: HashMap<usize, Arc<Conversion>>,
    stubs: HashMap<usize, Value>,
    /// The definitions that replace their references.
    inlined: HashSet<usize>,
}

impl SchemaTable<'_> {
    /// Makes one schema of at most `max` bytes of a converted schema and its definitions.
    pub(crate) fn assemble(&mut self, root: Conversion, max: usize) -> Assembly {
        let mut root = root;
        let mut is_simplified = reduce(&mut root.schema, max);
        let mut definitions = self.include(&root, max, &mut is_simplified);
        let mut schema = Value::Null;
        for repeated in [MAX_REPEATED, 0] {
            definitions.choose(&root, repeated);
            schema = self.write(&root.schema, &definitions);
            if size(&schema) <= max {
                return Assembly { schema, is_simplified };
            }
        }
        is_simplified |= reduce(&mut schema, max);
        Assembly { schema, is_simplified }
    }

    /// Collects the definitions near the root first, as long as they fit.
    fn include(&mut self, root: &Conversion, max: usize, is_simplified: &mut bool) -> Definitions {
        let mut definitions =
            Definitions { included: HashMap::new(), stubs: HashMap::new(), inlined: HashSet::new() };
        let mut left = max.saturating_sub(size(&root.schema));
        let mut queue: VecDeque<usize> = root.uses.iter().copied().collect();
        let mut seen = HashSet::new();
        while let Some(index) = queue.pop_front() {
            if !seen.insert(index) {
                continue;
            }
            let conversion = self.conversion(index);
            let cost = conversion.size + self.name(index).len() + 8;
            match left.checked_sub(cost) {
                Some(rest) => {
                    left = rest;
                    queue.extend(conversion.uses.iter().copied());
                    definitions.included.insert(index, conversion);
                }
                None => {
                    *is_simplified = true;
                    definitions.stubs.insert(index, stub(&conversion.schema, self.kinds(index)));
                }
            }
        }
        definitions
    }

    fn write(&self, root: &Value, definitions: &Definitions) -> Value {
        let mut kept = BTreeMap::new();
        let mut schema = self.place(root, definitions, 0, &mut kept);
        let mut written = BTreeMap::new();
        while let Some((index, ())) = kept.pop_first() {
            let Some(conversion) = definitions.included.get(&index) else { continue };
            if written.contains_key(self.name(index)) {
                continue;
            }
            written.insert(self.name(index).to_owned(), Value::Null);
            let definition = self.place(&conversion.schema, definitions, 0, &mut kept);
            written.insert(self.name(index).to_owned(), definition);
        }
        if let (Value::Object(members), false) = (&mut schema, written.is_empty()) {
            members.insert("$defs".to_owned(), Value::Object(written.into_iter().collect()));
        }
        schema
    }

    /// Returns a part of a schema with its references replaced. Collects the definitions that stay references.
    fn place(
        &self,
        part: &Value,
        definitions: &Definitions,
        depth: usize,
        kept: &mut BTreeMap<usize, ()>,
    ) -> Value {
        match part {
            Value::Array(items) => {
                items.iter().map(|item| self.place(item, definitions, depth + 1, kept)).collect()
            }
            Value::Object(_) if depth > MAX_WRITTEN_DEPTH => Value::Object(Map::new()),
            Value::Object(members) => match self.target(members) {
                Some(index) => self.replace(index, members, definitions, depth, kept),
                None => {
                    let place = |(name, value): (&String, &Value)| {
                        let value = match (name.as_str(), value) {
                            // These hold values, not schemas.
                            ("enum" | "const" | "default" | "examples", value) => value.clone(),
                            (
                                "properties" | "patternProperties" | "dependentSchemas",
                                Value::Object(parts),
                            ) => {
                                let place = |(name, part): (&String, &Value)| {
                                    (name.clone(), self.place(part, definitions, depth + 2, kept))
                                };
                                Value::Object(parts.iter().map(place).collect())
                            }
                            _ => self.place(value, definitions, depth + 1, kept),
                        };
                        (name.clone(), value)
                    };
                    Value::Object(members.iter().map(place).collect())
                }
            },
            other => other.clone(),
        }
    }

    fn replace(
        &self,
        index: usize,
        reference: &Map<String, Value>,
        definitions: &Definitions,
        depth: usize,
        kept: &mut BTreeMap<usize, ()>,
    ) -> Value {
        let target = match (definitions.included.get(&index), definitions.stubs.get(&index)) {
            (Some(conversion), _) if definitions.inlined.contains(&index) && depth < MAX_DEPTH => {
                self.place(&conversion.schema, definitions, depth + 1, kept)
            }
            (Some(_), _) => {
                kept.insert(index, ());
                return Value::Object(reference.clone());
            }
            (None, Some(stub)) => stub.clone(),
            (None, None) => Value::Bool(true),
        };
        let mut members = match target {
            Value::Object(members) => members,
            Value::Bool(false) => return Value::Bool(false),
            _ => Map::new(),
        };
        members.extend(
            reference.iter().filter(|(name, _)| *name != "$ref").map(|(a, b)| (a.clone(), b.clone())),
        );
        Value::Object(members)
    }

    /// Returns the definition that a converted schema refers to.
    fn target(&self, members: &Map<String, Value>) -> Option<usize> {
        self.index_of(members.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?)
    }
}

impl Definitions {
    /// Chooses the definitions that replace their references: those used once, and those of at most `repeated` bytes.
    fn choose(&mut self, root: &Conversion, repeated: usize) {
        let mut counts: HashMap<usize, usize> = HashMap::new();
        for uses in self.included.values().map(|conversion| &conversion.uses).chain([&root.uses]) {
            for index in uses {
                *counts.entry(*index).or_default() += 1;
            }
        }
        let is_light = |(index, conversion): (&usize, &Arc<Conversion>)| {
            let is_chosen = counts.get(index) == Some(&1) || conversion.size <= repeated;
            is_chosen.then_some(*index)
        };
        self.inlined = self.included.iter().filter_map(is_light).collect();
        for index in self.recursive(root) {
            self.inlined.remove(&index);
        }
    }

    /// Returns a set of definitions without which no definition refers to itself, by a walk in depth.
    fn recursive(&self, root: &Conversion) -> HashSet<usize> {
        let (mut recursive, mut done, mut open) = (HashSet::new(), HashSet::new(), HashSet::new());
        let mut stack: Vec<(usize, bool)> = root.uses.iter().map(|index| (*index, false)).collect();
        while let Some((index, is_left)) = stack.pop() {
            if is_left {
                open.remove(&index);
                done.insert(index);
            } else if open.contains(&index) {
                recursive.insert(index);
            } else if !done.contains(&index) {
                open.insert(index);
                stack.push((index, true));
                let uses = self.included.get(&index).map(|conversion| conversion.uses.as_slice());
                stack.extend(uses.unwrap_or_default().iter().map(|index| (*index, false)));
            }
        }
        recursive
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{document::References, schema::Direction};
    use serde_json::json;

    fn assemble(root: &Value, max: usize) -> Assembly {
        let mut table = SchemaTable::new(References::new(root), Direction::Input);
        let conversion = table.convert(&root["schema"]);
        table.assemble(conversion, max)
    }

    #[test]
    fn a_small_or_single_definition_replaces_its_reference() {
        let long = "x".repeat(200);
        let root = json!({
            "schema": {"properties": {"a": {"$ref": "#/small"}, "b": {"$ref": "#/small", "description": "B"}, "c": {"$ref": "#/large"}}},
            "small": {"type": "string", "description": "S"},
            "large": {"type": "object", "description": long},
        });
        let expected = json!({"properties": {
            "a": {"type": "string", "description": "S"},
            "b": {"type": "string", "description": "B"},
            "c": {"type": "object", "description": long},
        }});
        assert_eq!(assemble(&root, 10_000), Assembly { schema: expected, is_simplified: false });
    }

    #[test]
    fn a_recursive_schema_stays_a_definition() {
        let node =
            json!({"properties": {"children": {"type": "array", "items": {"$ref": "#/components/Node"}}}});
        let root = json!({"schema": {"properties": {"root": {"$ref": "#/components/Node"}}}, "components": {"Node": node}});
        let expected = json!({
            "properties": {"root": {"$ref": "#/$defs/Node"}},
            "$defs": {"Node": {"properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}}}
        });
        assert_eq!(assemble(&root, 10_000).schema, expected);
    }

    #[test]
    fn references_in_a_ring_end() {
        let root = json!({"schema": {"$ref": "#/a"}, "a": {"$ref": "#/b"}, "b": {"anyOf": [{"$ref": "#/a"}, {"$ref": "#/b"}]}});
        let schema = assemble(&root, 10_000).schema;
        jsonschema::draft202012::meta::validate(&schema).unwrap();
        assert!(schema.to_string().len() < 300, "{schema}");
    }

    #[test]
    fn a_large_schema_keeps_the_part_near_its_root() {
        let mut root = json!({"schema": {"properties": {"first": {"$ref": "#/a0"}}}});
        for level in 0..50 {
            let next = format!("#/a{}", level + 1);
            let member = json!({"type": "object", "description": "d".repeat(100), "properties": {"x": {"$ref": next}, "y": {"$ref": next}}});
            root[format!("a{level}")] = member;
        }
        root["a50"] = json!({"type": "string"});
        let whole = assemble(&root, 1_000_000);
        assert!(!whole.is_simplified);
        let part = assemble(&root, 2_000);
        assert!(part.is_simplified && size(&part.schema) <= 2_000, "{}", part.schema);
        assert!(part.schema["properties"]["first"]["properties"]["x"].is_object());
        jsonschema::draft202012::meta::validate(&part.schema).unwrap();
    }

    #[test]
    fn members_may_have_the_names_of_keywords() {
        let root = json!({
            "schema": {"properties": {"default": {"$ref": "#/a"}, "enum": {"items": {"$ref": "#/a"}}, "$ref": {"$ref": "#/a"}}},
            "a": {"type": "string"},
        });
        let text = json!({"type": "string"});
        let expected = json!({"properties": {"default": text, "enum": {"items": text}, "$ref": text}});
        assert_eq!(assemble(&root, 10_000).schema, expected);
    }

    #[test]
    fn a_schema_is_cut_at_a_depth_that_every_reader_can_read() {
        let deep = |levels| (0..levels).fold(json!({"default": [[[[1]]]]}), |part, _| json!({"items": part}));
        let mut root = json!({"schema": deep(38)});
        let inner = root.pointer_mut(&"/items".repeat(38).replacen("", "/schema", 1)).unwrap();
        *inner = json!({"$ref": "#/deep"});
        root["deep"] = deep(110);
        let schema = assemble(&root, 1_000_000).schema;
        assert!(mgp_types::json::RawJson::parse(schema.to_string()).is_ok());
        jsonschema::draft202012::meta::validate(&schema).unwrap();
    }

    #[test]
    fn chains_of_references_do_not_nest_without_end() {
        let mut root = json!({"schema": {"$ref": "#/a0"}});
        for level in 0..300 {
            root[format!("a{level}")] = json!({"items": {"$ref": format!("#/a{}", level + 1)}});
        }
        root["a300"] = json!({"type": "string"});
        let text = assemble(&root, 1_000_000).schema.to_string();
        assert!(serde_json::from_str::<Value>(&text).is_ok());
    }
}
