//! Checks documents: reads them, makes tools of their operations, and requests of generated arguments.
//!
//! ```console
//! $ cargo run -p mgp-openapi --example check -- FILES..
//! ```

use mgp_openapi::{Document, Operation, Selection};
use mgp_types::{json::RawJson, json_schema::CompiledSchema};
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, fs, process::ExitCode, time::Instant};

/// The deepest nesting of generated values.
const MAX_DEPTH: usize = 8;

/// The most faults that are printed for a document.
const MAX_PRINTED: usize = 5;

/// The counts of all documents.
#[derive(Default)]
struct Totals {
    documents: usize,
    failed: usize,
    operations: usize,
    omitted: usize,
    faults: usize,
    simplified: usize,
}

fn main() -> ExitCode {
    let mut totals = Totals::default();
    for file in std::env::args().skip(1) {
        check(&file, &mut totals);
    }
    println!(
        "{} documents ({} failed to load), {} operations, {} omitted, {} simplified, {} faults",
        totals.documents, totals.failed, totals.operations, totals.omitted, totals.simplified, totals.faults
    );
    if totals.failed + totals.faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn check(file: &str, totals: &mut Totals) {
    totals.documents += 1;
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            totals.failed += 1;
            println!("{file}: {error}");
            return;
        }
    };
    let start = Instant::now();
    let document = match Document::parse(&text) {
        Ok(document) => document,
        Err(error) => {
            totals.failed += 1;
            println!("{file}: {error}");
            return;
        }
    };
    let parsed = start.elapsed();
    let (operations, omissions) = document.operations(&Selection::default());
    let built = start.elapsed() - parsed;
    let mut faults = Vec::new();
    for operation in &operations {
        let names = ["input", "output"];
        let tool = operation.tool();
        let schemas = [tool.input_schema.as_ref(), tool.output_schema.as_ref()];
        for (name, schema) in names.into_iter().zip(schemas) {
            if let Some(fault) = schema.and_then(schema_fault) {
                faults.push(format!("{} {}: {name} schema: {fault}", operation.method(), operation.path()));
            }
        }
        if let Some(fault) = request_fault(operation) {
            faults.push(format!("{} {}: {fault}", operation.method(), operation.path()));
        }
    }
    let size = |operation: &&Operation| {
        operation.tool().input_schema.as_ref().map_or(0, |schema| schema.as_bytes().len())
    };
    let largest = operations.iter().max_by_key(size);
    let output = |operation: &Operation| {
        operation.tool().output_schema.as_ref().map_or(0, |schema| schema.as_bytes().len())
    };
    let is_simplified = |operation: &&Operation| {
        operation.tool().description.as_ref().is_some_and(|text| text.contains("is simplified: parts of it"))
    };
    let simplified = operations.iter().filter(is_simplified).count();
    println!(
        "{file}: {} operations, {} omitted, {} faults, {simplified} simplified, input at most {} bytes ({}), output at most {} \
         bytes, read in {} ms, built in {} ms",
        operations.len(),
        omissions.len(),
        faults.len(),
        largest.as_ref().map_or(0, size),
        largest.map_or("", |operation| operation.tool().name.as_str()),
        operations.iter().map(output).max().unwrap_or(0),
        parsed.as_millis(),
        built.as_millis(),
    );
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for omission in &omissions {
        *reasons.entry(omission.reason.to_string()).or_default() += 1;
    }
    for (reason, count) in &reasons {
        println!("  omitted {count}: {reason}");
    }
    for fault in faults.iter().take(MAX_PRINTED) {
        println!("  fault: {fault}");
    }
    totals.operations += operations.len();
    totals.omitted += omissions.len();
    totals.faults += faults.len();
    totals.simplified += simplified;
}

/// Returns the reason for which a schema cannot be used to validate values, if it cannot.
fn schema_fault(schema: &RawJson) -> Option<String> {
    let schema: Value = schema.decode().ok()?;
    if let Err(error) = jsonschema::draft202012::meta::validate(&schema) {
        return Some(format!("{error} at {}", error.instance_path()));
    }
    // As a gateway does: resolves each reference, and compiles each pattern.
    CompiledSchema::compile(&schema).err().map(|error| error.to_string())
}

