//! Judges variables that a command sets.

use super::finding::Finding;
use crate::validator::{
    shell::{OPAQUE, Word},
    table::{self, Words},
};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `variables.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("variables.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    harmful: Words,
    doubtful: Words,
    doubtful_prefixes: Words,
    harmless: Words,
    tools: Words,
}

/// Values that make an editor or pager do nothing.
const IDLE: &[&str] = &["", "cat", "true", ":", "less"];

/// Judges the setting of a variable. `exported` is true if a program sees it.
pub(super) fn judge(name: &str, value: &Word, exported: bool) -> Option<Finding> {
    let shown: String = name.chars().take(40).collect();
    let person = ["GIT_AUTHOR_", "GIT_COMMITTER_"].iter().any(|prefix| name.starts_with(prefix));
    if person || TABLE.harmless.contains(&name) || name.starts_with("LC_") || name.is_empty() {
        return None;
    }
    if name.contains(OPAQUE) {
        return Some(Finding::doubt("a variable whose name is known only when the command runs"));
    }
    if TABLE.harmful.contains(&name) {
        return Some(Finding::harm(format!("a variable that makes programs run something ({shown})")));
    }
    if (name.ends_with("EDITOR") || name.ends_with("PAGER")) && IDLE.contains(&value.text.as_str()) {
        return None;
    }
    let memory = name == "NODE_OPTIONS"
        && value.text.starts_with("--max-old-space-size=")
        && !value.text.contains(' ');
    let tools = ["LD", "AR", "AS", "NM", "FC", "RANLIB", "STRIP"];
    if harmless_value(name, &value.text) {
        return None;
    }
    let doubtful = tools.contains(&name)
        || TABLE.doubtful.iter().any(|end| name.ends_with(end))
        || TABLE.doubtful_prefixes.iter().any(|prefix| name.starts_with(prefix))
        || name.to_ascii_lowercase().starts_with("npm_config_");
    let plain =
        value.text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ',' | ':'));
    // An address of this machine.
    let host = value.text.split_once("://").map(|(_, rest)| rest.split('/').next().unwrap_or_default());
    let host = host.map(|host| host.rsplit('@').next().unwrap_or_default());
    let own = host
        .is_some_and(|host| ["localhost", "127.0.0.1"].contains(&host.split(':').next().unwrap_or_default()));
    let upper = name.to_ascii_uppercase();
    let tool = TABLE.tools.iter().any(|start| upper.starts_with(start))
        && (exported || ["OLDPWD", "PWD", "CDPATH"].contains(&name));
    let switch = value.text.bytes().all(|b| b.is_ascii_digit()) && !value.text.is_empty()
        || ["true", "false"].contains(&value.text.as_str());
    let fine = memory || (!doubtful && (!tool || switch) && (!exported || plain || own));
    (!fine)
        .then(|| Finding::doubt(format!("a variable by which programs may find or run something ({shown})")))
}

/// Returns whether a variable with which programs find others has a value inside the project.
fn harmless_value(name: &str, value: &str) -> bool {
    match name {
        "CARGO_TARGET_DIR" => {
            value.starts_with("target") || value.starts_with("build") || value.starts_with("/tmp/")
        }
        "PYTHONPATH" => value.split(':').all(|path| !path.starts_with(['/', '~']) && !path.contains("..")),
        "RUSTFLAGS" => {
            !value.contains(['/', '@'])
                && !["link", "-Z", "-C", "codegen"].iter().any(|part| {
                    value
                        .replace("-C target-cpu=native", "")
                        .replace("-Ctarget-cpu=native", "")
                        .contains(part)
                })
        }
        "GOFLAGS" => value.split(' ').all(|flag| {
            ["-mod=", "-count=", "-v", "-race", "-buildvcs=", "-tags="]
                .iter()
                .any(|known| flag.starts_with(known) && !flag.contains('/'))
        }),
        _ => false,
    }
}
