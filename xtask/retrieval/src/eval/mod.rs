//! Recall, NDCG and MRR of a set, by words, by meaning, and by both.

mod bars;
mod measures;
mod report;
mod run;

pub(crate) use measures::{Measures, ndcg};
pub(crate) use run::run;
