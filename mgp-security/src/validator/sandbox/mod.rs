//! §4.5 `sandbox`: lets harmless shell commands pass, refuses harmful ones, and asks about the others.

mod awk;
mod build_options;
mod builds;
mod check;
mod endless;
mod everyday;
mod fetch;
mod files;
mod finding;
mod folders;
mod git;
mod grammars;
mod inline_code;
mod interpreters;
mod judge;
mod loaded;
mod members;
mod oddities;
mod options;
mod paths;
mod places;
mod programs;
mod reading;
mod scripts;
mod secrets;
mod sed;
mod special;
mod traits;
mod uncommon;
mod uses;
mod values;
mod variables;
mod windows;

pub use check::Sandbox;
pub(super) use places::is_command;
pub(super) use reading::{changes, changes_something, is_program, is_tool, words_change_something};
