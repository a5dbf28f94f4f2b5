//! §3.3 Who decides on permissions.

spelled! {
    /// What happens to a permission that nobody decided on yet (§3.3).
    pub enum PermissionPolicy as "permission policy" {
        /// The operator is asked.
        Interactive = "interactive",
        /// It is approved, and audited.
        AutoApprove = "auto_approve",
        /// It is denied, unless the configuration approves it.
        DenyAll = "deny_all",
        /// The same, and what an operator grants later is refused too.
        ConfigOnly = "config_only",
    }
}
