//! The engine that runs containers.

use crate::confine::bounded::run_bounded;
use std::{
    collections::HashMap,
    env,
    path::Path,
    process::Command,
    sync::{LazyLock, Mutex, PoisonError},
    time::Duration,
};

/// The time limit of a command that loads no image.
const LIMIT: Duration = Duration::from_secs(15);

/// The label of the gateway that started a container.
pub(super) const GATEWAY: &str = "dev.cloto.mgp.gateway";

/// An engine that this machine has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::confine) struct Engine {
    /// The program.
    pub(super) program: String,
    /// The kind of the engine.
    pub(super) kind: EngineKind,
    /// True if it runs as this user, who is root in its containers.
    pub(super) is_rootless: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EngineKind {
    Podman,
    Docker,
}

impl Engine {
    /// Returns the engine of a program, or the reason why it cannot be used. Each is tried once in a process.
    pub(super) fn find(program: &str) -> Result<Self, String> {
        static TRIED: LazyLock<Mutex<HashMap<String, Result<Engine, String>>>> =
            LazyLock::new(Mutex::default);
        let mut tried = TRIED.lock().unwrap_or_else(PoisonError::into_inner);
        tried.entry(program.to_owned()).or_insert_with(|| Self::try_out(program)).clone()
    }

    fn try_out(program: &str) -> Result<Self, String> {
        let name = Path::new(program).file_stem().and_then(|name| name.to_str());
        let kind = if name == Some("podman") { EngineKind::Podman } else { EngineKind::Docker };
        let format = match kind {
            EngineKind::Podman => "{{.Host.Security.Rootless}} {{.Host.ServiceIsRemote}}",
            EngineKind::Docker => "{{json .SecurityOptions}}",
        };
        let host = match kind {
            EngineKind::Podman => "CONTAINER_HOST",
            EngineKind::Docker => "DOCKER_HOST",
        };
        if let Ok(address) = env::var(host)
            && !address.starts_with("unix://")
        {
            // Its mounts would be those of the other machine.
            return Err(format!("{host} is {address:?}: expected an engine of this machine (unix://)"));
        }
        let engine = Self { program: program.to_owned(), kind, is_rootless: false };
        let info =
            engine.run(&["info", "--format", format], b"", LIMIT).map_err(|error| error.to_string())?.0;
        if cfg!(target_os = "linux") && kind == EngineKind::Podman && info.trim().ends_with(" true") {
            return Err("podman uses another machine: expected an engine of this machine".to_owned());
        }
        let is_rootless = match kind {
            EngineKind::Podman => info.starts_with("true"),
            EngineKind::Docker => info.contains("name=rootless"),
        };
        let engine = Self { is_rootless, ..engine };
        engine.remove_orphans();
        Ok(engine)
    }

    /// Runs a command of the engine. Returns its stdout and stderr.
    pub(super) fn run(
        &self,
        words: &[&str],
        input: &[u8],
        limit: Duration,
    ) -> std::io::Result<(String, String)> {
        run_bounded(Command::new(&self.program).args(words), input, limit)
    }

    /// Runs a command of the engine that loads no image.
    pub(super) fn run_short(&self, words: &[&str]) -> std::io::Result<String> {
        self.run(words, b"", LIMIT).map(|(output, _)| output)
    }

    /// Removes the containers of gateways that have ended. A container is usually removed with its gateway, unless the whole machine ended.
    fn remove_orphans(&self) {
        let label = format!("label={GATEWAY}");
        let Ok(all) = self.run_short(&["ps", "--all", "--filter", &label, "--format", "{{.ID}}"]) else {
            return;
        };
        let format = format!("{{{{index .Config.Labels {GATEWAY:?}}}}}");
        for id in all.lines().map(str::trim).filter(|id| !id.is_empty()) {
            let Ok(gateway) = self.run_short(&["inspect", "--format", &format, id]) else { continue };
            if !gateway_may_run(gateway.trim()) {
                let removed = self.run_short(&["rm", "--force", id]);
                tracing::info!(
                    container = id,
                    ok = removed.is_ok(),
                    "removed the container of a gateway that has ended"
                );
            }
        }
    }
}

/// Returns an engine of this machine, or the reasons why none can be used.
pub(in crate::confine) fn usable() -> Result<Engine, String> {
    Engine::find("podman")
        .or_else(|podman| Engine::find("docker").map_err(|docker| format!("{podman}; {docker}")))
}

/// Returns the name of this gateway among those of its machine: the start of the machine, the namespace of its processes, its process and
/// the time at which this started.
pub(super) fn gateway() -> String {
    let [boot, namespace] = place();
    let process = std::process::id();
    format!("{boot}/{namespace}/{process}/{}", started(process).unwrap_or_default())
}

fn place() -> [String; 2] {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    [boot.trim().to_owned(), namespace.to_string_lossy().into_owned()]
}

/// Returns the time at which a process started, in ticks since the machine did.
fn started(process: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program may hold spaces and parentheses.
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(19).map(str::to_owned)
}

/// Returns whether a gateway may still run: it does, or this process cannot know.
fn gateway_may_run(gateway: &str) -> bool {
    let parts: Vec<_> = gateway.split('/').collect();
    let [boot, namespace, process, since] = parts[..] else { return true };
    let [own_boot, own_namespace] = place();
    if own_boot.is_empty() || boot.is_empty() {
        return true;
    }
    if boot != own_boot {
        return false;
    }
    namespace != own_namespace
        || process.parse().ok().and_then(started).is_some_and(|started| started == since)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn only_a_gateway_known_to_have_ended_has_orphans() {
        let own = gateway();
        assert!(gateway_may_run(&own), "{own}");
        let parts: Vec<_> = own.split('/').collect();
        let with = |at: usize, text: &str| {
            let mut parts = parts.clone();
            parts[at] = text;
            gateway_may_run(&parts.join("/"))
        };
        assert!(!with(0, "another-start") && !with(2, "4194399") && !with(3, "1"));
        assert!(with(1, "pid:[1]") && gateway_may_run("") && gateway_may_run("<no value>"));
    }
}
