//! §5.2 The handle to access control.

use super::{
    AccessDenial, AccessKey, AccessPolicy, AccessStore, CallArguments, Judgement, StoreError, ToolProfiles,
    UnreadableRule,
    key_scope::ToolScopes,
    policy::ToolUse,
    snapshot::{KnownNames, KnownServer, RoleRules, Rules, Snapshot},
};
use crate::stored_rows::log_unreadable;
use arc_swap::{ArcSwap, ArcSwapOption};
use mgp_store::follow::{SnapshotOwner, follow};
use mgp_transport::seam::ToolCall;
use mgp_types::{
    access::{AccessEntry, DefaultPolicy, Roles},
    context::{Principal, SessionTag, ToolId, TrustLevel},
    error::{ErrorCode, Recovery},
    rpc::ErrorObject,
};
use std::{
    collections::BTreeSet,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Mutex, watch},
    time::{Instant, timeout},
};

/// The pause before another attempt if the store cannot be asked, in milliseconds.
const RETRY_AFTER_MS: u64 = 1_000;

/// The time for which the rules count as current: a right that was revoked elsewhere ends after this time at the latest. The store is asked more
/// often.
const CURRENT: Duration = Duration::from_millis(150);

/// The longest time that a call waits for current rules.
const CURRENT_TIMEOUT: Duration = Duration::from_secs(3);

/// A handle to access control, which decides which agent may use which tool. Decisions are made in memory; clones share the same rules.
///
/// The first match wins: a rule of the agent for the tool, one for the server, a rule of the agent's [roles](Self::set_roles) for the
/// tool, one for the server, the [policy](Self::set_policy), the server's default policy. Expired rules do not count. An agent is denied
/// every tool if neither the configuration [names](Self::add_agent) it nor a rule allows it something. A server that the configuration
/// does not [name](Self::set_server) is denied to everybody.
///
/// In the names of servers and tools, `*` stands for any text. If several rules match, the one with the more precise name of the tool
/// decides: an exact name before a pattern, and a pattern with more literal characters before one with fewer. If these are equal, the more
/// precise name of the server decides, and then the rule that denies.
#[derive(Debug, Clone)]
pub struct AccessControl(Arc<ControlState>);

struct ControlState {
    snapshot: ArcSwap<Snapshot>,
    store: Arc<dyn AccessStore>,
    /// Notified when the rules in memory have changed.
    changed: watch::Sender<()>,
    /// The reason why the store cannot be asked now, if it cannot.
    problem: ArcSwapOption<StoreError>,
    /// The time at which the rules were known to be those of the store.
    current_at: watch::Sender<Instant>,
    /// True if calls are judged by the rules that were read last while the store cannot be asked.
    trusts_snapshot: AtomicBool,
    /// Held while the rules are read and put in place, so that an older version never replaces a newer one.
    reloading: Mutex<()>,
}

impl SnapshotOwner for ControlState {
    async fn version(&self) -> Result<i64, StoreError> {
        self.store.version().await
    }

    async fn reload(&self) -> Result<(), StoreError> {
        let _order = self.reloading.lock().await;
        let rules = Arc::new(Rules::new(self.store.load().await?));
        let before = self.snapshot.rcu(|old| Snapshot { rules: rules.clone(), ..Snapshot::clone(old) });
        log_unreadable(before.rules.unreadable(), rules.unreadable());
        if before.rules != rules {
            self.changed.send_replace(());
        }
        Ok(())
    }

    fn looked(&self, problem: Option<&StoreError>) {
        if problem.is_some() || self.problem.load().is_some() {
            self.problem.store(problem.cloned().map(Arc::new));
        }
    }

    fn is_current_at(&self, time: Instant) {
        self.current_at.send_replace(time);
    }
}

impl fmt::Debug for ControlState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("store", &self.store).finish_non_exhaustive()
    }
}

