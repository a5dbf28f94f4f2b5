//! The trait of a gate's decision.

use super::Refusal;
use crate::seam::ToolCall;
use futures_core::future::BoxFuture;
use std::{fmt, sync::Arc};

/// A gate in the pipeline of tool calls: one function that decides on a call.
///
/// A closure is a judge, too:
///
/// ```
/// use mgp_transport::seam::{Decision, GateLayer, Refusal, RefusalKind, ToolCall};
/// use mgp_types::error::ErrorCode;
///
/// let no_mail_at_night = GateLayer::new(|call: &ToolCall| {
///     if &*call.target.tool.server_id == "mail" {
///         return Refusal::new(RefusalKind::Access, ErrorCode::AccessDenied.error("no mail at night")).into();
///     }
///     Decision::Allow
/// });
/// # fn is_layer<L: tower::Layer<mgp_transport::seam::BoxPeerService<ToolCall>>>(_: L) {}
/// # is_layer(no_mail_at_night);
/// ```
pub trait Judge: Send + Sync + 'static {
    /// Decides on a call. Must return at once: slow work goes into the future of [`Decision::Wait`] or [`Decision::Read`].
    ///
    /// In a [dry run](ToolCall::dry_run) the function itself changes nothing either: it stores, spends and asks nothing. If a
    /// real call would lead to a question, the judge records it with
    /// [`CallRecord::would_ask`](crate::seam::CallRecord::would_ask), and allows the call.
    fn judge(&self, call: &ToolCall) -> Decision;
}

impl<F: Fn(&ToolCall) -> Decision + Send + Sync + 'static> Judge for F {
    fn judge(&self, call: &ToolCall) -> Decision {
        self(call)
    }
}

impl<J: Judge + ?Sized> Judge for Arc<J> {
    fn judge(&self, call: &ToolCall) -> Decision {
        (**self).judge(call)
    }
}

/// An optional judge: `None` allows every call. The pipeline has the same type with and without it, unlike with an optional layer.
impl<J: Judge> Judge for Option<J> {
    fn judge(&self, call: &ToolCall) -> Decision {
        self.as_ref().map_or(Decision::Allow, |judge| judge.judge(call))
    }
}

/// The decision of a gate on a call.
#[must_use]
pub enum Decision {
    /// The call continues.
    Allow,
    /// The call ends here.
    Refuse(Refusal),
    /// The decision takes time, because a person is asked, or something is stored or spent. Rights may change in the meantime, so
    /// the kernel checks the call again before it is sent. Boxed, because waiting is rare and slow anyway.
    ///
    /// In a [dry run](ToolCall::dry_run) the future is dropped without being polled. The call continues, and its record states
    /// that a gate would ask.
    Wait(BoxFuture<'static, Result<(), Refusal>>),
    /// The decision takes time and changes nothing, because it only reads a store or a file. A dry run awaits it as well.
    Read(BoxFuture<'static, Result<(), Refusal>>),
}

impl Decision {
    /// Creates a decision that takes time, and asks, stores or spends something.
    pub fn wait(decision: impl Future<Output = Result<(), Refusal>> + Send + 'static) -> Self {
        Self::Wait(Box::pin(decision))
    }

    /// Creates a decision that takes time and changes nothing.
    pub fn read(decision: impl Future<Output = Result<(), Refusal>> + Send + 'static) -> Self {
        Self::Read(Box::pin(decision))
    }
}

impl From<Refusal> for Decision {
    fn from(refusal: Refusal) -> Self {
        Self::Refuse(refusal)
    }
}

impl From<Result<(), Refusal>> for Decision {
    fn from(decided: Result<(), Refusal>) -> Self {
        decided.map_or_else(Self::Refuse, |()| Self::Allow)
    }
}

impl fmt::Debug for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Allow => f.write_str("Allow"),
            Self::Refuse(refusal) => refusal.fmt(f),
            Self::Wait(_) => f.write_str("Wait"),
            Self::Read(_) => f.write_str("Read"),
        }
    }
}
