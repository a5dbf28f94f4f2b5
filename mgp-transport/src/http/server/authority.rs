//! Who a request is made for: a key's owner, a token's, or whoever everybody is here.

use super::{
    api_key::has_credentials, builder::Inner, connections::ConnectionPlace, denial::DenialReason,
    refusal::Refusal, resource::ResourceUrl,
};
use crate::seam::{Authenticate, Denied, Granted, LogLimit, Session, Unauthenticated};
use futures_util::future::poll_immediate;
use http::{HeaderMap, StatusCode};
use mgp_types::{context::Principal, rpc::ErrorObject};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

/// Who judges tokens, and by which URL they name this server.
#[derive(Debug, Default)]
pub(super) struct Authority {
    pub(super) authenticate: Option<Arc<dyn Authenticate>>,
    /// Given, or made of the first address that is bound.
    pub(super) resource: OnceLock<ResourceUrl>,
    /// The warnings that it is missing.
    without_resource: LogLimit,
}

/// When to ask again where a token could not be judged in time.
const RETRY_AFTER: Duration = Duration::from_secs(5);

impl Inner {
    /// Whether who calls is known, by a key or a token.
    fn knows_callers(&self) -> bool {
        !self.keys.is_empty() || self.authority.authenticate.is_some()
    }

    /// Whether callers are told apart: by tokens, or by keys of more than one.
    pub(super) fn has_several_callers(&self) -> bool {
        self.authority.authenticate.is_some() || self.keys.have_several_owners()
    }

    /// Notes in a session who opened it, and whether that is known.
    pub(super) fn introduce(&self, session: &Session, principal: &Principal) {
        session.set(principal.clone());
        if !self.knows_callers() {
            session.set(Unauthenticated);
        }
    }

    /// Returns the principal that a request is made for, and what a token of it allows. `place`: that of its connection, where the
    /// server accepts connections itself.
    pub(super) async fn caller(
        &self,
        headers: &HeaderMap,
        place: Option<&ConnectionPlace>,
    ) -> Result<(Principal, Option<Granted>), Refusal> {
        if let Some(owner) = self.keys.principal(headers) {
            return Ok((owner, None));
        }
        if let Some(authenticate) = &self.authority.authenticate {
            let granted = self.granted(authenticate, headers, place).await?;
            return Ok((granted.who().principal.clone(), Some(granted)));
        }
        if self.keys.is_empty() {
            return Ok((self.principal.clone(), None));
        }
        let message = "missing or wrong API key: expected Authorization: Bearer or X-API-Key";
        let reason =
            if has_credentials(headers) { DenialReason::WrongKey } else { DenialReason::MissingCredentials };
        Err(Refusal::new(StatusCode::UNAUTHORIZED, message).because(reason))
    }

    async fn granted(
        &self,
        authenticate: &Arc<dyn Authenticate>,
        headers: &HeaderMap,
        place: Option<&ConnectionPlace>,
    ) -> Result<Granted, Refusal> {
        let Some(resource) = self.authority.resource.get() else {
            if let Some(left_out) = self.authority.without_resource.admit() {
                tracing::error!(
                    left_out,
                    "tokens cannot be judged: the server was given no URL and is not bound by itself"
                );
            }
            let error = ErrorObject::internal("the server does not know its own URL");
            return Err(Refusal::with(StatusCode::INTERNAL_SERVER_ERROR, error));
        };
        let limit = self.config.authenticate_time_limit;
        let judged = tokio::time::timeout(limit, authenticate.authenticate(headers, resource.as_str()));
        tokio::pin!(judged);
        let judged = match poll_immediate(judged.as_mut()).await {
            Some(judged) => judged,
            // Only one that takes time holds up others.
            None => {
                let _judgement = place.map(ConnectionPlace::judge).transpose()?;
                judged.await
            }
        };
        let judged = judged.unwrap_or_else(|_| {
            Err(Denied::unavailable(format!("the token could not be judged within {limit:?}"), RETRY_AFTER))
        });
        match judged {
            Ok(who) => Ok(Granted::new(who, authenticate.clone())),
            Err(denied) => Err(Refusal::denied(denied, Some(resource))),
        }
    }
}
