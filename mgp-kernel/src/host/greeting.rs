//! The kernel's side of the handshake with hosts.

use crate::ground::kernel_id::SERVER_ID;
use mgp_server_sdk::handshake::Handshake;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{Implementation, ServerCapabilities},
    negotiation::{Extension, ExtensionSet, ServerProfile},
};

/// Returns the capabilities that the kernel declares to hosts. The lists show the actual offers of the servers.
fn capabilities() -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::default()
        .with_list_changed("tools")
        .with_list_changed("prompts")
        .with("completions")
        .with("logging");
    let resources: RawObject =
        [("subscribe", true.into()), ("listChanged", true.into())].into_iter().collect();
    capabilities.0.insert("resources", resources.to_json());
    let nested = |key: &'static str, inner: RawJson| RawObject::from_iter([(key, inner)]).to_json();
    let none = RawJson::empty_object;
    let tasks = [("list", none()), ("cancel", none()), ("requests", nested("tools", nested("call", none())))];
    capabilities.0.insert("tasks", RawObject::from_iter(tasks).to_json());
    capabilities
}

/// Returns the kernel's side of the handshake with hosts (§2.3).
///
/// `creates_tools` is true if tools are created from agents' code.
pub(crate) fn handshake(creates_tools: bool) -> Handshake {
    let mut extensions = ExtensionSet::EMPTY;
    for extension in [
        Extension::Security,
        Extension::AccessControl,
        Extension::Audit,
        Extension::CodeSafety,
        Extension::Lifecycle,
        Extension::Streaming,
        Extension::Events,
        Extension::Callbacks,
        Extension::Discovery,
        Extension::ToolDiscovery,
        Extension::Idempotency,
        Extension::Transactions,
    ] {
        extensions.insert(extension);
    }
    if creates_tools {
        extensions.insert(Extension::ToolCreation);
    }
    Handshake {
        implementation: Implementation::new("mgp", env!("CARGO_PKG_VERSION")),
        instructions: None,
        capabilities: capabilities(),
        profile: ServerProfile {
            extensions,
            permissions_required: Vec::new(),
            server_id: Some(SERVER_ID.to_owned()),
            trust_level: None,
        },
    }
}
