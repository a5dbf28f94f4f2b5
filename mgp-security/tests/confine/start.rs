//! Starts that succeed in part, or not at all.

use crate::support::Rig;
use mgp_security::confine::{Confinement, ConfinementMode, LandlockAbi, Limits, Reason};
use mgp_transport::{
    child::Grace,
    egress::EgressProxy,
    seam::{ChildSetup, PreparedChild, SetupInChild},
};
use mgp_types::permission::StandardPermission::{FilesystemRead, ShellExecute};
use std::{
    fs, io,
    os::unix::{fs::MetadataExt, process::ExitStatusExt},
    sync::Arc,
    time::Duration,
};
use xtask_testing::{until, within};

/// A confinement that is applied twice. The first application forbids everything that the second one needs.
#[derive(Debug)]
struct Twice(Confinement);

struct TwiceInChild(Arc<dyn SetupInChild>, Arc<dyn SetupInChild>);

impl ChildSetup for Twice {
    fn prepare(&self) -> io::Result<PreparedChild> {
        let (first, second) = (self.0.prepare()?, self.0.prepare()?);
        Ok(PreparedChild { in_child: Arc::new(TwiceInChild(first.in_child, second.in_child)), ..second })
    }
}

// SAFETY: it does only what the two confinements do.
#[expect(unsafe_code, reason = "implementing the trait is unsafe")]
unsafe impl SetupInChild for TwiceInChild {
    fn apply(&self) -> io::Result<()> {
        self.0.apply()?;
        self.1.apply()
    }

    fn conclude(&self, started: io::Result<()>) -> io::Result<()> {
        self.1.conclude(started)
    }
}

fn twice(rig: &Rig, mode: ConfinementMode) -> Arc<Twice> {
    let profile = mgp_security::confine::Profile { mode, ..rig.profile("bash") };
    Arc::new(Twice(Confinement::new("s", profile).unwrap()))
}

#[tokio::test]
async fn a_program_is_not_started_if_required_confinement_fails() {
    let rig = Rig::new();
    let error =
        rig.start("echo x > out", twice(&rig, ConfinementMode::Require)).await.unwrap_err().to_string();
    assert!(error.starts_with("failed to start \"bash\": it cannot be confined: namespaces"), "{error}");
    assert!(error.contains("confinement.mode = \"best_effort\""), "{error}");
    assert!(!rig.private().join("out").exists());
}

#[tokio::test]
async fn best_effort_starts_a_program_without_the_failing_steps() {
    let rig = Rig::new();
    rig.start("echo x > out", twice(&rig, ConfinementMode::BestEffort)).await.unwrap();
    assert!(rig.private().join("out").exists());
}

#[tokio::test]
async fn best_effort_does_not_use_the_machine_s_network_for_hosts() {
    let mut rig = Rig::new();
    rig.settings.hosts = Some(vec!["127.0.0.1".parse().unwrap()]);
    let profile = mgp_security::confine::Profile { mode: ConfinementMode::BestEffort, ..rig.profile("bash") };
    let confinement = Confinement::new("s", profile).unwrap().egress(EgressProxy::new());
    let error = rig.start("echo x > out", Arc::new(Twice(confinement))).await.unwrap_err().to_string();
    assert!(error.contains("cannot be confined to its hosts: namespaces"), "{error}");
    assert!(!rig.private().join("out").exists());
}

#[tokio::test]
async fn a_start_failure_without_namespaces_reads_like_unconfined() {
    let rig = Rig::new();
    let mut profile = rig.profile("bash");
    profile.paths.retain(|rule| !rule.access.execute);
    profile.mode = ConfinementMode::BestEffort;
    let setup = Twice(Confinement::new("s", profile).unwrap());
    let error = rig.start("", Arc::new(setup)).await.unwrap_err();
    assert!(!error.to_string().contains("confined"), "{error}");
}

#[tokio::test]
async fn a_process_has_the_limits_of_its_profile() {
    let mut rig = Rig::new();
    rig.settings.limits = Limits {
        memory_mb: Some(300),
        processes: Some(30),
        open_files: Some(40),
        file_mb: Some(5),
        cpu_secs: Some(60),
    };
    let limits = "for limit in d u n f t c q; do echo $limit $(ulimit -S$limit) $(ulimit -H$limit); done";
    let set = rig.run(&format!("{{ {limits}; }} > out")).await;
    let expected = "d 307200 307200\nu 30 30\nn 40 40\nf 5120 5120\nt 60 61\nc 0 0\nq 0 0\n";
    assert_eq!(set, expected);
    rig.landlock = LandlockAbi::FIRST;
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    // The two processes that hold the server count too, unless they have another user.
    let processes = if is_root { "u 30 30" } else { "u 32 32" };
    let set = rig.run(&format!("{{ {limits}; }} > out")).await;
    assert_eq!(set, expected.replace("u 30 30", processes));
}

