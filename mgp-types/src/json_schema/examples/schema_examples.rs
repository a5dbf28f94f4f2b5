//! The examples of a schema.

use super::{
    budget::Budget,
    generate::{Generator, Style},
};
use crate::{json::RawJson, json_schema::CompiledSchema};
use serde_json::Value;

/// The most examples that are returned.
pub const MAX_SCHEMA_EXAMPLES: usize = 4;

/// The longest example, in bytes of JSON.
const MAX_BYTES: usize = 16 * 1024;

/// Returns examples of values that fit a schema, all different. The first has everything that the schema names, the second only what it
/// requires; the others are of its branches. The same schema always has the same examples, and each was checked against it. A schema has no
/// examples if no value was found, or if it cannot be [compiled](CompiledSchema).
///
/// The work for all examples together is bounded for any schema.
///
/// Values that the schema itself gives (`const`, `enum`, `examples`, `default`) are preferred.
///
/// ```
/// use mgp_types::json_schema::schema_examples;
/// use serde_json::json;
/// let schema = json!({
///     "type": "object",
///     "properties": {
///         "ticker": {"type": "string", "pattern": "^[A-Z]{1,5}$"},
///         "days": {"type": "integer", "minimum": 7, "maximum": 365},
///         "kind": {"enum": ["technical", "sentiment"]},
///     },
///     "required": ["ticker", "days"],
/// });
/// assert_eq!(schema_examples(&schema)[0], json!({"ticker": "A", "days": 7, "kind": "technical"}));
/// assert_eq!(schema_examples(&schema)[1], json!({"ticker": "A", "days": 7}));
/// ```
#[must_use]
pub fn schema_examples(schema: &Value) -> Vec<Value> {
    examples_within(schema, &mut Budget::new())
}

/// Returns the examples that the remaining budget suffices for.
pub(super) fn examples_within(schema: &Value, budget: &mut Budget) -> Vec<Value> {
    let Ok(compiled) = CompiledSchema::compile(schema) else { return Vec::new() };
    let mut examples: Vec<Value> = Vec::new();
    for style in Style::ALL {
        if examples.len() == MAX_SCHEMA_EXAMPLES || budget.is_spent() {
            break;
        }
        let Some(value) = Generator::new(schema, style, budget).value(schema) else { continue };
        if !examples.contains(&value) && fits(&compiled, &value) {
            examples.push(value);
        }
    }
    examples
}

fn fits(schema: &CompiledSchema, value: &Value) -> bool {
    let Ok(json) = RawJson::from_value(value) else { return false };
    json.as_bytes().len() <= MAX_BYTES && schema.check(&json).is_ok()
}
