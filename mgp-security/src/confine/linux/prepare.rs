//! The part of a confinement that runs in the parent.

use super::{
    egress::Egress, filter::filter, identity::Identity, mounts::Mounts, report::Report, ruleset::ruleset,
    start::Start,
};
use crate::confine::{Profile, Reach};
use mgp_transport::seam::{PreparedChild, ServeEgress};
use std::{
    fs::{DirBuilder, Permissions, set_permissions},
    io,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::Arc,
};

/// Prepares one start of a process with a profile. If it may reach some hosts, the proxy is its way to them.
pub(in crate::confine) fn prepare(
    server_id: &str,
    profile: &Profile,
    proxy: Option<Arc<dyn ServeEgress>>,
) -> io::Result<PreparedChild> {
    let because = |text: &'static str| {
        move |error: io::Error| {
            io::Error::new(error.kind(), format!("it cannot be confined: {text}: {error}"))
        }
    };
    let private = profile.private_folder.as_deref();
    let temporary = private.map(make_private).transpose().map_err(because("its private folder"))?;
    let denied: Vec<PathBuf> =
        profile.denied.iter().filter_map(|(path, _)| path.canonicalize().ok()).collect();
    let writable: Vec<PathBuf> = profile
        .paths
        .iter()
        .filter(|rule| rule.access.write)
        .filter_map(|rule| rule.path.canonicalize().ok())
        // A device can be written to on a read-only mount as well.
        .filter(|path| path.is_dir() || path.is_file())
        .collect();
    let egress = match (&profile.network.reach, proxy) {
        (Reach::Hosts(hosts), Some(proxy)) => Some(Egress::new(proxy, hosts.clone())?),
        _ => None,
    };
    let isolated = if profile.network.is_isolated() { libc::CLONE_NEWNET } else { 0 };
    let start = Start {
        server_id: server_id.to_owned(),
        mode: profile.mode,
        namespaces: libc::CLONE_NEWUSER | libc::CLONE_NEWIPC | libc::CLONE_NEWNS | isolated,
        identity: Identity::of_process(),
        egress,
        mounts: Mounts::new(&writable, &denied).map_err(because("mounts"))?,
        limits: profile.limits,
        ruleset: ruleset(profile, &denied).map_err(because("files"))?,
        filter: filter(profile).map_err(because("system calls"))?,
        report: Report::new()?,
    };
    let mut env = Vec::new();
    if let (Some(home), Some(temporary)) = (private, temporary) {
        env.extend([("HOME", home.into()), ("TMPDIR", temporary.into())]);
    }
    if start.egress.is_some() {
        env.extend(Egress::variables());
    }
    Ok(PreparedChild { env, cwd: private.map(Path::to_owned), in_child: Arc::new(start) })
}

/// Makes a private folder that only its user can open, with a folder for temporary files in it, which is returned.
fn make_private(folder: &Path) -> io::Result<PathBuf> {
    const OWN: u32 = 0o700;
    let temporary = folder.join("tmp");
    DirBuilder::new().recursive(true).mode(OWN).create(&temporary)?;
    set_permissions(folder, Permissions::from_mode(OWN))?;
    Ok(temporary)
}
