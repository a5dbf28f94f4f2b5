//! Where events go.

use super::Stored;
use mgp_types::{
    audit::AuditEvent,
    error::{ErrorCode, Recovery},
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};
use std::{fmt, sync::Arc};

/// Where events go.
pub trait AuditSink: fmt::Debug + Send + Sync + 'static {
    /// Takes an event. It is stored when the answer says so; the answer may be dropped, and the event is stored still.
    fn record(&self, event: AuditEvent) -> Stored;

    /// Whether events are kept at all. Where they are not, none is made.
    fn keeps(&self) -> bool {
        true
    }

    /// Admits something whose event is recorded when it is over, such as a call. Refused while events cannot be stored: nothing
    /// shall happen that may leave no trace. The sink counts what it refuses, and says so in an event once it can.
    ///
    /// # Errors
    /// [`AuditError`] with the reason for which events cannot be stored.
    fn admit(&self) -> Result<(), AuditError> {
        Ok(())
    }
}

/// Why an event could not be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditError(Arc<str>);

impl AuditError {
    /// An error with its reason.
    #[must_use]
    pub fn new(reason: &str) -> Self {
        Self(reason.into())
    }

    /// The answer to a request that was not carried out because its event could not be stored: 3001, to be tried again.
    #[must_use]
    pub fn refusal(&self) -> ErrorObject {
        let recovery = Recovery::unsent(ErrorCode::ResourceExhausted).after_ms(RETRY_AFTER_MS);
        let message = format!("refused while the audit trail cannot be written: {}", self.0);
        ErrorCode::ResourceExhausted.error_with(message, recovery.with_details(self.note(RawObject::new())))
    }

    /// The answer in the place of a result whose event could not be stored: the request may have been carried out, so it is not to
    /// be tried again.
    #[must_use]
    pub fn withheld(&self) -> ErrorObject {
        let unknown = Recovery::outcome_unknown(ErrorCode::ResourceExhausted);
        let details = self.note(unknown.details.clone().unwrap_or_default());
        unknown.with_details(details).attach(ErrorObject::internal(format!("the result is withheld: {self}")))
    }

    fn note(&self, mut details: RawObject) -> RawObject {
        details.insert("resource", RawJson::string("audit"));
        details.insert("reason", RawJson::string(&self.0));
        details
    }
}

/// The pause before a request that was refused for want of a trail is sent again, in milliseconds.
const RETRY_AFTER_MS: u64 = 1000;

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed to store the audit event: {}", self.0)
    }
}

impl std::error::Error for AuditError {}
