//! Adds and removes registered servers in the store: the rights, the checks, the trail.
//!
//! The kernel and the operator's commands share this code. Every kernel sees changes to the store of its state folder.

use super::{
    events::{
        DENIAL_REVOKED, DEREGISTERED, REGISTERED, denied, deregistered, needed, refused, registered,
        requested, unusable_removed,
    },
    server_rights::ServerRights,
};
use arc_swap::ArcSwap;
use jiff::Timestamp;
use mgp_discovery::registration::{
    AddOutcome, Registrars, Registration, RegistrationRight, Registrations, RequestOutcome, RequestedServer,
    StoreError,
};
use mgp_security::{
    access::AccessControl,
    audit::{AuditSink, ChangeError, EventDraft, record_change},
    permission::{Confirmations, Permissions},
};
use mgp_types::{
    audit::AuditEvent,
    context::Principal,
    discovery::{DeregisterServerParams, RegisterServerParams},
    error::{ErrorCode, Recovery},
    json::{RawJson, RawObject},
    permission::Permission,
    printable::quoted,
    rpc::ErrorObject,
};
use std::{collections::BTreeSet, sync::Arc};
use tokio::sync::Mutex;

/// The maximum size of a request for a server that an operator decides on, in bytes of JSON.
const MAX_REQUEST: usize = 16 * 1024;

/// The registrar, which adds and removes registered servers. Clones share its state.
#[derive(Debug, Clone)]
pub struct Registrar {
    registrations: Registrations,
    registrars: Registrars,
    rights: ServerRights,
    sink: Arc<dyn AuditSink>,
    /// The ids of the configuration, which cannot be registered or deregistered.
    configured: Arc<ArcSwap<BTreeSet<String>>>,
    /// The maximum number of servers, including those of the configuration.
    limit: usize,
    /// Held while a request is judged and carried out.
    turn: Arc<Mutex<()>>,
}

impl Registrar {
    /// Creates a registrar for the registrations and the rights of a state folder.
    #[must_use]
    pub fn new(
        registrations: Registrations,
        registrars: Registrars,
        (access, permissions, confirmations): (AccessControl, Permissions, Confirmations),
        sink: Arc<dyn AuditSink>,
        configured: BTreeSet<String>,
        limit: usize,
    ) -> Self {
        let rights = ServerRights { access, permissions, confirmations, sink: sink.clone() };
        let (configured, turn) = (Arc::new(ArcSwap::from_pointee(configured)), Arc::default());
        Self { registrations, registrars, rights, sink, configured, limit, turn }
    }

    pub(crate) fn registrations(&self) -> &Registrations {
        &self.registrations
    }

    /// Returns whether a server of the configuration has this id.
    pub(crate) fn is_configured(&self, id: &str) -> bool {
        self.configured.load().contains(id)
    }

    /// Replaces the ids of the configuration.
    pub(crate) fn set_configured(&self, ids: BTreeSet<String>) {
        self.configured.store(Arc::new(ids));
    }

    /// Returns the maximum number of servers, including those of the configuration.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Registers a server. The audit trail has the intent before the server is stored, and a refusal before it is answered.
    ///
    /// # Errors
    /// - 1000 if the caller may not register servers
    /// - 4101 if the id is taken
    /// - -32602 if the server's settings are invalid
    /// - 3001 if the maximum number of servers is reached
    /// - -32603 if the server cannot be stored or audited
    pub async fn register(
        &self,
        caller: &Principal,
        params: Result<RegisterServerParams, ErrorObject>,
    ) -> Result<Registration, ErrorObject> {
        let _turn = self.turn.lock().await;
        let id = params.as_ref().ok().map(|params| params.id.clone());
        let registration = match self.may_register(caller, params).await {
            Ok(registration) => registration,
            Err(error) => return self.refuse(REGISTERED, caller, id.as_deref(), error).await,
        };
        Box::pin(self.keep_recorded(registered(caller, &registration), registration)).await
    }

    /// Stores a registration with its event, and asks for the permissions that its server declares.
    async fn keep_recorded(
        &self,
        event: EventDraft,
        registration: Registration,
    ) -> Result<Registration, ErrorObject> {
        let kept = record_change(&*self.sink, event, self.keep(registration.clone())).await;
        kept.map_err(|error| match error {
            ChangeError::Failed(error) => error,
            unrecorded => internal(unrecorded),
        })?;
        self.ask_for_permissions(&registration).await;
        Ok(registration)
    }

