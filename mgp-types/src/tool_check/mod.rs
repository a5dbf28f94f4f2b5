//! Dry runs of tool calls: the gates judge the call, and it is not made.

mod question;

pub use question::{CallQuestion, QuestionKind};
