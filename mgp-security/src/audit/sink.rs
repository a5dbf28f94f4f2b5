//! The destination of audit events.

#[cfg(feature = "sqlite")]
use super::AuditLog;
use super::StoreFuture;
use mgp_types::{
    audit::AuditEvent,
    error::{ErrorCode, Recovery},
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};
use std::{fmt, sync::Arc};

/// A destination of audit events.
///
/// No request is answered before its event is stored. A sink that has stored the event at once returns [`StoreFuture::ready`], a sink that has to
/// wait [`StoreFuture::after`]. An error withholds the reply.
///
/// ```
/// use mgp_security::audit::{AuditError, AuditSink, StoreFuture};
/// use mgp_types::audit::AuditEvent;
/// use std::{fs::File, io::Write, sync::Mutex};
///
/// /// Appends events to a file, one line of JSON for each.
/// #[derive(Debug)]
/// struct Lines(Mutex<File>);
///
/// impl AuditSink for Lines {
///     fn record(&self, event: AuditEvent) -> StoreFuture {
///         let stored = serde_json::to_string(&event).map_err(|error| error.to_string()).and_then(|line| {
///             let mut file = self.0.lock().map_err(|_| "a writer panicked".to_owned())?;
///             writeln!(file, "{line}").map_err(|error| error.to_string())
///         });
///         StoreFuture::ready(stored.map_err(|reason| AuditError::new(&reason)))
///     }
/// }
/// ```
pub trait AuditSink: fmt::Debug + Send + Sync + 'static {
    /// Takes an event. The event counts as stored when the returned future succeeds; it is stored even if the future is dropped.
    fn record(&self, event: AuditEvent) -> StoreFuture;

    /// Returns whether events are kept at all. If not, no events are made.
    fn keeps(&self) -> bool {
        true
    }

    /// Admits an action whose event is recorded at its end, such as a call. Actions are refused while events cannot be stored, because
    /// no action may go without a trace. The sink counts the refusals, and reports them in an event as soon as events can be stored.
    ///
    /// # Errors
    /// [`AuditError`] if events cannot be stored at present, with the reason.
    fn admit(&self) -> Result<(), AuditError> {
        Ok(())
    }

    /// Returns the log if events can also be read.
    #[cfg(feature = "sqlite")]
    fn log(&self) -> Option<AuditLog> {
        None
    }
}

/// The error returned when an event cannot be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditError(Arc<str>);

impl AuditError {
    /// Creates an error with its reason.
    #[must_use]
    pub fn new(reason: &str) -> Self {
        Self(reason.into())
    }

    /// Returns the answer to a request that was not carried out because its event could not be stored: 3001, retryable.
    #[must_use]
    pub fn refusal(&self) -> ErrorObject {
        let recovery = Recovery::unsent(ErrorCode::ResourceExhausted).after_ms(RETRY_AFTER_MS);
        let message = format!("refused while the audit trail cannot be written: {}", self.0);
        ErrorCode::ResourceExhausted.error_with(message, recovery.with_details(self.note(RawObject::new())))
    }

    /// Returns the answer that replaces a result whose event could not be stored. The request may have been carried out, so it must not be
    /// retried.
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

/// The pause before a refused request is sent again, in milliseconds.
const RETRY_AFTER_MS: u64 = 1000;

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed to store the audit event: {}", self.0)
    }
}

impl std::error::Error for AuditError {}
