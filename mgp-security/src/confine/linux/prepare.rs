//! The part of a confinement that runs in the parent.

use super::{
    bubblewrap::Bubblewrap, calls, egress::Egress, filter::filter, identity::Identity, members::Members,
    mounts::Mounts, report::Report, ruleset::ruleset, start::Start,
};
use crate::confine::{
    ConfinementMode, EGRESS_PORT, LandlockAbi, ListenPorts, MachineFacts, Profile, Reach, Reason,
    denial::{Denial, knows_secrets},
    private::{make_private, variables},
    resolve::{ResolvedRule, resolve_rules},
};
use mgp_transport::seam::{PreparedChild, ReplaceLine, ServeEgress};
use std::{
    io,
    os::unix::fs::FileTypeExt,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Prepares one start of a process with a profile, in a version of Landlock that this machine has. If it may reach some hosts, it reaches
/// them through the proxy.
pub(in crate::confine) fn prepare(
    server_id: &str,
    profile: &Profile,
    landlock: Option<LandlockAbi>,
    proxy: Option<Arc<dyn ServeEgress>>,
    by_bubblewrap: bool,
) -> io::Result<PreparedChild> {
    let because = |text: &'static str| {
        move |error: io::Error| {
            io::Error::new(error.kind(), format!("it cannot be confined: {text}: {error}"))
        }
    };
    let private = profile.private_folder.as_deref();
    let temporary = private.map(make_private).transpose().map_err(because("its private folder"))?;
    knows_secrets(profile).map_err(because("files"))?;
    let denied = Denial::all(profile).map_err(because("files"))?;
    let rules = resolve_rules(profile).map_err(because("files"))?;
    if let Some(gap) = gap(profile, landlock, &rules) {
        if profile.mode == ConfinementMode::Require {
            let text = format!(
                "it cannot be confined: {gap}; confinement.mode = \"best_effort\" starts it with what this system can do"
            );
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        }
        tracing::warn!(server = server_id, gap, "not confined completely");
    }
    let ruleset = landlock.map(|landlock| ruleset(profile, landlock, &rules, &denied)).transpose();
    // Without Landlock, all of its gaps are covered.
    let landlock = landlock.unwrap_or(LandlockAbi::FIRST);
    let own_processes = if landlock < LandlockAbi::NEWEST { libc::CLONE_NEWPID } else { 0 };
    let also: &[i64] = if landlock < LandlockAbi::TRUNCATE && excludes_files(&rules, &denied) {
        &[libc::SYS_truncate]
    } else {
        &[]
    };
    let egress = match (&profile.network.reach, proxy) {
        (Reach::Hosts(hosts), Some(proxy)) => Some(Egress::new(proxy, hosts.clone())?),
        _ => None,
    };
    let mounts = mounts(&rules, &denied).map_err(because("mounts"))?;
    let bubblewrap = if by_bubblewrap {
        Some(Bubblewrap::new(profile, &mounts, &devices(&rules)).map_err(because("its runner"))?)
    } else {
        None
    };
    let isolated = if profile.network.is_isolated() { libc::CLONE_NEWNET } else { 0 };
    let start = Start {
        server_id: server_id.to_owned(),
        mode: profile.mode,
        namespaces: libc::CLONE_NEWUSER | libc::CLONE_NEWIPC | libc::CLONE_NEWNS | isolated | own_processes,
        parent: calls::process_id(),
        identity: Identity::of_process(),
        egress,
        mounts,
        limits: profile.limits,
        ruleset: ruleset.map_err(because("files"))?.flatten(),
        filter: filter(profile, landlock, also).map_err(because("system calls"))?,
        report: Report::new()?,
        members: Members::new()?,
        bubblewrap,
    };
    let proxy = start.egress.as_ref().map(|_| EGRESS_PORT);
    let env = variables(profile, temporary.as_deref(), proxy);
    let has_own_processes = start.has_own_processes();
    let start = Arc::new(start);
    let through = start.bubblewrap.is_some().then(|| -> ReplaceLine {
        let start = start.clone();
        Box::new(move |line| {
            start.bubblewrap.as_ref().map_or(Ok(line.clone()), |bubblewrap| bubblewrap.replace(&start, line))
        })
    });
    Ok(PreparedChild {
        isolated: true,
        env,
        cwd: private.map(Path::to_owned),
        ends_with_parent: has_own_processes && through.is_none(),
        through,
        in_child: start,
    })
}

