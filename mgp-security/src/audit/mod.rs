//! §6 Audit: one terminal event for each call, stored before the call's reply leaves.
//!
//! [`AuditLayer`] is outside the other gates, reads the call's record, into which they write, and passes one event to
//! an [`AuditSink`]. [`AuditLog`] is the sink that keeps events in SQLite.

mod change;
mod dispatch;
mod draft;
mod future;
mod layer;
#[cfg(feature = "sqlite")]
mod log;
mod memory;
mod null;
mod open_call;
mod open_event;
mod service;
mod sink;
mod store_future;
mod trace;

pub use change::{ChangeError, record_change};
pub use dispatch::DispatchEvents;
pub use draft::{EventDraft, REQUEST_BLOCKED, TOOL_CHECKED};
pub use future::ResponseFuture;
pub use layer::AuditLayer;
#[cfg(feature = "sqlite")]
pub use log::{
    AuditCountQuery, AuditCounts, AuditDatabase, AuditFilter, AuditHead, AuditLog, AuditLogConfig, AuditPage,
    AuditPosition, AuditProblem, AuditReader, AuditRetention, AuditVerification, Confirmation, CountBy,
    CountedGroup, CountedSpan, Durability, EventCounts, EventPlace, ForwardingTurn, JournalMode, TrailCopy,
    TrailFault, TrailVerification,
};
pub use memory::MemorySink;
pub use null::NullSink;
pub use open_event::{Droppable, OpenEvent};
pub use service::Audit;
pub use sink::{AuditError, AuditSink};
pub use store_future::StoreFuture;
pub use trace::{current_trace, in_trace, new_trace};

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests_of_dispatch;
