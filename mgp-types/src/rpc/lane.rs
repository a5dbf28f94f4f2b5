//! The lane of a connection on which a request is served.

/// The lane of a connection on which a request is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// In the order of the wire, within the connection's limits.
    Ordinary,
    /// Ahead of everything else and without limits, because other work waits for the answer.
    Priority,
}

impl Lane {
    /// Returns the lane of a method.
    #[must_use]
    pub fn of(method: &str) -> Self {
        match method {
            "ping" | "mgp/health/ping" | "mgp/stream/cancel" | "mgp/callback/respond" => Self::Priority,
            _ => Self::Ordinary,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        callback::RespondCallback,
        lifecycle::HealthPing,
        mcp::{CallTool, Ping},
        rpc::Call,
        stream::CancelStream,
    };

    #[test]
    fn only_methods_that_unblock_other_work_have_priority() {
        for method in [Ping::METHOD, HealthPing::METHOD, CancelStream::METHOD, RespondCallback::METHOD] {
            assert_eq!(Lane::of(method), Lane::Priority, "{method}");
        }
        assert_eq!(Lane::of(CallTool::METHOD), Lane::Ordinary);
    }
}
