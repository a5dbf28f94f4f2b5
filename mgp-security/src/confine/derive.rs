//! The computation of a profile. It is pure: it looks at no file.

use super::{
    ConfinementMode, ConfinementPreset, ConfinementSettings, ListenPorts, Network, PathAccess, PathRule,
    Profile, ProgramFiles, Reach, Reason,
};
use mgp_types::{
    context::{HostRule, TrustLevel},
    permission::StandardPermission::{
        self, CodeExecution, FilesystemRead, FilesystemWrite, NetworkListen, NetworkOutbound, ShellExecute,
    },
};
use std::path::{Path, PathBuf};

/// All that a profile is computed from.
#[derive(Debug, Clone)]
pub struct ProfileFacts<'a> {
    /// The trust in the server.
    pub trust: TrustLevel,
    /// The server's settings.
    pub settings: &'a ConfinementSettings,
    /// The server's approved permissions.
    pub approved: &'a [StandardPermission],
    /// The files of the server's program.
    pub program: &'a ProgramFiles,
    /// The server's own folder.
    pub private_folder: Option<&'a Path>,
    /// The folder of the kernel's state.
    pub state_folder: Option<&'a Path>,
    /// The home folders of the user, in which secrets and the kernel's configuration are looked for.
    pub homes: &'a [PathBuf],
}

/// The folders of programs, whose files may be read, and started with `shell.execute` or `code_execution`.
const SYSTEM_FOLDERS: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
];

/// The files and folders that programs read when they start: the loader's, names, time, certificates, the machine's kind.
const SYSTEM_FILES: &[&str] = &[
    "/dev/random",
    "/dev/urandom",
    // Mapped as shared memory by whoever may write it, it would count towards no limit.
    "/dev/zero",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/fonts",
    "/etc/gai.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/tls/certs",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/timezone",
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/vm/overcommit_memory",
    "/proc/uptime",
    "/proc/version",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
    "/sys/kernel/mm/transparent_hugepage",
];

/// The devices that are written to, and keep nothing.
const SYSTEM_DEVICES: &[&str] = &["/dev/full", "/dev/null"];

/// The trees of the operating system's kernel and of its devices, and the secrets of containers. A rule for all files covers none of them.
const MACHINE: &[&str] = &["/dev", "/proc", "/sys", "/run/secrets", "/var/run/secrets"];

/// The kernel's own configuration in a home folder.
const CONFIGURATION: &str = ".config/mgp";

/// The files and folders of a home folder in which programs keep secrets.
const SECRETS: &[&str] = &[
    ".aws",
    ".azure",
    ".bash_history",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".config/chromium",
    ".config/containers",
    ".config/gcloud",
    ".config/gh",
    ".config/google-chrome",
    ".docker",
    ".git-credentials",
    ".gnupg",
    ".kube",
    ".local/share/keyrings",
    ".mozilla",
    ".netrc",
    ".npmrc",
    ".password-store",
    ".pgpass",
    ".pki",
    ".pypirc",
    ".python_history",
    ".ssh",
    ".terraform.d",
    ".vault-token",
    ".zsh_history",
];

/// The registries from which runners of packages load.
const REGISTRIES: &[&str] = &["registry.npmjs.org:443", "pypi.org:443", "files.pythonhosted.org:443"];

impl Profile {
    /// Computes the profile of a server.
    #[must_use]
    pub fn derive(facts: &ProfileFacts<'_>) -> Self {
        let settings = facts.settings;
        let (mode, mode_reason) = mode(facts);
        let has = |permission: &StandardPermission| facts.approved.contains(permission);
        let programs = [ShellExecute, CodeExecution].into_iter().find(has);
        let packages = settings.preset == Some(ConfinementPreset::Packages);
        let runs_own_programs = packages || programs.is_some();
        let paths = paths(facts, programs, packages, runs_own_programs);
        Self {
            mode,
            mode_reason,
            denied: denied(facts, &paths),
            paths,
            private_folder: facts.private_folder.map(Path::to_owned),
            network: network(facts, packages),
            runs_own_programs,
            limits: settings.limits,
        }
    }
}

fn mode(facts: &ProfileFacts<'_>) -> (ConfinementMode, Reason) {
    match (facts.settings.mode, facts.trust) {
        (Some(mode), _) => (mode, Reason::Configuration("mode")),
        (None, TrustLevel::Sandboxed) => (ConfinementMode::Require, Reason::Sandboxed),
        (None, TrustLevel::Standard | TrustLevel::Trusted) => (ConfinementMode::Off, Reason::NotAsked),
    }
}

