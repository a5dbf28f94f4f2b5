//! §4 Tool security metadata, the validators' names, the risk that policy uses, and the profile by which gates judge a tool.

mod definition_hash;
mod effective_risk;
mod metadata;
mod on_change;
mod readonly_settings;
mod sandbox_settings;
mod secret_policy;
mod tool_profile;
mod validator;

pub use definition_hash::{DefinitionHash, DefinitionHashError};
pub use effective_risk::{RiskFactors, effective_risk};
pub use metadata::{SecurityMetadata, SideEffect};
pub use on_change::OnChange;
pub use readonly_settings::{ReadonlySettings, SqlDialect};
pub use sandbox_settings::SandboxSettings;
pub use secret_policy::SecretPolicy;
pub use tool_profile::{Confirmation, Leaves, ToolProfile};
pub use validator::ValidatorName;
