//! `mgp config`: shows, checks and replaces the files of the configuration.
//!
//! | file | content |
//! |---|---|
//! | `run.rs` | the arguments |
//! | `files.rs` | the configuration, and the policy file that it names |
//! | `problems.rs` | the problems of a text as one of these files |
//! | `show.rs`, `check.rs`, `write.rs` | the subcommands |
//! | `difference.rs` | the difference of two texts |

mod check;
mod difference;
mod files;
mod problems;
mod run;
mod show;
mod write;

pub(crate) use run::{ConfigArgs, run};
