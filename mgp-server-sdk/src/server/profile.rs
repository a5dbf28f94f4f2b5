//! §2.3 What a server has of MGP.

use super::Server;
use mgp_types::{
    context::TrustLevel,
    negotiation::{Extension, ServerProfile},
};

/// What every server built with this crate has.
pub(super) fn default() -> ServerProfile {
    ServerProfile {
        extensions: [Extension::Security, Extension::Lifecycle, Extension::Streaming].into_iter().collect(),
        ..ServerProfile::default()
    }
}

impl Server {
    /// §2.3 The extensions that clients are offered; `security`, `lifecycle` and `streaming` otherwise, which need nothing
    /// from you. Offer others only where your own layers around the server answer them.
    pub fn extensions(mut self, extensions: impl IntoIterator<Item = Extension>) -> Self {
        self.profile.extensions = extensions.into_iter().collect();
        self
    }

    /// §2.3 Its id; its name otherwise.
    pub fn server_id(mut self, id: impl Into<String>) -> Self {
        self.profile.server_id = Some(id.into());
        self
    }

    /// §2.3 The permissions that it needs, by name, beside those of its tools.
    pub fn permissions_required<P: Into<String>>(mut self, permissions: impl IntoIterator<Item = P>) -> Self {
        self.profile.permissions_required.extend(permissions.into_iter().map(Into::into));
        self
    }

    /// §2.3 How far it wants to be trusted. A client may trust it less.
    pub fn trust_level(mut self, level: TrustLevel) -> Self {
        self.profile.trust_level = Some(level);
        self
    }
}