#[tokio::test]
async fn an_unconfined_process_has_only_the_limits_that_are_set() {
    let mut rig = Rig::new();
    rig.settings.mode = Some(ConfinementMode::Off);
    rig.settings.limits = Limits { processes: Some(1), ..Limits::default() };
    assert!(Confinement::new("s", rig.profile("bash")).is_none(), "all processes of the account would count");
    rig.settings.limits = Limits { memory_mb: Some(300), cpu_secs: Some(60), ..rig.settings.limits };
    let out = rig.root.join("out");
    let script = r#"{ for limit in d u n f t c; do echo $limit $(ulimit -S$limit) $(ulimit -H$limit); done; } > "$1/out""#;
    // Without a setup, the process has the limits of this one.
    let own = rlimits(&rig, script).await;
    let limited = Arc::new(Confinement::new("s", rig.profile("bash")).unwrap());
    rig.start(script, limited).await.unwrap();
    let set = fs::read_to_string(out).unwrap();
    let expected: Vec<_> = own
        .lines()
        .map(|line| match line.split_once(' ').unwrap().0 {
            "d" => "d 307200 307200",
            "t" => "t 60 61",
            _ => line,
        })
        .collect();
    assert_eq!(set.lines().collect::<Vec<_>>(), expected);
    assert!(!rig.private().exists(), "it has no private folder");
}

/// Returns the text that a script writes into the file `out` without any setup.
async fn rlimits(rig: &Rig, script: &str) -> String {
    let mut command = tokio::process::Command::new("bash");
    let status = command.args(["-c", script, "bash"]).arg(&rig.root).status().await.unwrap();
    assert!(status.success());
    fs::read_to_string(rig.root.join("out")).unwrap()
}

#[tokio::test]
async fn a_server_of_a_root_kernel_runs_as_nobody() {
    let kernel = fs::metadata("/proc/self").unwrap().uid();
    let expected = if kernel == 0 { 65534 } else { kernel };
    assert_eq!(Rig::new().run("echo $EUID > out").await, format!("{expected}\n"));
}

#[tokio::test]
async fn a_program_inherits_no_descriptors() {
    // SAFETY: the call takes a number, and the copy is left open.
    #[expect(unsafe_code, reason = "the standard library opens nothing that a child inherits")]
    let left_open = unsafe { libc::dup(2) };
    assert!(left_open > 2);
    for hosts in [None, Some(vec!["127.0.0.1".parse().unwrap()])] {
        let mut rig = Rig::new();
        rig.settings.hosts = hosts;
        let confinement = Confinement::new("s", rig.profile("bash")).unwrap().egress(EgressProxy::new());
        // The last one is that of the folder itself.
        let list = r#"all=(/proc/self/fd/*); echo "${all[@]##*/}" > out"#;
        rig.start(list, Arc::new(confinement)).await.unwrap();
        assert_eq!(fs::read_to_string(rig.private().join("out")).unwrap(), "0 1 2 3\n");
    }
}

#[tokio::test]
async fn processes_that_leave_the_server_s_group_end_with_it() {
    for landlock in [LandlockAbi::FIRST, LandlockAbi::NEWEST] {
        let rig = Rig { approved: vec![ShellExecute], landlock, ..Rig::new() };
        let script = r#"setsid sh -c 'echo x > left; sleep 600; :' "$1" < /dev/null > /dev/null 2>&1 &
            until [ -s left ]; do :; done; echo x > out"#;
        assert_eq!(rig.run(script).await, "x\n");
        until(|| !is_running(&rig)).await;
    }
}

/// Returns whether a process with the folder of a test in its arguments runs.
fn is_running(rig: &Rig) -> bool {
    let root = rig.root.to_str().unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    // The arguments of a process that has ended are empty.
    let mut arguments = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    arguments.any(|arguments| String::from_utf8_lossy(&arguments).contains(root))
}

#[tokio::test]
async fn a_server_ends_as_its_program_by_each_landlock() {
    for landlock in [LandlockAbi::FIRST, LandlockAbi::NEWEST] {
        let rig = Rig { landlock, ..Rig::new() };
        for (script, code, signal) in [
            ("exit 0", Some(0), None),
            ("exit 7", Some(7), None),
            ("kill -TERM $$", None, Some(libc::SIGTERM)),
            ("kill -KILL $$", None, Some(libc::SIGKILL)),
            ("kill -XCPU $$", None, Some(libc::SIGXCPU)),
        ] {
            let ended = rig.start(script, rig.setup()).await.unwrap();
            assert_eq!((ended.code(), ended.signal()), (code, signal), "{script} by {landlock}");
            assert!(!ended.core_dumped());
        }
    }
}

