//! A request, and the arguments that it is made of.

use super::{ArgumentError, arguments::Arguments, body::body, headers::headers, path::path, query::query};
use crate::operation::{BodyShape, Method, Operation};
use mgp_types::json::RawJson;

/// An HTTP request to an API. The caller adds the base URL, the credentials and the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiRequest {
    /// The method.
    pub method: Method,
    /// The path and the query, to be appended to a base URL without a slash at its end.
    pub path_and_query: String,
    /// The headers, without the type of the body.
    pub headers: Vec<(String, String)>,
    /// The body, if the request has one.
    pub body: Option<RequestBody>,
}

/// The body of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestBody {
    /// The media type, for the header `Content-Type`.
    pub content_type: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Operation {
    /// Makes the request of a call.
    ///
    /// Arguments are percent-encoded: none can change the structure of the path, add a header or lead to another host.
    /// The values are checked for their kinds only; the [tool's schema](Self::tool) has all rules.
    ///
    /// ```
    /// use mgp_openapi::{Document, Selection};
    /// use mgp_types::json::RawJson;
    ///
    /// let document = Document::parse("
    /// openapi: 3.1.0
    /// paths:
    ///   /users/{id}/keys:
    ///     get:
    ///       parameters:
    ///         - {name: id, in: path, required: true, schema: {type: string}}
    ///         - {name: sort, in: query, schema: {type: array}}
    /// ")?;
    /// let (operations, _) = document.operations(&Selection::default());
    /// let request = operations[0].request(&RawJson::parse(r#"{"id": "../admin", "sort": ["a", "b"]}"#)?)?;
    /// assert_eq!(request.path_and_query, "/users/..%2Fadmin/keys?sort=a&sort=b");
    ///
    /// let error = operations[0].request(&RawJson::parse(r#"{"id": 7}"#)?).unwrap_err();
    /// assert_eq!(error.to_string(), "argument `id`: got 7, expected a string");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If an argument is missing, unknown or of the wrong kind, or cannot be sent.
    pub fn request(&self, arguments: &RawJson) -> Result<ApiRequest, ArgumentError> {
        let mut arguments = Arguments::read(arguments)?;
        let path = path(self, &mut arguments)?;
        let query = query(self, &mut arguments)?;
        let headers = headers(self, &mut arguments)?;
        let body = match &self.body {
            Some(described) => body(described, &mut arguments)?,
            None => None,
        };
        arguments.finish(self.argument_names())?;
        let path_and_query = if query.is_empty() { path } else { format!("{path}?{query}") };
        Ok(ApiRequest { method: self.method, path_and_query, headers, body })
    }

    /// Returns the names of the arguments.
    fn argument_names(&self) -> impl Iterator<Item = &str> {
        let (members, whole) = match self.body.as_ref().map(|body| &body.shape) {
            Some(BodyShape::Members { members, .. }) => (members.as_slice(), None),
            Some(BodyShape::Whole { argument, .. }) => (&[][..], Some(argument.as_str())),
            None => (&[][..], None),
        };
        let parameters = self.parameters.iter().map(|parameter| parameter.argument.as_str());
        parameters.chain(members.iter().map(|member| member.argument.as_str())).chain(whole)
    }
}
