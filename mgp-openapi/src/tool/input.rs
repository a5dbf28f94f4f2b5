//! The schema of a tool's arguments: one flat object of parameters and members of the body.

use super::{arguments::ArgumentNames, description::Notes};
use crate::{
    document::References,
    limits::{MAX_MEMBER_DESCRIPTION, MAX_SCHEMA},
    operation::{
        Body, BodyFormat, BodyMember, BodyShape, DescribedBody, DescribedParameter, OmissionReason, Parameter,
    },
    schema::{Conversion, Kind, Kinds, ObjectMember, SchemaTable, size},
    text::{is_within, shortened},
};
use serde_json::{Map, Value, json};

/// The longest example of a parameter, in bytes of JSON.
const MAX_EXAMPLE: usize = 300;

/// The arguments of a tool.
pub(super) struct Input {
    pub(super) schema: Value,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Option<Body>,
}

/// The object schema under construction.
struct FlatObject<'t, 'd> {
    table: &'t mut SchemaTable<'d>,
    names: ArgumentNames,
    properties: Map<String, Value>,
    required: Vec<String>,
    additional: Value,
    conversion: Conversion,
}

/// Makes the schema of a tool's arguments, and names the arguments.
pub(super) fn input<'d>(
    parameters: Vec<DescribedParameter<'d>>,
    body: Option<DescribedBody<'d>>,
    table: &mut SchemaTable<'d>,
    notes: &mut Notes,
) -> Result<Input, OmissionReason> {
    let mut object = FlatObject {
        table,
        names: ArgumentNames::default(),
        properties: Map::new(),
        required: Vec::new(),
        additional: Value::Bool(false),
        conversion: Conversion::default(),
    };
    let parameters = parameters.into_iter().map(|parameter| object.parameter(parameter)).collect();
    let body = body.map(|body| object.body(&body, notes));
    let FlatObject { table, properties, required, additional, mut conversion, .. } = object;
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": additional});
    if let (Value::Object(members), false) = (&mut schema, required.is_empty()) {
        members.insert("required".to_owned(), json!(required));
    }
    conversion.schema = schema;
    let assembly = table.assemble(conversion, MAX_SCHEMA);
    if size(&assembly.schema) > MAX_SCHEMA {
        return Err(OmissionReason::SchemaTooLarge);
    }
    notes.input_is_simplified = assembly.is_simplified;
    Ok(Input { schema: assembly.schema, parameters, body })
}

