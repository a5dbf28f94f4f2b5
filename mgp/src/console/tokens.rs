//! The access tokens of `http.oauth` that open the console.

use crate::{
    error::CliError,
    operator::is_operator_name,
    setup::{Setup, resource_server},
};
use http::{HeaderMap, HeaderValue, header};
use mgp_console::{KeyedOperator, Operator};
use mgp_security::identity::oauth::ResourceServer;
use mgp_transport::seam::{Authenticate, Authentication, Scopes};
use mgp_types::lifecycle::OperatorRole;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// The interval at which the token of a session is checked again. A revoked token opens the console for no longer than this and
/// `http.oauth.introspection.remember_secs`.
const AGAIN: Duration = Duration::from_secs(10);

/// The time after which a token has to be sent again. The console's own sessions last no longer.
const LONGEST: Duration = Duration::from_secs(12 * 60 * 60);

/// The verifier of access tokens, and the roles that they give.
#[derive(Debug, Clone)]
pub(super) struct ConsoleTokens {
    server: Arc<ResourceServer>,
    /// The URL that a token names if no audiences are configured.
    resource: String,
    viewer_scope: Option<String>,
    approver_scope: Option<String>,
}

impl ConsoleTokens {
    /// Returns the verifier; `None` without `http.oauth`.
    ///
    /// # Errors
    /// [`CliError`] if the table cannot be used.
    pub(super) async fn of(setup: &Setup) -> Result<Option<Self>, CliError> {
        let Some(config) = setup.loaded.as_ref().map(|loaded| &loaded.config) else { return Ok(None) };
        let Some(oauth) = &config.http.oauth else { return Ok(None) };
        let resource = oauth.resource.as_ref().or(config.console.origin.as_ref());
        Ok(Some(Self {
            server: Arc::new(resource_server(setup, oauth).await?),
            resource: resource.cloned().unwrap_or_default(),
            viewer_scope: config.console.viewer_scope.clone(),
            approver_scope: config.console.approver_scope.clone(),
        }))
    }

    /// Returns the operator who has a token. The rights end with the token, or when it is refused later.
    pub(super) async fn owner(&self, token: &str) -> Option<KeyedOperator> {
        let mut value = HeaderValue::try_from(format!("Bearer {token}")).ok()?;
        value.set_sensitive(true);
        let headers = HeaderMap::from_iter([(header::AUTHORIZATION, value)]);
        let operator = self.check(&headers).await?;
        let is_valid = Arc::new(AtomicBool::new(true));
        let (tokens, known, watched) = (self.clone(), operator.clone(), Arc::downgrade(&is_valid));
        tokio::spawn(async move {
            let end = Instant::now() + LONGEST;
            loop {
                tokio::time::sleep(AGAIN).await;
                let Some(is_valid) = watched.upgrade() else { return };
                if Instant::now() >= end || tokens.check(&headers).await.as_ref() != Some(&known) {
                    return is_valid.store(false, Ordering::Release);
                }
            }
        });
        Some(KeyedOperator { operator, holds: Box::new(move || is_valid.load(Ordering::Acquire)) })
    }

    async fn check(&self, headers: &HeaderMap) -> Option<Operator> {
        let found = self.server.authenticate(headers, &self.resource).await.ok()?;
        let role = self.role(&found)?;
        let name = found.principal.id().to_owned();
        is_operator_name(&name).then_some(Operator { name, role })
    }

    fn role(&self, Authentication { principal, scopes, .. }: &Authentication) -> Option<OperatorRole> {
        let has = |scopes: &Scopes, needed: &Option<String>| {
            needed.as_ref().is_some_and(|scope| scopes.contains(scope))
        };
        if principal.is_admin() {
            Some(OperatorRole::Admin)
        } else if has(scopes, &self.approver_scope) {
            Some(OperatorRole::Approver)
        } else {
            has(scopes, &self.viewer_scope).then_some(OperatorRole::Viewer)
        }
    }
}
