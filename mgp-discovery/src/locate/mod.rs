//! §15.2 The places of configuration files.

mod folders;
mod search;

pub use folders::{Environment, Platform, state_dir};
pub use search::{ConfigFile, Origin, config_file, config_places, user_config_file};
