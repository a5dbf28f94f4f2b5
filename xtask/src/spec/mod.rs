//! `cargo xtask spec`: every JSON block of the specification against its type, and `docs/errors.md` against the table;
//! the schema and the tables of the configuration against its types.

mod block;
mod check;
mod command;
mod elided;
mod errors_page;
mod exact;
mod methods;
mod objects;
mod passage;
mod schemas;

pub(crate) use command::run;