    /// Opens a question for each undecided permission that a registered server declares. A server that cannot start without a permission
    /// would never get the call that asks for it.
    async fn ask_for_permissions(&self, registration: &Registration) {
        for permission in self.undecided(registration) {
            if let Err(error) = self.rights.permissions.open_question(registration.id(), &permission).await {
                // The server is registered anyway, and `mgp approve SERVER PERMISSION` needs no question.
                tracing::error!(server = registration.id(), %permission, %error, "a question could not be kept");
            }
        }
    }

    /// Returns the undecided permissions that a registered server declares.
    #[must_use]
    pub fn undecided(&self, registration: &Registration) -> Vec<Permission> {
        let mut declared = registration.server.settings().permissions();
        declared.retain(|permission| self.rights.permissions.waits(registration.id(), permission));
        declared
    }

    /// Judges a request to register a server.
    async fn may_register(
        &self,
        caller: &Principal,
        params: Result<RegisterServerParams, ErrorObject>,
    ) -> Result<Registration, ErrorObject> {
        match self.registrars.may_register(caller) {
            Ok(right) => self.permitted(right, caller, params?).await,
            Err(error) => Err(self.ask_operator(caller, params?, error).await),
        }
    }

    /// Checks a request to register a server as [`register`](Self::register) does, and returns the registration that would be stored.
    /// Nothing is stored, recorded or asked.
    ///
    /// # Errors
    /// Those of [`register`](Self::register).
    pub async fn check(
        &self,
        caller: &Principal,
        params: RegisterServerParams,
    ) -> Result<Registration, ErrorObject> {
        self.permitted(self.registrars.may_register(caller)?, caller, params).await
    }

    /// Returns the registration that a caller with the right to register requests.
    async fn permitted(
        &self,
        right: RegistrationRight,
        caller: &Principal,
        params: RegisterServerParams,
    ) -> Result<Registration, ErrorObject> {
        let registration = Registration::requested(params, caller)?;
        let id = registration.id();
        if self.is_configured(id) || self.registrations.find(id).is_some() {
            return Err(taken(id));
        }
        if self.registrations.all().len() >= self.most() {
            return Err(self.full(id));
        }
        if right == RegistrationRight::Agent {
            self.rights.check_none(id).await?;
        }
        Ok(registration)
    }

    /// Stores the request of an agent without the right to register, for an operator to decide. Returns the refusal, which names the
    /// request and the command that decides.
    async fn ask_operator(
        &self,
        caller: &Principal,
        params: RegisterServerParams,
        refusal: ErrorObject,
    ) -> ErrorObject {
        let registration = match Registration::requested(params, caller) {
            Ok(registration) => registration,
            Err(error) => return error,
        };
        // Requests on another's behalf, and with API keys whose scopes are about tools, are not stored. A taken id is treated like a free one,
        // because the agent need not know the difference.
        let length = serde_json::to_vec(&registration.server).map_or(usize::MAX, |server| server.len());
        if caller.parties().count() > 1 || caller.key_scopes().is_some() {
            return refusal;
        }
        if length > MAX_REQUEST {
            return ErrorObject::invalid_params(format!(
                "invalid server: {length} bytes as JSON: expected at most {MAX_REQUEST} bytes for one that an operator has to read"
            ));
        }
        let before = match self.registrations.requests().await {
            Ok(before) => before,
            Err(error) => return internal(error),
        };
        match self.registrations.request(registration).await {
            Ok(RequestOutcome::Kept(row)) => {
                if before.iter().all(|known| known.request_id != row.request_id)
                    && let Err(error) = self.sink.record(needed(caller, &row)).await
                {
                    tracing::error!(%error, "a request that waits for an operator is not in the trail");
                }
                waits(&row)
            }
            Ok(RequestOutcome::Full(open)) => ErrorCode::ResourceExhausted.error(format!(
                "{open} requests for servers wait for an operator already: `mgp approve` shows and decides them"
            )),
            Ok(RequestOutcome::NotKept) => refusal,
            Err(error) => internal(error),
        }
    }

    /// Returns the open and denied requests for servers, oldest first.
    ///
    /// # Errors
    /// [`StoreError`] if the requests cannot be read.
    pub async fn requests(&self) -> Result<Vec<RequestedServer>, StoreError> {
        self.registrations.requests().await
    }

    /// Registers a requested server, in the name of the approving operator. Running kernels start it at once.
    ///
    /// # Errors
    /// 1000 without the admin role, -32602 if no request has the id, and the errors of [`register`](Self::register) if the id or the room
    /// is no longer free.
    pub async fn approve_request(
        &self,
        request_id: &str,
        by: &Principal,
    ) -> Result<Registration, ErrorObject> {
        admin(by)?;
        let _turn = self.turn.lock().await;
        // Taken before the registration, so that it cannot be denied meanwhile.
        let asked = self.registrations.take_request(request_id).await.map_err(internal)?;
        let asked = asked.ok_or_else(|| unknown(request_id))?;
        match self.register_requested(&asked, by).await {
            Ok(registration) => Ok(registration),
            Err(error) => {
                self.registrations.request(asked.registration).await.map_err(internal)?;
                Err(error)
            }
        }
    }

