//! The program `mgp`, run as its users run it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod access;
#[cfg(unix)]
mod activation;
#[cfg(unix)]
mod add;
mod approvals;
mod audit;
#[cfg(unix)]
mod call_options;
mod calls;
mod check;
mod closed;
mod configuration;
#[cfg(unix)]
mod configuration_files;
#[cfg(target_os = "linux")]
mod connect;
#[cfg(target_os = "linux")]
mod connect_wait;
#[cfg(feature = "console")]
mod console;
#[cfg(unix)]
mod control;
mod definitions;
#[cfg(target_os = "linux")]
mod doctor;
mod documents;
mod first_steps;
#[cfg(target_os = "linux")]
mod gateway;
#[cfg(target_os = "linux")]
mod gateway_processes;
#[cfg(unix)]
mod idempotency;
#[cfg(unix)]
mod installed;
mod keys;
#[cfg(unix)]
mod latency;
#[cfg(target_os = "linux")]
mod lazy;
mod limits;
#[cfg(unix)]
mod logs;
mod messages;
mod metrics;
#[cfg(unix)]
mod notifications;
#[cfg(unix)]
mod parting;
mod policy_file;
#[cfg(unix)]
mod printable;
mod quota_use;
mod refusals;
mod registered;
mod registry;
#[cfg(unix)]
mod reload;
#[cfg(all(unix, feature = "postgres"))]
mod replicas;
#[cfg(unix)]
mod running_gateway;
#[cfg(unix)]
mod secrets;
mod serve;
#[cfg(unix)]
mod server_environment;
#[cfg(unix)]
mod shaped_commands;
#[cfg(feature = "postgres")]
mod shared_store;
mod shared_trail;
#[cfg(unix)]
mod shell_server;
mod state;
#[cfg(feature = "postgres")]
mod store_migration;
#[cfg(all(unix, feature = "postgres"))]
mod store_outage;
mod support;
#[cfg(unix)]
mod tokens;
mod tool_documents;
mod tool_parts;
mod traces;
#[cfg(unix)]
mod transactions;
mod unconfigured;
mod unset_variables;
mod waiting;
