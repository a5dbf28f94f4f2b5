//! Limits on how often tools are called: requests a minute and units a day for each agent, API key, server and tool.
//!
//! A [`LimitRule`] names those that it is for, by a name or a pattern, and [`Limits`] holds the rules with what is left of each in memory.
//! Two gates ask it: [`CallerLimits`], which stands directly after identity, so that a flood costs nothing more, and [`TargetLimits`], which
//! stands after access, so that a tool that the caller may not see answers like one that does not exist, whatever is left of its limits.
//! [`quota`] counts units a day.

mod buckets;
mod call_use;
mod handle;
mod judge;
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
