//! Bash: the programs that commands run, regardless of the order in which they run.

mod arithmetic;
mod command;
mod commands;
mod files;
mod guards;
mod interpreters;
mod scope;
mod scripts;
mod special_commands;
mod walk;
mod walker;
mod words;
mod wrappers;

pub(super) use walker::findings;
