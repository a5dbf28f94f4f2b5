//! §7 Checks of code that a tool receives, for its handler.
//!
//! The server has [`CodeRules`]; a handler takes a [`CodeSafety`], and checks the code before running it. Code that breaks the
//! rules is answered with the rejection of §7.4, whose hints help the agent to fix the code. [The
//! guide](https://github.com/mgp-rs/mgp/blob/main/docs/code-safety.md) describes the limits of each level.

mod extractor;
mod refusal;
mod rules;

pub use extractor::CodeSafety;
pub use refusal::CodeRefusal;
pub use rules::CodeRules;

pub use mgp_types::code_safety::{CodeHints, CodeRejection, SafetyLevel};
