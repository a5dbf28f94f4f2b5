//! The limits of approvals.

use crate::error::CliError;
use clap::Args;
use mgp_types::{
    context::HostRule,
    permission::{GrantScope, Permission, StandardPermission},
};
use std::path::{Path, PathBuf};

/// The limits of an approval, which confinement enforces. Each may be given several times.
#[derive(Debug, Args)]
pub(super) struct ScopeArgs {
    /// Approve filesystem.read or filesystem.write only for this file or folder
    #[arg(long = "path", value_name = "PATH", conflicts_with_all = ["deny", "revoke"])]
    paths: Vec<PathBuf>,
    /// Approve network.outbound only for this host, such as api.example.com:443
    #[arg(long = "host", value_name = "HOST", conflicts_with_all = ["deny", "revoke"])]
    hosts: Vec<HostRule>,
    /// Approve network.listen only for this port
    #[arg(long = "port", value_name = "PORT", conflicts_with_all = ["deny", "revoke"])]
    ports: Vec<u16>,
    /// Approve shell.execute only for this program
    #[arg(long = "program", value_name = "PROGRAM", conflicts_with_all = ["deny", "revoke"])]
    programs: Vec<String>,
    /// Approve without limits, even if an earlier approval had limits
    #[arg(long, conflicts_with_all = ["paths", "hosts", "ports", "programs", "deny", "revoke"])]
    pub(super) unlimited: bool,
}

impl ScopeArgs {
    /// Returns whether there are no limits.
    pub(super) fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.hosts.is_empty() && self.ports.is_empty() && self.programs.is_empty()
    }

    /// Returns whether an option about limits is given.
    pub(super) fn says_something(&self) -> bool {
        self.unlimited || !self.is_empty()
    }

    /// Returns the limits for each of these permissions.
    ///
    /// # Errors
    /// If a permission has no limits although some are given, or if some limits apply to none of the permissions. Such a permission
    /// must not be approved without limits.
    pub(super) fn of<'a>(
        &self,
        permissions: impl Iterator<Item = &'a Permission>,
    ) -> Result<Vec<Option<GrantScope>>, CliError> {
        use StandardPermission::{
            FilesystemRead, FilesystemWrite, NetworkListen, NetworkOutbound, ShellExecute,
        };
        if self.is_empty() {
            return Ok(permissions.map(|_| None).collect());
        }
        let paths: Vec<_> = self.paths.iter().map(|path| absolute(path)).collect::<Result<_, _>>()?;
        let mut all = [
            GrantScope::Paths(paths),
            GrantScope::Hosts(self.hosts.clone()),
            GrantScope::Ports(self.ports.clone()),
            GrantScope::Programs(self.programs.clone()),
        ]
        .map(|scope| (scope, false));
        let mut scopes = Vec::new();
        for permission in permissions {
            let place = match permission {
                Permission::Standard(FilesystemRead | FilesystemWrite) => 0,
                Permission::Standard(NetworkOutbound) => 1,
                Permission::Standard(NetworkListen) => 2,
                Permission::Standard(ShellExecute) => 3,
                _ => {
                    return Err(CliError::usage(format!("{permission} has no limits: approve it by itself")));
                }
            };
            let (scope, is_used) = &mut all[place];
            *is_used = true;
            scope.check(permission).map_err(|error| CliError::usage(format!("{permission}: {error}")))?;
            scopes.push(Some(scope.clone()));
        }
        let is_left = |(scope, is_used): &(GrantScope, bool)| !is_used && !scope.is_empty();
        match all.iter().find(|entry| is_left(entry)) {
            Some((scope, _)) => {
                Err(CliError::usage(format!("nothing that is approved is limited by {}", scope.kind())))
            }
            None => Ok(scopes),
        }
    }
}

fn absolute(path: &Path) -> Result<String, CliError> {
    let path = std::path::absolute(path).map_err(|error| CliError::usage(error.to_string()))?;
    let text = path.to_str().ok_or_else(|| CliError::usage(format!("{} is not text", path.display())))?;
    Ok(text.to_owned())
}
