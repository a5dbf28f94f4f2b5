//! §4.5 `sandbox`: lets harmless shell commands pass, refuses harmful ones, and asks about the others.

mod awk;
mod builds;
mod check;
mod fetch;
mod files;
mod finding;
mod git;
mod interpreters;
mod judge;
mod oddities;
mod options;
mod paths;
mod places;
mod programs;
mod sed;
mod special;
mod uses;
mod variables;
mod windows;

pub use check::Sandbox;
