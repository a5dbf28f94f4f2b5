//! Checks any MCP or MGP server against the rules of its protocols.
//!
//! [`check`] opens sessions with a [`CheckTarget`], runs every [`Check`] of [`checks::ALL`] and returns a [`CheckReport`]. It
//! sends and reads raw messages, because a tolerant client would hide a server's faults.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod arguments;
mod check;
pub mod checks;
mod outcome;
mod report;
mod run;
mod server_list;
mod session;
mod settings;
mod target;
mod unlisted;
mod vectors;
mod visit;

pub use check::{Area, Check};
pub use outcome::CheckStatus;
pub use report::{CheckOutcome, CheckReport};
pub use run::check;
pub use settings::CheckSettings;
pub use target::CheckTarget;
pub use vectors::{Vector, VectorError, run_vectors};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
