//! The type of a tool call's error.

spelled_open! {
    /// The type of a tool call's error, by which programs distinguish errors.
    pub enum ErrorType {
        /// An argument is wrong.
        ValidationError = "ValidationError",
        /// A file that the tool needs does not exist.
        FileNotFoundError = "FileNotFoundError",
        /// The caller is not authenticated, or no longer authenticated.
        AuthenticationError = "AuthenticationError",
        /// A resource that the call names does not exist.
        ResourceNotFound = "ResourceNotFound",
        /// The tool failed for another reason.
        ToolExecutionError = "ToolExecutionError",
        /// Too many calls were made.
        ApiLimitExceeded = "ApiLimitExceeded",
        /// The work took too long.
        TimeoutError = "TimeoutError",
        /// The caller may not do this.
        PermissionError = "PermissionError",
    } else
    /// A custom type.
    Custom
}
