//! §6.4 The types of audit events.

spelled_open! {
    /// What happened (§6.4).
    pub enum AuditEventType {
        /// A call reached a server, and ended.
        ToolExecuted = "TOOL_EXECUTED",
        /// A call was refused for want of access or a permission.
        ToolBlocked = "TOOL_BLOCKED",
        /// A permission was approved.
        PermissionGranted = "PERMISSION_GRANTED",
        /// A permission was denied.
        PermissionDenied = "PERMISSION_DENIED",
        /// A permission was taken back, or ran out.
        PermissionRevoked = "PERMISSION_REVOKED",
        /// An agent got access.
        AccessGranted = "ACCESS_GRANTED",
        /// An agent lost access.
        AccessRevoked = "ACCESS_REVOKED",
        /// A server is connected.
        ServerConnected = "SERVER_CONNECTED",
        /// A server is not connected any more.
        ServerDisconnected = "SERVER_DISCONNECTED",
        /// A validator refused a call.
        ValidationFailed = "VALIDATION_FAILED",
        /// Code safety refused code.
        CodeRejected = "CODE_REJECTED",
    } else
    /// A type of somebody's own, with a reverse-domain name.
    Custom
}
