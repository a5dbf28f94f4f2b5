//! JSON Schemas of Rust types, in the form that MCP requires.

use mgp_types::schemas::KnownFormats;
use schemars::{
    JsonSchema,
    generate::{Contract, SchemaSettings},
};
use serde_json::{Map, Value, json};
use std::any::type_name;

/// Returns the schema of a type that a handler reads, without references, because few clients follow them.
pub(crate) fn of_arguments<T: JsonSchema>() -> Value {
    schema::<T>(Contract::Deserialize)
}

/// The JSON Schema of a type that a tool returns.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputSchema {
    pub(crate) type_name: &'static str,
    pub(crate) schema: Value,
}

impl OutputSchema {
    /// Returns the schema of a type in its serialized form.
    #[must_use]
    pub fn of<T: JsonSchema>() -> Self {
        Self { type_name: type_name::<T>(), schema: schema::<T>(Contract::Serialize) }
    }

    /// Returns whether the schema accepts every value.
    pub(super) fn fits_anything(&self) -> bool {
        self.schema == Value::Bool(true) || self.schema.as_object().is_some_and(Map::is_empty)
    }

    /// Returns whether the schema accepts only strings, or only `null`.
    pub(super) fn is_text_or_nothing(&self) -> bool {
        matches!(self.schema.get("type").and_then(Value::as_str), Some("string" | "null"))
    }
}

fn schema<T: JsonSchema>(contract: Contract) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
        settings.contract = contract;
    });
    let settings = settings.with_transform(KnownFormats);
    let mut schema: Value = settings.into_generator().into_root_schema_for::<T>().into();
    if let Some(members) = schema.as_object_mut() {
        // The name of a Rust type has no meaning for a model.
        members.remove("title");
    }
    schema
}

/// Returns the schema of a tool without arguments.
pub(crate) fn no_arguments() -> Value {
    json!({"type": "object", "properties": {}})
}

/// Checks that a schema describes an object, which MCP requires of arguments and structured content.
pub(crate) fn check_object(mut schema: Value) -> Result<Value, String> {
    let Some(members) = schema.as_object_mut() else {
        return Err(format!("expected a schema object, found {schema}"));
    };
    match members.get("type") {
        Some(Value::String(kind)) if kind == "object" => Ok(schema),
        // An enum with a tag has only branches, each of which is an object.
        None if members.contains_key("oneOf") || members.contains_key("anyOf") || members.is_empty() => {
            let mut whole = Map::new();
            whole.insert("type".into(), "object".into());
            whole.append(members);
            Ok(Value::Object(whole))
        }
        None => Err("missing type: expected \"object\"".into()),
        Some(other) => Err(format!("invalid type: expected \"object\", found {other}")),
    }
}
