//! The setup of every command: the configuration, its trust, the state, and the kernel that is built from them.

mod config;
mod kernel;
mod oauth;
mod object_store;
mod policy;
mod reloader;
#[expect(clippy::module_inception, reason = "it is what the folder is named for")]
mod setup;
mod tool_index;
mod unconfigured;

pub(crate) use config::{
    LoadedConfig, environment, parse, read_file, state_folder, trust_folder, trust_problem, untrusted,
};
pub(crate) use kernel::CommandKernel;
pub(crate) use oauth::resource_server;
pub(crate) use policy::PolicyFile;
#[cfg(not(feature = "cedar"))]
pub(crate) use policy::without_policies;
pub(crate) use reloader::Reloader;
pub(crate) use setup::Setup;
#[cfg(not(feature = "postgres"))]
pub(crate) use setup::without_postgres;
