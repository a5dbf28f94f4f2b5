//! Dry runs: calls that every gate judges, and that no server gets.

mod agreement;
mod concealed;
mod forms;
mod keys;
mod never_sent;
mod own_tools;
mod refusals;
