//! The description of a tool for documents.

use crate::{catalogue::NamedTool, tool::media_types};
use mgp_types::{
    context::RiskLevel,
    json::{JsonError, RawJson, RawObject},
    json_schema::schema_examples,
    mcp::ToolAnnotations,
    mgp_member,
    tool_metadata::{IgnoredMember, ToolExample, ToolMetadata},
};
use serde_json::{Map, Value};

/// The description of a tool for documents.
#[derive(Debug, Clone)]
pub struct ToolDescription {
    /// The name that hosts call the tool by.
    pub name: String,
    /// The title, for people.
    pub title: Option<String>,
    /// The server's description.
    pub description: Option<String>,
    /// The JSON Schema of the arguments.
    pub input: Map<String, Value>,
    /// The JSON Schema of the structured result, if the server states one.
    pub output: Option<Value>,
    /// The server's hints about the tool's effects.
    pub annotations: ToolAnnotations,
    /// The metadata beyond MCP.
    pub metadata: ToolMetadata,
    /// The members of the metadata that could not be read.
    pub ignored: Vec<IgnoredMember>,
    /// The permissions that a call needs according to the server.
    pub permissions: Vec<String>,
    /// The categories that the tool is filed under.
    pub categories: Vec<String>,
    /// The kernel's assessment of the risk, if there is a kernel.
    pub risk: Option<RiskLevel>,
    /// True if the server states in any way that the tool is deprecated.
    pub deprecated: bool,
    /// True if the gateway checks the arguments of every call against the schema. `None` if there is no gateway.
    pub arguments_checked: Option<bool>,
    /// The definition in its form for a plain MCP host.
    pub(super) listed: RawObject,
}

impl ToolDescription {
    /// Describes a tool of the catalogue.
    #[must_use]
    pub fn of(NamedTool { name, tool }: &NamedTool) -> Self {
        let read = Self::read(name.to_string(), tool.definition());
        let listed = RawObject::from_json(&tool.shown_as(name, false));
        Self {
            listed: listed.unwrap_or_default(),
            permissions: tool.security().map(|security| security.permissions().to_vec()).unwrap_or_default(),
            categories: tool.categories().iter().cloned().collect(),
            risk: Some(tool.risk()),
            deprecated: tool.is_deprecated(),
            ..read
        }
    }

    /// Describes a tool only by its definition, as a server lists it. `inputSchema` and `outputSchema` may have the names of the
    /// proposals instead.
    ///
    /// # Errors
    /// Returns a [`JsonError`] if the definition is not an object, or has no name.
    pub fn of_definition(definition: &RawJson) -> Result<Self, JsonError> {
        let object = RawObject::from_json(definition)?;
        let name = object.text("name").ok_or(JsonError::Missing("name"))?;
        Ok(Self::read(name, &object))
    }

    fn read(name: String, definition: &RawObject) -> Self {
        let reading = ToolMetadata::of_definition(definition);
        let mut listed = definition.clone();
        mgp_member::strip(&mut listed);
        let schema = |keys: [&str; 2]| {
            let schema = keys.into_iter().find_map(|key| definition.get(key))?;
            schema.decode::<Value>().ok()
        };
        let input = match schema(["inputSchema", "input_schema"]) {
            Some(Value::Object(input)) => input,
            _ => Map::from_iter([("type".to_owned(), Value::from("object"))]),
        };
        Self {
            name,
            title: definition.text("title").or_else(|| definition.object("annotations")?.text("title")),
            description: definition.text("description"),
            input,
            output: schema(["outputSchema", "output_schema"]).filter(Value::is_object),
            annotations: definition.decode("annotations").ok().flatten().unwrap_or_default(),
            deprecated: reading.metadata.deprecated.is_some(),
            metadata: reading.metadata,
            ignored: reading.ignored,
            permissions: Vec::new(),
            categories: Vec::new(),
            risk: None,
            arguments_checked: None,
            listed,
        }
    }

    /// Returns the examples of calls: the server's, or otherwise those that fit the schema of the arguments.
    #[must_use]
    pub fn examples(&self) -> Vec<ToolExample> {
        if !self.metadata.examples.is_empty() {
            return self.metadata.examples.clone();
        }
        let made = schema_examples(&Value::Object(self.input.clone())).into_iter();
        made.filter_map(|value| RawObject::from_json(&RawJson::from_value(&value).ok()?).ok())
            .map(ToolExample::new)
            .collect()
    }

    /// Returns whether repeating a call has no further effect; `None` if the server does not state it.
    #[must_use]
    pub fn is_idempotent(&self) -> Option<bool> {
        let hints = &self.annotations;
        let reads = hints.read_only_hint.filter(|reads| *reads);
        self.metadata.idempotent.or(hints.idempotent_hint).or(reads)
    }

    /// Returns the MIME types that the tool accepts: those that the server declares, or otherwise those that the schema names.
    pub(super) fn input_types(&self) -> Vec<String> {
        let declared = &self.metadata.input_types;
        if declared.is_empty() { media_types(&Value::Object(self.input.clone())) } else { declared.clone() }
    }

    /// Returns the MIME types that the tool returns, in the same way.
    pub(super) fn output_types(&self) -> Vec<String> {
        let declared = &self.metadata.output_types;
        if declared.is_empty() {
            self.output.as_ref().map(media_types).unwrap_or_default()
        } else {
            declared.clone()
        }
    }

    /// Returns the tags: the server's, and the categories.
    pub(super) fn tags(&self) -> Vec<String> {
        let mut tags = self.metadata.tags.clone();
        tags.extend(
            self.categories.iter().filter(|category| !self.metadata.tags.contains(category)).cloned(),
        );
        tags
    }
}
