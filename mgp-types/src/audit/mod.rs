//! §6 Audit: the event, its types, and replaying what was stored.

mod event;
mod event_type;
mod replay;

pub use event::{Audit, AuditActor, AuditEvent, AuditResult, AuditTarget};
pub use event_type::AuditEventType;
pub use replay::{AuditReplayParams, AuditReplayResult, ReplayAudit};