impl AccessControl {
    /// Reads the rules, and follows the store until the last clone is dropped.
    ///
    /// # Errors
    /// [`StoreError`] if the rules cannot be read.
    pub async fn open(store: Arc<dyn AccessStore>) -> Result<Self, StoreError> {
        let (snapshot, changed) = (ArcSwap::default(), watch::Sender::new(()));
        let current_at = watch::Sender::new(Instant::now());
        let shared = Arc::new(ControlState {
            snapshot,
            store,
            changed,
            problem: ArcSwapOption::empty(),
            current_at,
            trusts_snapshot: AtomicBool::new(false),
            reloading: Mutex::new(()),
        });
        shared.reload().await?;
        tokio::spawn(follow(Arc::downgrade(&shared)));
        Ok(Self(shared))
    }

    /// Sets whether calls are judged by the rules that were read last while the store cannot be asked. The default is to refuse all calls then,
    /// because another process may have revoked a right meanwhile.
    pub fn set_trusts_snapshot(&self, trusts: bool) {
        self.0.trusts_snapshot.store(trusts, Ordering::Relaxed);
    }

    /// Refuses whatever needs a right while the store cannot be asked whether rights were revoked, unless the
    /// [snapshot is trusted](Self::set_trusts_snapshot).
    ///
    /// # Errors
    /// 3001, with the reason.
    pub fn admit(&self) -> Result<(), ErrorObject> {
        match self.0.problem.load().as_ref() {
            Some(problem) if !self.trusts_snapshot() => Err(unseen(problem)),
            _ => Ok(()),
        }
    }

    /// Waits until the rules show every change that was made more than 150 ms ago, also by other processes. Returns whether the caller waited, so
    /// that a call has to be judged again. Does not wait while the [snapshot is trusted](Self::set_trusts_snapshot).
    ///
    /// # Errors
    /// 3001 if the store could not be asked in time, with the reason.
    pub async fn wait_until_current(&self) -> Result<bool, ErrorObject> {
        let is_current = |at: &Instant| at.elapsed() < CURRENT;
        if self.trusts_snapshot() || is_current(&self.0.current_at.borrow()) {
            return Ok(false);
        }
        self.admit()?;
        let mut current_at = self.0.current_at.subscribe();
        if timeout(CURRENT_TIMEOUT, current_at.wait_for(is_current)).await.is_ok() {
            return Ok(true);
        }
        self.admit()?;
        Err(unseen(&StoreError::new("it gave no answer in time")))
    }

    fn trusts_snapshot(&self) -> bool {
        self.0.trusts_snapshot.load(Ordering::Relaxed)
    }

    /// Names a server, with the default policy that applies if no rule does. A server that is not named is denied to everybody.
    pub fn set_server(&self, server_id: &str, policy: DefaultPolicy) {
        self.change_known(|known| {
            let server =
                KnownServer { policy, trust: TrustLevel::Standard, registered: false, session: None };
            known.servers.insert(server_id.into(), server);
        });
    }

    /// Names a server of the configuration, or gives it another default policy or trust.
    pub fn configure_server(&self, server_id: &str, policy: DefaultPolicy, trust: TrustLevel) {
        self.change_known(|known| {
            let server = KnownServer { policy, trust, registered: false, session: None };
            known.servers.insert(server_id.into(), server);
        });
    }

    /// Sets the trust in a known server, which a [policy](Self::set_policy) can read. The default is standard, and sandboxed for a server
    /// that was registered at run time.
    pub fn set_trust(&self, server_id: &str, trust: TrustLevel) {
        self.change_known(|known| {
            if let Some(server) = known.servers.get_mut(server_id) {
                server.trust = trust;
            }
        });
    }

    /// Replaces the policy that decides where no rule does, before the default policies.
    pub fn set_policy(&self, policy: Arc<dyn AccessPolicy>) {
        let policy = Some(policy);
        self.0.snapshot.rcu(|old| Snapshot { policy: policy.clone(), ..Snapshot::clone(old) });
        self.0.changed.send_replace(());
    }

    /// Returns whether a policy decides where no rule does.
    #[must_use]
    pub fn has_policy(&self) -> bool {
        self.0.snapshot.load().policy.is_some()
    }

