//! The reason why data is not kept.

use mgp_types::{
    error::{ErrorCode, Recovery},
    rpc::ErrorObject,
};
use std::{io, time::Duration};

/// The reason why data is not kept.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeepError {
    #[error("no room: {kept} are kept for {whom}, which is the limit ({key} in the configuration)")]
    NoRoom { kept: String, whom: &'static str, key: &'static str, free_in: Option<Duration> },
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
        let Self::NoRoom { free_in: Some(free_in), .. } = self else {
            return ErrorCode::ResourceExhausted.error(message);
        };
        let wait = u64::try_from(free_in.as_millis()).unwrap_or(u64::MAX).max(1);
        let advice = Recovery { retry_after_ms: Some(wait), ..Recovery::of(ErrorCode::ResourceExhausted) };
        advice.attach(ErrorCode::ResourceExhausted.error(message))
    }
}
