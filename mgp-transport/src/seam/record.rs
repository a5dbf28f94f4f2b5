//! What the layers of a pipeline learn about one call.

use crate::sync::lock;
use mgp_types::{
    context::{Principal, RiskLevel, TraceId},
    json::RawJson,
};
use std::sync::{Arc, Mutex};

/// What the layers learn about one call: inner layers write it, audit, outside them, reads it.
///
/// It is put into `Incoming.ext` by `resolve`, at the top. A clone is the same record.
#[derive(Debug, Clone, Default)]
pub struct CallRecord(Arc<Mutex<Record>>);

/// The content of a [`CallRecord`].
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Record {
    /// Who called.
    pub principal: Option<Principal>,
    /// What ties the call together with others.
    pub trace: Option<TraceId>,
    /// Why the call was refused before it reached a server.
    pub refusal: Option<Refusal>,
    /// How dangerous the kernel holds the tool.
    pub risk: Option<RiskLevel>,
    /// The validator that looked at the arguments, by name.
    pub validator: Option<String>,
    /// How often the call was sent to a server; 0 means that it reached none.
    pub attempts: u32,
    /// More that audit is to keep, by name.
    pub details: Vec<(&'static str, RawJson)>,
}

/// Why a call was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Which gate refused it.
    pub kind: RefusalKind,
    /// One sentence that says why.
    pub reason: String,
}

/// Which gate refused a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusalKind {
    /// §5: the agent may not call the tool.
    Access,
    /// §3: a permission that the tool needs is not approved.
    Permission,
    /// §4.4: the operator or the host did not confirm.
    Confirmation,
    /// §4.5: a validator refused the arguments.
    Validation,
    /// §7: the code was refused.
    CodeSafety,
    /// The caller is not authenticated.
    Identity,
    /// Too many calls.
    RateLimit,
    /// §11: the server is not in a state to be called.
    Lifecycle,
    /// There is no such tool.
    NotFound,
}

impl CallRecord {
    /// An empty record.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes to the record.
    pub fn update<R>(&self, write: impl FnOnce(&mut Record) -> R) -> R {
        write(&mut lock(&self.0))
    }

    /// Notes a refusal. The first one stays: it is the gate that stopped the call.
    pub fn refuse(&self, kind: RefusalKind, reason: impl Into<String>) {
        self.update(|record| {
            record.refusal.get_or_insert_with(|| Refusal { kind, reason: reason.into() });
        });
    }

    /// What the record holds now.
    #[must_use]
    pub fn read(&self) -> Record {
        lock(&self.0).clone()
    }
}
