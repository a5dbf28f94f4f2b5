//! The schema of a tool's result.

use crate::{
    limits::MAX_SCHEMA,
    schema::{Kind, Kinds, SchemaTable},
};
use serde_json::{Value, json};

/// The result of a tool.
pub(super) struct Output {
    pub(super) schema: Option<Value>,
    pub(super) is_simplified: bool,
    /// True if the response is the member `result` of the structured content.
    pub(super) is_wrapped: bool,
}

/// Makes the schema of a tool's result. Structured content is an object, so a response that may be anything else becomes
/// the member `result` of an object.
pub(super) fn output<'d>(response: Option<&'d Value>, table: &mut SchemaTable<'d>) -> Output {
    let nothing = Output { schema: None, is_simplified: false, is_wrapped: false };
    let Some(response) = response else { return nothing };
    let kinds = Kinds::of(response, table.references());
    let mut conversion = table.convert(response);
    // A schema that allows every value has no information.
    if conversion.schema == json!({}) || conversion.schema == json!(true) {
        return nothing;
    }
    let is_wrapped = kinds != Kinds::one(Kind::Object);
    if is_wrapped {
        conversion.schema =
            json!({"type": "object", "properties": {"result": conversion.schema}, "required": ["result"]});
    }
    // A reference at the root becomes one of an object.
    let mut assembly = table.assemble(conversion, MAX_SCHEMA - r#""type":"object","#.len());
    if let Value::Object(members) = &mut assembly.schema {
        members.insert("type".to_owned(), "object".into());
    }
    Output { schema: Some(assembly.schema), is_simplified: assembly.is_simplified, is_wrapped }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{document::References, schema::Direction};

    fn check(response: &Value, expected: Option<Value>, is_wrapped: bool) {
        let root = json!({"schema": response, "node": {"type": "object", "properties": {"next": {"$ref": "#/node"}}}});
        let mut table = SchemaTable::new(References::new(&root), Direction::Output);
        let output = output(Some(&root["schema"]), &mut table);
        assert_eq!((output.schema, output.is_wrapped), (expected, is_wrapped), "{root}");
    }

    #[test]
    fn a_response_that_is_not_an_object_is_wrapped() {
        check(&json!({"type": "object"}), Some(json!({"type": "object"})), false);
        let wrapped =
            |schema| json!({"type": "object", "properties": {"result": schema}, "required": ["result"]});
        check(&json!({"type": "array"}), Some(wrapped(json!({"type": "array"}))), true);
        check(&json!({}), None, false);
    }

    #[test]
    fn a_recursive_response_is_an_object_with_definitions() {
        let node = json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}});
        let expected = json!({"type": "object", "$ref": "#/$defs/node", "$defs": {"node": node}});
        check(&json!({"$ref": "#/node"}), Some(expected), false);
    }
}
