//! `[store]`.

use super::checks::Checks;
use crate::config::{StoreConfig, path::KeyPath};

/// The beginnings of a URL of PostgreSQL.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

pub(super) fn store(config: &StoreConfig, checks: &mut Checks<'_>) {
    // The value may be a secret, so it is not shown.
    if let Some(url) = config.url.as_ref().and_then(|url| url.text().literal())
        && !SCHEMES.iter().any(|scheme| url.starts_with(scheme))
    {
        checks.say(
            KeyPath::root().key("store").key("url"),
            "not a URL of PostgreSQL: expected one that begins with postgres://",
        );
    }
}
