//! Transforms that complete the derived schemas of the configuration's types (feature `schema`).

use schemars::Schema;
use serde::{
    Deserializer,
    de::{DeserializeOwned, Error as _, Visitor, value::Error},
    forward_to_deserialize_any,
};
use serde_json::{Value, json};

/// Adds the names of a struct's keys in their order, because a JSON object has none.
pub(super) fn ordered<T: DeserializeOwned>(schema: &mut Schema) {
    let mut names: &[&str] = &[];
    // The deserializer only takes the names, and always fails.
    let _ = T::deserialize(FieldNames(&mut names));
    schema.insert("x-order".to_owned(), json!(names));
}

/// Returns the other names under which two time limits are read.
pub(super) fn other_timeout_names() -> Value {
    json!({ "tool_timeout_ms": "call_timeout_ms", "initialize_timeout_ms": "startup_timeout_ms" })
}

/// Closes the list of a validator's names: an unknown name is an error in a file.
pub(super) fn closed(schema: &mut Schema) {
    let values = match schema.get_mut("additionalProperties") {
        Some(Value::Object(values)) => Some(values),
        _ => schema.as_object_mut(),
    };
    if let Some(values) = values
        && let Some(names) = values.remove("examples")
    {
        values.insert("enum".to_owned(), names);
    }
}

/// Adds the bounds of `limits.costs`.
pub(super) fn costs(schema: &mut Schema) {
    if let Some(Value::Object(values)) = schema.get_mut("additionalProperties") {
        values.insert("maximum".to_owned(), 1_000_000.into());
    }
}

/// A deserializer that stores the names of a struct's fields.
struct FieldNames<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for FieldNames<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("only the names of the fields are read"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}
