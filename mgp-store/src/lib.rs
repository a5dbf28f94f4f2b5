//! State that several processes share.
//!
//! | module | contents |
//! |---|---|
//! | `follow` | snapshots that follow the changes of other processes (feature `follow`) |
//! | `objects` | objects in a store that speaks S3, for data that is too long for a database (feature `s3`) |
//! | [`private_file`] | small files that only their user can read, and a lock on them |
//! | `secrets` | secrets in an encrypted file, which processes of this account share (feature `secrets`; its key is in the keyring with the feature `keyring`) |
//! | `spool` | encrypted files without a name, which only their process reads, and derived keys (feature `spool`) |
//! | `sql` | the tables of a section in SQLite, or in PostgreSQL (features `sqlite`, `postgres`) |
//! | `sqlite` | SQLite files with a version and migrations (feature `sqlite`) |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod error;
#[cfg(feature = "follow")]
pub mod follow;
#[cfg(feature = "s3")]
pub mod objects;
pub mod private_file;
#[cfg(feature = "secrets")]
pub mod secrets;
#[cfg(feature = "spool")]
pub mod spool;
#[cfg(feature = "sqlite")]
pub mod sql;
#[cfg(feature = "sqlite")]
pub mod sqlite;

pub use error::StoreError;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
