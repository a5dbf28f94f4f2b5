//! Notifications for an operator who is away: a question waits for a decision.
//!
//! | module | content |
//! |---|---|
//! | `notice` | the content of a notification, from an event of the audit trail |
//! | `target` | one target, and the ways to reach it |
//! | `program` | a program that gets notifications |
//! | `notifier` | the queues of all targets, and the tasks that empty them |
//! | `sink` | the sink of audit events that finds the questions among them |

mod notice;
mod notifier;
mod program;
mod sink;
mod target;

#[cfg(test)]
mod tests;

pub(crate) use notifier::{ConsoleAddress, Notifier};
pub(crate) use sink::NotifyingSink;
