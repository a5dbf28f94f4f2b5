//! The params of a request or notification.

use super::ErrorObject;
use crate::json::{JsonError, RawJson, RawObject};
use serde::{Serialize, de::DeserializeOwned};
use std::{fmt, sync::OnceLock};

/// The params of a message as raw JSON text; a message may have none.
///
/// The keys of the params are read once, on first use.
#[derive(Default)]
pub struct RawParams {
    text: Option<RawJson>,
    object: OnceLock<RawObject>,
}

impl RawParams {
    /// Creates empty params.
    #[must_use]
    pub const fn none() -> Self {
        Self { text: None, object: OnceLock::new() }
    }

    /// Creates params from a Rust value.
    ///
    /// # Errors
    /// [`JsonError::Syntax`] if the value cannot be JSON.
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> Result<Self, JsonError> {
        RawJson::from_value(value).map(Self::from)
    }

    /// Returns the text, if any.
    #[must_use]
    pub fn get(&self) -> Option<&RawJson> {
        self.text.as_ref()
    }

    /// Returns the length of the text in bytes; 0 if there is none.
    #[must_use]
    pub fn len(&self) -> usize {
        self.text.as_ref().map_or(0, |text| text.as_bytes().len())
    }

    /// Returns `true` if there are no params.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_none()
    }

    /// Returns the params as an object, which is empty if there are none.
    ///
    /// # Errors
    /// -32602 if the params are not an object or hold a key twice.
    pub fn object(&self) -> Result<&RawObject, ErrorObject> {
        if let Some(object) = self.object.get() {
            return Ok(object);
        }
        let object = self.read()?;
        Ok(self.object.get_or_init(|| object))
    }

    /// Converts the params into an object, which is empty if there are none.
    ///
    /// # Errors
    /// -32602 if the params are not an object or hold a key twice.
    pub fn into_object(mut self) -> Result<RawObject, ErrorObject> {
        match self.object.take() {
            Some(object) => Ok(object),
            None => self.read(),
        }
    }

    fn read(&self) -> Result<RawObject, ErrorObject> {
        match &self.text {
            None => Ok(RawObject::new()),
            Some(json) => RawObject::from_json(json)
                .map_err(|error| ErrorObject::invalid_params(format!("invalid params: {error}"))),
        }
    }

    /// Reads the params as a Rust type; no params are read as an empty object.
    ///
    /// # Errors
    /// -32602 with the problem.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, ErrorObject> {
        let text = self.text.as_ref().map_or(&b"{}"[..], RawJson::as_bytes);
        serde_json::from_slice(text)
            .map_err(|error| ErrorObject::invalid_params(format!("invalid params: {error}")))
    }
}

impl From<RawJson> for RawParams {
    fn from(json: RawJson) -> Self {
        Self { text: Some(json), object: OnceLock::new() }
    }
}

impl From<RawObject> for RawParams {
    fn from(object: RawObject) -> Self {
        Self { text: Some(object.to_json()), object: object.into() }
    }
}

impl Clone for RawParams {
    fn clone(&self) -> Self {
        // The parsed object is not copied: most clones are only forwarded.
        Self { text: self.text.clone(), object: OnceLock::new() }
    }
}

impl PartialEq for RawParams {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for RawParams {}

impl fmt::Debug for RawParams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}
