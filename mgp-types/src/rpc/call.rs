//! Methods as types, so that a router is keyed by `METHOD` and a caller cannot mix up params.

use serde::{Serialize, de::DeserializeOwned};

/// A request: its method, its params and its result.
pub trait Call {
    /// The method's name on the wire.
    const METHOD: &'static str;
    /// The params that are sent.
    type Params: Serialize + DeserializeOwned + Send + Sync + 'static;
    /// The result that is returned.
    type Result: Serialize + DeserializeOwned + Send + Sync + 'static;
}

/// A notification: its method and its params.
pub trait Notice {
    /// The method's name on the wire.
    const METHOD: &'static str;
    /// The params that are sent.
    type Params: Serialize + DeserializeOwned + Send + Sync + 'static;
}

/// A request that runs no tool, such as a handshake, listing, health, permission or lifecycle request.
///
/// Only such requests can be sent past the kernel's pipeline (through a `ControlPeer`). `tools/call` must never be one.
pub trait Control: Call {}
