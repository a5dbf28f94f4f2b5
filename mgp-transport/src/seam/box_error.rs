//! The error type of services.

/// An error of the infrastructure: a time limit, overload, a lost peer. Refusals are replies, not errors.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
