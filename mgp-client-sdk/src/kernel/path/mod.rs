//! The path of a tool call: the layers of the pipeline, from the name that a host calls to the dispatch.

pub(in crate::kernel) mod argument_check;
mod attest;
mod dispatch;
pub(in crate::kernel) mod dry_run;
mod fallback;
#[cfg(feature = "metrics")]
pub(in crate::kernel) mod metrics;
pub(in crate::kernel) mod own_layers;
#[cfg(test)]
mod picture;
pub(in crate::kernel) mod pipeline;
pub(in crate::kernel) mod refusal;
mod resend;
mod resolve;
mod result_check;