    async fn register_requested(
        &self,
        asked: &RequestedServer,
        by: &Principal,
    ) -> Result<Registration, ErrorObject> {
        let registration = Registration {
            created_by: by.id().to_owned(),
            by_admin: true,
            created_at: format!("{:.3}", Timestamp::now()),
            ..asked.registration.clone()
        };
        if self.is_configured(registration.id()) {
            return Err(taken(registration.id()));
        }
        self.rights.check_none(registration.id()).await?;
        Box::pin(self.keep_recorded(requested(registered(by, &registration), asked), registration)).await
    }

    /// Denies a request for a server. The same agent's requests for the same server are then refused, until the denial is
    /// withdrawn.
    ///
    /// # Errors
    /// 1000 without the admin role, -32602 if no request has the id, -32603 if the answer cannot be stored or audited.
    pub async fn deny_request(
        &self,
        request_id: &str,
        by: &Principal,
    ) -> Result<RequestedServer, ErrorObject> {
        if let Some(denied) = self.deny_open_request(request_id, by).await? {
            return Ok(denied);
        }
        let there = self.requested(request_id).await?;
        if there.denied_by.is_some() { Ok(there) } else { Err(unknown(request_id)) }
    }

    /// Denies a request for a server as [`deny_request`](Self::deny_request) does. Returns `None` if another decision was first.
    ///
    /// # Errors
    /// Those of [`deny_request`](Self::deny_request).
    pub async fn deny_open_request(
        &self,
        request_id: &str,
        by: &Principal,
    ) -> Result<Option<RequestedServer>, ErrorObject> {
        admin(by)?;
        let asked = self.requested(request_id).await?;
        if !self.registrations.deny_request(request_id, by.id()).await.map_err(internal)? {
            return Ok(None);
        }
        self.record(denied(by, &asked)).await?;
        Ok(Some(RequestedServer { denied_by: Some(by.id().to_owned()), ..asked }))
    }

    /// Returns the open or denied request with an id.
    async fn requested(&self, request_id: &str) -> Result<RequestedServer, ErrorObject> {
        let requests = self.requests().await.map_err(internal)?;
        requests.into_iter().find(|row| row.request_id == request_id).ok_or_else(|| unknown(request_id))
    }

    /// Removes a request for a server, or its denial, so that the agent may ask again. Returns it if it existed.
    ///
    /// # Errors
    /// 1000 without the admin role, -32603 if the request cannot be removed, or the removal of a denial audited.
    pub async fn forget_request(
        &self,
        request_id: &str,
        by: &Principal,
    ) -> Result<Option<RequestedServer>, ErrorObject> {
        admin(by)?;
        let removed = self.registrations.remove_request(request_id).await.map_err(internal)?;
        // Recorded after the removal, so that the removal takes effect even if the trail cannot be written.
        if let Some(row) = removed.as_ref().filter(|row| row.denied_by.is_some()) {
            let event = EventDraft::new(DENIAL_REVOKED.into(), by).server(row.registration.id());
            let event =
                event.detail("request_id", request_id).detail("agent_id", &row.registration.created_by);
            self.record(event.finish()).await?;
        }
        Ok(removed)
    }

    /// Stores a registered server.
    async fn keep(&self, registration: Registration) -> Result<(), ErrorObject> {
        let id = registration.id().to_owned();
        match self.registrations.add(registration, self.most()).await.map_err(internal)? {
            AddOutcome::Yes => Ok(()),
            // Another process was faster.
            AddOutcome::Taken => Err(taken(&id)),
            AddOutcome::Full => Err(self.full(&id)),
        }
    }

    /// Returns the number of servers that may be registered.
    fn most(&self) -> usize {
        self.limit.saturating_sub(self.configured.load().len())
    }

    /// Removes a registered server and revokes its grants, because the next server with that id is a different one. A caller with
    /// the admin role can also remove a registration that is unusable, and therefore not listed. Returns the id, and whether there
    /// was a server to remove.
    ///
    /// # Errors
    /// 1000 if the caller may not deregister the server, or if it is a server of the configuration; -32603 if the server
    /// cannot be removed or audited.
    pub async fn deregister(
        &self,
        caller: &Principal,
        params: Result<DeregisterServerParams, ErrorObject>,
    ) -> Result<(String, bool), ErrorObject> {
        let _turn = self.turn.lock().await;
        let id = params.as_ref().ok().map(|params| params.id.clone());
        match self.try_deregister(caller, params).await {
            Ok(removed) => Ok(removed),
            Err(error) => self.refuse(DEREGISTERED, caller, id.as_deref(), error).await,
        }
    }

