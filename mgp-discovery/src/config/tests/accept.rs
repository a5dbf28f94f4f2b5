//! Reads configurations that are accepted.

use crate::config::{Config, Lookup};
use std::path::Path;

/// Reads a configuration that is accepted. The schema accepts it too.
pub(super) fn accepted(text: &str, env: Lookup<'_>) -> Config {
    let config = Config::parse(Path::new("mgp.toml"), text.as_bytes(), env).unwrap();
    #[cfg(feature = "schema")]
    assert_eq!(crate::config::schema::fits(text), Ok(()), "{text}");
    config
}
