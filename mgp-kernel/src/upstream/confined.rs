//! The confinement of a server's process.

use super::{Endpoint, ServerSpec, start_grants::StartGrants};
use crate::ground::trail::Trail;
use mgp_discovery::config::{ServerConfinement, Text};
#[cfg(unix)]
use mgp_security::confine::{ConfinementRunner, EgressRefusals, runs_container};
use mgp_security::{
    confine::{
        Confinement, ConfinementMode, ConfinementSettings, GrantedPermission, Limits, PathAccess, Profile,
        ProfileFacts, ProgramFiles, Reach, behind_shim, home_folders, is_program,
    },
    permission::Permissions,
};
use mgp_transport::child::ChildCommand;
#[cfg(unix)]
use mgp_transport::egress::EgressProxy;
use mgp_types::permission::{GrantScope, Permission, PermissionState, StandardPermission};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Returns the profile that a server's process would get if it were started now; `None` if it is not a child process.
pub(super) fn profile_now(spec: &ServerSpec, permissions: &Permissions) -> Option<Profile> {
    match &spec.endpoint {
        Endpoint::Child(command) => Some(profile(spec, command, &granted(spec, permissions))),
        // Each command has a profile of its own, which differs only in its program.
        Endpoint::Commands(commands) => {
            let first = commands.commands.first()?;
            Some(profile(spec, &first.program, &granted(spec, permissions)))
        }
        _ => None,
    }
}

impl StartGrants {
    /// Returns the command that starts a server, confined to the granted permissions, which are noted.
    pub(super) fn confine(
        &self,
        spec: &ServerSpec,
        command: &ChildCommand,
        granted: Vec<GrantedPermission>,
        trail: &Trail,
    ) -> ChildCommand {
        let profile = profile(spec, command, &granted);
        self.note(granted);
        if profile.mode == ConfinementMode::Off && spec.confinement.limits.processes.is_some() {
            tracing::warn!(
                server = spec.id,
                "confinement.processes is not enforced, because all processes of the account would count; \
                 confinement.mode = \"require\" enforces it"
            );
        }
        let command = command.clone();
        let Some(confinement) = Confinement::new(&*spec.id, profile) else { return command };
        #[cfg(unix)]
        let confinement = {
            let refusals = EgressRefusals::new(trail.sink.clone());
            confinement.egress(EgressProxy::new().observer(refusals.noted_in(self.egress.fresh())))
        };
        #[cfg(not(unix))]
        let _ = trail;
        command.setup(Arc::new(confinement))
    }

    /// Returns the advice that is added to the error of a failed start of a confined process: the likely cause in its confinement, and the
    /// command that shows the confinement. `has_run` is true if the process was started. Empty for a process that is not confined.
    pub(super) fn advice(
        &self,
        spec: &ServerSpec,
        permissions: &Permissions,
        error: &str,
        has_run: bool,
    ) -> String {
        let profile = profile_now(spec, permissions);
        let Some(profile) = profile.filter(|profile| profile.mode != ConfinementMode::Off) else {
            return String::new();
        };
        let refused = self.egress.take().filter(|_| has_run);
        let cause = match (refused, refused_file(error, &profile)) {
            (Some(refused), _) => format!("; the gateway refused its connection to {refused}"),
            (None, Some((file, key))) => {
                let file = file.display();
                format!(
                    "; confined, it may not use {file}: confinement.{key} opens it{}",
                    behind(key, &profile)
                )
            }
            (None, None) if has_run && profile.network.reach == Reach::None => {
                format!("; confined, it may reach no host ({})", profile.network.reach_reason)
            }
            (None, None) => String::new(),
        };
        let id = crate::command_word(&spec.id);
        format!("{cause}; `mgp servers explain {id}` shows what it may do")
    }
}

/// Returns the advice for a program that starts others, as the shims of pyenv do: opening one of them leads to the next.
fn behind(key: &str, profile: &Profile) -> String {
    if key != "execute" {
        return String::new();
    }
    let programs = profile.paths.iter().filter(|rule| rule.access.execute).map(|rule| &*rule.path);
    let printed = programs.into_iter().find_map(behind_shim);
    let printed = printed.map(|command| format!(", which `{command}` prints")).unwrap_or_default();
    format!(", unless a script starts it: then name the program itself as `command`{printed}")
}

