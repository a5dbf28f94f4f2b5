//! The runner that has bubblewrap make the namespaces and the mounts.
//!
//! It is for machines that refuse user namespaces to most programs. bubblewrap may make namespaces there if it is set-user-ID root, or if a
//! profile of AppArmor permits it. Inside, it starts this program as a [`stage`], which does what remains, and then becomes the server.

use super::{
    calls,
    identity::is_root,
    mounts::Mounts,
    stage::{self, Plan},
    start::Start,
    trial::refused_namespaces,
};
use crate::confine::{MissingPart, Network, Profile, bounded::run_bounded};
use mgp_transport::seam::ChildLine;
use std::{
    ffi::OsString,
    fs::File,
    io::{self, Seek},
    os::fd::{AsFd, AsRawFd, BorrowedFd},
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
    time::Duration,
};

/// The time limit of a start, and of the trial.
pub(super) const LIMIT: Duration = Duration::from_secs(10);

/// The places of bubblewrap. The search path is not used, because a server may be able to write into one of its folders.
const PLACES: [&str; 5] = [
    "/usr/bin/bwrap",
    "/usr/local/bin/bwrap",
    "/bin/bwrap",
    "/run/wrappers/bin/bwrap",
    "/run/current-system/sw/bin/bwrap",
];

/// The namespaces and the life of every run. The user namespace is tried, because a set-user-ID bubblewrap needs none.
const OPTIONS: [&str; 6] = [
    "--unshare-user-try",
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--die-with-parent",
];

/// One start by bubblewrap.
#[derive(Debug)]
pub(super) struct Bubblewrap {
    program: &'static Path,
    options: Vec<OsString>,
    /// The plan of the stage, which is written when the command line is known.
    plan: File,
    /// This program, which stays the same if its file is replaced.
    own: File,
}

impl Bubblewrap {
    /// Prepares a start with the mounts and devices of a profile.
    ///
    /// # Errors
    /// If bubblewrap cannot be used here.
    pub(super) fn new(profile: &Profile, mounts: &Mounts, devices: &[PathBuf]) -> io::Result<Self> {
        let program =
            usable().map_err(|missing| io::Error::new(io::ErrorKind::Unsupported, missing.to_string()))?;
        let mut options: Vec<_> = OPTIONS.map(OsString::from).into();
        if Network::is_isolated(&profile.network) {
            options.push("--unshare-net".into());
        }
        options.extend(mounts.options(devices));
        Ok(Self { program, options, plan: calls::memory_file()?.into(), own: own()? })
    }

    pub(super) fn inherited(&self) -> [BorrowedFd<'_>; 2] {
        [self.plan.as_fd(), self.own.as_fd()]
    }

    /// Replaces the command line of a server by that of bubblewrap, which gets neither its variables nor its arguments: other users can
    /// read a command line.
    pub(super) fn replace(&self, start: &Start, line: ChildLine) -> io::Result<ChildLine> {
        let mut plan = &self.plan;
        let cwd = line.cwd.clone();
        serde_json::to_writer(plan, &Plan::new(start, line)).map_err(io::Error::other)?;
        plan.rewind()?;
        let chdir = cwd.iter().flat_map(|cwd| ["--chdir".into(), cwd.into()]);
        let stage = stage::words(&self.own, Some(self.plan.as_raw_fd()));
        let words = [self.program.into()].into_iter().chain(self.options.iter().cloned()).chain(chdir);
        Ok(ChildLine { words: words.chain(stage).collect(), cwd, ..ChildLine::default() })
    }
}

/// Opens this program.
fn own() -> io::Result<File> {
    File::open("/proc/self/exe")
}

/// Returns the path of bubblewrap, or the reason why it cannot be used. It is tried once in each process.
pub(in crate::confine) fn usable() -> Result<&'static Path, &'static MissingPart> {
    static TRIAL: OnceLock<Result<&'static Path, MissingPart>> = OnceLock::new();
    TRIAL.get_or_init(trial).as_ref().copied()
}

/// Returns whether an automatic choice is bubblewrap: the gateway cannot make namespaces itself, and bubblewrap can.
pub(in crate::confine) fn is_preferred() -> bool {
    refused_namespaces().is_some() && usable().is_ok()
}

fn trial() -> Result<&'static Path, MissingPart> {
    let missing = |part: String, remedy| Err(MissingPart { part, remedy });
    if is_root() {
        // As root, it would make the same namespaces, and its user would stay root, for whom no limit on processes holds.
        let part = "bubblewrap, which a gateway that runs as root cannot use".to_owned();
        return missing(part, "run the gateway as another user");
    }
    if !stage::is_available() {
        let part = "bubblewrap, which starts this program again".to_owned();
        return missing(part, "its `main` must call `mgp_security::confine::continue_start` first");
    }
    let Some(program) = PLACES.iter().map(Path::new).find(|place| place.is_file()) else {
        return missing("bubblewrap, which is not installed".to_owned(), "sudo apt-get install bubblewrap");
    };
    tried(program).map(|()| program).or_else(|error| {
        let part = format!("bubblewrap, which does not work here: {error}");
        missing(part, "permit it user namespaces as in docs/confinement.md#bubblewrap")
    })
}

/// Starts this program by bubblewrap, in all namespaces that a server may need.
fn tried(program: &Path) -> io::Result<()> {
    let own = own()?;
    calls::keep_on_exec(own.as_fd())?;
    let mounts = Mounts::new(&[], &[])?;
    let mut command = Command::new(program);
    command
        .args(OPTIONS)
        .arg("--unshare-net")
        .args(mounts.options(&[]))
        .args(stage::words(&own, None))
        .env_clear();
    let ran = run_bounded(command.current_dir("/"), b"", LIMIT);
    drop(own);
    ran.map(drop)
}
