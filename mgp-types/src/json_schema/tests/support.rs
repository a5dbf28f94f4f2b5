//! Compiles schemas and checks values.

use crate::json::RawJson;
use crate::json_schema::{CompiledSchema, SchemaError};
use serde_json::Value;

pub(super) fn compile(schema: &Value) -> CompiledSchema {
    CompiledSchema::compile(schema).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

pub(super) fn refused(schema: &Value) -> SchemaError {
    CompiledSchema::compile(schema).expect_err("the schema is refused")
}

/// Returns the error of a value that does not fit, or `None` if the value fits.
pub(super) fn told(schema: &Value, json: &str) -> Option<String> {
    let json = RawJson::parse(json.to_owned()).unwrap();
    compile(schema).check(&json).err().map(|mismatch| mismatch.to_string())
}

pub(super) fn fits(schema: &Value, value: &Value) -> bool {
    told(schema, &value.to_string()).is_none()
}
