//! `[servers.mgp.compensations]`: the calls that undo calls of a server's tools.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The call that undoes a call of a tool, in a transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(deny_unknown_fields)]
pub struct CompensationConfig {
    /// The server's tool whose call undoes a call of the tool NAME in a transaction. It overrides the server's answer and the tool's declaration. See
    /// [transactions.md](https://github.com/mgp-rs/mgp/blob/main/docs/transactions.md).
    pub tool: String,
    /// Its arguments, in which `"$arguments/POINTER"` and `"$result/POINTER"` stand for values of the call that is undone.
    #[serde(default)]
    pub arguments: Map<String, Value>,
}
