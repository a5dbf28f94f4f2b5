//! §11.2 The states of a server, the transitions between them, and their watchers.

mod machine;
mod table;

pub use machine::{IllegalTransition, Outlook, ServerStatus, StateMachine, Transition};
pub use table::{TRANSITIONS, may_follow};
