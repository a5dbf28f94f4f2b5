//! The params of a request or notification.

use super::ErrorObject;
use crate::json::{JsonError, RawJson, RawObject};
use serde::{Serialize, de::DeserializeOwned};

/// The params of a message as raw JSON text; a message may have none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawParams(Option<RawJson>);

impl RawParams {
    /// No params.
    #[must_use]
    pub const fn none() -> Self {
        Self(None)
    }

    /// Params from a Rust value.
    ///
    /// # Errors
    /// [`JsonError::Syntax`] where the value cannot be JSON.
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> Result<Self, JsonError> {
        RawJson::from_value(value).map(|json| Self(Some(json)))
    }

    /// The text, where there is any.
    #[must_use]
    pub fn get(&self) -> Option<&RawJson> {
        self.0.as_ref()
    }

    /// The params as an object; none are an empty one.
    ///
    /// # Errors
    /// -32602 where they are not an object or hold a key twice.
    pub fn object(&self) -> Result<RawObject, ErrorObject> {
        match &self.0 {
            None => Ok(RawObject::new()),
            Some(json) => RawObject::from_json(json)
                .map_err(|error| ErrorObject::invalid_params(format!("invalid params: {error}"))),
        }
    }

    /// The params as a Rust type; none are an empty object.
    ///
    /// # Errors
    /// -32602 with what is wrong.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, ErrorObject> {
        let text = self.0.as_ref().map_or(&b"{}"[..], RawJson::as_bytes);
        serde_json::from_slice(text)
            .map_err(|error| ErrorObject::invalid_params(format!("invalid params: {error}")))
    }
}

impl From<RawJson> for RawParams {
    fn from(json: RawJson) -> Self {
        Self(Some(json))
    }
}

impl From<RawObject> for RawParams {
    fn from(object: RawObject) -> Self {
        Self(Some(object.to_json()))
    }
}
