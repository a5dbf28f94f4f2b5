//! The settings of an OAuth client.

use super::{
    enterprise::Enterprise, registered_client::RegisteredClient, secret_source::SecretSource,
    user_agent::UserAgent,
};
use std::{sync::Arc, time::Duration};
use url::Url;

/// The party on whose behalf tokens are requested.
#[derive(Debug, Clone)]
pub(super) enum Grant {
    /// A user, who is asked.
    User(Arc<dyn UserAgent>),
    /// The client itself.
    Client,
    /// A user for whom an identity provider of the enterprise vouches.
    Enterprise(Arc<Enterprise>),
    /// A workload for which its platform vouches.
    Workload(Arc<dyn SecretSource>),
}

/// The settings of an OAuth client.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) grant: Grant,
    pub(super) client: Option<RegisteredClient>,
    pub(super) document: Option<Url>,
    pub(super) register: bool,
    pub(super) client_name: String,
    pub(super) scopes: Vec<String>,
    pub(super) offline: bool,
    pub(super) preferred: Vec<String>,
    pub(super) old_servers: bool,
    pub(super) timeout: Duration,
    pub(super) pause: Duration,
    pub(super) leeway: Duration,
}
