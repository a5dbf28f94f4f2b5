//! `[tool_creation]`.

use super::checks::Checks;
use crate::config::{ToolCreationConfig, path::KeyPath};

/// The longest code and the longest result that can be allowed, in bytes.
const MAX_CODE: u64 = 100_000;
const MAX_RESULT: usize = 4 * 1024 * 1024;

/// The longest time limit of a call, in milliseconds: ten minutes.
const MAX_TIMEOUT_MS: u64 = 600_000;

pub(super) fn tool_creation(config: &ToolCreationConfig, checks: &mut Checks<'_>) {
    let path = KeyPath::root().key("tool_creation");
    checks.count(path.key("agents"), config.agents.len());
    for (i, agent) in config.agents.iter().enumerate() {
        checks.name(path.key("agents").index(i), agent);
    }
    checks.distinct(&path.key("agents"), "agent", config.agents.iter().map(String::as_str));
    checks.path(path.key("python"), &config.python);
    if config.python.value().is_empty() {
        checks.say(path.key("python"), "empty: expected the program of Python 3");
    }
    if let Some(imports) = &config.allowed_imports {
        checks.count(path.key("allowed_imports"), imports.len());
        for (i, import) in imports.iter().enumerate() {
            checks.name(path.key("allowed_imports").index(i), import);
        }
    }
    checks.range(path.key("max_code_size_bytes"), config.max_code_size_bytes, 1..=MAX_CODE);
    checks.range(path.key("max_tools"), config.max_tools, 1..=32);
    checks.range(path.key("max_result_bytes"), config.max_result_bytes, 64..=MAX_RESULT);
    checks.range(path.key("timeout_ms"), config.timeout_ms, 100..=MAX_TIMEOUT_MS);
    checks.range(path.key("memory_mb"), config.memory_mb, 32..=65_536);
    checks.range(path.key("cpu_secs"), config.cpu_secs, 1..=600);
}
