//! Removes formats specific to Rust from schemas.

use schemars::{
    Schema,
    transform::{Transform, transform_subschemas},
};
use serde_json::Value;

/// The formats that `schemars` writes and that neither JSON Schema nor `OpenAPI` defines. Readers of schemas warn about each of them.
const OF_RUST: &[&str] =
    &["int", "int8", "int16", "int128", "ip", "uint", "uint8", "uint16", "uint32", "uint64", "uint128"];

/// A transform that removes the formats of Rust's own types, such as `uint64`, from a schema. The bounds of these types stay, and so do formats that
/// an author wrote.
///
/// ```
/// use mgp_types::schemas::KnownFormats;
/// use schemars::{generate::SchemaSettings, json_schema};
///
/// let settings = SchemaSettings::default().with_transform(KnownFormats);
/// let schema = settings.into_generator().into_root_schema_for::<Vec<u8>>();
/// let items = json_schema!({"type": "integer", "minimum": 0, "maximum": 255});
/// assert_eq!(schema.get("items"), Some(items.as_value()));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct KnownFormats;

impl Transform for KnownFormats {
    fn transform(&mut self, schema: &mut Schema) {
        if schema.get("format").and_then(Value::as_str).is_some_and(|format| OF_RUST.contains(&format)) {
            schema.remove("format");
        }
        transform_subschemas(self, schema);
    }
}
