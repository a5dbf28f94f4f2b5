//! The path of a call through the gates.

mod attested;
mod call_options;
mod checked_arguments;
mod checked_results;
mod dry_run;
mod duplicates;
mod fallback;
mod gates;
mod idempotency;
mod intents;
mod latency;
#[cfg(feature = "metrics")]
mod metrics;
mod refusals;
mod retries;
mod retry_advice;
mod suggestions;