fn paths(
    facts: &ProfileFacts<'_>,
    programs: Option<StandardPermission>,
    packages: bool,
    runs_own_programs: bool,
) -> Vec<PathRule> {
    const READ: PathAccess = PathAccess { write: false, execute: false };
    const WRITE: PathAccess = PathAccess { write: true, execute: false };
    const EXECUTE: PathAccess = PathAccess { write: false, execute: true };
    let mut rules = Vec::new();
    let mut add = |path: &Path, access, reason| {
        rules.push(PathRule { path: path.to_owned(), access, reason });
    };
    for path in &facts.program.executable {
        add(path, EXECUTE, Reason::Program);
    }
    for path in &facts.program.readable {
        add(path, READ, Reason::Program);
    }
    for path in SYSTEM_FOLDERS {
        match programs {
            Some(permission) => add(path.as_ref(), EXECUTE, Reason::Permission(permission)),
            None if packages => add(path.as_ref(), EXECUTE, Reason::Configuration("preset")),
            None => add(path.as_ref(), READ, Reason::System),
        }
    }
    for path in SYSTEM_FILES {
        add(path.as_ref(), READ, Reason::System);
    }
    for path in SYSTEM_DEVICES {
        add(path.as_ref(), WRITE, Reason::System);
    }
    if let Some(folder) = facts.private_folder {
        add(folder, PathAccess { write: true, execute: runs_own_programs }, Reason::PrivateFolder);
    }
    for (permission, access) in [(FilesystemRead, READ), (FilesystemWrite, WRITE)] {
        if facts.approved.contains(&permission) {
            add("/".as_ref(), access, Reason::Permission(permission));
        }
    }
    let settings = facts.settings;
    let lists = [
        (&settings.read, READ, "read"),
        (&settings.write, WRITE, "write"),
        (&settings.execute, EXECUTE, "execute"),
    ];
    for (list, access, key) in lists {
        for path in list {
            add(path, access, Reason::Configuration(key));
        }
    }
    rules
}

/// Returns what is denied: the kernel's state and configuration, the user's secrets, and what a rule for all files leaves out.
fn denied(facts: &ProfileFacts<'_>, rules: &[PathRule]) -> Vec<(PathBuf, Reason)> {
    let state = facts.state_folder.map(|folder| (folder.to_owned(), Reason::KernelState));
    let configuration = facts.homes.iter().map(|home| (home.join(CONFIGURATION), Reason::KernelState));
    let secrets = facts.homes.iter().flat_map(|home| SECRETS.iter().map(|name| home.join(name)));
    let secrets = secrets.map(|path| (path, Reason::Secrets));
    let has_all_files = rules.iter().any(|rule| rule.path.parent().is_none());
    let machine = if has_all_files { MACHINE } else { &[] };
    let machine = machine.iter().map(|path| (path.into(), Reason::Machine));
    state.into_iter().chain(configuration).chain(secrets).chain(machine).collect()
}

fn network(facts: &ProfileFacts<'_>, packages: bool) -> Network {
    let settings = facts.settings;
    let by_permission = |permission| {
        let approved = facts.approved.contains(&permission);
        (approved, if approved { Reason::Permission(permission) } else { Reason::NoPermission(permission) })
    };
    let (reach, reach_reason) = reach(facts, packages);
    let (listen, listen_reason) = match (&settings.ports, by_permission(NetworkListen)) {
        _ if matches!(reach, Reach::Hosts(_)) => (ListenPorts::None, Reason::Proxied),
        (Some(ports), _) if ports.is_empty() => (ListenPorts::None, Reason::Configuration("ports")),
        (Some(ports), _) => (ListenPorts::Only(ports.clone()), Reason::Configuration("ports")),
        (None, (true, reason)) => (ListenPorts::Any, reason),
        (None, (false, reason)) => (ListenPorts::None, reason),
    };
    Network { reach, reach_reason, listen, listen_reason }
}

fn reach(facts: &ProfileFacts<'_>, packages: bool) -> (Reach, Reason) {
    let settings = facts.settings;
    let registries = || REGISTRIES.iter().filter_map(|host| host.parse::<HostRule>().ok());
    match (settings.network, &settings.hosts) {
        (Some(true), _) => (Reach::Machine, Reason::Configuration("network")),
        (Some(false), _) => (Reach::None, Reason::Configuration("network")),
        (None, Some(hosts)) if packages => (
            Reach::Hosts(hosts.iter().cloned().chain(registries()).collect()),
            Reason::Configuration("hosts"),
        ),
        (None, Some(hosts)) if hosts.is_empty() => (Reach::None, Reason::Configuration("hosts")),
        (None, Some(hosts)) => (Reach::Hosts(hosts.clone()), Reason::Configuration("hosts")),
        (None, None) if facts.approved.contains(&NetworkOutbound) => {
            (Reach::Hosts(vec![HostRule::PUBLIC]), Reason::Permission(NetworkOutbound))
        }
        (None, None) if packages => (Reach::Hosts(registries().collect()), Reason::Configuration("preset")),
        (None, None) => (Reach::None, Reason::NoPermission(NetworkOutbound)),
    }
}