/// Returns the part of a profile that nothing on this machine can enforce.
fn gap(profile: &Profile, landlock: Option<LandlockAbi>, rules: &[ResolvedRule<'_>]) -> Option<String> {
    let Some(landlock) = landlock else {
        let missing = MachineFacts::of_machine().missing().into_iter().next();
        return Some(missing.map_or_else(|| "Landlock".to_owned(), |missing| missing.to_string()));
    };
    let needs = |version: LandlockAbi, part: String| {
        let linux = version.linux();
        let text =
            format!("{part} needs Landlock {version} (Linux {linux}), and this machine has {landlock}");
        (landlock < version).then_some(text)
    };
    let of_system: Vec<_> =
        rules.iter().filter(|rule| rule.rule.reason == Reason::System).map(|rule| &*rule.path).collect();
    let holds_devices = |path: &Path| {
        let kind = path.metadata().map(|file| file.file_type());
        let is_device = kind.is_ok_and(|kind| kind.is_char_device() || kind.is_block_device());
        (is_device || path.starts_with("/dev")) && !of_system.contains(&path)
    };
    if let Some(device) = rules.iter().find(|rule| holds_devices(&rule.path)) {
        let (path, reason) = (device.path.display(), device.rule.reason);
        return needs(LandlockAbi::DEVICES, format!("the control of the devices at {path} ({reason})"));
    }
    match (&profile.network.listen, profile.network.listen_reason) {
        (ListenPorts::Only(ports), reason) => {
            needs(LandlockAbi::TCP, format!("the limit to the ports {ports:?} ({reason})"))
        }
        _ => None,
    }
}

/// Returns whether denied files lie in a folder that may be written. Those that are made later are not on read-only mounts.
fn excludes_files(rules: &[ResolvedRule<'_>], denied: &[Denial]) -> bool {
    rules.iter().any(|ResolvedRule { rule, path }| {
        rule.access.write && denied.iter().any(|denial| denial.path.starts_with(path))
    })
}

fn mounts(rules: &[ResolvedRule<'_>], denied: &[Denial]) -> io::Result<Mounts> {
    let writable: Vec<_> = rules
        .iter()
        .filter(|ResolvedRule { rule, path }| {
            // A device on a read-only mount can still be written to.
            rule.access.write && (path.is_dir() || path.is_file())
        })
        .collect();
    let is_named = |denial: &Denial| {
        writable
            .iter()
            .any(|ResolvedRule { rule, path }| *path == denial.path && !denial.holds_for(rule, path))
    };
    let denied = denied.iter().filter(|denial| denial.path.exists() && !is_named(denial));
    let mut denied: Vec<_> = denied.map(|denial| denial.path.clone()).collect();
    denied.sort_unstable();
    denied.dedup();
    Mounts::new(&writable.iter().map(|resolved| resolved.path.clone()).collect::<Vec<_>>(), &denied)
}

/// Returns the devices that the rules name, and the files and folders below `/dev`.
fn devices(rules: &[ResolvedRule<'_>]) -> Vec<PathBuf> {
    let is_device = |path: &Path| {
        let kind = path.metadata().map(|file| file.file_type());
        kind.is_ok_and(|kind| kind.is_char_device() || kind.is_block_device())
    };
    let named = rules.iter().filter(|rule| rule.rule.reason != Reason::System && is_device(&rule.path));
    named.map(|rule| rule.path.clone()).collect()
}
