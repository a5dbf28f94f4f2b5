//! The derivation of a container from a profile.

use super::{
    engine::{Engine, EngineKind, GATEWAY},
    line::{LineMount, RunLine},
};
use crate::confine::{
    Limits, ListenPorts, PathRule, Profile, Reach, Reason, denial::Denial, resolve::ResolvedRule,
};
use mgp_transport::seam::ChildLine;
use mgp_types::permission::StandardPermission::{FilesystemRead, FilesystemWrite, ShellExecute};
use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

/// The facts from which a container is derived.
pub(super) struct ContainerFacts<'a> {
    pub(super) server_id: &'a str,
    pub(super) profile: &'a Profile,
    pub(super) rules: &'a [ResolvedRule<'a>],
    pub(super) denied: &'a [Denial],
    pub(super) engine: &'a Engine,
    /// The name of the container, and that of the gateway.
    pub(super) name: &'a str,
    pub(super) gateway: &'a str,
    /// The user and the group of the gateway, if they own its files in a container.
    pub(super) user: Option<(u32, u32)>,
    /// The path of the seccomp profile; `None` for that of the engine.
    pub(super) seccomp: Option<&'a str>,
}

/// The arguments of an engine's `create`, and the file with the container's variables.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Container {
    pub(super) words: Vec<String>,
    pub(super) variables: String,
}

/// The size of the files in `/tmp`, in MiB.
const TEMPORARY_MB: u64 = 256;

/// The limits of resources where the profile has none.
const LEAST: Limits = Limits {
    memory_mb: Some(2048),
    processes: Some(256),
    open_files: Some(1024),
    file_mb: Some(1024),
    cpu_secs: None,
};

/// A mount of a file or folder of this machine.
struct Mount {
    source: PathBuf,
    target: PathBuf,
    read_only: bool,
}

/// Derives a container that runs the command of a server in the image of its profile.
pub(super) fn of_image(
    facts: &ContainerFacts<'_>,
    image: &str,
    line: &ChildLine,
) -> Result<Container, String> {
    refuse_unenforceable(facts)?;
    if image.is_empty() || image.starts_with('-') {
        return Err(format!("confinement.image is {image:?}: expected the name of an image"));
    }
    let mut mounts = Vec::new();
    for rule in facts.rules {
        if let Some(mount) = mount_of_rule(facts, rule, true)? {
            mounts.push(mount);
        }
    }
    let mut words = words_before(facts, &mounts)?;
    if let Some(cwd) = &line.cwd {
        if !mounts.iter().any(|mount| cwd.starts_with(&mount.target)) {
            return Err(format!(
                "its working directory {} is not in the container: confinement.read or confinement.write mounts it",
                cwd.display()
            ));
        }
        words.extend(["--workdir".to_owned(), text(cwd)?.to_owned()]);
    }
    let [program, args @ ..] = &line.words[..] else { return Err("it has no command".to_owned()) };
    words.extend(["--entrypoint".to_owned(), in_words(program)?, image.to_owned()]);
    for arg in args {
        words.push(in_words(arg)?);
    }
    let variables = line.env.iter().map(|(name, value)| Ok((in_words(name)?, in_words(value)?)));
    Ok(Container { words, variables: file(variables.collect::<Result<_, String>>()?)? })
}

/// Derives the container of a command that is `docker run` or `podman run`.
pub(super) fn of_line(
    facts: &ContainerFacts<'_>,
    run: &RunLine,
    line: &ChildLine,
) -> Result<Container, String> {
    refuse_unenforceable(facts)?;
    let mut mounts = Vec::new();
    for rule in facts.rules.iter().filter(|rule| is_named(rule)) {
        if let Some(mount) = mount_of_rule(facts, rule, false)? {
            mounts.push(mount);
        }
    }
    for own in &run.mounts {
        let mount = mount_of_line(facts, own)?;
        mounts.retain(|other| other.target != mount.target);
        mounts.push(mount);
    }
    let mut words = words_before(facts, &mounts)?;
    words.extend(run.options.iter().cloned());
    words.push(run.image.clone());
    words.extend(run.args.iter().cloned());
    let mut variables = BTreeMap::new();
    for (name, value) in &run.variables {
        let of_server = || line.env.get(OsStr::new(name)).or_else(|| line.inherited.get(OsStr::new(name)));
        // As the engine does, a variable that is not set is left out.
        let value = match value {
            Some(value) => Some(value.clone()),
            None => of_server().map(in_words).transpose()?,
        };
        variables.extend(value.map(|value| (name.clone(), value)));
    }
    let proxies =
        line.env.iter().filter(|(name, _)| name.to_ascii_uppercase().to_string_lossy().ends_with("_PROXY"));
    for (name, value) in proxies.filter(|_| matches!(facts.profile.network.reach, Reach::Hosts(_))) {
        variables.insert(in_words(name)?, in_words(value)?);
    }
    Ok(Container { words, variables: file(variables)? })
}

