//! The audit trail and traces.

mod spans;
mod stored_first;
mod traces;
mod unwritable_trail;
