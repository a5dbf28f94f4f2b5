//! An operation that is a tool.

use super::{Body, Method, Parameter, PathTemplate};
use mgp_types::mcp::Tool;

/// An operation of a document as a tool: its definition, the requests of its calls, and the results of their responses.
///
/// ```
/// use mgp_openapi::{Document, Method, Selection};
///
/// let document = Document::parse(r#"{
///     "openapi": "3.1.0",
///     "paths": {"/users/{id}": {"get": {
///         "operationId": "users/get",
///         "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}]
///     }}}
/// }"#)?;
/// let (operations, omissions) = document.operations(&Selection::default());
/// assert!(omissions.is_empty());
/// assert_eq!(operations[0].tool().name, "users_get");
/// assert_eq!(operations[0].method(), Method::Get);
/// assert_eq!(operations[0].path(), "/users/{id}");
/// # Ok::<(), mgp_openapi::DocumentError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    pub(crate) tool: Tool,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) operation_id: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) servers: Vec<String>,
    pub(crate) template: PathTemplate,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Option<Body>,
    /// The media types that responses may have.
    pub(crate) accept: Option<String>,
    /// True if the output schema has the response as its member `result`.
    pub(crate) wraps_result: bool,
}

impl Operation {
    /// Returns the definition of the tool.
    #[must_use]
    pub fn tool(&self) -> &Tool {
        &self.tool
    }

    /// Returns the method of the requests.
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// Returns the path as the document has it, with its parameters in braces.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the `operationId` of the document, if any.
    #[must_use]
    pub fn operation_id(&self) -> Option<&str> {
        self.operation_id.as_deref()
    }

    /// Returns the tags of the document.
    #[must_use]
    pub fn tags(&self) -> &[String] {
        &self.tags
    }

    /// Returns the base URLs that the document names for this operation only. Empty if those of the document apply.
    #[must_use]
    pub fn servers(&self) -> &[String] {
        &self.servers
    }
}
