//! The impact of a call, as a server claims it.

use crate::context::RiskLevel;

spelled! {
    /// The impact of a call, as a tool's server claims it.
    pub enum Impact as "risk level of a tool" {
        /// A call has no side effects.
        Safe = "safe",
        /// A call has effects that can be undone.
        Reversible = "reversible" | "moderate",
        /// A call has effects that cannot be undone.
        Destructive = "destructive" | "dangerous",
    }
}

impl Impact {
    /// Returns the risk level that the impact stands for.
    #[must_use]
    pub const fn risk(self) -> RiskLevel {
        match self {
            Self::Safe => RiskLevel::Safe,
            Self::Reversible => RiskLevel::Moderate,
            Self::Destructive => RiskLevel::Dangerous,
        }
    }
}
