//! Checks the values of a configuration, beyond their types.

mod approvals;
mod checks;
mod confinement;
mod console;
mod id;
mod idempotency;
mod kernel;
mod limits;
mod oauth;
mod people;
mod references;
mod replicas;
mod server;
mod server_api;
mod server_command;
mod server_mgp;
mod store;
mod telemetry;
mod tool_creation;
mod tool_shape;
mod whole;

pub use id::server_id;
pub(crate) use whole::{config, config_of_program, one_server, values};
