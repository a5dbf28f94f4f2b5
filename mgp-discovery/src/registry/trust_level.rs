//! The trust in a server: the configuration decides, and the server itself can only lower it.

use mgp_types::context::TrustLevel;

/// The source from which the kernel knows a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerSource {
    /// The operator's own configuration, which may set a level.
    Configuration(Option<TrustLevel>),
    /// A registration while the kernel ran, by any caller.
    Registration,
}

/// Returns the trust in a server. `claimed` is the level that the server claims in the handshake.
///
/// ```
/// use mgp_discovery::registry::{ServerSource, trust_level};
/// use mgp_types::context::TrustLevel::{Sandboxed, Standard, Trusted};
/// assert_eq!(trust_level(ServerSource::Configuration(None), Some(Trusted)), Standard);
/// assert_eq!(trust_level(ServerSource::Configuration(Some(Trusted)), Some(Sandboxed)), Sandboxed);
/// ```
#[must_use]
pub fn trust_level(source: ServerSource, claimed: Option<TrustLevel>) -> TrustLevel {
    let decided = match source {
        ServerSource::Configuration(level) => level.unwrap_or(TrustLevel::Standard),
        ServerSource::Registration => TrustLevel::Sandboxed,
    };
    claimed.map_or(decided, |claimed| claimed.min(decided))
}

#[cfg(test)]
mod tests {
    use super::*;
    use TrustLevel::{Sandboxed, Standard, Trusted};

    #[test]
    fn a_claim_never_raises_the_decided_trust() {
        let sources = [None, Some(Sandboxed), Some(Standard), Some(Trusted)]
            .map(ServerSource::Configuration)
            .into_iter()
            .chain([ServerSource::Registration]);
        for source in sources {
            let decided = trust_level(source, None);
            for claimed in [Sandboxed, Standard, Trusted] {
                let level = trust_level(source, Some(claimed));
                assert!(level <= decided && level <= claimed, "{source:?} {claimed}");
            }
        }
    }

    #[test]
    fn a_server_registered_at_run_time_is_sandboxed() {
        assert_eq!(trust_level(ServerSource::Registration, Some(Trusted)), Sandboxed);
        assert_eq!(trust_level(ServerSource::Configuration(Some(Trusted)), None), Trusted);
    }
}
