//! §3.3 The policies for deciding on permissions.

spelled! {
    /// The treatment of an undecided permission (§3.3).
    pub enum PermissionPolicy as "permission policy" {
        /// The operator is asked.
        Interactive = "interactive",
        /// The permission is approved, and the approval is audited.
        AutoApprove = "auto_approve",
        /// The permission is denied, unless the configuration approves it or an operator approved it before. New approvals are refused.
        DenyAll = "deny_all",
        /// The same as `DenyAll`, and earlier approvals by an operator do not count.
        ConfigOnly = "config_only",
    }
}