    /// Sets the source of the profiles that a policy reads when tools are listed.
    pub fn set_profiles(&self, profiles: Arc<dyn ToolProfiles>) {
        let profiles = Some(profiles);
        self.0.snapshot.rcu(|old| Snapshot { profiles: profiles.clone(), ..Snapshot::clone(old) });
    }

    /// Names a server that was registered while the kernel runs. Its id was chosen by the caller that registered it. So neither a role
    /// nor a rule with a pattern for servers allows anything there, but denials by them apply.
    pub fn set_registered_server(&self, server_id: &str) {
        self.change_known(|known| {
            let server = KnownServer {
                policy: DefaultPolicy::OptIn,
                trust: TrustLevel::Sandboxed,
                registered: true,
                session: None,
            };
            known.servers.insert(server_id.into(), server);
        });
    }

    /// Names a server that is made for one session of a host (§16.6). Only a principal that acts for itself
    /// [in that session](Principal::in_session) may use the server's tools, unless a rule or the policy denies them. No rule, role or
    /// policy
    /// allows anything there.
    pub fn set_session_server(&self, server_id: &str, session: SessionTag) {
        self.change_known(|known| {
            let server = KnownServer {
                policy: DefaultPolicy::OptIn,
                trust: TrustLevel::Sandboxed,
                registered: true,
                session: Some(session),
            };
            known.servers.insert(server_id.into(), server);
        });
    }

    /// Replaces the roles, and the agents that have them. The default policies apply to these agents.
    pub fn set_roles(&self, roles: &Roles) {
        let roles = Arc::new(RoleRules::new(roles));
        self.0.snapshot.rcu(|old| Snapshot { roles: roles.clone(), ..Snapshot::clone(old) });
        self.0.changed.send_replace(());
    }

    /// Forgets a server. Its rules are kept, in case the server comes back.
    pub fn remove_server(&self, server_id: &str) {
        self.change_known(|known| {
            known.servers.remove(server_id);
        });
    }

    /// Names an agent, so that default policies apply to it. They also apply to an unnamed agent while a rule allows it something.
    pub fn add_agent(&self, agent_id: &str) {
        self.change_known(|known| {
            known.agents.insert(agent_id.into());
        });
    }

    /// Returns the judgement on a principal and a tool. If the principal acts for others, and the tool is denied to one of them or to the
    /// principal itself, the first such denial is returned.
    #[must_use]
    pub fn check(&self, principal: &Principal, tool: &ToolId) -> Judgement {
        match self.authorize(principal, tool) {
            Ok(judgement) => judgement,
            Err(denial) => denial.judgement,
        }
    }

    /// Returns the judgement on a principal's own right to a tool, if the principal and every agent that it acts for have that right.
    ///
    /// # Errors
    /// [`AccessDenial`], naming the first of these agents that may not use the tool.
    pub fn authorize(&self, principal: &Principal, tool: &ToolId) -> Result<Judgement, AccessDenial> {
        self.0.snapshot.load().authorize(principal, &tool.server_id, ToolUse::any(&tool.tool_name))
    }

    /// Returns the judgement on a call. Unlike [`authorize`](Self::authorize), which allows a tool that the policy allows with some
    /// arguments, this looks at the call's own arguments.
    ///
    /// # Errors
    /// Those of [`authorize`](Self::authorize).
    pub fn authorize_call(&self, call: &ToolCall) -> Result<Judgement, AccessDenial> {
        let tool = &call.target.tool;
        let used = ToolUse {
            name: &tool.tool_name,
            arguments: CallArguments::Given(call.arguments()),
            profile: Some(&call.profile),
        };
        self.0.snapshot.load().authorize(&call.principal, &tool.server_id, used)
    }

    /// Returns the judgement on an agent and a server, or on an agent and one of the server's tools.
    #[must_use]
    pub fn query(&self, agent_id: &str, server_id: &str, tool_name: Option<&str>) -> Judgement {
        self.0.snapshot.load().judge(agent_id, server_id, tool_name, jiff::Timestamp::now)
    }