/// Returns the reason for which the arguments that the schema asks for do not make a request, if they do not.
fn request_fault(operation: &Operation) -> Option<String> {
    let schema: Value = operation.tool().input_schema.as_ref()?.decode().ok()?;
    for is_complete in [false, true] {
        let arguments = generated(&schema, &schema, is_complete, 0);
        let arguments = RawJson::from_value(&arguments).ok()?;
        match operation.request(&arguments) {
            Err(error) => return Some(error.to_string()),
            Ok(request) => {
                let path = request.path_and_query.split('?').next().unwrap_or_default();
                if path.matches('/').count() != operation.path().matches('/').count() {
                    return Some(format!("the path {path} has other segments"));
                }
            }
        }
    }
    None
}

/// Makes a value that a schema allows, of its required members only or of all of them.
fn generated(schema: &Value, root: &Value, is_complete: bool, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return Value::Null;
    }
    let make = |schema: &Value| generated(schema, root, is_complete, depth + 1);
    if let Some(pointer) = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'))
    {
        return root.pointer(pointer).map_or(Value::Null, make);
    }
    for name in ["const", "default"] {
        if let Some(value) = schema.get(name) {
            return value.clone();
        }
    }
    let choices = schema.get("enum").and_then(Value::as_array);
    if let Some(value) =
        choices.and_then(|values| values.iter().find(|value| **value != "" && !value.is_null()))
    {
        return value.clone();
    }
    if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
        let values: Vec<Value> = parts.iter().map(make).chain([object(schema, &make, is_complete)]).collect();
        let mut members = Map::new();
        for value in &values {
            members.extend(value.as_object().cloned().unwrap_or_default());
        }
        let other = values.iter().find(|value| !value.is_object() && !value.is_null());
        let is_object = !members.is_empty() || parts.iter().map(make).any(|value| value.is_object());
        return if is_object { members.into() } else { other.cloned().unwrap_or(json!({})) };
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().find(|kind| **kind != "null").or(kinds.first()),
        kind => kind,
    };
    if let (None, Some(part)) = (kind, schema.pointer("/oneOf/0").or_else(|| schema.pointer("/anyOf/0"))) {
        return make(part);
    }
    let number = |name: &str| schema.get(name).and_then(Value::as_f64);
    match kind.and_then(Value::as_str) {
        Some("integer") => {
            let least = number("minimum").or_else(|| Some(number("exclusiveMinimum")? + 1.0));
            json!(least.or_else(|| number("maximum")).unwrap_or(7.0).ceil())
        }
        Some("number") => json!(number("minimum").or_else(|| number("maximum")).unwrap_or(7.5)),
        Some("boolean") => json!(true),
        Some("null") => Value::Null,
        Some("array") => {
            let item = schema.get("items").map_or(json!("a"), make);
            let count = number("minItems").unwrap_or(1.0).clamp(1.0, 3.0);
            Value::Array(vec![item; count as usize])
        }
        Some("object") => object(schema, &make, is_complete),
        None if schema.get("properties").is_some() => object(schema, &make, is_complete),
        _ => json!(text(schema, number("minLength"))),
    }
}

fn object(schema: &Value, make: &impl Fn(&Value) -> Value, is_complete: bool) -> Value {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|other| other == name));
    let members = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let members = members.filter(|(name, _)| is_complete || is_required(name));
    members.map(|(name, part)| (name.clone(), make(part))).collect()
}

fn text(schema: &Value, least: Option<f64>) -> String {
    let is_base64 = schema.get("contentEncoding").and_then(Value::as_str) == Some("base64");
    let text = match schema.get("format").and_then(Value::as_str) {
        _ if is_base64 => "aGVsbG8=",
        Some("date") => "2024-02-29",
        Some("date-time") => "2024-02-29T12:00:00Z",
        Some("uuid") => "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        Some("uri" | "url") => "https://example.com/a?b=c#d",
        Some("email") => "user@example.com",
        _ => "text/../ ?&#",
    };
    let missing = (least.unwrap_or(0.0) as usize).min(10_000).saturating_sub(text.chars().count());
    format!("{text}{}", "x".repeat(if is_base64 { 0 } else { missing }))
}
