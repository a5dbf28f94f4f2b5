//! `[servers.mgp.compensations]`: the calls that undo calls of a server's tools.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The call that undoes a call of a tool, in a transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompensationConfig {
    /// The tool of the same server, by the server's own name.
    pub tool: String,
    /// The arguments of the tool. A string `$arguments/POINTER` or `$result/POINTER` stands for a value of the call that is undone.
    #[serde(default)]
    pub arguments: Map<String, Value>,
}
