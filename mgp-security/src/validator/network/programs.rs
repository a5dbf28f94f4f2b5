//! Network programs, their options, and the parts of commands that mean this machine.

use crate::validator::table::{self, Words};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `programs.toml`.
pub(super) static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("programs.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    /// The programs whose words are hosts.
    pub(super) programs: Vec<Program>,
    pub(super) local_clients: Words,
    pub(super) clients: Words,
    pub(super) host_options: Words,
    pub(super) this_machine: Words,
    pub(super) prefixes: Words,
    pub(super) valued: Words,
}

/// A network program.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Program {
    /// The names of the program.
    pub(super) names: Words,
    /// The options whose value is not a host, besides those that every program has.
    pub(super) values: String,
    /// The number of words that may be hosts; others are files, queries or subcommands.
    pub(super) hosts: usize,
    /// True if the words are paths that may begin with a host and a colon.
    #[serde(default)]
    pub(super) paths: bool,
}

/// Programs that are unmistakable anywhere in a command.
pub(super) const CLEAR: &[&str] = &["nc", "ncat", "curl", "wget", "ssh", "telnet", "nmap", "socat"];
