//! The mark of a request whose refusals are answered with errors.

/// The mark of a request whose caller is a program and no model: its refusals are answered with errors, whatever form the operator chose. A
/// refusal in the form of a result could not be told from the result of a tool that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusalsAsErrors;
