//! URIs as defined by RFC 3986.

use crate::Error;
use fluent_uri::Uri;

/// Checks that a text is a URI with a scheme.
pub(super) fn check(uri: &str) -> Result<(), Error> {
    parse(uri).map_err(|NoUri { problem, at }| {
        let problem = at.map_or(problem.clone(), |at| format!("{problem} at index {at}"));
        Error::Uri { uri: uri.to_owned(), problem }
    })
}

/// The reason why a text is not a URI.
#[derive(Debug)]
pub(super) struct NoUri {
    pub(super) problem: String,
    /// The index of the invalid byte, if there is one.
    pub(super) at: Option<usize>,
}

/// Reads a URI with a scheme.
pub(super) fn parse(uri: &str) -> Result<(), NoUri> {
    let Err(error) = Uri::parse(uri) else { return Ok(()) };
    if !uri.contains(':') {
        return Err(NoUri { problem: "expected a scheme, as in \"notes://today\"".to_owned(), at: None });
    }
    let told = error.to_string();
    let problem = told.split(" at index ").next().unwrap_or_default().to_owned();
    Err(NoUri { problem, at: Some(error.index()) })
}
