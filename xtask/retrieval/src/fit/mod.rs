//! Learns how words and meaning are mixed.

mod climb;
mod judge;
mod lesson;
mod run;

pub(crate) use run::run;
