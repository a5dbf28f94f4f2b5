//! The configuration of a replica.

use crate::replicas::tools;
use mgp_server_sdk::http::ApiKey;
use std::{
    fmt::Write,
    net::{Ipv4Addr, SocketAddr},
};
use xtask_testing::BALANCER_HOST;

/// The agent whose right to the guarded tool comes and goes.
pub(crate) const GUEST: &str = "guest";
/// The agent that grants and revokes.
pub(crate) const OPERATOR: &str = "operator";

/// The calls a minute that the limit of a tool allows, and those that may come at once.
pub(crate) const CALLS_A_MINUTE: u32 = 300;
pub(crate) const BURST: u32 = 20;

/// The part that a host plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Worker(usize),
    /// An agent with a quota.
    Spender(usize),
    Guest,
    Operator,
}

/// The agents of a run, each with an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Agents {
    pub(crate) workers: usize,
    pub(crate) spenders: usize,
    /// The units that each spender may spend a day.
    pub(crate) quota: usize,
}

impl Role {
    /// Returns the name of the agent.
    pub(crate) fn agent(self) -> String {
        match self {
            Self::Worker(number) => format!("worker{number}"),
            Self::Spender(number) => format!("spender{number}"),
            Self::Guest => GUEST.to_owned(),
            Self::Operator => OPERATOR.to_owned(),
        }
    }

    /// Returns the API key of the agent, which opens nothing outside the run's network.
    pub(crate) fn key(self) -> String {
        format!("soak-key-of-{}", self.agent())
    }
}

impl Agents {
    fn roles(self) -> impl Iterator<Item = Role> {
        let workers = (0..self.workers).map(Role::Worker);
        workers.chain((0..self.spenders).map(Role::Spender)).chain([Role::Guest, Role::Operator])
    }
}

/// The parts of a configuration that differ between replicas and runs.
#[derive(Debug)]
pub(super) struct Settings<'a> {
    pub(super) database: String,
    pub(super) address: Ipv4Addr,
    pub(super) ports: [u16; 2],
    pub(super) balancer: SocketAddr,
    pub(super) tool_server: SocketAddr,
    pub(super) program: &'a str,
    pub(super) effects: &'a str,
    pub(super) agents: Agents,
}

impl Settings<'_> {
    /// Returns the file.
    pub(super) fn text(&self) -> String {
        let Self { address, ports: [http, replicas], balancer, .. } = self;
        let mut text = format!(
            "[kernel]\ndefault_policy = \"opt-out\"\nexposure = \"full\"\ntransactions = true\ncall_timeout_ms = 10000\n\
             question_timeout_ms = 10000\nstart_wait_ms = 30000\n\
             [kernel.limits]\nmax_concurrent_calls = 4096\n\
             [store]\nurl = {:?}\n\
             [replicas]\nlisten = \"{address}:{replicas}\"\n\
             [http]\nlisten = \"{address}:{http}\"\n\
             allowed_hosts = [{BALANCER_HOST:?}, \"{balancer}\", \"{address}:{http}\"]\n\
             required_servers = [{:?}, {:?}]\nmax_connections = 8192\nmax_connections_per_agent = 4096\n\
             max_unauthenticated_connections = 2048\nmax_sessions = 8192\nmax_sessions_per_agent = 4096\nsession_idle_secs = 60\n\
             shutdown_delay_ms = 2000\n",
            self.database,
            tools::LOCAL,
            tools::REMOTE
        );
        for role in self.agents.roles() {
            let _ = write!(
                text,
                "[[http.api_keys]]\nid = {0:?}\nagent = {0:?}\nhash = \"{1}\"\nadmin = {2}\n",
                role.agent(),
                ApiKey::of(&role.key()),
                role == Role::Operator
            );
        }
        for number in 0..self.agents.spenders {
            let agent = Role::Spender(number).agent();
            let _ = write!(text, "[limits.agents.{agent}]\nunits_per_day = {}\n", self.agents.quota);
        }
        let _ = write!(
            text,
            "[limits.tools.{0}__{1}_{0}]\nrequests_per_minute = {CALLS_A_MINUTE}\nburst = {BURST}\n",
            tools::REMOTE,
            tools::RUSH
        );
        for (server, policy) in [(tools::LOCAL, "opt-out"), (tools::GUARDED, "opt-in")] {
            let _ = write!(
                text,
                "[[servers]]\nid = {server:?}\ndefault_policy = {policy:?}\ncommand = {:?}\nargs = [\"--tools\", {server:?}, {:?}]\n",
                self.program, self.effects
            );
            settings(&mut text, server);
        }
        let _ = write!(
            text,
            "[[servers]]\nid = {:?}\nurl = \"http://{}/mcp\"\n",
            tools::REMOTE,
            self.tool_server
        );
        settings(&mut text, tools::REMOTE);
        text
    }
}

/// Writes the settings of a server, whose tool `note` is undone by its tool `undo`.
fn settings(text: &mut String, server: &str) {
    let _ = write!(
        text,
        "[servers.mgp]\nconfirmation = \"never\"\nrestart_policy = \"always\"\nmax_restarts = 1000\n\
         backoff_base_ms = 100\nbackoff_max_ms = 1000\nhost_features = [\"elicitation\"]\n\
         [servers.mgp.compensations.note_{server}]\ntool = \"undo_{server}\"\narguments = {{ operation = \"$arguments/operation\" }}\n"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_discovery::config::Config;

    #[test]
    fn the_file_is_a_valid_configuration() {
        let settings = Settings {
            database: "postgres://mgp@10.77.0.2:5432/postgres".to_owned(),
            address: Ipv4Addr::new(10, 77, 0, 5),
            ports: [7433, 7434],
            balancer: ([10, 77, 0, 4], 8080).into(),
            tool_server: ([10, 77, 0, 3], 9000).into(),
            program: "soak",
            effects: "effects",
            agents: Agents { workers: 2, spenders: 1, quota: 7 },
        };
        let read = Config::parse("mgp.toml".as_ref(), settings.text().as_bytes(), &|_| None).unwrap();
        assert_eq!(read.servers.len(), 3);
        let limit = &read.limits.tools["remote__rush_remote"];
        assert_eq!(limit.requests_per_minute.unwrap().get(), CALLS_A_MINUTE);
    }
}
