//! The reason why data is not kept.

use crate::ground::reference_store::RoomShortage;
use mgp_types::{
    error::{ErrorCode, Recovery},
    rpc::ErrorObject,
};
use std::io;

/// The reason why data is not kept.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeepError {
    #[error(transparent)]
    NoRoom(#[from] RoomShortage),
    #[error("failed to write: {0}")]
    Write(#[from] io::Error),
    #[cfg(feature = "http")]
    #[error("{0}")]
    Fetch(String),
}

impl KeepError {
    /// Returns the error of a call that was not sent, because its result could not be kept.
    pub(super) fn refusal(&self) -> ErrorObject {
        let message = format!("the result could not be kept: {self}");
        match self {
            Self::NoRoom(shortage) => without_room(message, shortage),
            _ => ErrorCode::ResourceExhausted.error(message),
        }
    }
}

/// Returns 3001 with a message, and the time until there is room again.
pub(super) fn without_room(message: String, shortage: &RoomShortage) -> ErrorObject {
    let code = ErrorCode::ResourceExhausted;
    let Some(free_in) = shortage.free_in else { return code.error(message) };
    let wait = u64::try_from(free_in.as_millis()).unwrap_or(u64::MAX).max(1);
    let advice = Recovery { retry_after_ms: Some(wait), ..Recovery::of(code) };
    advice.attach(code.error(message))
}
