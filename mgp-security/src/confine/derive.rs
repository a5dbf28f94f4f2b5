//! The computation of a profile. It is pure: it reads no files.

use super::{
    ConfinementMode, ConfinementPreset, ConfinementRunner, ConfinementSettings, GrantedPermission,
    ListenPorts, Network, PathAccess, PathRule, Profile, ProgramFiles, Reach, Reason,
};
use mgp_types::{
    context::{HostRule, TrustLevel},
    permission::{
        GrantScope,
        StandardPermission::{
            self, CodeExecution, FilesystemRead, FilesystemWrite, NetworkListen, NetworkOutbound,
            ShellExecute,
        },
    },
};
use std::path::{Path, PathBuf};

/// The inputs from which a profile is computed.
#[derive(Debug, Clone)]
pub struct ProfileFacts<'a> {
    /// The trust in the server.
    pub trust: TrustLevel,
    /// The server's settings.
    pub settings: &'a ConfinementSettings,
    /// The server's approved permissions.
    pub granted: &'a [GrantedPermission],
    /// The files of the server's program.
    pub program: &'a ProgramFiles,
    /// The files of the programs to which an approval of `shell.execute` is limited.
    pub granted_programs: &'a ProgramFiles,
    /// The server's own folder.
    pub private_folder: Option<&'a Path>,
    /// The kernel's own files and folders: its state and its configuration.
    pub kernel_files: &'a [PathBuf],
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

/// The files and folders that programs read when they start: those of the loader, names, time, certificates, the kind of the machine.
const SYSTEM_FILES: &[&str] = &[
    "/dev/random",
    "/dev/urandom",
    // A program that may write it could map it as shared memory, which would count towards no limit.
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

/// The trees of the operating system's kernel and of its devices, and the secrets of containers. A rule for all files does not include
/// them.
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

/// The registries from which package runners load.
const REGISTRIES: &[&str] = &["registry.npmjs.org:443", "pypi.org:443", "files.pythonhosted.org:443"];

impl Profile {
    /// Computes the profile of a server.
    #[must_use]
    pub fn derive(facts: &ProfileFacts<'_>) -> Self {
        let settings = facts.settings;
        let (mode, mode_reason) = mode(facts);
        let has_all = |permission: &StandardPermission| facts.limits(*permission) == Some(None);
        let programs = [ShellExecute, CodeExecution].into_iter().find(has_all);
        let packages = settings.preset == Some(ConfinementPreset::Packages);
        let runs_own_programs = packages || programs.is_some();
        let paths = paths(facts, programs, packages, runs_own_programs);
        Self {
            mode,
            mode_reason,
            denied: denied(facts, &paths),
            paths,
            program: facts.program.named.union(&facts.granted_programs.named).cloned().collect(),
            private_folder: facts.private_folder.map(Path::to_owned),
            network: network(facts, packages),
            runs_own_programs,
            limits: settings.limits_for(facts.trust),
            runner: settings.runner.unwrap_or(ConfinementRunner::Auto),
            image: settings.image.clone(),
        }
    }
}

impl ProfileFacts<'_> {
    /// Returns the limits of a permission, if it is approved; `Some(None)` if there are none.
    fn limits(&self, permission: StandardPermission) -> Option<Option<&GrantScope>> {
        let granted = self.granted.iter().find(|granted| granted.permission == permission)?;
        Some(granted.scope.as_ref())
    }
}

/// Returns the reason for the rules of the preset.
const fn preset(settings: &ConfinementSettings) -> Reason {
    if settings.preset_by_command { Reason::PackageRunner } else { Reason::Configuration("preset") }
}

fn mode(facts: &ProfileFacts<'_>) -> (ConfinementMode, Reason) {
    let reason = match (facts.settings.mode, facts.trust) {
        (Some(_), _) => Reason::Configuration("mode"),
        (None, TrustLevel::Sandboxed) => Reason::Sandboxed,
        (None, TrustLevel::Standard | TrustLevel::Trusted) => Reason::NotAsked,
    };
    (facts.settings.mode_for(facts.trust), reason)
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
            None if packages => add(path.as_ref(), EXECUTE, preset(facts.settings)),
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
        let reason = Reason::Permission(permission);
        match facts.limits(permission) {
            Some(None) => add("/".as_ref(), access, reason),
            Some(Some(GrantScope::Paths(paths))) => {
                paths.iter().for_each(|path| add(path.as_ref(), access, reason));
            }
            _ => {}
        }
    }
    if let Some(Some(GrantScope::Programs(_))) = facts.limits(ShellExecute) {
        let programs = facts.granted_programs;
        let reason = Reason::Permission(ShellExecute);
        programs.executable.iter().for_each(|path| add(path, EXECUTE, reason));
        programs.readable.iter().for_each(|path| add(path, READ, reason));
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

/// Returns the denied files: the kernel's state and configuration, the user's secrets, and the files that a rule for all files excludes.
fn denied(facts: &ProfileFacts<'_>, rules: &[PathRule]) -> Vec<(PathBuf, Reason)> {
    let configurations = facts.homes.iter().map(|home| home.join(CONFIGURATION));
    let kernel = facts.kernel_files.iter().cloned().chain(configurations);
    let kernel = kernel.map(|path| (path, Reason::KernelState));
    let secrets = facts.homes.iter().flat_map(|home| SECRETS.iter().map(|name| home.join(name)));
    let secrets = secrets.map(|path| (path, Reason::Secrets));
    let has_all_files = rules.iter().any(|rule| rule.path.parent().is_none());
    let machine = if has_all_files { MACHINE } else { &[] };
    let machine = machine.iter().map(|path| (path.into(), Reason::Machine));
    kernel.chain(secrets).chain(machine).collect()
}

fn network(facts: &ProfileFacts<'_>, packages: bool) -> Network {
    let settings = facts.settings;
    let (reach, reach_reason) = reach(facts, packages);
    let (listen, listen_reason) = match (&settings.ports, facts.limits(NetworkListen)) {
        _ if matches!(reach, Reach::Hosts(_)) => (ListenPorts::None, Reason::Proxied),
        (Some(ports), _) if ports.is_empty() => (ListenPorts::None, Reason::Configuration("ports")),
        (Some(ports), _) => (ListenPorts::Only(ports.clone()), Reason::Configuration("ports")),
        (None, Some(None)) => (ListenPorts::Any, Reason::Permission(NetworkListen)),
        (None, Some(Some(GrantScope::Ports(ports)))) => {
            (ListenPorts::Only(ports.clone()), Reason::Permission(NetworkListen))
        }
        (None, _) => (ListenPorts::None, Reason::NoPermission(NetworkListen)),
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
        (None, None) if facts.limits(NetworkOutbound).is_some() => {
            let hosts = match facts.limits(NetworkOutbound) {
                Some(None) => vec![HostRule::PUBLIC],
                Some(Some(GrantScope::Hosts(hosts))) if packages => {
                    hosts.iter().cloned().chain(registries()).collect()
                }
                Some(Some(GrantScope::Hosts(hosts))) => hosts.clone(),
                _ => Vec::new(),
            };
            (Reach::Hosts(hosts), Reason::Permission(NetworkOutbound))
        }
        (None, None) if packages => (Reach::Hosts(registries().collect()), preset(settings)),
        (None, None) => (Reach::None, Reason::NoPermission(NetworkOutbound)),
    }
}
