//! Servers that are built from others.

use super::Server;
use crate::Error;

impl Server {
    /// Adds the parts of another server: its tools, resources, prompts, shared state, channels, health checks and needed
    /// permissions. Its other settings, such as its name, instructions and limits, are left out.
    ///
    /// Only one of the servers may have shared state of a type; all handlers can take it.
    ///
    /// ```
    /// use mgp_server_sdk::{Error, Server, Tool};
    ///
    /// /// A part of a server, for example from another module or crate.
    /// fn clock() -> Server {
    ///     Server::new("clock", "1.0.0").tool(Tool::new("now", "Tells the time", || "noon"))
    /// }
    ///
    /// let stack = Server::new("office", "1.0.0").merge(clock()).build()?;
    /// # let _ = stack;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn merge(mut self, other: impl Into<Self>) -> Self {
        self.others.push((String::new(), other.into()));
        self
    }

    /// Adds the parts of another server, as [`merge`](Self::merge) does, with `prefix` and `_` before the names of its tools and
    /// prompts. A tool `now` of a server that is nested as `clock` is called `clock_now`. The URIs of resources and the names of
    /// channels are not changed.
    pub fn nest(mut self, prefix: impl Into<String>, other: impl Into<Self>) -> Self {
        self.others.push((prefix.into() + "_", other.into()));
        self
    }

    /// Returns the server with everything that was merged into it.
    pub(super) fn merged(mut self) -> Result<Self, Error> {
        for (prefix, other) in std::mem::take(&mut self.others) {
            let other = other.merged()?;
            if let Some((_, state)) = other.state_types.iter().find(|state| self.state_types.contains(state))
            {
                return Err(Error::MergedState { state });
            }
            let check = other.check_arguments;
            self.tools.extend(other.tools.into_iter().map(|tool| tool.moved(&prefix, check)));
            self.prompts.extend(other.prompts.into_iter().map(|prompt| prompt.moved(&prefix)));
            self.resources.extend(other.resources);
            self.templates.extend(other.templates);
            self.states.extend(&other.states);
            self.state_types.extend(other.state_types);
            self.checks.extend(other.checks);
            self.profile.permissions_required.extend(other.profile.permissions_required);
            self.logging |= other.logging;
            self.channels.extend(other.channels);
        }
        Ok(self)
    }
}
