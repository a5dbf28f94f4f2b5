//! §16.3 Which tools a host is shown.

use serde::{Deserialize, Serialize};

/// Which tools a host is shown (§16.3). Whatever is not shown can be called all the same, by who may call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exposure {
    /// Every tool that the caller may call.
    Full,
    /// The meta-tools, the pinned tools, and the tools that the session has loaded or used.
    #[default]
    Hybrid,
    /// The meta-tools, and what there is to find: categories with the number of their tools.
    Category,
    /// The meta-tools alone.
    Discovery,
}
