//! §14.5 The advice of calls that failed on a second try: nothing that was sent is called retryable, unless running it twice does no
//! harm.

use super::{Link, Server};
use mgp_transport::{
    connection::error_at_edge,
    seam::{BoxError, Incoming, Reply},
};
use mgp_types::{
    context::{Target, TrustLevel},
    error::{ErrorCode, Recovery},
    mcp::{
        Complete, GetPrompt, ReadResource,
        tasks::core::{GetTask, GetTaskPayload},
    },
    rpc::{Call, ErrorObject},
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A mark that a request was handed to the connection with its server.
#[derive(Debug, Default)]
pub(super) struct SendFlag(AtomicBool);

impl SendFlag {
    pub(super) fn note(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_so(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Returns the error of a request whose time limit passed.
pub(super) fn timed_out(sent: &SendFlag) -> ErrorObject {
    let message = "the time limit of the call passed";
    if sent.is_so() {
        return ErrorCode::Timeout.error_outcome_unknown(message);
    }
    ErrorCode::Timeout.error_unsent(format!("{message} before it was sent"))
}

/// The knowledge of whether a request may run twice without harm.
#[derive(Debug)]
pub(super) enum Idempotence {
    /// A method that only reads.
    Reads,
    /// The tool of this name decides.
    Tool(Arc<str>),
    /// Nothing is known of it.
    Unknown,
}

impl Idempotence {
    pub(super) fn of(message: &Incoming) -> Self {
        if let Some(target) = message.ext.get::<Target>() {
            return Self::Tool(target.tool.tool_name.clone());
        }
        match &*message.method {
            ReadResource::METHOD
            | GetPrompt::METHOD
            | Complete::METHOD
            | GetTask::METHOD
            | GetTaskPayload::METHOD => Self::Reads,
            _ => Self::Unknown,
        }
    }

    /// Says of an error whose outcome is unknown that the request may be sent again, where it may run twice.
    pub(super) fn advise(
        &self,
        server: &Server,
        link: &Link,
        reply: Result<Reply, BoxError>,
    ) -> Result<Reply, BoxError> {
        let error = match &reply {
            Ok(reply) => reply.as_error().cloned(),
            Err(error) => Some(error_at_edge(error)),
        };
        let Some(error) = error else { return reply };
        let advice = Recovery::from_error(&error).filter(Recovery::is_outcome_unknown);
        let strategy = ErrorCode::from_code(error.code).and_then(ErrorCode::strategy);
        match advice.zip(strategy) {
            Some((advice, strategy)) if self.holds(server, link) => {
                Ok(Reply::error(advice.with_retry(strategy).attach(error)))
            }
            _ => reply,
        }
    }

    fn holds(&self, server: &Server, link: &Link) -> bool {
        match self {
            Self::Reads => true,
            Self::Unknown => false,
            Self::Tool(name) if server.spec.idempotent.iter().any(|known| **known == **name) => true,
            Self::Tool(name) => trust(server, link) >= TrustLevel::Standard && says_so(server, name),
        }
    }
}

/// Returns the trust in a server, which its own claim can only lower.
fn trust(server: &Server, link: &Link) -> TrustLevel {
    let claimed = link.negotiated.as_ref().and_then(|negotiated| negotiated.claimed_trust);
    claimed.map_or(server.spec.trust, |claimed| claimed.min(server.spec.trust))
}

/// Returns whether a tool's annotations say that it only reads, or that a second call changes nothing more.
fn says_so(server: &Server, name: &str) -> bool {
    let tools = server.tools();
    let listed = tools.iter().find(|listed| listed.tool.name == name);
    listed
        .and_then(|listed| listed.tool.annotations.as_ref())
        .is_some_and(|hints| hints.read_only_hint == Some(true) || hints.idempotent_hint == Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_whose_time_passed_before_it_was_sent_may_be_sent_again() {
        let flag = SendFlag::default();
        let advice = Recovery::from_error(&timed_out(&flag)).unwrap();
        assert!(advice.retryable && !advice.is_outcome_unknown());
        flag.note();
        let advice = Recovery::from_error(&timed_out(&flag)).unwrap();
        assert!(!advice.retryable && advice.is_outcome_unknown());
    }
}
