//! The path of a tool call: the layers of the pipeline, from the name that a host calls to the dispatch.

pub(crate) mod argument_check;
mod attest;
mod cache;
mod dispatch;
pub(crate) mod dry_run;
mod fallback;
pub(crate) mod metrics;
pub(crate) mod own_layers;
#[cfg(test)]
mod picture;
pub(crate) mod pipeline;
pub(crate) mod refusal;
mod resend;
mod resolve;
mod result_check;
mod shape;
