//! The rest of a start, in a process that bubblewrap started in the server's namespaces and mounts.
//!
//! Landlock would forbid bubblewrap its mounts, so it comes after them. The proxy's listener must be made in the network namespace.

use super::{
    calls,
    egress::{Egress, pass_listener},
    members::pass_namespace,
    report::{Step, report_end, report_failure},
    start::{Start, limit, restrict_files},
};
use crate::confine::{ConfinementMode, Limits};
use mgp_transport::seam::ChildLine;
use seccompiler::sock_filter;
use serde::{Deserialize, Serialize};
use std::{
    env,
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, Read},
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
        unix::process::CommandExt,
    },
    process::{self, Command},
    sync::atomic::{AtomicBool, Ordering},
};

/// The first argument of a stage.
const WORD: &str = "mgp-confined-start";

/// The second argument of a stage that only shows that it was started.
const TRIAL: &str = "trial";

/// The process that holds the server in its namespaces: bubblewrap's init.
const HOLDERS: u64 = 1;

/// The largest plan, in bytes.
const MAX_PLAN: u64 = 64 << 20;

static AVAILABLE: AtomicBool = AtomicBool::new(false);

/// Returns whether this program continues starts.
pub(super) fn is_available() -> bool {
    AVAILABLE.load(Ordering::Relaxed)
}

/// The rest of a start. Descriptors are numbers, which the stage inherits.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    is_required: bool,
    words: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    /// Memory, processes, open files, size of a file, CPU time.
    limits: [Option<u64>; 5],
    filter: Vec<(u16, u8, u8, u32)>,
    report: i32,
    members: i32,
    egress: Option<i32>,
    ruleset: Option<i32>,
}

impl Plan {
    pub(super) fn new(start: &Start, line: ChildLine) -> Self {
        let Limits { memory_mb, processes, open_files, file_mb, cpu_secs } = start.limits;
        let mut env = line.inherited;
        env.extend(line.env);
        Self {
            is_required: start.mode == ConfinementMode::Require,
            words: line.words,
            env: env.into_iter().collect(),
            limits: [memory_mb, processes, open_files, file_mb, cpu_secs],
            filter: start.filter.iter().map(|line| (line.code, line.jt, line.jf, line.k)).collect(),
            report: start.report.child().as_raw_fd(),
            members: start.members.child().as_raw_fd(),
            egress: start.egress.as_ref().map(|egress| Egress::child(egress).as_raw_fd()),
            ruleset: start.ruleset.as_ref().map(AsRawFd::as_raw_fd),
        }
    }
}

/// Returns the words with which bubblewrap starts a stage: this program, and the number of the plan's descriptor, or a trial.
pub(super) fn words(own: &File, plan: Option<i32>) -> [OsString; 4] {
    let program = format!("/proc/self/fd/{}", own.as_raw_fd());
    let plan = plan.map_or_else(|| TRIAL.to_owned(), |plan| plan.to_string());
    ["--".into(), program.into(), WORD.into(), plan.into()]
}

/// Continues the start of a confined server if this process was started for that, and does not return then.
pub(in crate::confine) fn continue_start() {
    let mut words = env::args_os().skip(1);
    if words.next().as_deref() != Some(OsStr::new(WORD)) {
        AVAILABLE.store(true, Ordering::Relaxed);
        return;
    }
    let plan = words.next().and_then(|plan| plan.into_string().ok()).unwrap_or_default();
    if plan == TRIAL {
        process::exit(0);
    }
    let error = run(&plan);
    eprintln!("error: the confined start failed: {error}");
    process::exit(1);
}

/// Runs the stage, and returns its error.
fn run(plan: &str) -> io::Error {
    let descriptor = |number: Option<i32>| number.map(calls::inherited).transpose();
    let read = || -> io::Result<(Plan, [Option<OwnedFd>; 4])> {
        let number = plan.parse().map_err(|_| io::ErrorKind::InvalidInput)?;
        let file = File::from(calls::inherited(number)?);
        let plan: Plan = serde_json::from_reader(file.take(MAX_PLAN)).map_err(io::Error::other)?;
        let descriptors = [Some(plan.report), Some(plan.members), plan.egress, plan.ruleset];
        let [report, members, egress, ruleset] = descriptors.map(descriptor);
        Ok((plan, [report?, members?, egress?, ruleset?]))
    };
    let (plan, [Some(report), Some(members), egress, ruleset]) = (match read() {
        Ok(read) => read,
        Err(error) => return error,
    }) else {
        return io::ErrorKind::InvalidInput.into();
    };
    let filter: Vec<_> =
        plan.filter.iter().map(|&(code, jt, jf, k)| sock_filter { code, jt, jf, k }).collect();
    let [memory_mb, processes, open_files, file_mb, cpu_secs] = plan.limits;
    let limits = Limits { memory_mb, processes, open_files, file_mb, cpu_secs };
    let steps: [(Step, &dyn Fn() -> io::Result<()>); 6] = [
        (Step::Descriptors, &calls::close_on_exec),
        (Step::Namespaces, &|| pass_namespace(members.as_fd())),
        (Step::Network, &|| egress.as_ref().map_or(Ok(()), |egress| pass_listener(egress.as_fd()))),
        (Step::Limits, &|| limit(&limits, HOLDERS)),
        (Step::Landlock, &|| restrict_files(ruleset.as_ref().map(AsFd::as_fd))),
        (Step::Seccomp, &|| calls::filter_calls(&filter)),
    ];
    for (step, run) in steps {
        let Err(error) = run() else { continue };
        report_failure(report.as_fd(), step);
        if plan.is_required {
            return ended(report.as_fd(), error);
        }
    }
    let Some((program, args)) = plan.words.split_first() else { return io::ErrorKind::InvalidInput.into() };
    report_end(report.as_fd(), None);
    let error = Command::new(program).args(args).env_clear().envs(plan.env).exec();
    ended(report.as_fd(), error)
}

fn ended(report: BorrowedFd<'_>, error: io::Error) -> io::Error {
    report_end(report, Some(&error));
    error
}
