//! Conversion of a tool function's return value into a result.

use super::{IntoToolError, OutputSchema, ToolError};
use mgp_stream::sink::StreamContent;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{
        AudioContent, CallToolResult, ContentBlock, EmbeddedResource, ImageContent, ResourceLink, TextContent,
    },
    rpc::ErrorObject,
    tool_result::Outcome,
};
use schemars::JsonSchema;
use serde::Serialize;

/// A type that a tool's function may return.
///
/// | type | becomes |
/// |---|---|
/// | `String`, `&'static str` | one text |
/// | `()` | no content |
/// | [`ImageContent`], [`AudioContent`], [`ResourceLink`], [`EmbeddedResource`], [`TextContent`] | one block of that content |
/// | [`ContentBlock`], `Vec<ContentBlock>` | that content |
/// | [`Json<T>`] | `structuredContent`, and the same as text |
/// | `(Json<T>, Vec<ContentBlock>)` | the same, and further content such as an image |
/// | [`Outcome<T>`] | the same for an object, or a text for a string; with the status, the error and the explanation in `_meta` |
/// | [`CallToolResult`] | itself |
/// | [`StreamContent`] | the chunks that were streamed, and a summary of the stream |
/// | `Result<T, E>` | `T`, or the text of `E` with `isError`; a [`Failure`](crate::Failure) has a type, a [`ToolError`] can be an error of the protocol too |
#[diagnostic::on_unimplemented(
    message = "a tool cannot answer with `{Self}`",
    label = "not an answer of a tool",
    note = "answer with `String`, `&'static str`, `()`, `ImageContent`, content blocks, `CallToolResult`, or `Json<T>` or \
            `Outcome<T>` for structured content; and with a `Result` of these where it can fail"
)]
pub trait IntoToolResult {
    /// Converts the value into a result.
    ///
    /// # Errors
    /// Returns a [`ToolError`], which the caller receives instead.
    fn into_tool_result(self) -> Result<CallToolResult, ToolError>;

    /// Returns the schema of the structured content, if the type has one: the tool's output schema.
    #[must_use]
    fn output_schema() -> Option<OutputSchema> {
        None
    }
}

/// A value as `structuredContent`, with the same JSON as text for clients that only read content. Its schema is the tool's output
/// schema, unless the type leaves the form open, as `serde_json::Value` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl IntoToolResult for String {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::text(self))
    }
}

impl IntoToolResult for &'static str {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::text(self))
    }
}

impl IntoToolResult for () {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::new(Vec::new()))
    }
}

impl IntoToolResult for ContentBlock {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::new(vec![self]))
    }
}

/// Converts each type of content into a result of one block.
macro_rules! one_block {
    ($($content:ident),+) => {$(
        impl IntoToolResult for $content {
            fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
                ContentBlock::from(self).into_tool_result()
            }
        }
    )+};
}

one_block!(TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource);

impl IntoToolResult for Vec<ContentBlock> {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::new(self))
    }
}

impl IntoToolResult for CallToolResult {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(self)
    }
}

/// A type whose JSON Schema describes a tool's result to clients.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no JSON Schema to describe the result to clients",
    label = "no JSON Schema",
    note = "add `#[derive(schemars::JsonSchema)]` to `{Self}`, or answer with `Json<serde_json::Value>`, which has no output schema",
    note = "`schemars` must be of the version that `mgp_server_sdk::schemars` is"
)]
pub trait ResultSchema: JsonSchema {}

// The message explains how to get a schema, and does not list the types that have one.
#[diagnostic::do_not_recommend]
impl<T: JsonSchema> ResultSchema for T {}

impl<T: Serialize + ResultSchema> IntoToolResult for Json<T> {
    fn output_schema() -> Option<OutputSchema> {
        let schema = OutputSchema::of::<T>();
        (!schema.fits_anything()).then_some(schema)
    }

    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        let json = RawJson::from_value(&self.0)?;
        if !json.is_object() {
            let problem = format!("failed to answer: structured content is {}, not an object", json.kind());
            return Err(ToolError::protocol(ErrorObject::internal(problem)));
        }
        let mut result = CallToolResult::text(json.as_str());
        result.structured_content = Some(json);
        Ok(result)
    }
}

impl<T: Serialize + ResultSchema> IntoToolResult for (Json<T>, Vec<ContentBlock>) {
    fn output_schema() -> Option<OutputSchema> {
        Json::<T>::output_schema()
    }

    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        let mut result = self.0.into_tool_result()?;
        result.content.extend(self.1);
        Ok(result)
    }
}

impl<T: Serialize + ResultSchema> IntoToolResult for Outcome<T> {
    fn output_schema() -> Option<OutputSchema> {
        let schema = OutputSchema::of::<T>();
        (!schema.fits_anything() && !schema.is_text_or_nothing()).then_some(schema)
    }

    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        self.into_result().map_err(|error| {
            let problem = format!("failed to answer: the data of an outcome: {error}, a string or nothing");
            ToolError::protocol(ErrorObject::internal(problem))
        })
    }
}

impl IntoToolResult for StreamContent {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        let content: Result<Vec<ContentBlock>, _> = self.content.iter().map(RawJson::decode).collect();
        let mut result = CallToolResult::new(content?);
        if self.summary.streamed == Some(true) {
            result.mgp = Some(RawObject::from_json(&RawJson::from_value(&self.summary)?)?);
        }
        Ok(result)
    }
}

impl<T: IntoToolResult, E: IntoToolError> IntoToolResult for Result<T, E> {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        self.map_err(Into::into)?.into_tool_result()
    }

    fn output_schema() -> Option<OutputSchema> {
        T::output_schema()
    }
}