/// Returns the file that the error of a start names as denied, and the key of the confinement that would open it. `None` if the profile
/// allows the use of the file, or always denies it.
fn refused_file(error: &str, profile: &Profile) -> Option<(PathBuf, &'static str)> {
    let lower = error.to_ascii_lowercase();
    let denials = ["permission denied", "read-only file system"];
    let (at, denial) = denials.iter().filter_map(|denial| Some((lower.find(denial)?, *denial))).min()?;
    let path = path_after(&error[at + denial.len()..]).or_else(|| path_before(&error[..at]))?;
    let is_under = |rule: &Path| path.starts_with(rule.canonicalize().as_deref().unwrap_or(rule));
    if profile.denied.iter().any(|(denied, _)| is_under(denied)) {
        return None;
    }
    let may = |use_of: fn(&PathAccess) -> bool| {
        profile.paths.iter().any(|rule| use_of(&rule.access) && is_under(&rule.path))
    };
    let key = if !path.exists() || denial == denials[1] {
        (!may(|access| access.write)).then_some("write")
    } else if is_program(&path) {
        (!may(|access| access.execute)).then_some("execute")
    } else if !may(|_| true) {
        Some("read")
    } else {
        (!may(|access| access.write)).then_some("write")
    };
    Some((path, key?))
}

/// Returns the quoted path right after a denial, as Python and Node write it: `Permission denied: '/a/b'`, `permission denied, open '/a/b'`.
fn path_after(text: &str) -> Option<PathBuf> {
    let line = text.split(" | ").next()?;
    let (_, quoted) = line.split_once(['\'', '"'])?;
    real(quoted.split(['\'', '"']).next()?)
}

/// Returns the path right before a denial, as shells write it: `sh: 1: cannot open /a/b: Permission denied`.
fn path_before(text: &str) -> Option<PathBuf> {
    let part = text.trim_end_matches([':', ' ']).rsplit(": ").next()?;
    real(&part[part.find('/')?..])
}

/// Returns an absolute path, without its links if it exists.
fn real(text: &str) -> Option<PathBuf> {
    let path = Path::new(text.trim_end_matches(['\'', '"', '\u{2019}']));
    path.is_absolute().then(|| path.canonicalize().unwrap_or_else(|_| path.to_owned()))
}

/// Returns the permissions that a server has, with their limits.
pub(super) fn granted(spec: &ServerSpec, permissions: &Permissions) -> Vec<GrantedPermission> {
    let is_approved = |permission: &Permission| {
        permissions.state(&spec.id, permission) == PermissionState::Approved
            // The policy approves them as soon as a call needs them.
            || spec.permissions.contains(permission) && permissions.has_all(&spec.id, [permission])
    };
    let granted = |permission: &StandardPermission| {
        let name = Permission::Standard(*permission);
        let scope = permissions.scope(&spec.id, &name);
        // A decision made meanwhile takes effect at the next start.
        let stands = is_approved(&name) && permissions.scope(&spec.id, &name) == scope;
        stands.then_some(GrantedPermission { permission: *permission, scope })
    };
    StandardPermission::ALL.iter().filter_map(granted).collect()
}

fn profile(spec: &ServerSpec, command: &ChildCommand, granted: &[GrantedPermission]) -> Profile {
    let private_folder = spec.kernel_files.private_folder(&spec.id);
    let cwd = command.working_directory();
    let path = command.variable("PATH");
    let find = |program: &str, args: &[String]| ProgramFiles::find(program, args, cwd, path.as_deref());
    let mut granted_programs = ProgramFiles::default();
    for granted in granted {
        if let Some(GrantScope::Programs(names)) = &granted.scope {
            names.iter().for_each(|name| granted_programs.extend(find(name, &[])));
        }
    }
    let mut settings = spec.confinement.clone();
    #[cfg(unix)]
    if matches!(settings.runner, None | Some(ConfinementRunner::Auto))
        && runs_container(command.program(), command.arguments())
    {
        // The client of an engine needs its socket, so the container is what can be confined.
        settings.runner = Some(ConfinementRunner::Container);
    }
    Profile::derive(&ProfileFacts {
        trust: spec.trust,
        settings: &settings,
        granted,
        program: &find(command.program(), command.arguments()),
        granted_programs: &granted_programs,
        private_folder: private_folder.as_deref(),
        kernel_files: &spec.kernel_files.all(),
        // A server's own variables do not determine where the user's secrets are.
        homes: &home_folders(),
    })
}

/// Converts the configured settings.
pub(crate) fn settings(configured: &ServerConfinement) -> ConfinementSettings {
    let paths = |list: &[Text]| list.iter().map(|text| Path::new(text.value()).to_owned()).collect();
    ConfinementSettings {
        mode: configured.mode,
        runner: configured.runner,
        image: configured.image.clone(),
        preset: configured.preset,
        preset_by_command: false,
        read: paths(&configured.read),
        write: paths(&configured.write),
        execute: paths(&configured.execute),
        network: configured.network,
        hosts: configured.hosts.clone(),
        ports: configured.ports.clone(),
        limits: Limits {
            memory_mb: configured.memory_mb,
            processes: configured.processes,
            open_files: configured.open_files,
            file_mb: configured.file_mb,
            cpu_secs: configured.cpu_secs,
        },
    }
}
