//! The running gateways, and the sockets and locks that ended ones left behind.

use super::{
    context::Context,
    finding::{Finding, Kind, Remedy},
};
use mgp_types::lifecycle::KernelStatus;
use serde::Serialize;

/// The running gateways of the state folder.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub(super) struct RunningGateways(pub(super) Vec<RunningGateway>);

/// A running gateway.
#[derive(Debug, Serialize)]
pub(super) struct RunningGateway {
    pub(super) pid: u32,
    pub(super) version: String,
    pub(super) started_at: String,
    pub(super) configuration: Option<String>,
    /// The changed keys of the configuration that only a restart applies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) needs_restart: Vec<String>,
    /// The names of the connected hosts.
    pub(super) hosts: Vec<String>,
}

impl RunningGateway {
    pub(super) fn of(pid: u32, status: &KernelStatus) -> Self {
        Self {
            pid,
            version: status.version.clone(),
            started_at: status.started_at.clone(),
            configuration: status.configuration.clone(),
            needs_restart: status.needs_restart.clone(),
            hosts: status.hosts.iter().map(|host| host.name.clone()).collect(),
        }
    }

    /// Returns the finding on a gateway that is not this program.
    pub(super) fn other_program(&self) -> Option<Finding> {
        let (pid, own) = (self.pid, env!("CARGO_PKG_VERSION"));
        let remedy = || Remedy::Command(format!("mgp stop --pid {pid}"));
        if self.version != own {
            let problem =
                format!("the gateway of process {pid} has version {}, and this program {own}", self.version);
            return Some(Finding::new(Kind::GatewayOtherVersion, problem, remedy()));
        }
        let is_replaced = std::fs::read_link(format!("/proc/{pid}/exe"))
            .is_ok_and(|path| path.to_string_lossy().ends_with(" (deleted)"));
        is_replaced.then(|| {
            let problem = format!("the gateway of process {pid} runs a program that has been replaced");
            Finding::new(Kind::GatewayReplaced, problem, remedy())
        })
    }

    /// Returns the finding on a gateway with changed settings that only a restart applies.
    pub(super) fn needs_restart(&self) -> Option<Finding> {
        let pid = self.pid;
        let keys = (!self.needs_restart.is_empty()).then(|| self.needs_restart.join(", "))?;
        let problem =
            format!("the gateway of process {pid} was started before these keys were changed: {keys}");
        Some(Finding::new(
            Kind::GatewayNeedsRestart,
            problem,
            Remedy::Command(format!("mgp stop --pid {pid}")),
        ))
    }
}

impl RunningGateways {
    /// Returns the lines about the gateways, for people.
    pub(super) fn lines(&self) -> Vec<String> {
        if self.0.is_empty() {
            return vec!["gateway: none is running".to_owned()];
        }
        let line = |gateway: &RunningGateway| {
            let hosts = match &gateway.hosts[..] {
                [] => "no host".to_owned(),
                hosts => hosts.join(", "),
            };
            format!(
                "gateway: process {}, since {}, with {hosts}; its log: `mgp logs`",
                gateway.pid,
                crate::output::local_time(&gateway.started_at)
            )
        };
        self.0.iter().map(line).collect()
    }
}

/// Returns the finding on a gateway that takes no connection, or gives no answer.
pub(super) fn silent(pid: u32, problem: &str) -> Finding {
    Finding::new(Kind::GatewaySilent, problem, Remedy::Command(format!("kill {pid}")))
}

#[cfg(unix)]
pub(super) use unix::{check_places, check_sockets, runs};

#[cfg(not(unix))]
pub(super) fn check_places(_: &Context) -> Vec<Finding> {
    Vec::new()
}

#[cfg(not(unix))]
pub(super) async fn check_sockets(_: &Context) -> (Vec<Finding>, Vec<u32>) {
    (Vec::new(), Vec::new())
}

#[cfg(unix)]
mod unix {
    use super::{
        super::{
            context::{with_words, word},
            fix::Fix,
        },
        Context, Finding, Kind, Remedy, silent,
    };
    use crate::gateway::{RUNTIME_FOLDER, runtime_folder};
    use futures_util::future::join_all;
    use mgp_store::private_file::FileLock;
    use mgp_transport::local_socket::{LocalStream, MAX_PATH, own_account};
    use std::{
        env, fs, io,
        os::unix::fs::MetadataExt,
        path::{Path, PathBuf},
        thread,
        time::Duration,
    };