#[tokio::test]
async fn a_request_to_terminate_reaches_a_server_behind_init() {
    let rig = Rig { landlock: LandlockAbi::FIRST, ..Rig::new() };
    let script = "trap 'echo told > out; exit 3' TERM; echo x > ready; while :; do :; done";
    let (connection, process) = rig.spawn(script, rig.setup()).await.unwrap();
    until(|| rig.private().join("ready").exists()).await;
    let grace = Grace { stdin: Duration::ZERO, terminate: Duration::from_secs(60) };
    let ended = within(process.stop(grace)).await.unwrap();
    assert_eq!(ended.code(), Some(3), "{ended}");
    assert_eq!(fs::read_to_string(rig.private().join("out")).unwrap(), "told\n");
    drop(connection);
}

#[tokio::test]
async fn a_server_behind_init_ends_with_its_watcher() {
    let rig = Rig { landlock: LandlockAbi::FIRST, ..Rig::new() };
    let script = "echo $$ > out; echo x > ready; while :; do :; done";
    let (_connection, mut process) = rig.spawn(script, rig.setup()).await.unwrap();
    until(|| rig.private().join("ready").exists()).await;
    // Its number is that of the second process of its namespace.
    assert_eq!(fs::read_to_string(rig.private().join("out")).unwrap(), "2\n");
    assert!(is_running(&rig));
    let watcher = process.id().unwrap();
    let name = format!("/proc/{watcher}/comm");
    until(|| fs::read_to_string(&name).unwrap() == "mgp-watcher\n").await;
    // The watcher keeps only the socket to init.
    until(|| fs::read_dir(format!("/proc/{watcher}/fd")).unwrap().count() == 1).await;
    // SAFETY: the call takes numbers.
    #[expect(unsafe_code, reason = "the standard library kills only its own children")]
    let killed = unsafe { libc::kill(watcher.cast_signed(), libc::SIGKILL) };
    assert_eq!(killed, 0);
    until(|| !is_running(&rig)).await;
    assert_eq!(within(process.wait()).await.unwrap().signal(), Some(libc::SIGKILL));
}

#[tokio::test]
async fn a_program_that_does_not_start_is_reported_behind_init() {
    for landlock in [LandlockAbi::FIRST, LandlockAbi::NEWEST] {
        let rig = Rig { landlock, ..Rig::new() };
        let mut profile = rig.profile("bash");
        profile.paths.retain(|rule| !rule.access.execute);
        let setup = Confinement::new("s", profile).unwrap().landlock(landlock);
        let error = rig.start("", Arc::new(setup)).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{error}");
    }
}

#[tokio::test]
async fn a_missing_program_is_reported_as_without_confinement() {
    let rig = Rig::new();
    let mut profile = rig.profile("bash");
    profile.paths.retain(|rule| !rule.access.execute);
    let setup = Confinement::new("s", profile).unwrap();
    let error = rig.start("", Arc::new(setup)).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{error}");
    assert!(!error.to_string().contains("confined"), "{error}");
}

#[tokio::test]
async fn a_private_folder_that_cannot_be_created_is_an_error() {
    let rig = Rig::new();
    fs::write(rig.root.join("state/servers"), "").unwrap();
    let setup = Confinement::new("s", rig.profile("bash")).unwrap();
    let error = rig.start("", Arc::new(setup)).await.unwrap_err().to_string();
    assert!(error.contains("it cannot be confined: its private folder"), "{error}");
}

#[tokio::test]
async fn all_files_stay_closed_if_secrets_cannot_be_located() {
    let rig = Rig { approved: vec![FilesystemRead], ..Rig::new() };
    let mut profile = rig.profile("bash");
    profile.denied.retain(|(_, reason)| *reason != Reason::Secrets);
    let setup = Confinement::new("s", profile).unwrap();
    let error = rig.start("", Arc::new(setup)).await.unwrap_err().to_string();
    assert!(error.contains("the user has no home folder"), "{error}");
}

#[test]
fn nothing_is_set_up_if_confinement_is_off() {
    let mut rig = Rig::new();
    rig.settings.mode = Some(ConfinementMode::Off);
    assert!(Confinement::new("s", rig.profile("bash")).is_none());
}

#[tokio::test]
async fn a_package_runner_without_network_does_not_retry() {
    let mut rig = Rig::new();
    let script = "echo \"${npm_config_fetch_retries-unset} ${UV_HTTP_RETRIES-unset}\" > out";
    assert_eq!(rig.run(script).await, "0 0\n");
    rig.settings.network = Some(true);
    assert_eq!(rig.run(script).await, "unset unset\n");
}
