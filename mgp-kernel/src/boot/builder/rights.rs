//! The setters for the rights of callers and servers: permissions, approvals, access.

use super::KernelBuilder;
#[cfg(feature = "child")]
use mgp_discovery::config::ToolCreationConfig;
use mgp_discovery::registration::Registrars;
use mgp_security::{
    access::{AccessControl, AccessPolicy},
    limits::LimitRule,
    permission::{Approver, PermissionRules},
};
use mgp_types::access::{AccessEntry, RoleRule};
use std::{sync::Arc, time::Duration};

impl KernelBuilder {
    /// Sets the rules for permissions: the policy, its exceptions, and the permissions that are approved in advance.
    #[must_use]
    pub fn permission_rules(self, rules: PermissionRules) -> Self {
        self.set(move |settings| settings.program.rules = Some(rules))
    }

    /// Sets the approver that decides on permissions and calls; [`AskHost`](crate::AskHost) by default.
    #[must_use]
    pub fn approver(self, approver: impl Approver) -> Self {
        self.set(move |settings| settings.approver = Some(Arc::new(approver)))
    }

    /// Removes the approver. A call that needs a decision is then refused.
    #[must_use]
    pub fn without_approver(self) -> Self {
        self.set(|settings| settings.approver = None)
    }

    /// Sets the agents whose code becomes tools of their session (§16.6), and the limits of these tools. By default, no tools are created.
    /// This also requires the permission policy `auto_approve`, and confinement, which only Linux supports.
    #[cfg(feature = "child")]
    #[must_use]
    pub fn tool_creation(self, creation: ToolCreationConfig) -> Self {
        self.set(move |settings| settings.tool_creation = creation)
    }

    /// Sets the maximum time that a call waits for all the answers that it needs;
    /// [`Permissions::WAIT`](mgp_security::permission::Permissions::WAIT) by default. After that time the call is
    /// refused with the id of its question, and the answer applies when the call is made again.
    #[must_use]
    pub fn approval_wait(self, wait: Duration) -> Self {
        self.set(move |settings| settings.approval_wait = wait)
    }

    /// Sets the time that a question about a call stays open, and that an unused approval of a single call stays valid;
    /// [`Confirmations::LIFETIME`](mgp_security::permission::Confirmations::LIFETIME) by default.
    #[must_use]
    pub fn decision_timeout(self, timeout: Duration) -> Self {
        self.set(move |settings| settings.decision_timeout = timeout)
    }

    /// Sets the lifetime of approvals that are given without one. With `None`, the default, such approvals do not expire.
    #[must_use]
    pub fn grant_lifetime(self, lifetime: Option<Duration>) -> Self {
        self.set(move |settings| settings.grant_lifetime = lifetime)
    }

    /// Sets the access control, which decides which agent may use which tool.
    #[must_use]
    pub fn access(self, access: AccessControl) -> Self {
        self.set(move |settings| settings.access = Some(access))
    }

    /// Sets the policy that decides on access where no rule does, before the servers' default policies. The feature `cedar`
    /// provides `CedarPolicies`.
    #[must_use]
    pub fn access_policy(self, policy: impl AccessPolicy) -> Self {
        self.set(move |settings| settings.policy = Some(Arc::new(policy)))
    }

    /// Adds a rule to the access control when the kernel starts, made by `program` and recorded in the trail. A valid rule of another
    /// author for the same agent, server and tool stays in force.
    ///
    /// ```
    /// use mgp_kernel::{AccessEntry, Kernel};
    ///
    /// let kernel = Kernel::builder().grant(AccessEntry::allow("ann").server("clock").tool("now"));
    /// ```
    #[must_use]
    pub fn grant(self, rule: AccessEntry) -> Self {
        self.set(move |settings| settings.granted.push(rule))
    }

    /// Adds a role: rules that the [agents with it](Self::agent_roles) have in common. An agent's own rules take precedence.
    ///
    /// ```
    /// use mgp_kernel::{RoleRule, Kernel};
    ///
    /// let kernel = Kernel::builder()
    ///     .role("reader", [RoleRule::allow("fs-*").tool("read_*")])
    ///     .agent_roles("ann", ["reader"]);
    /// ```
    #[must_use]
    pub fn role(self, name: impl Into<String>, rules: impl IntoIterator<Item = RoleRule>) -> Self {
        let (name, rules): (_, Vec<_>) = (name.into(), rules.into_iter().collect());
        self.set(move |settings| {
            let roles = &mut settings.program.roles;
            *roles = std::mem::take(roles).role(name, rules);
        })
    }

    /// Gives an agent roles. The servers' default policies apply to it.
    #[must_use]
    pub fn agent_roles<R: Into<String>>(
        self,
        agent_id: impl Into<String>,
        roles: impl IntoIterator<Item = R>,
    ) -> Self {
        let (agent, roles): (_, Vec<String>) = (agent_id.into(), roles.into_iter().map(R::into).collect());
        self.set(move |settings| {
            let all = &mut settings.program.roles;
            *all = std::mem::take(all).agent(agent, roles);
        })
    }

    /// Adds a limit on the rate of calls of an agent, an API key, a server or a tool. It stays in force when the kernel applies another
    /// configuration.
    ///
    /// ```
    /// use mgp_kernel::Kernel;
    /// use mgp_security::limits::{LimitRule, LimitedParty};
    ///
    /// let rule = LimitRule::new(LimitedParty::Agent("ann".into())).per_minute(120.try_into()?);
    /// let kernel = Kernel::builder().limit(rule);
    /// # Ok::<(), std::num::TryFromIntError>(())
    /// ```
    #[must_use]
    pub fn limit(self, rule: LimitRule) -> Self {
        self.set(move |settings| settings.program.limits.push(rule))
    }

    /// Sets whether a call of a tool that its agent may not use is answered like a call of an unknown tool (4001), instead of with
    /// 1001. The audit trail has the true reason either way. By default, tools are concealed from all hosts except those of
    /// [`HostFace::serve`](crate::HostFace::serve), whose user is the local operator.
    #[must_use]
    pub fn conceal(self, conceal: bool) -> Self {
        self.set(move |settings| settings.conceal = Some(conceal))
    }

    /// Adds an agent to which the servers' default policies apply.
    #[must_use]
    pub fn agent(self, id: impl Into<String>) -> Self {
        let id = id.into();
        self.set(move |settings| settings.agents.push(id))
    }

    /// Sets the agents that may register servers while the kernel runs (§15.4). Without any, only the admin role may.
    #[must_use]
    pub fn registrars<I: IntoIterator<Item: Into<String>>>(self, agents: I) -> Self {
        let agents: Registrars = agents.into_iter().collect();
        self.set(move |settings| settings.registrars = agents)
    }
}
