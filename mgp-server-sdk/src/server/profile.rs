//! §2.3 The MGP profile of a server.

use super::Server;
use mgp_types::{
    context::TrustLevel,
    negotiation::{Extension, ServerProfile},
};

/// Returns the profile of every server built with this crate.
pub(super) fn default() -> ServerProfile {
    ServerProfile {
        extensions: [Extension::Security, Extension::Lifecycle, Extension::Streaming].into_iter().collect(),
        ..ServerProfile::default()
    }
}

impl Server {
    /// §2.3 Sets the extensions that clients are offered; by default `security`, `lifecycle` and `streaming`, which need no
    /// further setup. `events`, `callbacks` and `code_safety` are added if the server has channels, asks its clients, or checks
    /// or declares code. Offer others only if your own layers around the server answer them.
    pub fn extensions(mut self, extensions: impl IntoIterator<Item = Extension>) -> Self {
        self.profile.extensions = extensions.into_iter().collect();
        self
    }

    /// §2.3 Sets the id of the server; by default, its name.
    pub fn server_id(mut self, id: impl Into<String>) -> Self {
        self.profile.server_id = Some(id.into());
        self
    }

    /// §2.3 Adds permissions that the server needs, by name, to those of its tools.
    pub fn permissions_required<P: Into<String>>(mut self, permissions: impl IntoIterator<Item = P>) -> Self {
        self.profile.permissions_required.extend(permissions.into_iter().map(Into::into));
        self
    }

    /// §2.3 Sets the trust level that the server requests. A client may trust the server less.
    pub fn trust_level(mut self, level: TrustLevel) -> Self {
        self.profile.trust_level = Some(level);
        self
    }
}
