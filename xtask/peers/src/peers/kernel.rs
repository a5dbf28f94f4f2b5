//! Our kernel, as the process that users start: behind the shared gateway if its host uses stdio.

use super::{Instance, Reach, Scene, ServerPeer, Service, Transport};
use crate::{rows::Context, tap::Command};
use mgp_client_sdk::Era;
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// The agent of the hosts' calls.
const AGENT: &str = "peer";

/// The name of the state folder.
const STATE: &str = "state";

/// The name of the configuration's file.
const CONFIG: &str = "mgp.toml";

/// A server behind the kernel.
#[derive(Debug)]
pub(crate) struct Upstream {
    id: String,
    instance: Instance,
    approved: &'static [&'static str],
    /// The lines of its `[servers.confinement]`; `None` if it is not confined.
    confinement: Option<String>,
    /// The era of the server; if absent, the kernel probes for it.
    era: Option<Era>,
}

/// A configured kernel, and the servers behind it that already run.
#[derive(Debug)]
pub(crate) struct Kernel {
    command: Command,
    upstreams: Vec<Upstream>,
}

impl Upstream {
    pub(crate) fn new(id: &str, instance: Instance) -> Self {
        Self { id: id.to_owned(), instance, approved: &[], confinement: None, era: None }
    }

    /// Creates the upstream of a server of the table.
    pub(crate) async fn of(server: &ServerPeer, context: &Context, scene: &Scene) -> Result<Self, String> {
        Ok(Self::new(server.id, server.instance(context, scene, "kernel").await?))
    }

    /// Creates the upstream of a confined server of the table, with the permissions that it needs.
    pub(crate) fn confined(server: &ServerPeer, scene: &Scene) -> Result<Self, String> {
        let upstream = Self::new(server.id, Instance::Child(server.bare(scene, "kernel")?));
        let confinement = format!("mode = \"require\"\n{}", scene.text(server.confinement, "kernel"));
        Ok(Self { confinement: Some(confinement), ..upstream }.approved(server.permissions))
    }

    /// Sets another id.
    pub(crate) fn called(mut self, id: &str) -> Self {
        id.clone_into(&mut self.id);
        self
    }

    /// Sets the permissions that the configuration approves.
    pub(crate) fn approved(mut self, permissions: &'static [&'static str]) -> Self {
        self.approved = permissions;
        self
    }

    /// Sets the era of the server, so that the kernel does not probe for it.
    pub(crate) fn in_era(mut self, era: Option<Era>) -> Self {
        self.era = era;
        self
    }
}

impl Kernel {
    /// Writes the configuration. The kernel does not run yet.
    pub(crate) fn configure(
        context: &Context,
        exposure: &str,
        pinned: &[&str],
        upstreams: Vec<Upstream>,
    ) -> Result<Self, String> {
        let config = context.folder.write(CONFIG, &config(pinned, &upstreams))?;
        let command = Command::new(&context.programs.mgp).args([
            "serve".to_owned(),
            "--config".to_owned(),
            text(&config),
            "--agent".to_owned(),
            AGENT.to_owned(),
            "--exposure".to_owned(),
            exposure.to_owned(),
        ]);
        Ok(Self { command, upstreams })
    }

    /// Enables metrics on a port.
    pub(crate) fn metrics(self, context: &Context, port: u16) -> Result<Self, String> {
        self.with(context, &format!("[telemetry]\nmetrics = \"127.0.0.1:{port}\"\n"))
    }

    /// Enables the tools over REST, if the kernel serves HTTP.
    pub(crate) fn rest(self, context: &Context) -> Result<Self, String> {
        self.with(context, "[http]\nrest = true\n")
    }

    /// Adds tables to the configuration.
    pub(crate) fn with(self, context: &Context, tables: &str) -> Result<Self, String> {
        let config =
            std::fs::read_to_string(context.folder.file(CONFIG)).map_err(|error| error.to_string())?;
        context.folder.write(CONFIG, &format!("{config}\n{tables}")).map(|_| self)
    }

    /// Sets a variable of the kernel's environment.
    pub(crate) fn env(self, name: &str, value: &str) -> Self {
        Self { command: self.command.env(name, value), ..self }
    }

    /// Returns the command with which a host on stdio starts the kernel.
    pub(crate) fn stdio(&self, context: &Context) -> Command {
        self.with_state(context, STATE).tapped(&context.programs, &context.folder.record("host"))
    }

    /// Returns the path of the log of the gateway that serves hosts on stdio.
    pub(crate) fn log(context: &Context) -> PathBuf {
        context.folder.file(STATE).join("logs/mgp.log")
    }

