//! Conversion of a resource function's return value into contents.

use super::{IntoToolError, ToolError};
use base64::{Engine, prelude::BASE64_STANDARD};
use mgp_types::mcp::{ReadResourceResult, ResourceContents};

/// Types that a resource's function may return: `String` and `&'static str` as text, `Vec<u8>` as bytes, one or several unchanged
/// [`ResourceContents`], and a `Result` of these.
#[diagnostic::on_unimplemented(
    message = "a resource cannot answer with `{Self}`",
    label = "not an answer of a resource",
    note = "answer with a `String`, bytes as `Vec<u8>`, or `ResourceContents`; and with a `Result` of these where it can fail"
)]
pub trait IntoResource {
    /// Converts the value into contents. `uri` and `mime_type` are used for values without their own.
    ///
    /// # Errors
    /// Returns a [`ToolError`], which the caller receives instead.
    fn into_resource(self, uri: &str, mime_type: &str) -> Result<ReadResourceResult, ToolError>;
}

fn one(contents: ResourceContents) -> ReadResourceResult {
    many(vec![contents])
}

fn many(contents: Vec<ResourceContents>) -> ReadResourceResult {
    ReadResourceResult { contents, ..ReadResourceResult::default() }
}

fn contents(uri: &str, mime_type: &str) -> ResourceContents {
    let mime_type = Some(mime_type.to_owned());
    ResourceContents { uri: uri.to_owned(), mime_type, ..ResourceContents::default() }
}

impl IntoResource for String {
    fn into_resource(self, uri: &str, mime_type: &str) -> Result<ReadResourceResult, ToolError> {
        Ok(one(ResourceContents { text: Some(self), ..contents(uri, mime_type) }))
    }
}

impl IntoResource for &'static str {
    fn into_resource(self, uri: &str, mime_type: &str) -> Result<ReadResourceResult, ToolError> {
        self.to_owned().into_resource(uri, mime_type)
    }
}

impl IntoResource for Vec<u8> {
    fn into_resource(self, uri: &str, mime_type: &str) -> Result<ReadResourceResult, ToolError> {
        let blob = Some(BASE64_STANDARD.encode(self));
        Ok(one(ResourceContents { blob, ..contents(uri, mime_type) }))
    }
}

impl IntoResource for ResourceContents {
    fn into_resource(self, _: &str, _: &str) -> Result<ReadResourceResult, ToolError> {
        Ok(one(self))
    }
}

impl IntoResource for Vec<ResourceContents> {
    fn into_resource(self, _: &str, _: &str) -> Result<ReadResourceResult, ToolError> {
        Ok(many(self))
    }
}

impl<T: IntoResource, E: IntoToolError> IntoResource for Result<T, E> {
    fn into_resource(self, uri: &str, mime_type: &str) -> Result<ReadResourceResult, ToolError> {
        self.map_err(Into::into)?.into_resource(uri, mime_type)
    }
}
