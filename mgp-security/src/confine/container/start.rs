//! The start of a server in a container.

use super::{
    create::{ContainerFacts, of_image, of_line},
    engine::{Engine, gateway},
    line::RunLine,
    usable,
};
use crate::confine::{
    EGRESS_PORT, HostRule, Profile, Reach,
    denial::Denial,
    private::{make_private, variables},
    resolve::resolve_rules,
};
use mgp_transport::seam::{ChildLine, EgressTask, PreparedChild, ServeEgress, SetupInChild};
use parking_lot::Mutex;
use std::{
    env, io,
    os::{fd::OwnedFd, unix::process::CommandExt},
    process::{Child, Command, Stdio},
    sync::{Arc, OnceLock},
    thread,
    time::{Duration, Instant},
};

/// The time limit of making a container, whose image may have to be loaded.
const CREATE: Duration = Duration::from_secs(120);

/// The time limit of removing a container.
const REMOVE: Duration = Duration::from_secs(15);

/// Prepares one start of a server in a container.
pub(in crate::confine) fn prepare(
    server_id: &str,
    profile: &Profile,
    proxy: Option<Arc<dyn ServeEgress>>,
) -> io::Result<PreparedChild> {
    let private = profile.private_folder.as_deref();
    let temporary = private.map(make_private).transpose()?;
    let hosts = match &profile.network.reach {
        Reach::Hosts(hosts) => Some(hosts.clone()),
        Reach::None | Reach::Machine => None,
    };
    let env = variables(profile, temporary.as_deref(), hosts.is_some().then_some(EGRESS_PORT));
    let start = Arc::new(ContainerStart {
        server_id: server_id.to_owned(),
        proxy: proxy.zip(hosts),
        listener: Mutex::default(),
        serving: OnceLock::new(),
        watcher: OnceLock::new(),
    });
    let (profile, through) = (profile.clone(), start.clone());
    Ok(PreparedChild {
        isolated: true,
        env,
        cwd: profile.image.is_some().then(|| private.map(Into::into)).flatten(),
        ends_with_parent: false,
        through: Some(Box::new(move |line| through.create(&profile, &line))),
        in_child: start,
    })
}

/// One start of a server in a container.
struct ContainerStart {
    server_id: String,
    proxy: Option<(Arc<dyn ServeEgress>, Vec<HostRule>)>,
    /// The listener of the proxy in the container's network.
    listener: Mutex<Option<OwnedFd>>,
    serving: OnceLock<EgressTask>,
    watcher: OnceLock<Watcher>,
}

impl ContainerStart {
    /// Makes the container, and returns the command line that starts it.
    fn create(&self, profile: &Profile, line: &ChildLine) -> io::Result<ChildLine> {
        let refused = |text: String| {
            io::Error::new(
                io::ErrorKind::Unsupported,
                format!("it cannot be confined in a container: {text}"),
            )
        };
        let words: Option<Vec<String>> =
            line.words.iter().map(|word| word.to_str().map(str::to_owned)).collect();
        let words = words.ok_or_else(|| refused("its command is not UTF-8".to_owned()))?;
        let run = words.split_first().and_then(|(program, args)| RunLine::parse(program, args));
        let run = run.transpose().map_err(refused)?;
        let engine = match &run {
            Some(run) => Engine::find(&run.engine),
            None => usable(),
        };
        let engine = engine.map_err(|reason| refused(format!("it needs podman or docker: {reason}")))?;
        let (denied, rules) = (Denial::all(profile)?, resolve_rules(profile)?);
        let name = format!("mgp-{}", uuid::Uuid::new_v4().simple());
        let seccomp = Seccomp::new(profile)?;
        let facts = ContainerFacts {
            server_id: &self.server_id,
            profile,
            rules: &rules,
            denied: &denied,
            engine: &engine,
            name: &name,
            gateway: &gateway(),
            user: user(),
            seccomp: seccomp.path(),
        };
        let container = match (&run, &profile.image) {
            (Some(run), None) => of_line(&facts, run, line),
            (None, Some(image)) => of_image(&facts, image, line),
            (Some(_), Some(_)) => {
                Err("its command names an image already: leave confinement.image out".to_owned())
            }
            (None, None) => {
                Err("confinement.image is not set, and its command is not `docker run` or `podman run`"
                    .to_owned())
            }
        };
        let container = container.map_err(refused)?;
        let _ = self.watcher.set(Watcher::start(&engine, &name)?);
        let words: Vec<_> = container.words.iter().map(String::as_str).collect();
        let created = engine.run(&words, container.variables.as_bytes(), CREATE);
        let (_, warnings) = created.map_err(|error| refused(error.to_string()))?;
        if let Some(warning) = ignored_limit(&warnings) {
            return Err(refused(format!("the engine does not enforce a limit: {warning}")));
        }
        if self.proxy.is_some() {
            *self.listener.lock() = Some(
                listener(&engine, &name)
                    .map_err(|error| refused(format!("the way to its hosts: {error}")))?,
            );
        }
        Ok(ChildLine {
            words: [&*engine.program, "start", "--attach", "--interactive", &name].map(Into::into).into(),
            inherited: env::vars_os().collect(),
            ..ChildLine::default()
        })
    }
}

