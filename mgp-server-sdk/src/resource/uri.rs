//! URIs as RFC 3986 has them.

use crate::Error;
use fluent_uri::Uri;

/// Makes sure that a text is a URI with a scheme.
pub(super) fn check(uri: &str) -> Result<(), Error> {
    problem(uri).map_or(Ok(()), |problem| Err(Error::Uri { uri: uri.to_owned(), problem }))
}

/// Why a text is no URI; `None` where it is one.
pub(super) fn problem(uri: &str) -> Option<String> {
    let error = Uri::parse(uri).err()?;
    Some(match uri.contains(':') {
        true => error.to_string(),
        false => "expected a scheme, as in \"notes://today\"".to_owned(),
    })
}
