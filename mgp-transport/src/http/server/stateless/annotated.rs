//! Arguments that are repeated in HTTP headers (`x-mcp-header`): the headers must agree with the arguments.

use super::ParamHeaders;
use crate::{
    http::param_header::{ParamHeader, ParamHeaderError},
    seam::Incoming,
};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::McpErrorCode,
    rpc::ErrorObject,
};

/// The annotated arguments of one tool.
#[derive(Debug, Clone, Default)]
pub struct AnnotatedArguments(Vec<ParamHeader>);

impl AnnotatedArguments {
    /// Returns the annotated arguments of a tool's input schema.
    ///
    /// # Errors
    /// Returns a [`ParamHeaderError`] if an annotation is invalid.
    pub fn of_schema(schema: Option<&RawJson>) -> Result<Self, ParamHeaderError> {
        schema.map_or_else(|| Ok(Self::default()), |schema| ParamHeader::of_schema(schema).map(Self))
    }

    /// Returns `true` if there are no annotated arguments.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Refuses a call whose headers do not agree with its arguments. Byte streams, and revisions with `initialize`, have no such
    /// headers.
    ///
    /// # Errors
    /// Returns error -32020 if a header does not agree.
    pub fn check(&self, incoming: &Incoming, arguments: Option<&RawJson>) -> Result<(), ErrorObject> {
        if self.is_empty() {
            return Ok(());
        }
        let Some(sent) = incoming.ext.get::<ParamHeaders>() else { return Ok(()) };
        let arguments = arguments.and_then(|json| RawObject::from_json(json).ok()).unwrap_or_default();
        match self.0.iter().find(|header| !header.agrees(&arguments, sent.get(&header.header))) {
            None => Ok(()),
            Some(ParamHeader { header, .. }) => {
                let problem = format!("header mismatch: {header}: expected the value of the argument");
                Err(ErrorObject::new(McpErrorCode::HeaderMismatch, problem))
            }
        }
    }
}
