//! How tokens are to be got.

use super::{
    flow::{Enterprise, SecretSource},
    registration::RegisteredClient,
    user_agent::UserAgent,
};
use std::{sync::Arc, time::Duration};
use url::Url;

/// On whose behalf tokens are asked for.
#[derive(Debug, Clone)]
pub(super) enum Grant {
    /// A user's, who is asked.
    User(Arc<dyn UserAgent>),
    /// The client's own.
    Client,
    /// A user's, for whom an identity provider of the enterprise speaks.
    Enterprise(Arc<Enterprise>),
    /// A workload's, for whom its platform speaks.
    Workload(Arc<dyn SecretSource>),
}

/// How tokens are to be got.
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
    pub(super) time_limit: Duration,
    pub(super) pause: Duration,
    pub(super) leeway: Duration,
}
