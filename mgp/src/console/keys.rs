//! The keys and the access tokens that open the console for operators of other machines.

use super::tokens::ConsoleTokens;
use crate::{error::CliError, setup::Setup};
use async_trait::async_trait;
use mgp_console::{KeyedOperator, Operator, OperatorKeys};
use mgp_kernel::Kernel;
use mgp_security::keys::{KeyHash, Keys};
use mgp_transport::http::server::ApiKey;
use mgp_types::lifecycle::OperatorRole;
use std::sync::Arc;

/// The keys that open the console: those of the state folder with a role in it, and all with the rights of an administrator. With `http.oauth`,
/// access tokens open it, too.
#[derive(Debug)]
pub(super) struct ConsoleKeys {
    state: Keys,
    configured: Vec<(KeyHash, String)>,
    tokens: Option<ConsoleTokens>,
}

impl ConsoleKeys {
    /// Reads the keys and the configuration.
    ///
    /// # Errors
    /// [`CliError`] if the keys cannot be read, or `http.oauth` cannot be used.
    pub(super) async fn open(kernel: &Kernel, setup: &Setup) -> Result<Self, CliError> {
        let state = Keys::open(Arc::new(setup.state.keys()?), kernel.access().clone()).await?;
        Ok(Self { state, configured: configured(setup), tokens: ConsoleTokens::of(setup).await? })
    }

    fn owner(&self, key: &str) -> Option<KeyedOperator> {
        let hash: KeyHash = ApiKey::of(key).into();
        if let Some((_, id)) = self.configured.iter().find(|(known, _)| *known == hash) {
            let operator = Operator { name: id.clone(), role: OperatorRole::Admin };
            return Some(KeyedOperator { operator, holds: Box::new(|| true) });
        }
        let known = self.state.operator(&hash)?;
        let operator = Operator { name: known.0.clone(), role: known.1 };
        let state = self.state.clone();
        let holds = Box::new(move || state.operator(&hash).as_ref() == Some(&known));
        Some(KeyedOperator { operator, holds })
    }
}

#[async_trait]
impl OperatorKeys for ConsoleKeys {
    async fn operator(&self, key: &str) -> Option<KeyedOperator> {
        match (self.owner(key), &self.tokens) {
            (None, Some(tokens)) => tokens.owner(key).await,
            (owner, _) => owner,
        }
    }

    fn takes_tokens(&self) -> bool {
        self.tokens.is_some()
    }
}

/// Returns the keys of the configuration whose owners may do everything.
fn configured(setup: &Setup) -> Vec<(KeyHash, String)> {
    let keys = setup.loaded.iter().flat_map(|loaded| &loaded.config.http.api_keys);
    let admins = keys.filter(|key| key.admin);
    admins.filter_map(|key| Some((key.hash.parse::<ApiKey>().ok()?.into(), key.id.clone()))).collect()
}
