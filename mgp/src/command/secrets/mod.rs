//! `mgp secrets`: stores secrets, and moves keys out of files.

mod choice;
mod import;
mod list;
mod run;
mod set;

pub(in crate::command) use choice::{KeyMover, SecretsArgs as SecretsChoiceArgs};
pub(crate) use run::{SecretsArgs, run};