    async fn try_deregister(
        &self,
        caller: &Principal,
        params: Result<DeregisterServerParams, ErrorObject>,
    ) -> Result<(String, bool), ErrorObject> {
        let right = self.registrars.may_register(caller)?;
        let DeregisterServerParams { id, reason } = params?;
        let configured = self.is_configured(&id);
        let Some(found) = self.registrations.find(&id) else {
            // A row that cannot be parsed belongs to nobody.
            if right == RegistrationRight::Admin
                && self.registrations.remove_unusable(&id).await.map_err(internal)?
            {
                self.gone(unusable_removed(caller, &id, reason.as_deref()), &id).await?;
                return Ok((id, true));
            }
            if configured {
                return Err(ErrorCode::PermissionDenied.error(format!(
                    "{id:?} stands in the configuration: expected a server that was registered while a kernel ran"
                )));
            }
            return Ok((id, false));
        };
        self.registrars.may_deregister(caller, &found)?;
        if !self.registrations.remove(&found).await.map_err(internal)? {
            return Ok((id, false));
        }
        self.gone(deregistered(caller, &found, reason.as_deref()), &id).await?;
        Ok((id, true))
    }

    /// Records that a server was removed, and revokes its grants. This runs after the removal, so that the removal takes effect
    /// even if the trail cannot be written. The grants are revoked even then, because removing the server again is not possible.
    async fn gone(&self, event: AuditEvent, id: &str) -> Result<(), ErrorObject> {
        let recorded = self.record(event).await;
        // If the configuration has the id, too, the rights belong to its server, which stays.
        let forgotten = if self.is_configured(id) { Ok(()) } else { self.rights.forget(id).await };
        recorded.and(forgotten)
    }

    async fn refuse<T>(
        &self,
        event_type: &str,
        caller: &Principal,
        id: Option<&str>,
        error: ErrorObject,
    ) -> Result<T, ErrorObject> {
        self.record(refused(event_type, caller, id, &error)).await?;
        Err(error)
    }

    async fn record(&self, event: AuditEvent) -> Result<(), ErrorObject> {
        self.sink.record(event).await.map_err(internal)
    }

    fn full(&self, id: &str) -> ErrorObject {
        let limit = self.limit;
        ErrorCode::ResourceExhausted.error(format!(
            "no room for {id:?}: expected at most {limit} servers (kernel.limits.max_servers), those of the configuration included"
        ))
    }
}

fn taken(id: &str) -> ErrorObject {
    ErrorCode::ServerAlreadyRegistered
        .error(format!("a server {} is there already: expected an id that is free", quoted(id)))
}

/// Returns the refusal of a request for a server that is open or denied.
fn waits(row: &RequestedServer) -> ErrorObject {
    let RequestedServer { request_id, registration, denied_by } = row;
    let (id, agent) = (registration.id(), &registration.created_by);
    let (state, text) = match denied_by {
        Some(by) => (
            "denied",
            format!(
                "the server {id:?} was denied to agent {agent:?} by {by:?}: `mgp approve {request_id} --revoke` takes that back"
            ),
        ),
        None => (
            "open",
            format!(
                "agent {agent:?} may not register servers by itself: server {id:?} waits for an operator, `mgp approve {request_id}` registers \
                 it, sandboxed; access.registrars in the configuration names the agents that need not ask"
            ),
        ),
    };
    let details: RawObject = [
        ("request_id", RawJson::string(request_id)),
        ("state", RawJson::string(state)),
        ("server_id", RawJson::string(id)),
        ("agent_id", RawJson::string(agent)),
    ]
    .into_iter()
    .collect();
    let advice = Recovery::of(ErrorCode::PermissionDenied).with_details(details);
    ErrorCode::PermissionDenied.error_with(text, advice)
}

fn unknown(request_id: &str) -> ErrorObject {
    ErrorObject::invalid_params(format!(
        "no request for a server has the id {request_id:?}: it was decided, taken back, replaced by a later one, or forgotten after a day"
    ))
}

fn admin(by: &Principal) -> Result<(), ErrorObject> {
    if by.is_admin() {
        return Ok(());
    }
    Err(ErrorCode::PermissionDenied
        .error(format!("{:?} may not decide on requests: expected the admin role", by.id())))
}

pub(super) fn internal(error: impl std::fmt::Display) -> ErrorObject {
    ErrorObject::internal(error.to_string())
}
