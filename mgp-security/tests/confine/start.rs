//! Starts that succeed in part, or not at all.

use crate::support::Rig;
use mgp_security::confine::{Confinement, ConfinementMode, Reason};
use mgp_transport::{
    egress::EgressProxy,
    seam::{ChildSetup, PreparedChild, SetupInChild},
};
use mgp_types::permission::StandardPermission::{FilesystemRead, ShellExecute};
use std::{fs, io, sync::Arc, time::Duration};

/// A confinement that is applied twice. The first application forbids all that the second one needs.
#[derive(Debug)]
struct Twice(Confinement);

struct TwiceInChild(Arc<dyn SetupInChild>, Arc<dyn SetupInChild>);

impl ChildSetup for Twice {
    fn prepare(&self) -> io::Result<PreparedChild> {
        let (first, second) = (self.0.prepare()?, self.0.prepare()?);
        Ok(PreparedChild { in_child: Arc::new(TwiceInChild(first.in_child, second.in_child)), ..second })
    }
}

// SAFETY: it does nothing that the two confinements do not do.
#[expect(unsafe_code, reason = "the trait asks for a promise")]
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
async fn where_confinement_is_required_and_fails_the_program_is_not_started() {
    let rig = Rig::new();
    let error =
        rig.start("echo x > out", twice(&rig, ConfinementMode::Require)).await.unwrap_err().to_string();
    assert!(error.starts_with("failed to start \"bash\": it cannot be confined: namespaces"), "{error}");
    assert!(error.contains("confinement.mode = \"best_effort\""), "{error}");
    assert!(!rig.private().join("out").exists());
}

#[tokio::test]
async fn with_best_effort_a_program_starts_without_the_steps_that_fail() {
    let rig = Rig::new();
    rig.start("echo x > out", twice(&rig, ConfinementMode::BestEffort)).await.unwrap();
    assert!(rig.private().join("out").exists());
}

#[tokio::test]
async fn with_best_effort_hosts_are_an_error_where_the_machine_s_network_would_be_used() {
    let mut rig = Rig::new();
    rig.settings.hosts = Some(vec!["127.0.0.1".parse().unwrap()]);
    let profile = mgp_security::confine::Profile { mode: ConfinementMode::BestEffort, ..rig.profile("bash") };
    let confinement = Confinement::new("s", profile).unwrap().egress(EgressProxy::new());
    let error = rig.start("echo x > out", Arc::new(Twice(confinement))).await.unwrap_err().to_string();
    assert!(error.contains("cannot be confined to its hosts: namespaces"), "{error}");
    assert!(!rig.private().join("out").exists());
}

#[tokio::test]
async fn processes_that_leave_the_server_s_group_end_with_it() {
    let rig = Rig { approved: vec![ShellExecute], ..Rig::new() };
    let script = r#"setsid sh -c 'echo $$ > left; exec sleep 600' < /dev/null > /dev/null 2>&1 &
        until [ -s left ]; do :; done; echo x > out"#;
    rig.run(script).await;
    let left: u32 = fs::read_to_string(rig.private().join("left")).unwrap().trim().parse().unwrap();
    let ended = async {
        while fs::read_to_string(format!("/proc/{left}/cmdline")).is_ok_and(|text| !text.is_empty()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), ended).await.unwrap();
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named_as_without_confinement() {
    let rig = Rig::new();
    let mut profile = rig.profile("bash");
    profile.paths.retain(|rule| !rule.access.execute);
    let setup = Confinement::new("s", profile).unwrap();
    let error = rig.start("", Arc::new(setup)).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{error}");
    assert!(!error.to_string().contains("confined"), "{error}");
}

#[tokio::test]
async fn a_private_folder_that_cannot_be_made_is_an_error() {
    let rig = Rig::new();
    fs::write(rig.root.join("state/servers"), "").unwrap();
    let setup = Confinement::new("s", rig.profile("bash")).unwrap();
    let error = rig.start("", Arc::new(setup)).await.unwrap_err().to_string();
    assert!(error.contains("it cannot be confined: its private folder"), "{error}");
}

#[tokio::test]
async fn all_files_are_not_opened_if_it_is_unknown_where_secrets_are() {
    let rig = Rig { approved: vec![FilesystemRead], ..Rig::new() };
    let mut profile = rig.profile("bash");
    profile.denied.retain(|(_, reason)| *reason != Reason::Secrets);
    let setup = Confinement::new("s", profile).unwrap();
    let error = rig.start("", Arc::new(setup)).await.unwrap_err().to_string();
    assert!(error.contains("the user has no home folder"), "{error}");
}

#[test]
fn nothing_is_set_up_where_confinement_is_off() {
    let profile = mgp_security::confine::Profile { mode: ConfinementMode::Off, ..Rig::new().profile("bash") };
    assert!(Confinement::new("s", profile).is_none());
}
