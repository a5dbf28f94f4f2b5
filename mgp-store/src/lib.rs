//! Files that several processes share.
//!
//! | module | what it holds |
//! |---|---|
//! | [`private_file`] | small files that only their user can read, and a lock on them |
//! | `sqlite` | SQLite files with a version and migrations (feature `sqlite`) |

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod private_file;
#[cfg(feature = "sqlite")]
pub mod sqlite;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
