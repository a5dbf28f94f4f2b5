//! Copies the tables of a section between databases of either engine, and compares them.
//!
//! | file | contents |
//! |---|---|
//! | `layout` | the tables and columns of a section |
//! | `rows` | reads tables row by row, within bounded memory |
//! | `content` | the number of rows of a table, and the digest of their values |
//! | `transfer` | copies tables in one transaction of the target |
//! | `sequences` | advances PostgreSQL's sequences after a copy |
//! | `clear` | finds rows in a target, and deletes copied ones again |
//!
//! Tables that only PostgreSQL has, such as those of running processes, are not part of a copy.

mod clear;
mod content;
mod digest;
mod layout;
mod rows;
mod sequences;
#[cfg(test)]
mod tests;
mod transfer;

pub use clear::{clear, table_with_rows};
pub use content::{TableContent, content};
pub use digest::ContentDigest;
pub use layout::Layout;
pub use transfer::transfer;
