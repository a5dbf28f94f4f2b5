//! The members that only one direction has: `readOnly` members are not sent, `writeOnly` members are not received.

use super::{Direction, SchemaTable};
use crate::document::References;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The most schemas that are read to find the hidden members of one.
const MAX_STEPS: usize = 200;

/// Returns whether a direction lacks a member with a schema.
pub(super) fn is_hidden(schema: &Value, direction: Direction, references: References<'_>) -> bool {
    let keyword = direction.hiding_keyword();
    let has = |schema: &Value| schema.get(keyword) == Some(&Value::Bool(true));
    let in_parts = |schema: &Value| {
        let parts = schema.get("allOf").and_then(Value::as_array);
        parts.into_iter().flatten().any(|part| has(part) || references.follow(part).is_ok_and(has))
    };
    has(schema) || references.follow(schema).is_ok_and(|schema| has(schema) || in_parts(schema))
}

/// Returns the names of the members that a direction lacks, those of all parts of `allOf` included.
pub(super) fn hidden_names(schema: &Map<String, Value>, table: &SchemaTable<'_>) -> BTreeSet<String> {
    let (mut names, mut steps) = (BTreeSet::new(), MAX_STEPS);
    collect(schema, table, &mut names, &mut steps);
    names
}

fn collect(
    schema: &Map<String, Value>,
    table: &SchemaTable<'_>,
    names: &mut BTreeSet<String>,
    steps: &mut usize,
) {
    let Some(left) = steps.checked_sub(1) else { return };
    *steps = left;
    let properties = schema.get("properties").and_then(Value::as_object);
    if !table.spend(properties.map_or(0, Map::len)) {
        return;
    }
    let hidden = |(name, property): (&String, &Value)| {
        is_hidden(property, table.direction, table.references).then(|| name.clone())
    };
    names.extend(properties.into_iter().flatten().filter_map(hidden));
    for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        if let Ok(Value::Object(part)) = table.references.follow(part) {
            collect(part, table, names, steps);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hidden_members_are_found_through_parts_and_references() {
        let root = json!({"id": {"type": "string", "readOnly": true}, "base": {"properties": {
            "id": {"$ref": "#/id"}, "at": {"allOf": [{"$ref": "#/id"}]}, "password": {"writeOnly": true}
        }}});
        let schema =
            json!({"allOf": [{"$ref": "#/base"}], "properties": {"own": {"readOnly": true}, "b": {}}});
        let names = |direction| {
            let table = SchemaTable::new(References::new(&root), direction);
            let names = hidden_names(schema.as_object().unwrap(), &table);
            names.into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(Direction::Input), "at id own");
        assert_eq!(names(Direction::Output), "password");
    }
}
