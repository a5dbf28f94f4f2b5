//! The members of a schema that describes an object, `allOf` included.

use super::{Kind, Kinds, SchemaTable, hidden::hidden_names};
use crate::limits::MAX_BODY_MEMBERS;
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};

/// The most schemas that are read to find the members of one.
const MAX_STEPS: usize = 100;

/// The members of an object.
#[derive(Debug)]
pub(crate) struct ObjectMembers<'d> {
    pub(crate) members: Vec<ObjectMember<'d>>,
    /// The schema of further members; absent if the document does not speak of them.
    pub(crate) additional: Option<&'d Value>,
    /// The sets of members of which at least one must be present.
    pub(crate) choices: Vec<Vec<String>>,
    indexes: HashMap<&'d str, usize>,
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct ObjectMember<'d> {
    pub(crate) name: &'d str,
    pub(crate) schema: &'d Value,
    pub(crate) is_required: bool,
}

impl<'d> ObjectMembers<'d> {
    /// Returns the members of an object that a schema describes. `None` if the schema allows other values, or depends
    /// on a choice between schemas.
    pub(crate) fn of(schema: &'d Value, table: &SchemaTable<'d>) -> Option<Self> {
        let kinds = Kinds::of(schema, table.references);
        if kinds == Kinds::ANY || !kinds.has(Kind::Object) {
            return None;
        }
        let root = table.references.follow(schema).ok()?.as_object()?;
        let hidden = hidden_names(root, table);
        let mut members =
            Self { members: Vec::new(), additional: None, choices: Vec::new(), indexes: HashMap::new() };
        let mut required = BTreeSet::new();
        let mut steps = MAX_STEPS;
        members.collect(root, table, &mut required, &mut steps)?;
        members.members.retain(|member| !hidden.contains(member.name));
        for member in &mut members.members {
            member.is_required = required.contains(member.name);
        }
        // An object of free members, or one that may not have any.
        let is_free = members.members.is_empty() && members.additional != Some(&Value::Bool(false));
        (!is_free && members.members.len() <= MAX_BODY_MEMBERS).then_some(members)
    }

    fn collect(
        &mut self,
        schema: &'d Map<String, Value>,
        table: &SchemaTable<'d>,
        required: &mut BTreeSet<&'d str>,
        steps: &mut usize,
    ) -> Option<()> {
        *steps = steps.checked_sub(1)?;
        let length = |name: &str| {
            schema.get(name).map_or(0, |part| match part {
                Value::Array(items) => items.len(),
                Value::Object(members) => members.len(),
                _ => 1,
            })
        };
        let count = ["properties", "required", "oneOf", "anyOf", "allOf"].into_iter().map(length).sum();
        if !table.spend(count) || length("properties") > MAX_BODY_MEMBERS {
            return None;
        }
        if schema.contains_key("patternProperties") {
            return None;
        }
        for name in ["oneOf", "anyOf"] {
            for part in schema.get(name).and_then(Value::as_array).into_iter().flatten() {
                self.choices.push(required_only(part)?);
            }
        }
        for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let index = *self.indexes.entry(name).or_insert(self.members.len());
            match self.members.get_mut(index) {
                Some(member) => member.schema = schema,
                None => self.members.push(ObjectMember { name, schema, is_required: false }),
            }
        }
        let names = schema.get("required").and_then(Value::as_array);
        required.extend(names.into_iter().flatten().filter_map(Value::as_str));
        self.additional = self.additional.or_else(|| schema.get("additionalProperties"));
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.collect(table.references.follow(part).ok()?.as_object()?, table, required, steps)?;
        }
        Some(())
    }
}

/// Returns the names that a schema requires, if it has no other rule about the members.
fn required_only(schema: &Value) -> Option<Vec<String>> {
    let members = schema.as_object()?;
    let is_plain = |name: &String| ["required", "title", "description", "type"].contains(&name.as_str());
    let names = members.get("required")?.as_array()?;
    members.keys().all(is_plain).then(|| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{document::References, schema::Direction};
    use serde_json::json;

    fn check(schema: &Value, expected: Option<&str>) {
        let root = json!({"schema": schema, "base": {
            "type": "object", "required": ["id", "a"], "properties": {"id": {"readOnly": true}, "a": {}}
        }});
        let table = SchemaTable::new(References::new(&root), Direction::Input);
        let members = ObjectMembers::of(&root["schema"], &table);
        let names = members.map(|members| {
            let name = |member: &ObjectMember<'_>| {
                format!("{}{}", member.name, if member.is_required { "!" } else { "" })
            };
            members.members.iter().map(name).collect::<Vec<_>>().join(" ")
        });
        assert_eq!(names.as_deref(), expected, "{root}");
    }

    #[test]
    fn the_members_of_all_parts_are_those_of_the_object() {
        check(
            &json!({"type": "object", "properties": {"a": {}, "b": {}}, "required": ["b", "c"]}),
            Some("a b!"),
        );
        check(&json!({"$ref": "#/base"}), Some("a!"));
        check(
            &json!({"allOf": [{"$ref": "#/base"}, {"properties": {"b": {}}}, {"required": ["b"]}]}),
            Some("a! b!"),
        );
        check(&json!({"type": "object", "properties": {}, "additionalProperties": false}), Some(""));
        check(&json!({"properties": {"a": {}}, "anyOf": [{"required": ["a"]}]}), Some("a"));
    }

    #[test]
    fn other_values_and_choices_have_no_members() {
        for schema in [
            json!({"type": "array"}),
            json!({}),
            json!({"type": "object"}),
            json!({"oneOf": [{"$ref": "#/base"}, {"type": "string"}]}),
            json!({"type": "object", "properties": {"a": {}}, "oneOf": [{"properties": {"b": {}}}]}),
            json!({"type": "object", "properties": {"a": {}}, "patternProperties": {}}),
            json!({"$ref": "#/schema"}),
        ] {
            check(&schema, None);
        }
    }
}
