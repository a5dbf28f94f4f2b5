//! The kernel between real hosts and real servers, all over byte streams.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::needless_pass_by_value, reason = "json! makes a value")]

mod announce;
#[cfg(target_os = "linux")]
mod any_order;
mod approvals;
mod asked_together;
mod attested;
mod audit_forwarding;
#[cfg(feature = "http")]
mod audit_over_http;
mod away;
mod bare_servers;
mod batches;
mod breaker;
mod builder;
mod call_options;
mod callbacks;
#[cfg(feature = "http")]
mod callbacks_http;
mod calls;
mod cancelling;
mod categories;
mod checked_arguments;
mod checked_results;
mod checkpoints;
mod compensations;
mod concealment;
#[cfg(all(target_os = "linux", feature = "child"))]
mod confinement;
mod definitions;
mod delegation;
mod disabled;
mod dry_run;
mod duplicates;
mod ending;
mod eras;
mod events;
mod events_own;
mod events_upstream;
mod examples;
mod failed_changes;
mod fallback;
mod few_tools;
mod finding_era;
mod gates;
mod grants;
#[cfg(all(unix, feature = "http"))]
mod http;
#[cfg(feature = "http")]
mod http_eras;
#[cfg(feature = "http")]
mod http_forgotten;
#[cfg(feature = "http")]
mod http_refused;
#[cfg(feature = "http")]
mod http_sessions;
mod idempotency;
mod instructions;
mod intents;
mod kept_lists;
mod kernel_health;
mod kernel_status;
mod keys;
#[cfg(target_os = "linux")]
mod killed_server;
#[cfg(all(unix, feature = "child"))]
mod last_words;
mod late_tools;
mod latency;
mod left_out;
mod life;
mod limits;
mod log;
mod log_levels;
#[cfg(feature = "metrics")]
mod metrics;
mod names;
mod negotiation;
mod null_ids;
mod odd_servers;
mod on_demand;
mod pages;
mod parking;
mod pins;
mod plain;
mod policies;
mod proposals;
mod questions;
mod raw_host;
mod raw_server;
mod references;
#[cfg(feature = "http")]
mod references_fetched;
mod references_long;
mod references_over_limit;
mod refusals;
mod registration;
#[cfg(all(unix, feature = "child"))]
mod reload;
#[cfg(target_os = "linux")]
mod resource_limits;
mod rest;
mod result_secrets;
mod retries;
mod retry_advice;
mod rights_after_wait;
mod roles;
mod rollbacks;
mod roots;
mod server_control;
mod session_state;
#[cfg(all(target_os = "linux", feature = "child"))]
mod shared;
#[cfg(all(unix, feature = "child"))]
mod shell_server;
mod shown;
mod spans;
mod stopping;
mod stored_first;
mod stream_rounds;
mod structured;
mod suggestions;
mod supervisors;
mod support;
mod tasks_across_eras;
mod time_limits;
#[cfg(feature = "http")]
mod tokens;
#[cfg(all(target_os = "linux", feature = "child"))]
mod tool_creation;
mod tool_metadata;
mod tool_requests;
mod tool_sessions;
mod traces;
mod transactions;
mod two_agents;
mod unwritable_trail;
mod url_required;
mod watching;