/// The seccomp profile of a container, in a file in memory that the engine reads while this exists.
struct Seccomp {
    #[cfg(target_os = "linux")]
    file: (std::fs::File, String),
}

impl Seccomp {
    #[cfg(target_os = "linux")]
    fn new(profile: &Profile) -> io::Result<Self> {
        use crate::confine::linux::{engine_filter, memory_file};
        use std::{io::Write, os::fd::AsRawFd};
        let mut file = std::fs::File::from(memory_file()?);
        file.write_all(engine_filter(profile).as_bytes())?;
        let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
        Ok(Self { file: (file, path) })
    }

    #[cfg(target_os = "linux")]
    fn path(&self) -> Option<&str> {
        Some(&self.file.1)
    }

    #[cfg(not(target_os = "linux"))]
    fn new(_: &Profile) -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(not(target_os = "linux"))]
    fn path(&self) -> Option<&str> {
        None
    }
}

/// Returns the line by which an engine warns that it ignores a limit.
fn ignored_limit(warnings: &str) -> Option<&str> {
    let is_ignored = |line: &&str| {
        let line = line.to_ascii_lowercase();
        line.contains("limit")
            && ["discarded", "ignored", "not support"].iter().any(|word| line.contains(word))
    };
    warnings.lines().find(is_ignored)
}

/// Returns the user and the group of this process, if they own its files in a container. In the virtual machine of another system, they do not.
fn user() -> Option<(u32, u32)> {
    #[cfg(target_os = "linux")]
    return Some(crate::confine::linux::ids());
    #[cfg(not(target_os = "linux"))]
    None
}

/// Makes the listener of the proxy in the network of a container that does not run yet.
#[cfg(target_os = "linux")]
fn listener(engine: &Engine, name: &str) -> io::Result<OwnedFd> {
    engine.run_short(&["init", name])?;
    let process = engine.run_short(&["inspect", "--format", "{{.State.Pid}}", name])?;
    let process = process.trim().parse().ok().filter(|process| *process > 0);
    crate::confine::linux::listen_in(process.ok_or_else(|| io::Error::other("the container has no process"))?)
}

#[cfg(not(target_os = "linux"))]
fn listener(_: &Engine, _: &str) -> io::Result<OwnedFd> {
    Err(io::ErrorKind::Unsupported.into())
}

// SAFETY: `apply` does nothing.
#[expect(unsafe_code, reason = "implementing the trait is unsafe")]
unsafe impl SetupInChild for ContainerStart {
    fn apply(&self) -> io::Result<()> {
        Ok(())
    }

    fn conclude(&self, started: io::Result<()>) -> io::Result<()> {
        started?;
        if let (Some((proxy, hosts)), Some(listener)) = (&self.proxy, self.listener.lock().take()) {
            let task = proxy.serve(&self.server_id, hosts, listener)?;
            self.serving.set(task).map_err(|_| io::ErrorKind::AlreadyExists)?;
        }
        Ok(())
    }
}

/// A process that removes a container as soon as this is dropped, or the gateway ends for any reason: the engine starts the
/// container, so the container does not end with the processes of the gateway.
#[derive(Debug)]
struct Watcher(Child);

impl Watcher {
    fn start(engine: &Engine, name: &str) -> io::Result<Self> {
        // The end of its input is the end of the gateway, or of this.
        let mut command = Command::new("/bin/sh");
        command.args([
            "-c",
            "read -r line; exec \"$@\"",
            "mgp-watcher",
            &engine.program,
            "rm",
            "--force",
            name,
        ]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        command.spawn().map(Self)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let start = Instant::now();
        while matches!(self.0.try_wait(), Ok(None)) {
            if start.elapsed() > REMOVE {
                tracing::warn!("a container is not removed within {REMOVE:?}");
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_the_engine_ignores_is_noticed() {
        for warning in [
            "Resource limits are not supported and ignored on cgroups V1 rootless systems",
            "WARNING: Your kernel does not support pids limit capabilities. PIDs limit discarded.",
            "WARNING: Your kernel does not support memory limit capabilities. Limitation discarded.",
        ] {
            assert_eq!(ignored_limit(&format!("Pulling image\n{warning}\n")), Some(warning));
        }
        for harmless in
            ["", "Status: Downloaded newer image", "Emulate Docker CLI; the message is not supported"]
        {
            assert_eq!(ignored_limit(harmless), None, "{harmless}");
        }
    }
}
