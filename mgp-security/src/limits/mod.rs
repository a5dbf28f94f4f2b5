//! Limits on how often tools are called: requests a minute and units a day for each agent, API key, server and tool.
//!
//! A [`LimitRule`] names its subjects by a name or a pattern, and [`Limits`] keeps the rules with their remaining calls in memory.
//! Two gates use it: [`CallerLimits`] comes directly after identity, so that a flood costs nothing more. [`TargetLimits`] comes after
//! access, so that a tool that the caller may not see answers like an unknown one, whatever remains of its limits.
//! With a store, several kernels hold the limits together: [`lease`]. [`quota`] counts units a day.

mod buckets;
mod call_use;
mod counter;
mod handle;
mod judge;
pub mod lease;
pub mod quota;
mod rate;
mod refusal;
mod rule;
mod table;

pub use call_use::CallUse;
pub use handle::Limits;
pub use judge::{CallerLimits, TargetLimits};
pub use rule::{LimitRule, LimitedParty};

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
