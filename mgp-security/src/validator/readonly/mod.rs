//! §4.5 `readonly`: passes only calls that read.
//!
//! Each file judges one kind of text: statements of SQL and of other languages, names of operations, HTTP requests, file modes, commands.
//! A judge returns nothing for a text of another kind.

mod check;
mod commands;
mod encoded;
mod finding;
mod graph;
mod graphql;
mod http;
mod kinds;
mod modes;
mod mongo;
mod names;
mod pipes;
mod sql;
mod statements;
mod tokens;

pub use check::ReadOnly;
