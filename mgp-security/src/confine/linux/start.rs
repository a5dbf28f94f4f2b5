//! The part of a confinement that runs in the child, between fork and exec.

use super::{
    bubblewrap::{self, Bubblewrap},
    calls,
    egress::Egress,
    identity::Identity,
    init, limits,
    members::Members,
    mounts::Mounts,
    report::{Report, Step},
    ruleset::OWN_PROCESS,
};
use crate::confine::{ConfinementMode, Limits, MachineFacts};
use mgp_transport::seam::SetupInChild;
use seccompiler::BpfProgram;
use std::{
    ffi::{c_int, c_long},
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

/// One start of a confined process: everything that the child needs, so that it only makes system calls.
#[derive(Debug)]
pub(super) struct Start {
    pub(super) server_id: String,
    pub(super) mode: ConfinementMode,
    pub(super) namespaces: c_int,
    /// The gateway's process.
    pub(super) parent: c_long,
    pub(super) identity: Identity,
    /// The route to the hosts that it may reach; `None` if it may reach none, or all.
    pub(super) egress: Option<Egress>,
    pub(super) mounts: Mounts,
    pub(super) limits: Limits,
    pub(super) ruleset: Option<OwnedFd>,
    pub(super) filter: BpfProgram,
    pub(super) report: Report,
    /// The server's processes, which end with this.
    pub(super) members: Members,
    /// The program that makes the namespaces and the mounts; `None` if the process makes them itself.
    pub(super) bubblewrap: Option<Bubblewrap>,
}

impl Start {
    /// Reports a failed step to the parent. Returns whether the step succeeded, if it may fail.
    fn step(&self, step: Step, result: io::Result<()>) -> io::Result<bool> {
        let Err(error) = result else { return Ok(true) };
        self.report.failed(step);
        if self.mode == ConfinementMode::Require { Err(error) } else { Ok(false) }
    }

    /// Returns whether the process has a PID namespace.
    pub(super) fn has_own_processes(&self) -> bool {
        self.namespaces & libc::CLONE_NEWPID != 0
    }

    /// Enters the namespaces, with the user and the mounts of the process there.
    fn enter_namespaces(&self) -> io::Result<bool> {
        let entered = self.identity.enter(self.namespaces).and_then(|()| self.members.tell());
        match self.step(Step::Namespaces, entered) {
            // In this machine's network, the process would reach more than its hosts.
            Ok(false) if self.egress.is_some() => return Err(io::ErrorKind::Unsupported.into()),
            Ok(true) => {}
            failed => return failed,
        }
        if let Some(egress) = &self.egress {
            self.step(Step::Network, egress.open())?;
        }
        self.step(Step::Mounts, self.mounts.make())?;
        if self.has_own_processes() {
            // No process can go on that has unshared its PID namespace and has not entered it.
            init::enter().inspect_err(|_| self.report.failed(Step::Namespaces))?;
        }
        self.step(Step::User, self.identity.settle())
    }

    /// Asks the system to kill the process when the gateway ends. Called before it enters a PID namespace, from which it cannot see the gateway.
    fn end_with_parent(&self) -> io::Result<()> {
        calls::end_with_parent()?;
        // A parent that had ended before the line above no longer ends this process.
        if calls::parent_id() == self.parent { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn limit(&self, in_namespaces: bool) -> io::Result<()> {
        // The processes that hold the server count if they have its user.
        let counts = self.has_own_processes() && matches!(self.identity, Identity::Own { .. });
        let others = if counts { init::HOLDERS } else { 0 };
        limit(&Limits { processes: self.limits.processes.filter(|_| in_namespaces), ..self.limits }, others)
    }

    /// Returns the descriptors that [`stage`](super::stage) inherits.
    pub(super) fn inherited(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let egress = self.egress.as_ref().map(Egress::child);
        let ruleset = self.ruleset.as_ref().map(AsFd::as_fd);
        let of_bubblewrap = self.bubblewrap.iter().flat_map(Bubblewrap::inherited);
        [self.report.child(), self.members.child()]
            .into_iter()
            .chain(egress)
            .chain(ruleset)
            .chain(of_bubblewrap)
    }

    /// Prepares the process to become bubblewrap.
    fn hand_over(&self) -> io::Result<()> {
        calls::close_on_exec()?;
        self.inherited().try_for_each(calls::keep_on_exec)?;
        // The gateway's signals are for the server, which is in the same process group.
        calls::block_signals()
    }
}

/// Sets all limits of a process in its namespaces, in which `others` processes hold it.
pub(super) fn limit(limits: &Limits, others: u64) -> io::Result<()> {
    limits::set(limits)?;
    calls::limit(libc::RLIMIT_CORE, 0)?;
    calls::limit(libc::RLIMIT_MSGQUEUE, 0)?;
    match limits.processes {
        Some(processes) => calls::limit(libc::RLIMIT_NPROC, processes.saturating_add(others)),
        None => Ok(()),
    }
}

/// Restricts this process to a Landlock ruleset.
pub(super) fn restrict_files(ruleset: Option<BorrowedFd<'_>>) -> io::Result<()> {
    calls::no_new_privileges()?;
    let Some(ruleset) = ruleset else { return Ok(()) };
    // Only now does the server's `/proc/self` exist.
    let own = calls::open(c"/proc/self", libc::O_PATH)?;
    calls::add_folder(ruleset, &own, OWN_PROCESS)?;
    calls::restrict_by(ruleset)
}

// SAFETY: `apply` makes system calls on values that were made before the fork. It neither allocates nor takes a lock.
#[expect(unsafe_code, reason = "implementing the trait is unsafe")]
unsafe impl SetupInChild for Start {
    fn apply(&self) -> io::Result<()> {
        if self.bubblewrap.is_some() {
            return self.hand_over().inspect_err(|_| self.report.failed(Step::Descriptors));
        }
        if self.has_own_processes() {
            self.end_with_parent()?;
        }
        self.step(Step::Descriptors, calls::close_on_exec())?;
        let in_namespaces = self.enter_namespaces()?;
        self.step(Step::Limits, self.limit(in_namespaces))?;
        self.step(Step::Landlock, restrict_files(self.ruleset.as_ref().map(AsFd::as_fd)))?;
        self.step(Step::Seccomp, calls::filter_calls(&self.filter)).map(drop)
    }

    fn conclude(&self, started: io::Result<()>) -> io::Result<()> {
        let (failed, started) = match started {
            Ok(()) if self.bubblewrap.is_some() => self.report.end_of_stage(bubblewrap::LIMIT),
            started => (self.report.steps(), started),
        };
        let missing = || -> String {
            let missing = failed.contains(&Step::Namespaces).then(|| MachineFacts::of_machine().missing());
            missing.into_iter().flatten().map(|part| format!("; it lacks {part}")).collect()
        };
        match (started, failed.first()) {
            (Err(error), Some(step)) if self.mode == ConfinementMode::Require => Err(io::Error::new(
                error.kind(),
                format!(
                    "it cannot be confined: {step}: {error}{}; confinement.mode = \"best_effort\" starts it with what this system can do",
                    missing(),
                ),
            )),
            (Err(error), Some(step @ Step::Namespaces)) if self.egress.is_some() => Err(io::Error::new(
                error.kind(),
                format!(
                    "it cannot be confined to its hosts: {step}{}; confinement.network = true or false does without them",
                    missing(),
                ),
            )),
            (started, _) => {
                for step in &failed {
                    tracing::warn!(
                        server = self.server_id,
                        "confined without {step}, which this system cannot do"
                    );
                }
                started?;
                if !failed.contains(&Step::Namespaces) {
                    self.members.learn()?;
                }
                match &self.egress {
                    Some(egress) if !failed.contains(&Step::Network) => egress.serve(&self.server_id),
                    _ => Ok(()),
                }
            }
        }
    }
}