    /// Returns whether the rules let a principal use a server or one of its tools, even a tool that the server does not have. If the
    /// principal acts for others, the rules must allow each of them too. If it has an API key with scopes, they must reach the server.
    #[must_use]
    pub fn allows_some(&self, principal: &Principal, server_id: &str) -> bool {
        let snapshot = self.0.snapshot.load();
        self.key_reaches(principal, server_id)
            && principal.parties().all(|agent| snapshot.allows_some(agent, server_id))
    }

    /// Returns whether the scopes of a principal's API key reach a server: they name the server as a whole or some of its tools, or the
    /// principal has no scopes. Scopes grant no rights.
    #[must_use]
    pub fn key_reaches(&self, principal: &Principal, server_id: &str) -> bool {
        let all = |key| ToolScopes::of(key).allow_all_tools(server_id);
        principal.key_scopes().is_none_or(|key| all(key) != Some(false))
    }

    /// Returns the agents that have a rule about a server or its tools, directly or by a role.
    #[must_use]
    pub fn agents_with_rules(&self, server_id: &str) -> BTreeSet<String> {
        let snapshot = self.0.snapshot.load();
        let agents = snapshot.rules.agents().chain(snapshot.roles.agents());
        agents.filter(|(_, rules)| rules.is_about(server_id)).map(|(agent, _)| agent.to_owned()).collect()
    }

    /// Stores a rule, which replaces the rule with the same [`AccessKey`]. The rule is in force when this method returns.
    ///
    /// # Errors
    /// [`StoreError`] if the rule cannot be stored.
    pub async fn put(&self, entry: AccessEntry) -> Result<(), StoreError> {
        self.keep(entry).await?;
        self.reload().await
    }

    /// Removes a rule, and returns it if there was one. The rule is no longer in force when this method returns.
    ///
    /// # Errors
    /// [`StoreError`] if the rule cannot be removed.
    pub async fn remove(&self, key: AccessKey) -> Result<Option<AccessEntry>, StoreError> {
        let removed = self.take_out(key).await?;
        self.reload().await?;
        Ok(removed)
    }

    /// Stores a rule. The rule is in force once [`reload`](Self::reload) has returned.
    pub(super) async fn keep(&self, entry: AccessEntry) -> Result<(), StoreError> {
        self.0.store.put(entry).await
    }

    /// Removes a rule from the store. The rule may stay in force until [`reload`](Self::reload) has returned.
    pub(super) async fn take_out(&self, key: AccessKey) -> Result<Option<AccessEntry>, StoreError> {
        self.0.store.remove(key).await
    }

    /// Puts the rules of the store in force.
    pub(super) async fn reload(&self) -> Result<(), StoreError> {
        self.0.reload().await
    }

    /// Returns a receiver that is notified whenever the rules have changed, including changes by another process.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }

    /// Reads every stored rule, except those that [cannot be read](Self::unreadable).
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub async fn entries(&self) -> Result<Vec<AccessEntry>, StoreError> {
        Ok(self.0.store.load().await?.rows)
    }

    /// Returns the rules in force that cannot be read.
    #[must_use]
    pub fn unreadable(&self) -> Vec<UnreadableRule> {
        self.0.snapshot.load().rules.unreadable().to_vec()
    }

    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        self.0.snapshot.load_full()
    }

    fn change_known(&self, change: impl Fn(&mut KnownNames)) {
        self.0.snapshot.rcu(|old| {
            let mut known = KnownNames::clone(&old.known);
            change(&mut known);
            Snapshot { known: Arc::new(known), ..Snapshot::clone(old) }
        });
    }
}

/// Creates the refusal of a request whose rights may have been revoked elsewhere.
fn unseen(problem: &StoreError) -> ErrorObject {
    let message = format!(
        "refused while it cannot be seen whether rights were revoked: {problem}; store.on_outage = \"snapshot\" allows what was allowed before"
    );
    let advice = Recovery::unsent(ErrorCode::ResourceExhausted).after_ms(RETRY_AFTER_MS);
    ErrorCode::ResourceExhausted.error_with(message, advice)
}
