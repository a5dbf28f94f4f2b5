//! Files that a confined process may use.

use crate::support::Rig;
use mgp_security::confine::{Confinement, GrantedPermission, LandlockAbi};
use mgp_transport::seam::ChildSetup;
use mgp_types::permission::{
    GrantScope,
    StandardPermission::{FilesystemRead, FilesystemWrite, ShellExecute},
};
use std::{
    fs,
    os::unix::fs::{MetadataExt, symlink},
};
use xtask_testing::until;

/// Tries to read the three decoys, and notes for each whether that succeeded.
const READ: &str = r#"for name in home/notes home/.ssh/id_test state/audit; do
    { read -r line < "$1/$name"; } 2>/dev/null; echo "$name ${line:-no}" >> out; line=
done"#;

#[tokio::test]
async fn only_the_private_folder_is_home_and_readable() {
    let rig = Rig::new();
    let out = rig.run(&format!(r#"echo "$HOME $PWD $TMPDIR" > out; echo x > "$TMPDIR/x"; {READ}"#)).await;
    let private = rig.private();
    let private = private.to_str().unwrap();
    assert_eq!(
        out,
        format!("{private} {private} {private}/tmp\nhome/notes no\nhome/.ssh/id_test no\nstate/audit no\n")
    );
    assert!(rig.private().join("tmp/x").exists());
}

#[tokio::test]
async fn the_read_permission_covers_neither_secrets_nor_the_state() {
    let rig = Rig { approved: vec![FilesystemRead], ..Rig::new() };
    let out =
        rig.run(&format!(r#"{READ}; {{ echo x > "$1/home/new"; }} 2>/dev/null; echo "$?" >> out"#)).await;
    assert_eq!(out, "home/notes secret\nhome/.ssh/id_test no\nstate/audit no\n1\n");
}

#[tokio::test]
async fn the_configuration_can_name_secrets_but_not_the_state() {
    let mut rig = Rig::new();
    rig.settings.read = vec![rig.root.join("home/.ssh"), rig.root.join("state")];
    assert_eq!(rig.run(READ).await, "home/notes no\nhome/.ssh/id_test secret\nstate/audit no\n");
}

#[tokio::test]
async fn naming_one_secret_opens_no_other_even_with_permissions() {
    let mut rig = Rig { approved: vec![FilesystemRead], ..Rig::new() };
    fs::write(rig.root.join("home/.ssh/known_hosts"), "known").unwrap();
    rig.settings.read = vec![rig.root.join("home/.ssh/known_hosts")];
    let known = r#"{ read -r line < "$1/home/.ssh/known_hosts"; } 2>/dev/null; echo "$line" >> out; line="#;
    let out = rig.run(&format!("{known}\n{READ}")).await;
    assert_eq!(out, "known\nhome/notes secret\nhome/.ssh/id_test no\nstate/audit no\n");
}

#[tokio::test]
async fn a_secret_that_may_be_written_is_written() {
    let mut rig = Rig { approved: vec![FilesystemWrite], ..Rig::new() };
    rig.settings.write = vec![rig.root.join("home/.ssh")];
    let out = rig.run(r#"{ echo x > "$1/home/.ssh/new"; } 2>/dev/null; echo $? > out"#).await;
    assert_eq!(out, "0\n");
}

#[tokio::test]
async fn a_secret_created_after_the_start_is_not_readable() {
    let rig = Rig { approved: vec![FilesystemRead, FilesystemWrite], ..Rig::new() };
    let (late, private) = (rig.root.join("home/.netrc"), rig.private());
    let script = r#"echo > ready; until [ -e made ]; do :; done
        { read -r line < "$1/home/.netrc"; } 2>/dev/null; echo "${line:-no}" > out"#;
    let make = async {
        until(|| private.join("ready").exists()).await;
        fs::write(&late, "secret").unwrap();
        fs::write(private.join("made"), "").unwrap();
    };
    assert_eq!(tokio::join!(rig.run(script), make).0, "no\n");
}

#[tokio::test]
async fn all_files_exclude_the_machine() {
    let rig = Rig { approved: vec![FilesystemRead, FilesystemWrite, ShellExecute], ..Rig::new() };
    let try_all = r#"for path in /proc/1/cmdline /sys/kernel/uevent_seqnum /dev/ptmx; do
            { : < "$path"; } 2>/dev/null; echo "$path $?" >> out
        done
        chmod 666 /dev/null 2>/dev/null; echo "mode $?" >> out
        { echo x > /dev/null; : < /proc/meminfo; : < /dev/urandom; } && echo used >> out"#;
    let expected = "/proc/1/cmdline 1\n/sys/kernel/uevent_seqnum 1\n/dev/ptmx 1\nmode 1\nused\n";
    assert_eq!(rig.run(try_all).await, expected);
}

#[tokio::test]
async fn a_writable_folder_is_writable_and_its_neighbours_are_not() {
    let mut rig = Rig::new();
    fs::create_dir(rig.root.join("work")).unwrap();
    rig.settings.write = vec![rig.root.join("work")];
    let write =
        r#"for name in work home; do { echo x > "$1/$name/new"; } 2>/dev/null; echo "$name $?" >> out; done"#;
    assert_eq!(rig.run(write).await, "work 0\nhome 1\n");
    let rig = Rig { approved: vec![FilesystemWrite], ..Rig::new() };
    let out = rig.run(&write.replace("work home", "home/notes home/.ssh state").replace("/new", "")).await;
    assert_eq!(out, "home/notes 0\nhome/.ssh 1\nstate 1\n");
}

#[tokio::test]
async fn modes_change_only_in_writable_files() {
    let change = r#"for name in home/.ssh state home; do chmod 755 "$1/$name" 2>/dev/null; echo "$name $?" >> out; done
        chmod 700 tmp; echo "tmp $?" >> out"#;
    let rig = Rig { approved: vec![ShellExecute], ..Rig::new() };
    assert_eq!(rig.run(change).await, "home/.ssh 1\nstate 1\nhome 1\ntmp 0\n");
    let rig = Rig { approved: vec![ShellExecute, FilesystemWrite], ..Rig::new() };
    assert_eq!(rig.run(change).await, "home/.ssh 1\nstate 1\nhome 0\ntmp 0\n");
}

#[tokio::test]
async fn a_named_device_needs_a_landlock_that_restricts_devices() {
    for (path, number, is_complete) in
        [("/dev", 4, false), ("/dev/ptmx", 1, false), ("/dev/ptmx", 5, true), ("/etc", 1, true)]
    {
        let mut rig = Rig { landlock: LandlockAbi::from_number(number).unwrap(), ..Rig::new() };
        rig.settings.read = vec![path.into()];
        let started = rig.start("", rig.setup()).await;
        assert_eq!(started.is_ok(), is_complete, "{path} by ABI {number}: {started:?}");
        if let Err(error) = started {
            let text = error.to_string();
            for part in ["confinement.read", "Landlock ABI 5 (Linux 6.10)", "\"best_effort\""] {
                assert!(text.contains(part), "{part}: {text}");
            }
        }
    }
}

#[tokio::test]
async fn only_the_execute_permission_starts_programs() {
    let start = r#"/bin/sh -c : 2>/dev/null; echo "system $?" >> out
        { printf '#!/bin/sh\n' > own && chmod 700 own && ./own; } 2>/dev/null; echo "own $?" >> out"#;
    assert_eq!(Rig::new().run(start).await, "system 126\nown 126\n");
    assert_eq!(Rig { approved: vec![ShellExecute], ..Rig::new() }.run(start).await, "system 0\nown 0\n");
}

#[tokio::test]
async fn the_kernel_s_configuration_is_neither_read_nor_replaced() {
    let mut rig = Rig { approved: vec![FilesystemRead, FilesystemWrite, ShellExecute], ..Rig::new() };
    let project = rig.root.join("project");
    fs::create_dir_all(project.join("sub")).unwrap();
    fs::write(rig.root.join("real.toml"), "secret").unwrap();
    symlink(rig.root.join("real.toml"), project.join("mgp.toml")).unwrap();
    rig.settings.write = vec![project];
    let out = rig
        .run(
            r#"for name in project/mgp.toml real.toml; do
                { read -r line < "$1/$name"; } 2>/dev/null; echo "$name ${line:-no}" >> out
                { echo x >> "$1/$name"; } 2>/dev/null; echo $? >> out
            done
            { mv "$1/project/mgp.toml" "$1/project/sub/"; rm "$1/project/mgp.toml"; ln -sf x "$1/project/mgp.toml"; } 2>/dev/null; echo $? >> out
            { mv "$1/project" "$1/moved"; } 2>/dev/null; echo $? >> out; echo x > "$1/project/sub/new"; echo $? >> out"#,
        )
        .await;
    assert_eq!(out, "project/mgp.toml no\n1\nreal.toml no\n1\n1\n1\n0\n");
}

#[tokio::test]
async fn a_rule_for_home_or_everything_opens_no_secrets_or_state() {
    for path in ["home", "", "/"] {
        let mut rig = Rig::new();
        let path = rig.root.join(path);
        (rig.settings.read, rig.settings.write) = (vec![path.clone()], vec![path.clone()]);
        let write = r#"for name in home/.ssh/id_test state/audit; do
            { echo x > "$1/$name"; } 2>/dev/null; echo $? >> out
        done"#;
        let out = rig.run(&format!("{READ}; {write}")).await;
        assert_eq!(out, "home/notes secret\nhome/.ssh/id_test no\nstate/audit no\n1\n1\n", "{path:?}");
    }
}

#[tokio::test]
async fn a_link_made_by_the_server_is_not_followed_at_its_next_start() {
    let mut rig = Rig::new();
    let work = rig.root.join("work");
    fs::create_dir_all(work.join("sub")).unwrap();
    (rig.settings.write, rig.settings.read) = (vec![work.clone()], vec![work.join("sub")]);
    rig.run(READ).await;
    fs::remove_dir(work.join("sub")).unwrap();
    symlink(rig.root.join("home"), work.join("sub")).unwrap();
    let error = Confinement::new("s", rig.profile("bash")).unwrap().prepare().unwrap_err().to_string();
    assert!(error.contains("a link that the server may have made"), "{error}");
    // Nor to its program.
    symlink("/bin/bash", work.join("bash")).unwrap();
    rig.settings.read.clear();
    let setup = Confinement::new("s", rig.profile(work.join("bash").to_str().unwrap())).unwrap();
    assert!(setup.prepare().is_err());
    // A link elsewhere is the operator's.
    symlink(rig.root.join("home"), rig.root.join("link")).unwrap();
    rig.settings.read = vec![rig.root.join("link")];
    assert!(rig.run(READ).await.contains("home/notes secret\n"));
}

/// Set if the mounts of the test propagate to other namespaces.
const SHARED: &str = "MGP_TEST_SHARED_MOUNTS";

#[tokio::test]
async fn later_mounts_of_the_machine_are_invisible() {
    const NAME: &str = "files::later_mounts_of_the_machine_are_invisible";
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    if is_root && std::env::var_os(SHARED).is_none() {
        let mut shared = std::process::Command::new("unshare");
        shared.args(["--mount", "--propagation", "shared"]).arg(std::env::current_exe().unwrap());
        assert!(shared.args(["--exact", NAME]).env(SHARED, "1").status().unwrap().success());
        return;
    }
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(!is_root || mounts.contains(" shared:"), "{mounts}");
    let out =
        Rig::new().run(r#"while read -r line; do echo "$line"; done < /proc/self/mountinfo > out"#).await;
    assert!(out.contains(" / "), "{out}");
    assert!(!out.contains(" master:") && !out.contains(" shared:"), "{out}");
}

#[tokio::test]
async fn an_approval_with_paths_opens_only_those() {
    let mut rig = Rig::new();
    fs::create_dir(rig.root.join("work")).unwrap();
    let paths = |names: &[&str]| {
        let path = |name: &&str| rig.root.join(name).to_str().unwrap().to_owned();
        Some(GrantScope::Paths(names.iter().map(path).collect()))
    };
    let read = paths(&["home/notes", "home/.ssh", "state"]);
    let limited = [(FilesystemRead, read), (FilesystemWrite, paths(&["work"]))];
    rig.limited = limited.map(|(permission, scope)| GrantedPermission { permission, scope }).into();
    let write = r#"for name in work/new home/new home/notes home/.ssh/new; do
        { echo x > "$1/$name"; } 2>/dev/null; echo "$name $?" >> out
    done"#;
    let out = rig.run(&format!("{READ}; {write}")).await;
    assert_eq!(
        out,
        "home/notes secret\nhome/.ssh/id_test no\nstate/audit no\nwork/new 0\nhome/new 1\nhome/notes 1\nhome/.ssh/new 1\n"
    );
}

#[tokio::test]
async fn an_approval_with_programs_starts_only_those() {
    let mut rig = Rig::new();
    let scope = Some(GrantScope::Programs(vec!["true".to_owned(), "/nowhere".to_owned()]));
    rig.limited = vec![GrantedPermission { permission: ShellExecute, scope }];
    let start = r#"for name in true ls ./own; do
            { printf '#!/bin/bash\n' > own; chmod 700 own; } 2>/dev/null
            command -p "$name" > /dev/null 2>&1; echo "$name $?" >> out
        done; "$(type -P true)"; echo $? >> out"#;
    assert_eq!(rig.run(start).await, "true 0\nls 126\n./own 126\n0\n");
}