/// Returns an error if a container cannot enforce a rule of the profile.
fn refuse_unenforceable(facts: &ContainerFacts<'_>) -> Result<(), String> {
    let network = &facts.profile.network;
    match (&network.reach, facts.engine.kind) {
        (Reach::Machine, _) => {
            return Err(format!(
                "it may use this machine's network ({}), which a container never does",
                network.reach_reason
            ));
        }
        (Reach::Hosts(_), EngineKind::Docker) => {
            return Err(format!(
                "it may reach hosts ({}), and docker gives the gateway no way into the container's network before the server runs: use \
                 podman, or confinement.network = false",
                network.reach_reason
            ));
        }
        (Reach::Hosts(_), EngineKind::Podman) if cfg!(not(target_os = "linux")) => {
            return Err(format!(
                "it may reach hosts ({}), and only on Linux can the gateway enter the container's network: confinement.network = false",
                network.reach_reason
            ));
        }
        _ => {}
    }
    let is_program = |rule: &&ResolvedRule<'_>| rule.rule.reason == Reason::Permission(ShellExecute);
    if let Some(program) = facts.rules.iter().find(is_program).filter(|_| !facts.profile.runs_own_programs) {
        return Err(format!(
            "it may start only some programs such as {} ({}), and in a container it can start every program of the image",
            program.rule.path.display(),
            program.rule.reason
        ));
    }
    if network.listen != ListenPorts::None {
        return Err(format!(
            "it may listen ({}), and its container has no network: confinement.ports = []",
            network.listen_reason
        ));
    }
    Ok(())
}

/// Returns whether a rule comes from the configuration or from an approval.
fn is_named(rule: &ResolvedRule<'_>) -> bool {
    matches!(
        rule.rule.reason,
        Reason::Configuration(_) | Reason::Permission(FilesystemRead | FilesystemWrite)
    )
}

/// Returns the mount of a rule; `None` if the image has its own files there, or the rule is for all files and `all_is_error` is false.
fn mount_of_rule(
    facts: &ContainerFacts<'_>,
    ResolvedRule { rule, path }: &ResolvedRule<'_>,
    all_is_error: bool,
) -> Result<Option<Mount>, String> {
    let is_private = facts.profile.private_folder.as_ref() == Some(&rule.path);
    let is_mounted = match rule.reason {
        Reason::PrivateFolder | Reason::Configuration("read" | "write" | "execute") => true,
        Reason::Permission(FilesystemRead | FilesystemWrite) => true,
        Reason::Program => !is_of_image(path) && !is_of_image(&rule.path),
        _ => false,
    };
    if !is_mounted {
        return Ok(None);
    }
    if path.parent().is_none() {
        return match all_is_error {
            true => Err(format!(
                "all files ({}) cannot be mounted: name files and folders (`mgp approve --path`)",
                rule.reason
            )),
            false => Ok(None),
        };
    }
    if !is_private {
        refuse_denied(facts, rule, path)?;
    }
    Ok(Some(Mount { source: path.clone(), target: rule.path.clone(), read_only: !rule.access.write }))
}

