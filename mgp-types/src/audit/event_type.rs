//! §6.4 The types of audit events.

spelled_open! {
    /// The type of an audit event (§6.4).
    pub enum AuditEventType {
        /// A call reached a server and has ended.
        ToolExecuted = "TOOL_EXECUTED",
        /// A call was refused for lack of access or of a permission.
        ToolBlocked = "TOOL_BLOCKED",
        /// A permission was approved.
        PermissionGranted = "PERMISSION_GRANTED",
        /// A permission was denied.
        PermissionDenied = "PERMISSION_DENIED",
        /// A permission was revoked, or expired.
        PermissionRevoked = "PERMISSION_REVOKED",
        /// An agent got access.
        AccessGranted = "ACCESS_GRANTED",
        /// An agent lost access.
        AccessRevoked = "ACCESS_REVOKED",
        /// A server is connected.
        ServerConnected = "SERVER_CONNECTED",
        /// A server is no longer connected.
        ServerDisconnected = "SERVER_DISCONNECTED",
        /// A validator refused a call.
        ValidationFailed = "VALIDATION_FAILED",
        /// Code safety refused code.
        CodeRejected = "CODE_REJECTED",
    } else
    /// A custom type, with a reverse-domain name.
    Custom
}
