//! §4 Tool security metadata, the validators' names, and the risk that policy uses.

mod effective_risk;
mod metadata;
mod validator;

pub use effective_risk::{RiskFactors, effective_risk};
pub use metadata::{SecurityMetadata, SideEffect};
pub use validator::ValidatorName;
