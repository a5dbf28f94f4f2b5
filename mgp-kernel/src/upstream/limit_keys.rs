//! The configuration keys of a server's time limits, for errors about exceeded limits.

use mgp_discovery::config::{KernelConfig, ServerMgp};
use std::fmt;

/// The configuration keys of one server's time limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LimitKeys {
    pub(crate) call: LimitKey,
    pub(crate) call_max: LimitKey,
    pub(crate) queue: LimitKey,
    pub(crate) startup: LimitKey,
    pub(crate) discovery: LimitKey,
}

/// The configuration key of one time limit. Its display form names the key to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LimitKey {
    name: &'static str,
    /// True if the key is the server's own, and not the one for all servers.
    is_own: bool,
}

const CALL: &str = "call_timeout_ms";
const CALL_MAX: &str = "call_max_ms";
const QUEUE: &str = "queue_timeout_ms";
const STARTUP: &str = "startup_timeout_ms";
const DISCOVERY: &str = "discovery_timeout_ms";

impl LimitKeys {
    /// The keys of a server whose limits a program sets for that server only.
    pub(crate) const OF_SERVER: Self = Self {
        call: LimitKey { name: CALL, is_own: true },
        call_max: LimitKey { name: CALL_MAX, is_own: true },
        queue: LimitKey { name: QUEUE, is_own: true },
        startup: LimitKey { name: STARTUP, is_own: true },
        discovery: LimitKey { name: DISCOVERY, is_own: true },
    };

    /// Returns the keys that a configuration uses. Without its own limit, the wait for a turn has the limit of the call.
    pub(super) fn of(settings: &ServerMgp, kernel: &KernelConfig) -> Self {
        let key = |name, own: Option<u64>| LimitKey { name, is_own: own.is_some() };
        let call = key(CALL, settings.call_timeout_ms);
        let has_queue_limit = settings.queue_timeout_ms.or(kernel.queue_timeout_ms).is_some();
        Self {
            call,
            call_max: key(CALL_MAX, settings.call_max_ms),
            queue: if has_queue_limit { key(QUEUE, settings.queue_timeout_ms) } else { call },
            startup: key(STARTUP, settings.startup_timeout_ms),
            discovery: key(DISCOVERY, settings.discovery_timeout_ms),
        }
    }
}

impl fmt::Display for LimitKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, is_own } = self;
        if *is_own {
            write!(f, "servers[].mgp.{name}")
        } else {
            write!(f, "kernel.{name}, or servers[].mgp.{name} for this server only")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_that_is_named_is_the_one_that_decided() {
        let kernel = KernelConfig::default();
        let of_all = |name: &str| format!("kernel.{name}, or servers[].mgp.{name} for this server only");
        let keys = LimitKeys::of(&ServerMgp::default(), &kernel);
        assert_eq!(keys.call.to_string(), of_all("call_timeout_ms"));
        assert_eq!(keys.call_max.to_string(), of_all("call_max_ms"));
        assert_eq!(keys.queue, keys.call, "the wait for a turn has no limit of its own");
        assert_eq!(keys.startup.to_string(), of_all("startup_timeout_ms"));
        let kernel = KernelConfig { queue_timeout_ms: Some(7), ..kernel };
        let settings = ServerMgp { call_timeout_ms: Some(5), ..ServerMgp::default() };
        let keys = LimitKeys::of(&settings, &kernel);
        assert_eq!(keys.call.to_string(), "servers[].mgp.call_timeout_ms");
        assert_eq!(keys.queue.to_string(), of_all("queue_timeout_ms"));
        let settings = ServerMgp {
            call_max_ms: Some(5),
            queue_timeout_ms: Some(5),
            discovery_timeout_ms: Some(5),
            ..settings
        };
        let keys = LimitKeys::of(&settings, &kernel);
        assert_eq!(keys.queue.to_string(), "servers[].mgp.queue_timeout_ms");
        assert_eq!(keys.call_max.to_string(), "servers[].mgp.call_max_ms");
        assert_eq!(keys.discovery.to_string(), "servers[].mgp.discovery_timeout_ms");
    }
}
