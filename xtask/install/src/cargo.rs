//! Cargo, called by a program that cargo runs.

use std::{env, process::Command};

/// Returns cargo without the variables by which the running cargo describes this program's package. Build scripts such as ring's depend
/// on these, and would run again in each program's builds, with everything that depends on them.
#[must_use]
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in env::vars_os() {
        let of_package = |name: &str| ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|of| name.starts_with(of));
        if name.to_str().is_some_and(of_package) {
            command.env_remove(name);
        }
    }
    command
}
