//! `[tool_creation]`: tools that are created from an agent's code (§16.6).

use super::Text;
use serde::{Deserialize, Serialize};

/// The `[tool_creation]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct ToolCreationConfig {
    /// The agents that hold `code_execution`: tools are made of their code. If the list is empty, no tools are made and the extension `tool_creation`
    /// is not offered.
    pub agents: Vec<String>,
    /// The program that runs the code: Python 3.8 or later, looked up in `PATH`. The gateway runs it once to find its interpreter.
    pub python: Text,
    /// The only modules that the code may import, such as `["math", "statistics"]`. Without the list, those that `strict` allows. Functions of a
    /// listed module are trusted ([code-safety.md](https://github.com/mgp-rs/mgp/blob/main/docs/code-safety.md)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_imports: Option<Vec<String>>,
    /// The longest code, in bytes.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 100_000)))]
    pub max_code_size_bytes: u64,
    /// The most created tools that one session may have at once.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 32)))]
    pub max_tools: usize,
    /// The longest result of a call, in bytes of JSON.
    #[cfg_attr(feature = "schema", schemars(range(min = 64, max = 4_194_304)))]
    pub max_result_bytes: usize,
    /// The time limit of a call, in milliseconds.
    #[cfg_attr(feature = "schema", schemars(range(min = 100, max = 600_000)))]
    pub timeout_ms: u64,
    /// The most memory that a call's process may write to, in MiB.
    #[cfg_attr(feature = "schema", schemars(range(min = 32, max = 65_536)))]
    pub memory_mb: u64,
    /// The most CPU time of each process of a call, in seconds.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 600)))]
    pub cpu_secs: u64,
}

impl Default for ToolCreationConfig {
    fn default() -> Self {
        Self {
            agents: Vec::new(),
            python: "python3".into(),
            allowed_imports: None,
            max_code_size_bytes: 16 * 1024,
            max_tools: 8,
            max_result_bytes: 256 * 1024,
            timeout_ms: 20_000,
            memory_mb: 256,
            cpu_secs: 10,
        }
    }
}
