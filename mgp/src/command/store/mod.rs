//! `mgp store`: moves the state between a folder and a database.

mod migrate;
#[cfg(feature = "postgres")]
mod report;
mod run;

pub(crate) use run::{StoreArgs, run};
