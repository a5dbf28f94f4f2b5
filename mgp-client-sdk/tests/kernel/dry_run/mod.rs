//! Dry runs: calls that every gate judges, and that no server gets.

mod agreement;
mod concealed;
mod forms;
mod never_sent;
