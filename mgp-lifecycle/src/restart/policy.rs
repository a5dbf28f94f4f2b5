//! The decision on whether a stopped server is started again.

use mgp_types::lifecycle::{RestartPolicy, ShutdownReason};

/// The way in which a server stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exit {
    /// The server failed: it died, or did not answer.
    Failed,
    /// The server is away: it did not start, it could not be reached, or the connection to a server run by others was lost. It may come back
    /// by itself, so attempts to start it have no limit ([`RestartBudget::next_while_away`](super::RestartBudget::next_while_away)).
    Away,
    /// The server stopped by itself, without an error.
    Clean,
    /// The server was asked to stop.
    Requested(ShutdownReason),
}

/// Returns whether the policy starts a server again.
///
/// Regardless of the policy, a server that the operator or the end of the kernel stopped is never started again, and
/// one that stopped for a new configuration always is. A server that used too many resources counts as failed.
#[must_use]
pub fn restarts(policy: RestartPolicy, exit: &Exit) -> bool {
    let failed = match exit {
        Exit::Requested(ShutdownReason::OperatorRequest | ShutdownReason::KernelShutdown) => return false,
        Exit::Requested(ShutdownReason::ConfigurationChange) => return true,
        Exit::Failed | Exit::Away | Exit::Requested(ShutdownReason::ResourceLimit) => true,
        Exit::Clean | Exit::Requested(ShutdownReason::IdleTimeout | ShutdownReason::Other(_)) => false,
    };
    match policy {
        RestartPolicy::Never => false,
        RestartPolicy::OnFailure => failed,
        RestartPolicy::Always => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exit_is_decided_for_every_policy() {
        use ShutdownReason::{
            ConfigurationChange, IdleTimeout, KernelShutdown, OperatorRequest, Other, ResourceLimit,
        };
        // In the order never, on_failure, always.
        let table = [
            (Exit::Failed, [false, true, true]),
            (Exit::Away, [false, true, true]),
            (Exit::Clean, [false, false, true]),
            (Exit::Requested(OperatorRequest), [false, false, false]),
            (Exit::Requested(KernelShutdown), [false, false, false]),
            (Exit::Requested(ConfigurationChange), [true, true, true]),
            (Exit::Requested(ResourceLimit), [false, true, true]),
            (Exit::Requested(IdleTimeout), [false, false, true]),
            (Exit::Requested(Other("moved".into())), [false, false, true]),
        ];
        for (exit, expected) in table {
            let found = [RestartPolicy::Never, RestartPolicy::OnFailure, RestartPolicy::Always]
                .map(|policy| restarts(policy, &exit));
            assert_eq!(found, expected, "{exit:?}");
        }
    }
}
