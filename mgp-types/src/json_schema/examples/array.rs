//! Arrays for a schema.

use super::generate::Generator;
use serde_json::{Map, Value};

/// The most items that are generated.
const MAX_ITEMS: u64 = 64;

/// Returns an array.
pub(super) fn value(
    generator: &mut Generator<'_, '_>,
    members: &Map<String, Value>,
    nth: usize,
) -> Option<Value> {
    let count = |key: &str| members.get(key).and_then(Value::as_u64);
    let first = match members.get("prefixItems") {
        Some(Value::Array(first)) => &first[..],
        _ => &[],
    };
    let contains = members.get("contains");
    let contained = contains.map_or(0, |_| count("minContains").unwrap_or(1));
    let wanted = u64::from(generator.style.full && !generator.is_deep()).max(first.len() as u64);
    let least = count("minItems").unwrap_or(0).max(wanted).max(contained);
    let least = least.min(count("maxItems").unwrap_or(u64::MAX));
    if least > MAX_ITEMS || count("minItems").unwrap_or(0) > least {
        return None;
    }
    let is_unique = members.get("uniqueItems") == Some(&Value::Bool(true));
    let anything = Value::Bool(true);
    let rest = members.get("items").unwrap_or(&anything);
    let mut items: Vec<Value> = Vec::new();
    for at in 0..usize::try_from(least).ok()? {
        let schema = match (first.get(at), contains) {
            (Some(schema), _) => schema,
            (None, Some(contains)) if (at as u64) < contained && members.get("items").is_none() => contains,
            (None, _) if *rest == Value::Bool(false) => break,
            (None, _) => rest,
        };
        let place = if is_unique { nth + at } else { nth };
        items.push(generator.nth_value(schema, place)?);
    }
    Some(Value::Array(items))
}
