//! §16.5 `mgp/tools/discover`, as a method and as a tool.

mod methods;
mod params;
mod service;
mod states;

#[cfg(test)]
mod tests;

pub use params::{DEFAULT_RESULTS, MAX_RESULTS};
pub use service::Discovery;
pub use states::{AllConnected, ServerStates};
