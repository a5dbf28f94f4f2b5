//! The setters for rights and for the audit trail.

use super::KernelBuilder;
use mgp_security::{
    access::{AccessControl, AccessPolicy},
    audit::AuditSink,
    permission::Approver,
};
use mgp_types::access::AccessEntry;
use std::sync::Arc;

impl KernelBuilder {
    /// Sets the approver that decides on permissions and calls; [`AskHost`](crate::AskHost) by default.
    #[must_use]
    pub fn approver(self, approver: impl Approver) -> Self {
        self.set(|settings| settings.approver = Some(Arc::new(approver)))
    }

    /// Removes the approver. A call that needs a decision is then refused.
    #[must_use]
    pub fn without_approver(self) -> Self {
        self.set(|settings| settings.approver = None)
    }

    /// Sets the access control, which decides which agent may use which tool.
    #[must_use]
    pub fn access(self, access: AccessControl) -> Self {
        self.set(|settings| settings.access = Some(access))
    }

    /// Sets the policy that decides on access where no rule does, before the servers' default policies. It replaces the policy file of the
    /// configuration. The feature `cedar` provides `CedarPolicies`.
    #[must_use]
    pub fn access_policy(self, policy: impl AccessPolicy) -> Self {
        self.set(|settings| settings.policy = Some(Arc::new(policy)))
    }

    /// Adds a rule to the access control when the kernel starts, made by `program` and recorded in the trail. A valid rule of another
    /// author for the same agent, server and tool stays in force.
    ///
    /// ```
    /// use mgp_kernel::{AccessEntry, Kernel};
    ///
    /// let kernel = Kernel::builder().grant(AccessEntry::allow("ann").server("clock").tool("now"));
    /// ```
    #[must_use]
    pub fn grant(self, rule: AccessEntry) -> Self {
        self.set(|settings| settings.granted.push(rule))
    }

    /// Sets the sink of audit events. Only events of a sink that is an [`AuditLog`] can also be read.
    ///
    /// [`AuditLog`]: mgp_security::audit::AuditLog
    #[must_use]
    pub fn audit_sink(self, sink: impl AuditSink) -> Self {
        self.set(|settings| settings.sink = Arc::new(sink))
    }
}
