//! Objects for a schema.

use super::{budget::Budget, generate::Generator, pattern};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The most members that are generated.
const MAX_MEMBERS: usize = 256;

/// The cost of visiting one name, in steps.
const STEPS_OF_NAME: usize = 8;

/// Returns an object with the required members and, depending on the style, the other named ones.
pub(super) fn value(
    generator: &mut Generator<'_, '_>,
    members: &Map<String, Value>,
    nth: usize,
) -> Option<Value> {
    let empty = Map::new();
    let object = |key: &str| members.get(key).and_then(Value::as_object).unwrap_or(&empty);
    let properties = object("properties");
    let required = required(generator.budget, members)?;
    generator.budget.take(STEPS_OF_NAME.saturating_mul(properties.len()))?;
    let all = generator.style.full && !generator.is_deep();
    let most =
        members.get("maxProperties").and_then(Value::as_u64).and_then(|most| usize::try_from(most).ok());
    let most = most.unwrap_or(MAX_MEMBERS).min(MAX_MEMBERS);
    let mut value = Map::new();
    for (name, schema) in properties {
        let needed = required.contains(name.as_str());
        if !needed && (!all || value.len() + required.len() >= most.max(required.len())) {
            continue;
        }
        match generator.nth_value(schema, nth) {
            Some(member) => drop(value.insert(name.clone(), member)),
            None if needed => return None,
            None => {}
        }
    }
    let others = object("patternProperties");
    let anything = Value::Bool(true);
    let additional = members.get("additionalProperties").unwrap_or(&anything);
    for name in required.iter().filter(|name| !properties.contains_key(**name)) {
        let budget = &mut *generator.budget;
        let schema =
            others.iter().find(|(pattern, _)| budget.is_match(pattern, name)).map(|(_, schema)| schema);
        value.insert((*name).to_owned(), generator.nth_value(schema.unwrap_or(additional), nth)?);
    }
    let least = members.get("minProperties").and_then(Value::as_u64).unwrap_or(0);
    // Members that the schema names come first, and then made-up ones.
    for (name, schema) in properties {
        if (value.len() as u64) < least && !value.contains_key(name) {
            value.insert(name.clone(), generator.nth_value(schema, nth)?);
        }
    }
    for at in 0..MAX_MEMBERS {
        if (value.len() as u64) >= least {
            return Some(Value::Object(value));
        }
        let (name, schema) = match others.iter().next() {
            Some((pattern, schema)) if *additional == Value::Bool(false) => {
                (named(generator.budget, pattern, at)?, schema)
            }
            _ => (format!("member{}", at + 1), additional),
        };
        value.insert(name, generator.nth_value(schema, nth)?);
    }
    None
}

/// Returns one of several names that match an expression.
fn named(budget: &mut Budget, pattern: &str, nth: usize) -> Option<String> {
    let first = pattern::matching(budget, pattern, std::iter::empty(), 0, u64::MAX)?;
    let numbered = format!("{first}{nth}");
    match nth {
        0 => Some(first),
        _ if budget.is_match(pattern, &numbered) => Some(numbered),
        _ => pattern::matching(budget, pattern, std::iter::empty(), nth as u64, u64::MAX),
    }
}

/// Returns the names of the members that are required, and those that these require, or `None` if there are too many.
fn required<'v>(budget: &mut Budget, members: &'v Map<String, Value>) -> Option<BTreeSet<&'v str>> {
    let texts = |value: Option<&'v Value>| {
        value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    };
    let dependent = members.get("dependentRequired").and_then(Value::as_object);
    let mut open: Vec<&str> = texts(members.get("required")).collect();
    let mut required = BTreeSet::new();
    while let Some(name) = open.pop() {
        budget.take(STEPS_OF_NAME + name.len())?;
        if required.insert(name) {
            open.extend(texts(dependent.and_then(|dependent| dependent.get(name))));
        }
    }
    Some(required)
}
