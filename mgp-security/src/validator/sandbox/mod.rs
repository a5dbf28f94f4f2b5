//! §4.5 `sandbox`: lets harmless shell commands pass, refuses harmful ones, and asks about the others.

mod awk;
mod builds;
mod check;
mod fetch;
mod files;
mod finding;
mod git;
mod inline_code;
mod interpreters;
mod judge;
mod oddities;
mod options;
mod paths;
mod places;
mod programs;
mod reading;
mod sed;
mod special;
mod uses;
mod variables;
mod windows;

pub use check::Sandbox;
pub(super) use places::is_command;
pub(super) use reading::changes;
