//! The typed context of a call: its principal, target and trace. It lives in `Incoming.ext`, never in JSON.

mod confinement;
mod host_rule;
mod key_scopes;
mod principal;
mod risk;
mod session_tag;
mod target;
mod trace;
mod trace_parent;
mod trust;

pub use confinement::{ConfinementMode, ConfinementPreset, ConfinementRunner};
pub use host_rule::{HostRule, HostRuleError};
pub use key_scopes::KeyScopes;
pub use principal::{ActorType, Principal};
pub use risk::RiskLevel;
pub use session_tag::SessionTag;
pub use target::{Target, ToolId};
pub use trace::TraceId;
pub use trace_parent::TraceParent;
pub use trust::TrustLevel;
