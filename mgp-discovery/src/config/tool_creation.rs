//! `[tool_creation]`: tools that are created from an agent's code (§16.6).

use super::Text;
use serde::{Deserialize, Serialize};

/// The `[tool_creation]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolCreationConfig {
    /// The agents that hold `code_execution`, so that tools are created from their code. If empty, no tools are created.
    pub agents: Vec<String>,
    /// The program that runs the code: Python 3.
    pub python: Text,
    /// The only imports that are allowed, among those of the level `strict`. `None` allows all of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_imports: Option<Vec<String>>,
    /// The longest code, in bytes.
    pub max_code_size_bytes: u64,
    /// The most tools that one session has at once.
    pub max_tools: usize,
    /// The longest result of a call, in bytes.
    pub max_result_bytes: usize,
    /// The time limit of a call, in milliseconds.
    pub timeout_ms: u64,
    /// The most memory of a call, in MiB.
    pub memory_mb: u64,
    /// The most CPU time of each process of a call, in seconds.
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
