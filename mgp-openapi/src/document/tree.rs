//! A parsed document.

use super::{
    DocumentError, SecurityScheme, read, security, server_urls,
    version::{check, form},
};
use serde_json::Value;
use std::sync::Arc;

/// An OpenAPI document of version 3.0 or 3.1. Clones share its content.
///
/// ```
/// use mgp_openapi::{Document, Selection};
///
/// let document = Document::parse("
/// openapi: 3.0.3
/// info: {title: Pets, version: '1'}
/// servers: [{url: https://pets.example.com/v1}]
/// paths:
///   /pets:
///     get: {operationId: listPets}
/// ")?;
/// assert_eq!(document.title(), Some("Pets"));
/// assert_eq!(document.servers(), ["https://pets.example.com/v1"]);
/// assert_eq!(document.operations(&Selection::default()).0.len(), 1);
///
/// let error = Document::parse(r#"{"swagger": "2.0"}"#).unwrap_err();
/// assert!(error.to_string().contains("is Swagger 2.0, expected OpenAPI 3.0 or 3.1"));
/// # Ok::<(), mgp_openapi::DocumentError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Document {
    root: Arc<Value>,
}

impl Document {
    /// Reads a document in JSON or YAML, by its content.
    ///
    /// # Errors
    /// If the text is neither, is not OpenAPI 3.0 or 3.1, or exceeds one of the [limits](crate::limits).
    pub fn parse(text: &str) -> Result<Self, DocumentError> {
        let root = read::value(text)?;
        check(&root)?;
        for (name, is_list) in [("paths", false), ("components", false), ("servers", true)] {
            match root.get(name) {
                Some(value) if is_list && !value.is_array() => {
                    return Err(form(&format!("/{name}"), value, "an array"));
                }
                Some(value) if !is_list && !value.is_object() => {
                    return Err(form(&format!("/{name}"), value, "an object"));
                }
                _ => {}
            }
        }
        Ok(Self { root: Arc::new(root) })
    }

    /// Returns the title of the API, if the document has one.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.root.pointer("/info/title").and_then(Value::as_str)
    }

    /// Returns the description of the API, if the document has one.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.root.pointer("/info/description").and_then(Value::as_str)
    }

    /// Returns the base URLs that the document names, with the defaults of their variables. A URL may be relative to the
    /// address of the document.
    #[must_use]
    pub fn servers(&self) -> Vec<String> {
        server_urls(&self.root)
    }

    /// Returns the ways to authenticate that the document names.
    #[must_use]
    pub fn security(&self) -> Vec<SecurityScheme> {
        security::schemes(&self.root)
    }

    pub(crate) fn root(&self) -> &Value {
        &self.root
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_no_document_is_refused_with_the_reason() {
        for (text, expected) in [
            ("", "at ``: got null, expected an object with the member `openapi`"),
            ("[1]", "at ``: got an array of 1 items, expected an object with the member `openapi`"),
            (
                "{}",
                "at ``: got an object of 0 members, expected the member `openapi` with version 3.0 or 3.1",
            ),
            ("openapi: 3.2.0", "at `/openapi`: got version 3.2.0, expected 3.0 or 3.1"),
            ("openapi: 3.0\npaths: []", "at `/paths`: got an array of 0 items, expected an object"),
            ("openapi: 3.1.0\nservers: 7", "at `/servers`: got 7, expected an array"),
            (
                "swagger: '2.0'",
                "at `/swagger`: the document is Swagger 2.0, expected OpenAPI 3.0 or 3.1; convert it first",
            ),
        ] {
            assert_eq!(Document::parse(text).unwrap_err().to_string(), expected);
        }
    }
}
