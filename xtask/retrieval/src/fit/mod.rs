//! Learns the weights of words and meaning.

mod climb;
mod judge;
mod lesson;
mod run;

pub(crate) use run::run;
