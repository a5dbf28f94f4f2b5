//! The JSON Schema of an object that keeps unknown members.

use schemars::Schema;
use serde_json::{Map, Value};

/// The members of an object's schema, as they are collected.
#[derive(Debug, Default)]
pub(crate) struct SchemaMembers {
    properties: Map<String, Value>,
    required: Vec<Value>,
}

impl SchemaMembers {
    /// Adds a member. The text is a doc comment, whose lines begin with a space.
    pub(crate) fn add(&mut self, key: &str, mut schema: Schema, text: &str, is_required: bool) {
        schema.insert("description".to_owned(), text.trim().into());
        self.properties.insert(key.to_owned(), schema.to_value());
        if is_required {
            self.required.push(key.into());
        }
    }

    /// Returns the schema of the object.
    pub(crate) fn of_object(self, text: &str) -> Schema {
        let mut schema = Schema::default();
        schema.insert("description".to_owned(), text.trim().into());
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), self.properties.into());
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), self.required.into());
        }
        schema
    }
}
