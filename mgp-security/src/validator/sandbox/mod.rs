//! §4.5 `sandbox`: lets harmless shell commands pass, refuses harmful ones, and asks about the others.

mod awk;
mod check;
mod fetch;
mod files;
mod finding;
mod git;
mod judge;
mod options;
mod paths;
mod places;
mod programs;
mod sed;
mod variables;
mod windows;

pub use check::Sandbox;
