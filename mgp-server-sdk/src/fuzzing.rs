//! Private parsers, made public for the targets of `xtask/fuzz`.

use crate::{resource::UriTemplate, seal::Seal};
use mgp_transport::seam::Incoming;
use mgp_types::{
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};

/// The state that a client returns for one tool call, sealed and opened.
#[derive(Debug)]
pub struct Round {
    seal: Seal,
    call: Incoming,
}

impl Round {
    /// Returns a call with these params.
    #[must_use]
    pub fn new(params: RawJson) -> Self {
        Self { seal: Seal::new([7; 32]), call: Incoming::request(1, "tools/call", params) }
    }

    /// Seals the answers of earlier rounds.
    ///
    /// # Errors
    /// Returns an error if the answers are too long.
    pub fn close(&self, answers: &RawObject) -> Result<String, ErrorObject> {
        self.seal.close(&self.call, answers)
    }

    /// Returns the answers that were sealed.
    ///
    /// # Errors
    /// Returns an error for every state that was not sealed here.
    pub fn open(&self, state: &str) -> Result<RawObject, ErrorObject> {
        self.seal.open(&self.call, state)
    }
}

/// Returns the values of a template's variables in a URI, or `None` if the URI does not follow the template.
///
/// # Errors
/// Returns the problem with the template.
pub fn match_uri(template: &str, uri: &str) -> Result<Option<Vec<(String, String)>>, String> {
    let template = UriTemplate::parse(template)?;
    let names: Vec<_> = template.names().map(str::to_owned).collect();
    let values = template.matches(uri);
    if let Some(values) = &values {
        assert!(values.iter().map(|(name, _)| name).eq(&names), "a value for each name, in their order");
    }
    Ok(values)
}
