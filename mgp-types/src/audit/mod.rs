//! §6 Audit: the event, its types, and the replay of stored events.

mod event;
mod event_type;
mod replay;

pub use event::{Audit, AuditActor, AuditEvent, AuditResult, AuditTarget};
pub use event_type::AuditEventType;
pub use replay::{AuditReplayParams, AuditReplayResult, ReplayAudit};