    /// The most sockets and locks that are looked at.
    const MAX_ENTRIES: usize = 1024;
    /// The time limit of a connection to a socket.
    const CONNECT: Duration = Duration::from_secs(2);
    /// The pause between two looks at a lock, and the number of looks. A lock is held for as long as one small file is written.
    const PAUSE: Duration = Duration::from_millis(100);
    const LOOKS: usize = 5;

    /// Returns whether a process runs.
    pub(in super::super) fn runs(pid: u32) -> bool {
        let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
        let gone = Err(rustix::io::Errno::SRCH);
        pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != gone)
    }

    /// Returns the folder of the sockets of gateways.
    fn socket_folder(context: &Context) -> Option<PathBuf> {
        let named = context.environment.variable(RUNTIME_FOLDER).map(PathBuf::from);
        runtime_folder(named, &env::temp_dir()).ok()
    }

    /// Checks the folders of sockets, and the locks.
    pub(in super::super) fn check_places(context: &Context) -> Vec<Finding> {
        let mut findings = Vec::new();
        findings.extend(check_runtime_folder(context));
        if let Some(state) = &context.state {
            let longest = state.join("control").join(format!("{}.sock", u32::MAX));
            let length = longest.as_os_str().len();
            if length > MAX_PATH {
                let problem = format!(
                    "the path of {} is too long: a control socket in it would have up to {length} bytes, and at most {MAX_PATH} are possible",
                    state.display()
                );
                let remedy = Remedy::Key("kernel.state_dir".to_owned());
                findings.push(Finding::new(Kind::GatewaySocketPath, problem, remedy));
            }
        }
        for path in locks(context) {
            if is_held(&path) {
                let pid = holder(&path);
                let of = pid.map_or_else(|| "a process".to_owned(), |pid| format!("process {pid}"));
                let problem = format!("{of} holds the lock {}, which gateways wait for", path.display());
                let command =
                    pid.map_or_else(|| format!("fuser -k {}", word(&path)), |pid| format!("kill {pid}"));
                findings.push(Finding::new(Kind::GatewayLockHeld, problem, Remedy::Command(command)));
            }
        }
        findings
    }

    /// Checks whether a gateway for all hosts can have its socket in the folder for sockets.
    fn check_runtime_folder(context: &Context) -> Option<Finding> {
        let folder = socket_folder(context)?;
        let own = own_account().ok()?;
        let named = context.environment.variable(RUNTIME_FOLDER).filter(|path| Path::new(path).is_absolute());
        let parent = folder.parent().filter(|_| named.is_some());
        let reason = [parent, Some(&*folder)].into_iter().flatten().find_map(|path| {
            let shown = path.display();
            match path.symlink_metadata() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => Some(format!("{shown}: {error}")),
                Ok(found) if found.is_symlink() && *path == *folder => {
                    Some(format!("{shown} is a symbolic link"))
                }
                Ok(found) if !found.is_dir() && !found.is_symlink() => {
                    Some(format!("{shown} is not a folder"))
                }
                Ok(found) if found.uid() != own => {
                    Some(format!("{shown} belongs to the account {}", found.uid()))
                }
                Ok(_) => None,
            }
        })?;
        let problem =
            format!("there is no place for the socket of the gateway that all hosts share: {reason}");
        let command = match named {
            Some(_) => format!("unset {RUNTIME_FOLDER}"),
            None => format!("rm -r {}", word(&folder)),
        };
        Some(Finding::new(Kind::GatewayPlace, problem, Remedy::Command(command)))
    }

    /// Returns the files in a folder whose name has an ending, in the order of their names.
    fn entries(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let paths = entries.map(|entry| entry.path());
        let has_name =
            |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(&is_wanted);
        let mut paths: Vec<_> = paths.filter(has_name).take(MAX_ENTRIES).collect();
        paths.sort();
        paths
    }

    fn locks(context: &Context) -> Vec<PathBuf> {
        let of_state = context
            .state
            .iter()
            .flat_map(|state| ["", "control", "logs", "connect"].map(|name| state.join(name)));
        let is_lock = |name: &str| name == "lock" || name.ends_with(".lock");
        of_state.chain(socket_folder(context)).flat_map(|folder| entries(&folder, is_lock)).collect()
    }

    fn is_held(path: &Path) -> bool {
        (0..LOOKS).all(|look| {
            if look > 0 {
                thread::sleep(PAUSE);
            }
            FileLock::is_held(path).unwrap_or(false)
        })
    }

    /// Returns the process that holds the lock of a file, where the system lists it.
    fn holder(path: &Path) -> Option<u32> {
        let inode = path.metadata().ok()?.ino().to_string();
        let locks = fs::read_to_string("/proc/locks").ok()?;
        locks.lines().find_map(|line| {
            let mut words = line.split_whitespace().skip_while(|word| *word != "FLOCK").skip(3);
            let (pid, file) = (words.next()?, words.next()?);
            (file.rsplit(':').next() == Some(&*inode)).then(|| pid.parse().ok()).flatten()
        })
    }

    /// Checks the sockets of gateways, without removing any. Returns the processes that listen at a control socket, too.
    pub(in super::super) async fn check_sockets(context: &Context) -> (Vec<Finding>, Vec<u32>) {
        let is_socket = |name: &str| name.ends_with(".sock");
        let control = context.state.as_ref().map(|state| state.join("control"));
        let controls = control.iter().flat_map(|folder| entries(folder, is_socket));
        let controls = controls.map(|path| (path.with_file_name("lock"), path));
        let shared = socket_folder(context);
        let shared = shared.iter().flat_map(|folder| entries(folder, is_socket));
        // A gateway would take a connection to its own socket for a host.
        let bound = fs::read_to_string("/proc/net/unix").unwrap_or_default();
        let is_bound =
            |path: &Path| path.to_str().is_some_and(|path| bound.lines().any(|line| line.ends_with(path)));
        let shared = shared.filter(|path| cfg!(target_os = "linux") && !is_bound(path));
        let shared = shared.map(|path| (path.with_extension("lock"), path));
        let controls = join_all(controls.map(|(lock, socket)| check_socket(lock, socket))).await;
        let shared = join_all(shared.map(|(lock, socket)| check_socket(lock, socket))).await;
        let (mut findings, mut pids, mut left) = (Vec::new(), Vec::new(), Vec::new());
        pids.extend(
            controls.iter().filter_map(|checked| if let Probe::Listens(pid) = checked { *pid } else { None }),
        );
        pids.dedup();
        for checked in controls.into_iter().chain(shared) {
            match checked {
                Probe::Listens(_) => {}
                Probe::Left(socket, lock) => left.push((socket, lock)),
                Probe::Silent(finding) => findings.push(*finding),
            }
        }
        findings.extend(of_left(left));
        (findings, pids)
    }

    /// Returns the finding on the sockets that no process listens at.
    fn of_left(left: Vec<(PathBuf, PathBuf)>) -> Option<Finding> {
        let (first, _) = left.first()?;
        let more = if left.len() > 1 { format!(" and {} more", left.len() - 1) } else { String::new() };
        let problem = format!("a gateway that has ended left its socket {}{more}", first.display());
        let words: Vec<_> = left.iter().map(|(socket, _)| word(socket)).collect();
        let remedy = Remedy::Command(with_words("rm", &words, "gateway"));
        Some(Finding::new(Kind::GatewaySocketLeft, problem, remedy).with_fix(Fix::Sockets(left)))
    }

    /// The result of a connection to a socket.
    enum Probe {
        /// A process listens: the one with this id, if the name of the socket has it.
        Listens(Option<u32>),
        /// No process listens. The second path is that of the lock under which the socket is made.
        Left(PathBuf, PathBuf),
        Silent(Box<Finding>),
    }

    /// Connects to a socket.
    async fn check_socket(lock: PathBuf, socket: PathBuf) -> Probe {
        let pid = || socket.file_stem()?.to_str()?.split('-').next()?.parse().ok();
        let problem = match tokio::time::timeout(CONNECT, LocalStream::connect(&socket)).await {
            Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => {
                return Probe::Left(socket, lock);
            }
            Ok(Err(error)) if error.kind() != io::ErrorKind::NotFound => error.to_string(),
            Ok(_) => return Probe::Listens(pid()),
            Err(_) => format!("it takes no connection within {} s", CONNECT.as_secs()),
        };
        let problem = format!("the gateway at {} cannot be reached: {problem}", socket.display());
        let remedy = || Remedy::Command(format!("rm {}", word(&socket)));
        Probe::Silent(Box::new(match pid() {
            Some(pid) => silent(pid, &problem),
            None => Finding::new(Kind::GatewaySilent, problem, remedy()),
        }))
    }
}
