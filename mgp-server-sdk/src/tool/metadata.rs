//! The metadata of a tool beyond MCP, in its `_meta["dev.cloto/tool"]`.

use super::Tool;
use mgp_types::{
    json::{JsonError, RawJson, RawObject},
    mcp,
    tool_metadata::{
        Compensation, Cost, DeclaredError, Deprecation, Impact, LatencyClass, ToolExample, ToolMetadata,
        Version,
    },
};
use serde::Serialize;
use std::fmt;

/// The metadata of a tool, and the first problem with what was set.
#[derive(Debug, Default)]
pub(super) struct MetadataParts {
    metadata: ToolMetadata,
    problem: Option<String>,
}

/// Setters of metadata beyond MCP. Every client receives it, because clients ignore unknown members.
impl Tool {
    /// Sets all metadata beyond MCP.
    #[must_use]
    pub fn metadata(mut self, metadata: ToolMetadata) -> Self {
        self.metadata.metadata = metadata;
        self
    }

    /// Sets the version of the tool by semantic versioning, such as `1.2.0`: a breaking change increments the first number. A
    /// server fails to build with any other text.
    ///
    /// ```
    /// use mgp_server_sdk::{Server, Tool};
    /// let tool = |version| Tool::new("add", "Adds", async || "3").version(version);
    /// assert!(Server::new("adder", "1.0.0").tool(tool("1.2.0")).build().is_ok());
    /// assert!(Server::new("adder", "1.0.0").tool(tool("1.2")).build().is_err());
    /// ```
    #[must_use]
    pub fn version(mut self, version: impl AsRef<str>) -> Self {
        let version = version.as_ref();
        match version.parse::<Version>() {
            Ok(version) => self.metadata.metadata.version = Some(version),
            Err(error) => {
                self.problem(format!("version: expected one such as 1.2.0, found {version:?}: {error}"));
            }
        }
        self
    }

    /// Declares the tool deprecated. The reason names the replacement.
    #[must_use]
    pub fn deprecated(self, reason: impl Into<String>) -> Self {
        self.describe(|metadata| metadata.deprecated = Some(Deprecation { reason: Some(reason.into()) }))
    }

    /// Adds an example of a call: its arguments, an object.
    #[must_use]
    pub fn example(mut self, arguments: impl Serialize) -> Self {
        match object(&arguments) {
            Ok(arguments) => self.metadata.metadata.examples.push(ToolExample::new(arguments)),
            Err(error) => self.problem(format!("arguments of an example: {error}")),
        }
        self
    }

    /// Adds an example of a call with its result.
    ///
    /// ```
    /// use mgp_server_sdk::Tool;
    /// use serde_json::json;
    /// let tool = Tool::new("add", "Adds", async || "3").example_result(json!({"a": 1, "b": 2}), json!({"sum": 3}));
    /// ```
    #[must_use]
    pub fn example_result(mut self, arguments: impl Serialize, result: impl Serialize) -> Self {
        let example = object(&arguments).and_then(|arguments| {
            Ok(ToolExample { result: Some(RawJson::from_value(&result)?), ..ToolExample::new(arguments) })
        });
        match example {
            Ok(example) => self.metadata.metadata.examples.push(example),
            Err(error) => self.problem(format!("example: {error}")),
        }
        self
    }

    /// Declares an error of the tool: its type, such as `ValidationError`, and its condition.
    #[must_use]
    pub fn fails_with(self, error_type: impl fmt::Display, when: impl Into<String>) -> Self {
        self.describe(|metadata| metadata.errors.push(DeclaredError::new(error_type.to_string(), when)))
    }

    /// Describes the effect of repeating a call. For the hint that a program reads, see [`idempotent`](Self::idempotent).
    #[must_use]
    pub fn idempotency(self, statement: impl Into<String>) -> Self {
        self.describe(|metadata| metadata.idempotency = Some(statement.into()))
    }

    /// Adds a risk of the tool, or a measure against one, for people.
    #[must_use]
    pub fn security_note(self, note: impl Into<String>) -> Self {
        self.describe(|metadata| metadata.security_notes.push(note.into()))
    }

    /// Sets the author of the tool.
    #[must_use]
    pub fn author(self, author: impl Into<String>) -> Self {
        self.describe(|metadata| metadata.author = Some(author.into()))
    }

