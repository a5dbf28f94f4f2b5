//! §11.2 The states of a server: which may follow which, and who is told.

mod machine;
mod table;

pub use machine::{IllegalTransition, Outlook, ServerStatus, StateMachine, Transition};
pub use table::{TRANSITIONS, may_follow};