/// Returns whether an image has its own files instead of a path of this machine.
fn is_of_image(path: &Path) -> bool {
    ["/bin", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr"]
        .iter()
        .any(|folder| path.starts_with(folder))
}

/// Returns the mount that a command asks for, if a rule of the profile permits it.
fn mount_of_line(facts: &ContainerFacts<'_>, own: &LineMount) -> Result<Mount, String> {
    let missing = || format!("{} cannot be mounted: it does not exist", own.source);
    let source = Path::new(&own.source).canonicalize().map_err(|_| missing())?;
    let rules = facts.rules.iter().filter(|rule| is_named(rule) && source.starts_with(&rule.path));
    let rule = rules
        .max_by_key(|rule| (rule.rule.access.write || own.read_only, rule.rule.access.write))
        .ok_or_else(|| {
            let key = if own.read_only { "read" } else { "write" };
            format!("its command mounts {}, which it may not use: confinement.{key} opens it", own.source)
        })?;
    refuse_denied(facts, rule.rule, &source)?;
    Ok(Mount { source, target: (&own.target).into(), read_only: own.read_only || !rule.rule.access.write })
}

/// Returns an error if a mounted path is denied, or holds a denied path.
fn refuse_denied(facts: &ContainerFacts<'_>, rule: &PathRule, path: &Path) -> Result<(), String> {
    for denial in facts.denied.iter().filter(|denial| denial.holds_for(rule, path)) {
        let (mounted, denied) = (path.display(), denial.path.display());
        if path.starts_with(&denial.path) {
            return Err(format!("{mounted} cannot be mounted: {denied} is denied ({})", denial.reason));
        }
        if denial.path.starts_with(path) {
            return Err(format!(
                "{mounted} cannot be mounted, because a container cannot leave {denied} out of it ({}): name narrower folders",
                denial.reason
            ));
        }
    }
    Ok(())
}

/// Returns the words of `create` that every container has, with its mounts.
fn words_before(facts: &ContainerFacts<'_>, mounts: &[Mount]) -> Result<Vec<String>, String> {
    let Limits { memory_mb, processes, open_files, file_mb, cpu_secs } = facts.profile.limits.or(LEAST);
    let memory = format!("{}m", memory_mb.unwrap_or_default());
    let mut words = vec![
        "create".to_owned(),
        "--interactive".to_owned(),
        "--rm".to_owned(),
        format!("--name={}", facts.name),
        format!("--label={GATEWAY}={}", facts.gateway),
        format!("--label=dev.cloto.mgp.server={}", facts.server_id),
        "--log-driver=none".to_owned(),
        "--network=none".to_owned(),
        "--read-only".to_owned(),
        "--cap-drop=ALL".to_owned(),
        "--security-opt=no-new-privileges".to_owned(),
        format!("--memory={memory}"),
        format!("--memory-swap={memory}"),
        format!("--pids-limit={}", processes.unwrap_or_default()),
        format!("--ulimit=nofile={0}:{0}", open_files.unwrap_or_default()),
        format!("--ulimit=fsize={0}:{0}", file_mb.unwrap_or_default().saturating_mul(1 << 20)),
        "--ulimit=core=0:0".to_owned(),
        format!("--tmpfs=/tmp:rw,nosuid,nodev,size={TEMPORARY_MB}m"),
        "--env-file=/dev/stdin".to_owned(),
    ];
    words.extend(facts.seccomp.map(|path| format!("--security-opt=seccomp={path}")));
    words.extend(cpu_secs.map(|seconds| format!("--ulimit=cpu={seconds}:{}", seconds.saturating_add(1))));
    match (facts.user, facts.engine.is_rootless, facts.engine.kind) {
        (None, ..) => {}
        // This user is root in these containers, without capabilities.
        (_, true, EngineKind::Docker) => words.push("--user=0:0".to_owned()),
        (Some((user, group)), is_rootless, _) => {
            words.extend(is_rootless.then(|| "--userns=keep-id".to_owned()));
            words.push(format!("--user={user}:{group}"));
        }
    }
    let mut mounts: Vec<_> = mounts.iter().collect();
    mounts.sort_by(|one, other| one.target.cmp(&other.target));
    // The same file may be named by several rules, of which one may permit writing.
    mounts.dedup_by(|next, kept| {
        let is_same = next.target == kept.target && next.source == kept.source;
        if is_same && !next.read_only {
            *kept = next;
        }
        is_same
    });
    for Mount { source, target, read_only } in mounts {
        let (source, target) = (text(source)?, text(target)?);
        if is_device(source) {
            return Err(format!("{source} is a device, which a container does not get"));
        }
        let read_only = if *read_only { ",readonly" } else { "" };
        // Mounts beneath a path would be writable.
        words.push(format!("--mount=type=bind,src={source},dst={target},bind-nonrecursive=true{read_only}"));
    }
    Ok(words)
}

fn is_device(path: &str) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = Path::new(path).metadata().map(|file| file.file_type());
    path == "/dev"
        || path.starts_with("/dev/")
        || kind.is_ok_and(|kind| kind.is_char_device() || kind.is_block_device())
}

/// Returns the text of a path that can stand in a mount.
fn text(path: &Path) -> Result<&str, String> {
    let text = path.to_str().filter(|text| !text.contains([',', '"', '\n', '\r', '\0']));
    text.ok_or_else(|| {
        format!("{path:?} cannot be mounted: expected UTF-8 without commas, quotes and line breaks")
    })
}

fn in_words(word: &OsString) -> Result<String, String> {
    word.to_str().map(str::to_owned).ok_or_else(|| format!("{word:?} is not UTF-8, which a container needs"))
}

/// Returns the file with the variables of a container.
fn file(variables: BTreeMap<String, String>) -> Result<String, String> {
    let mut file = String::new();
    for (name, value) in variables {
        if name.is_empty() || name.starts_with('#') || name.contains(char::is_whitespace) {
            return Err(format!("the variable {name:?} cannot be passed to a container: expected a name"));
        }
        if value.contains(['\n', '\r', '\0']) {
            return Err(format!(
                "the value of the variable {name} has a line break, which cannot be passed to a container"
            ));
        }
        file.push_str(&format!("{name}={value}\n"));
    }
    Ok(file)
}
