//! Every value that is read is written as it was.

#![expect(clippy::unwrap_used, reason = "a panic is how these tests fail")]

mod generate;
mod messages;
mod stateless;
mod tasks;