    /// Starts the kernel for hosts over HTTP.
    pub(crate) async fn http(&self, context: &Context) -> Result<Service, String> {
        self.http_with_state(context, STATE, "host").await
    }

    /// Starts a kernel for hosts over HTTP, with a state folder and a record of these names.
    pub(crate) async fn http_with_state(
        &self,
        context: &Context,
        state: &str,
        record: &str,
    ) -> Result<Service, String> {
        let start = |port: u16| {
            let command =
                self.with_state(context, state).args(["--http".to_owned(), format!("127.0.0.1:{port}")]);
            command.tapped(&context.programs, &context.folder.record(record))
        };
        Service::start(start, Transport::Http, &context.folder, "mgp serve").await
    }

    fn with_state(&self, context: &Context, state: &str) -> Command {
        self.command.clone().args(["--state-dir".to_owned(), text(&context.folder.file(state))])
    }

    /// Returns the way in which a host reaches the kernel, with the process that must run meanwhile.
    pub(crate) async fn reach(
        &self,
        context: &Context,
        http: bool,
    ) -> Result<(Reach, Option<Service>), String> {
        if http {
            let service = self.http(context).await?;
            return Ok((Reach::Url(service.url()), Some(service)));
        }
        Ok((Reach::Command(self.stdio(context)), None))
    }

    /// Stops the servers that run on their own.
    pub(crate) async fn stop_upstreams(self) -> Result<(), String> {
        for upstream in self.upstreams {
            upstream.instance.stop().await?;
        }
        Ok(())
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The time that the kernel waits for its servers, in milliseconds: a host that lists once must not miss a slow server.
const START_WAIT_MS: u64 = 60_000;

fn config(pinned: &[&str], upstreams: &[Upstream]) -> String {
    let list = |items: &[&str]| items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(", ");
    let mut text = format!(
        "[kernel]\nagent = \"{AGENT}\"\npinned = [{}]\nstart_wait_ms = {START_WAIT_MS}\nidle_exit_secs = 1\n",
        list(pinned)
    );
    for upstream in upstreams {
        let _ = write!(text, "\n[[servers]]\nid = {}\n", quoted(&upstream.id));
        match &upstream.instance {
            Instance::Running(service) => {
                let _ = writeln!(text, "url = {}", quoted(&service.url()));
            }
            Instance::Child(command) => {
                let args: Vec<_> = command.args.iter().map(String::as_str).collect();
                let _ = writeln!(text, "command = {}\nargs = [{}]", quoted(&command.program), list(&args));
                if !command.env.is_empty() {
                    text.push_str("[servers.env]\n");
                }
                for (name, value) in &command.env {
                    let _ = writeln!(text, "{name} = {}", quoted(value));
                }
            }
        }
        if let Some(confinement) = &upstream.confinement {
            let _ = writeln!(text, "[servers.confinement]\n{confinement}");
        }
        if let Some(era) = upstream.era {
            let era = if era == Era::Stateless { "stateless" } else { "initialize" };
            let _ = writeln!(text, "[servers.mgp]\nera = \"{era}\"");
        }
    }
    let approved = upstreams.iter().filter(|upstream| !upstream.approved.is_empty());
    text.push_str("\n[permissions.approved]\n");
    for upstream in approved {
        let _ = writeln!(text, "{} = [{}]", quoted(&upstream.id), list(upstream.approved));
    }
    text.push_str("\n[access]\ngrants = [\n");
    for upstream in upstreams {
        let _ = writeln!(text, "  {{ agent = \"{AGENT}\", server = {} }},", quoted(&upstream.id));
    }
    text.push_str("]\n");
    text
}

/// Returns a TOML string in which no variables are expanded.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text.replace("${", "$${")).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_names_every_server_and_grants_it() {
        let files = Command::new("node").args(["a \"b\"", "${HOME}"]).env("KEY", "value");
        let upstreams = [Upstream::new("files", Instance::Child(files))
            .approved(&["filesystem.read"])
            .in_era(Some(Era::Initialize))];
        let expected = "\
[kernel]
agent = \"peer\"
pinned = [\"echo\"]
start_wait_ms = 60000
idle_exit_secs = 1

[[servers]]
id = \"files\"
command = \"node\"
args = [\"a \\\"b\\\"\", \"$${HOME}\"]
[servers.env]
KEY = \"value\"
[servers.mgp]
era = \"initialize\"

[permissions.approved]
\"files\" = [\"filesystem.read\"]

[access]
grants = [
  { agent = \"peer\", server = \"files\" },
]
";
        assert_eq!(config(&["echo"], &upstreams), expected);
    }
}
