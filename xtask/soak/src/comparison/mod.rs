//! The good servers and the lists beside bad servers, compared with the same good servers alone.

mod latencies;
mod ratios;
mod run;

pub(crate) use latencies::{Latencies, RequestKind};
pub(crate) use ratios::{Comparison, Ratio};
pub(crate) use run::Stage;
