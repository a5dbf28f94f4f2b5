//! The severity of log lines and events.

spelled! {
    /// The severity of a log line (RFC 5424). Ordered: debug is the least.
    #[derive(PartialOrd, Ord)]
    pub enum LoggingLevel as "logging level" {
        /// Details for debugging.
        Debug = "debug",
        /// A normal event.
        Info = "info",
        /// A normal but unusual event.
        Notice = "notice",
        /// A condition that may become an error.
        Warning = "warning",
        /// A failed operation.
        Error = "error",
        /// A failed component.
        Critical = "critical",
        /// A condition that needs action at once.
        Alert = "alert",
        /// A system that does not work at all.
        Emergency = "emergency",
    }
}
