//! Tests of whole files.

mod confinement;
mod habits;
mod limits;
mod mistakes;
mod values;

use crate::config::{Config, Lookup};
use std::path::Path;

/// Reads a configuration that is accepted. The schema accepts it too.
fn accepted(text: &str, env: Lookup<'_>) -> Config {
    let config = Config::parse(Path::new("mgp.toml"), text.as_bytes(), env).unwrap();
    #[cfg(feature = "schema")]
    assert_eq!(super::schema::fits(text), Ok(()), "{text}");
    config
}
