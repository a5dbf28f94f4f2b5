//! §4 Tool security metadata, the validators' names, the risk that policy uses, and the profile by which gates judge a tool.

mod definition_hash;
mod effective_risk;
mod metadata;
mod sandbox_settings;
mod tool_profile;
mod validator;

pub use definition_hash::DefinitionHash;
pub use effective_risk::{RiskFactors, effective_risk};
pub use metadata::{SecurityMetadata, SideEffect};
pub use sandbox_settings::SandboxSettings;
pub use tool_profile::{Confirmation, Leaves, ToolProfile};
pub use validator::ValidatorName;
