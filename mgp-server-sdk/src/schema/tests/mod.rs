//! Schemas and values, hostile ones among them.

mod bounds;
mod dialects;
mod hostile;
mod references;
mod told;

use super::{CompiledSchema, SchemaError};
use mgp_types::json::RawJson;
use serde_json::Value;

fn compile(schema: &Value) -> CompiledSchema {
    CompiledSchema::compile(schema).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

fn refused(schema: &Value) -> SchemaError {
    CompiledSchema::compile(schema).expect_err("the schema is refused")
}

/// What is told of a value, nothing where it fits.
fn told(schema: &Value, json: &str) -> Option<String> {
    let json = RawJson::parse(json.to_owned()).unwrap();
    compile(schema).check(&json).err().map(|mismatch| mismatch.to_string())
}

fn fits(schema: &Value, value: &Value) -> bool {
    told(schema, &value.to_string()).is_none()
}