impl<'d> FlatObject<'_, 'd> {
    fn parameter(&mut self, described: DescribedParameter<'d>) -> Parameter {
        let DescribedParameter { mut parameter, schema, source } = described;
        let argument = self.names.take(&parameter.name, parameter.location.name());
        let mut schema = schema.map_or_else(|| json!({"type": "string"}), |schema| self.convert(schema));
        describe(&mut schema, source);
        if let Value::Object(schema) = &mut schema {
            name_wire(schema, &argument, &parameter.name);
        }
        self.add(&argument, schema, parameter.is_required);
        parameter.argument = argument;
        parameter
    }

    fn body(&mut self, body: &DescribedBody<'d>, notes: &mut Notes) -> Body {
        let references = self.table.references();
        let shape = match &body.members {
            Some(members) => {
                let mut made: Vec<BodyMember> = Vec::new();
                for member in &members.members {
                    made.push(self.member(member, body, references));
                }
                let name = |name: &String| {
                    made.iter().find(|member| member.name == *name).map(|member| member.argument.clone())
                };
                let choices =
                    members.choices.iter().map(|names| names.iter().filter_map(name).collect::<Vec<_>>());
                notes.choices = choices.filter(|names| !names.is_empty()).collect();
                let is_open = members.additional.is_some_and(|schema| *schema != Value::Bool(false));
                if let Some(schema) = members.additional.filter(|_| is_open) {
                    self.additional = self.convert(schema);
                }
                BodyShape::Members { members: made, is_open }
            }
            None => {
                let argument = self.names.take("body", "content");
                let kinds = body.kinds(references);
                let schema = self.whole(body, kinds, references);
                self.add(&argument, schema, body.is_required);
                BodyShape::Whole { argument, kinds }
            }
        };
        Body { content_type: body.request_type(), format: body.format, is_required: body.is_required, shape }
    }

    fn member(
        &mut self,
        member: &ObjectMember<'d>,
        body: &DescribedBody<'d>,
        references: References<'d>,
    ) -> BodyMember {
        let format = body.part_format(member.name, member.schema, references);
        let argument = self.names.take(member.name, "body");
        let mut schema = self.convert(member.schema);
        let mut kinds = Kinds::of(member.schema, references);
        if format.is_file {
            (schema, kinds) = file(&schema, kinds);
        }
        if let Value::Object(schema) = &mut schema {
            name_wire(schema, &argument, member.name);
        }
        self.add(&argument, schema, body.is_required && member.is_required);
        BodyMember { name: member.name.to_owned(), argument, is_required: member.is_required, kinds, format }
    }

    /// Returns the schema of the argument that is the whole body.
    fn whole(&mut self, body: &DescribedBody<'d>, kinds: Kinds, references: References<'d>) -> Value {
        let description = body.description.map(|text| shortened(text, MAX_MEMBER_DESCRIPTION));
        let is_object = kinds.has(Kind::Object);
        let describes_object =
            || body.schema.is_some_and(|schema| Kinds::of(schema, references).has(Kind::Object));
        let mut schema = match body.format {
            BodyFormat::Form | BodyFormat::Multipart if is_object && !describes_object() => json!({
                "type": "object",
                "description": "The parts of the form, by name. A file is a `data:` URL in base64.",
            }),
            BodyFormat::Form | BodyFormat::Text if kinds == Kinds::one(Kind::String) => {
                json!({"type": "string", "description": format!("The body, as {}.", body.content_type)})
            }
            BodyFormat::Bytes => json!({
                "type": "string", "contentEncoding": "base64",
                "description": format!("The body, as {} in base64.", body.content_type)
            }),
            _ => {
                let mut schema = body.schema.map_or_else(|| json!({}), |schema| self.convert(schema));
                if body.format != BodyFormat::Json
                    && let Value::Object(members) = &mut schema
                    && !members.contains_key("$ref")
                {
                    members.entry("type").or_insert_with(|| "object".into());
                }
                schema
            }
        };
        if let (Value::Object(schema), Some(description)) = (&mut schema, description) {
            schema.entry("description").or_insert_with(|| description.into());
        }
        schema
    }

    fn convert(&mut self, schema: &'d Value) -> Value {
        let conversion = self.table.convert(schema);
        self.conversion.join(conversion)
    }

    fn add(&mut self, argument: &str, schema: Value, is_required: bool) {
        self.properties.insert(argument.to_owned(), schema);
        if is_required {
            self.required.push(argument.to_owned());
        }
    }
}

/// Adds the description, the examples and the deprecation of a parameter to its schema.
fn describe(schema: &mut Value, parameter: &Value) {
    let Value::Object(schema) = schema else { return };
    let text =
        parameter.get("description").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    if let Some(text) = text {
        schema.insert("description".to_owned(), shortened(text, MAX_MEMBER_DESCRIPTION).into());
    }
    if let Some(example) =
        parameter.get("example").filter(|value| is_within(value, MAX_EXAMPLE) && !value.is_null())
    {
        schema.insert("examples".to_owned(), json!([example]));
    }
    if parameter.get("deprecated") == Some(&Value::Bool(true)) {
        schema.insert("deprecated".to_owned(), true.into());
    }
}

/// States the name of an argument in requests, if it differs.
fn name_wire(schema: &mut Map<String, Value>, argument: &str, name: &str) {
    if argument == name {
        return;
    }
    let note = format!("Sent as `{name}`.");
    let text = match schema.get("description").and_then(Value::as_str) {
        Some(text) => format!("{text} {note}"),
        None => note,
    };
    schema.insert("description".to_owned(), text.into());
}

/// Returns the schema and the kinds of a file, or of a list of files.
fn file(schema: &Value, kinds: Kinds) -> (Value, Kinds) {
    let description = schema.get("description").and_then(Value::as_str).map(|text| format!("{text} "));
    let description = format!("{}The content of the file, in base64.", description.unwrap_or_default());
    let one = json!({"type": "string", "contentEncoding": "base64"});
    let is_list = kinds != Kinds::ANY && kinds.has(Kind::Array) && !kinds.has(Kind::String);
    let mut schema = if is_list { json!({"type": "array", "items": one}) } else { one };
    if let Value::Object(schema) = &mut schema {
        schema.insert("description".to_owned(), description.into());
    }
    (schema, Kinds::one(if is_list { Kind::Array } else { Kind::String }))
}
