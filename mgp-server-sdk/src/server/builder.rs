//! The builder of a server.

use crate::{
    Error, Prompt, Resource, ResourceTemplate, ServerStack, Tool,
    router::Limits,
    task::{TaskLimits, TaskStore},
};
use mgp_lifecycle::health::HealthCheck;
use mgp_transport::seam::Extensions;
use mgp_types::{
    mcp::{CacheHint, Implementation},
    negotiation::ServerProfile,
};
use std::{
    any::{TypeId, type_name},
    fmt,
    sync::Arc,
    time::Duration,
};

/// A type of shared state, and its name.
pub(super) type StateType = (TypeId, &'static str);

/// A tool server, before it is built. [`build`](Self::build) checks it; the `serve_` functions build and serve it.
///
/// ```
/// use mgp_server_sdk::{Error, Server, Tool, extract::{Args, State}};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use std::sync::{Arc, atomic::{AtomicI64, Ordering}};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Step {
///     by: i64,
/// }
///
/// async fn count(State(total): State<Arc<AtomicI64>>, Args(Step { by }): Args<Step>) -> String {
///     (total.fetch_add(by, Ordering::Relaxed) + by).to_string()
/// }
///
/// let stack = Server::new("counter", "1.0.0")
///     .instructions("Counts.")
///     .state(Arc::new(AtomicI64::new(0)))
///     .tool(Tool::new("count", "Adds to the total", count))
///     .build()?;
/// # let _ = stack;
/// # Ok::<(), Error>(())
/// ```
#[must_use = "a server does nothing until it is served"]
pub struct Server {
    pub(super) implementation: Implementation,
    pub(super) instructions: Option<String>,
    pub(super) tools: Vec<Tool>,
    pub(super) resources: Vec<Resource>,
    pub(super) templates: Vec<ResourceTemplate>,
    pub(super) prompts: Vec<Prompt>,
    pub(super) logging: bool,
    pub(super) channels: Vec<String>,
    pub(super) states: Extensions,
    pub(super) state_types: Vec<StateType>,
    /// The servers to merge, each with the prefix of its names.
    pub(super) others: Vec<(String, Server)>,
    pub(super) checks: Vec<HealthCheck>,
    pub(super) profile: ServerProfile,
    pub(super) limits: Limits,
    pub(super) check_arguments: bool,
    pub(super) page_size: usize,
    pub(super) cache: CacheHint,
    pub(super) state_key: Option<[u8; 32]>,
    pub(super) checkpoint_lifetime: Duration,
    pub(super) session_state_lifetime: Duration,
    pub(super) task_limits: TaskLimits,
    pub(super) task_store: Option<Arc<dyn TaskStore>>,
    pub(super) shutdown_by_admins: bool,
}

impl Server {
    /// Creates an empty server with a name and a version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            implementation: Implementation::new(name, version),
            instructions: None,
            tools: Vec::new(),
            resources: Vec::new(),
            templates: Vec::new(),
            prompts: Vec::new(),
            logging: false,
            channels: Vec::new(),
            states: Extensions::new(),
            state_types: Vec::new(),
            others: Vec::new(),
            checks: Vec::new(),
            profile: super::profile::default(),
            limits: Limits::default(),
            check_arguments: true,
            page_size: usize::MAX,
            cache: CacheHint::NONE,
            state_key: None,
            checkpoint_lifetime: Duration::from_secs(24 * 60 * 60),
            session_state_lifetime: Duration::from_secs(60 * 60),
            task_limits: TaskLimits::default(),
            task_store: None,
            shutdown_by_admins: false,
        }
    }

    /// Sets the display name.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.implementation.title = Some(title.into());
        self
    }

    /// Sets the instructions on how to use the server, for a model.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Adds a tool.
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Adds a resource.
    pub fn resource(mut self, resource: Resource) -> Self {
        self.resources.push(resource);
        self
    }

    /// Adds a template of resources. A URI is read by the first template that matches.
    pub fn resource_template(mut self, template: ResourceTemplate) -> Self {
        self.templates.push(template);
        self
    }

    /// Adds a prompt.
    pub fn prompt(mut self, prompt: Prompt) -> Self {
        self.prompts.push(prompt);
        self
    }

    /// Declares that the server sends log messages. A handler that takes a [`Log`](crate::extract::Log) already declares it.
    pub fn logging(mut self) -> Self {
        self.logging = true;
        self
    }

    /// §13.2 Declares a channel of events, such as `build.finished`: 1 to 128 characters without blanks and `*`. Clients
    /// subscribe to channels by name, and to `build.*` for all channels with a prefix. Events are published through
    /// [`Events`](crate::events::Events), and the server offers clients the extension `events`.
    pub fn channel(mut self, name: impl Into<String>) -> Self {
        self.channels.push(name.into());
        self
    }

    /// Adds a value that handlers share, one of each type. Handlers take it as [`State`](crate::extract::State).
    pub fn state<T: Clone + Send + Sync + 'static>(mut self, value: T) -> Self {
        self.states.insert(value);
        self.state_types.push((TypeId::of::<T>(), type_name::<T>()));
        self
    }

    /// §7 Sets the rules for code that handlers check with a [`CodeSafety`](crate::code_safety::CodeSafety).
    #[cfg(feature = "code-safety")]
    pub fn code_safety(self, rules: crate::code_safety::CodeRules) -> Self {
        self.state(rules)
    }

    /// §11.3 Adds a check to `mgp/health/status`.
    pub fn health_check(mut self, check: HealthCheck) -> Self {
        self.checks.push(check);
        self
    }

    /// Limits the number of tools that run at the same time, at least 1; further calls wait. Tasks do not count. No limit by default.
    pub fn max_concurrent_calls(mut self, limit: usize) -> Self {
        self.limits.concurrent_calls = Some(limit);
        self
    }

    /// Limits the time that a handler may run. After that time the call is answered with 3003, and the handler is dropped. A task
    /// may run for its whole time to live. No limit by default.
    pub fn call_timeout(mut self, limit: Duration) -> Self {
        self.limits.timeout = Some(limit);
        self
    }

    /// Sets whether the arguments of calls are [checked](crate::schema) against the schema of the tool before its function runs.
    /// A tool can override this with [`Tool::check_arguments`]. On by default.
    #[cfg(feature = "check-arguments")]
    pub fn check_arguments(mut self, yes: bool) -> Self {
        self.check_arguments = yes;
        self
    }

    /// Sets the number of entries on one page of a list, at least 1; by default, one page holds all entries.
    pub fn page_size(mut self, entries: usize) -> Self {
        self.page_size = entries;
        self
    }

    /// Sets the time for which clients of the stateless revisions of MCP may cache lists and resources; by default, they may not.
    /// A resource can override this.
    pub fn cache(mut self, hint: CacheHint) -> Self {
        self.cache = hint;
        self
    }

    /// Sets the key that seals [checkpoints](crate::checkpoint), the [state of sessions](crate::session_state), and the state
    /// that clients return between two rounds of input ([`ask`](crate::ask)). By default, the key is random. Give the same key to
    /// all instances behind one address, so that each can continue the others' rounds and calls, also after a restart.
    pub fn state_key(mut self, key: [u8; 32]) -> Self {
        self.state_key = Some(key);
        self
    }

    /// Sets the time for which a [checkpoint](crate::checkpoint) is valid, at least a second; by default, a day.
    pub fn checkpoint_lifetime(mut self, lifetime: Duration) -> Self {
        self.checkpoint_lifetime = lifetime;
        self
    }

    /// Sets the time for which the [state of a session](crate::session_state) is valid after it was set, at least a second; by default, an hour.
    pub fn session_state_lifetime(mut self, lifetime: Duration) -> Self {
        self.session_state_lifetime = lifetime;
        self
    }

    /// Sets the bounds of the server's [tasks](crate::task).
    pub fn task_limits(mut self, limits: TaskLimits) -> Self {
        self.task_limits = limits;
        self
    }

    /// Sets the store of the server's [tasks](crate::task), which also limits their number; by default, tasks are kept in memory.
    pub fn task_store(mut self, store: impl TaskStore) -> Self {
        self.task_store = Some(Arc::new(store));
        self
    }

    /// Sets whether principals with the admin role may stop the server with `mgp/lifecycle/shutdown` over HTTP, or any other
    /// connection. By default this is refused with 1000: only the process that started the server, over its stdio or in memory,
    /// may stop it.
    pub fn shutdown_by_admins(mut self, yes: bool) -> Self {
        self.shutdown_by_admins = yes;
        self
    }

    /// Checks the server and builds it.
    ///
    /// # Errors
    /// Returns an [`Error`], for example for a name that is invalid or not unique, a schema that does not describe an object or
    /// cannot be [checked against](crate::schema), or missing state.
    pub fn build(self) -> Result<ServerStack, Error> {
        super::build::build(self)
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("implementation", &self.implementation)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}
