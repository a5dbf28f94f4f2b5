//! The good servers and the lists in the presence of bad servers, compared with only the good servers.

mod latencies;
mod processes;
mod ratios;
mod run;

pub(crate) use latencies::{Latencies, RequestKind};
pub(crate) use ratios::{Comparison, Ratio};
pub(crate) use run::Stage;