    /// Sets the words that the tool is found by.
    #[must_use]
    pub fn tags<T: Into<String>>(self, tags: impl IntoIterator<Item = T>) -> Self {
        self.describe(|metadata| metadata.tags = texts(tags))
    }

    /// Sets the cost of a call.
    #[must_use]
    pub fn cost(self, cost: Cost) -> Self {
        self.describe(|metadata| metadata.cost = Some(cost))
    }

    /// Sets the time that a call is likely to take.
    #[must_use]
    pub fn latency(self, latency: LatencyClass) -> Self {
        self.describe(|metadata| metadata.latency = Some(latency))
    }

    /// Sets the MIME types that the tool accepts.
    #[must_use]
    pub fn input_types<T: Into<String>>(self, types: impl IntoIterator<Item = T>) -> Self {
        self.describe(|metadata| metadata.input_types = texts(types))
    }

    /// Sets the MIME types that the tool returns.
    #[must_use]
    pub fn output_types<T: Into<String>>(self, types: impl IntoIterator<Item = T>) -> Self {
        self.describe(|metadata| metadata.output_types = texts(types))
    }

    /// Sets the largest arguments that the tool accepts, in bytes of their JSON. A kernel refuses calls with larger ones.
    #[must_use]
    pub fn max_input_size(self, bytes: u64) -> Self {
        self.describe(|metadata| metadata.max_input_size_bytes = Some(bytes))
    }

    /// Sets the compensation of a call, for transactions: another tool of the server, and its arguments. A server fails to build with
    /// arguments that are not an object.
    ///
    /// ```
    /// use mgp_server_sdk::{Tool, tool_metadata::Compensation};
    /// use serde_json::json;
    /// let undo = Compensation::new("delete_issue").arguments(json!({"id": "$result/id"}));
    /// let tool = Tool::new("create_issue", "Creates an issue", async || "created").compensation(undo);
    /// ```
    #[must_use]
    pub fn compensation(mut self, compensation: Compensation) -> Self {
        if !compensation.arguments.is_object() {
            let kind = compensation.arguments.kind();
            self.problem(format!("compensation: arguments: expected an object, found {kind}"));
        }
        self.describe(|metadata| metadata.compensation = Some(compensation))
    }

    /// Sets the scopes that a caller needs at the service behind the tool.
    #[must_use]
    pub fn required_scopes<T: Into<String>>(self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.describe(|metadata| metadata.required_scopes = texts(scopes))
    }

    /// Requires a person to approve each call. The message is for that person; `{parameter}` is replaced by an argument of the
    /// call.
    #[must_use]
    pub fn confirm(self, message: impl Into<String>) -> Self {
        self.describe(|metadata| {
            metadata.requires_confirmation = Some(true);
            metadata.confirmation_message = Some(message.into());
        })
    }

    /// Sets the impact of a call, in the terms of the proposals. For MGP's own, see [`risk`](Self::risk).
    #[must_use]
    pub fn impact(self, impact: Impact) -> Self {
        self.describe(|metadata| metadata.risk_level = Some(impact))
    }

    fn describe(mut self, change: impl FnOnce(&mut ToolMetadata)) -> Self {
        change(&mut self.metadata.metadata);
        self
    }

    fn problem(&mut self, problem: String) {
        self.metadata.problem.get_or_insert(problem);
    }
}

impl MetadataParts {
    /// Writes the metadata into a tool's definition.
    ///
    /// # Errors
    /// Returns the first member that could not be set, or that readers would ignore.
    pub(super) fn put(self, definition: &mut mcp::Tool) -> Result<(), String> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        if self.metadata.is_empty() {
            return Ok(());
        }
        self.metadata.put(definition.meta.get_or_insert_default()).map_err(|error| error.to_string())?;
        match ToolMetadata::of_tool(definition).ignored.first() {
            Some(ignored) => Err(format!("{}: {}", ignored.member, ignored.reason)),
            None => Ok(()),
        }
    }
}

fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Vec<String> {
    texts.into_iter().map(Into::into).collect()
}

fn object(value: &impl Serialize) -> Result<RawObject, JsonError> {
    RawObject::from_json(&RawJson::from_value(value)?)
}
