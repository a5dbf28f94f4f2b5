//! §15.2 Where configuration files are looked for.

mod folders;
mod search;

pub use folders::{Environment, Platform, state_dir};
pub use search::{ConfigFile, Origin, config_file, config_places, user_config_file};
