//! Files that a confined process may use.

use crate::support::Rig;
use mgp_types::permission::StandardPermission::{FilesystemRead, FilesystemWrite, ShellExecute};

/// Tries to read the three decoys, and notes for each whether that succeeded.
const READ: &str = r#"for name in home/notes home/.ssh/id_test state/audit; do
    { read -r line < "$1/$name"; } 2>/dev/null; echo "$name ${line:-no}" >> out; line=
done"#;

#[tokio::test]
async fn the_private_folder_is_home_and_working_directory_and_nothing_else_is_read() {
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
async fn the_permission_to_read_covers_neither_secrets_nor_the_state() {
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
async fn naming_one_secret_opens_no_other_also_not_for_permissions() {
    let mut rig = Rig { approved: vec![FilesystemRead], ..Rig::new() };
    std::fs::write(rig.root.join("home/.ssh/known_hosts"), "known").unwrap();
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
async fn a_secret_that_is_made_after_the_start_is_not_read() {
    let rig = Rig { approved: vec![FilesystemRead, FilesystemWrite], ..Rig::new() };
    let (late, private) = (rig.root.join("home/.netrc"), rig.private());
    let script = r#"echo > ready; until [ -e made ]; do :; done
        { read -r line < "$1/home/.netrc"; } 2>/dev/null; echo "${line:-no}" > out"#;
    let make = async {
        while !private.join("ready").exists() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        std::fs::write(&late, "secret").unwrap();
        std::fs::write(private.join("made"), "").unwrap();
    };
    assert_eq!(tokio::join!(rig.run(script), make).0, "no\n");
}

#[tokio::test]
async fn all_files_do_not_include_the_machine() {
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
async fn a_folder_that_may_be_written_is_written_and_its_neighbours_are_not() {
    let mut rig = Rig::new();
    std::fs::create_dir(rig.root.join("work")).unwrap();
    rig.settings.write = vec![rig.root.join("work")];
    let write =
        r#"for name in work home; do { echo x > "$1/$name/new"; } 2>/dev/null; echo "$name $?" >> out; done"#;
    assert_eq!(rig.run(write).await, "work 0\nhome 1\n");
    let rig = Rig { approved: vec![FilesystemWrite], ..Rig::new() };
    let out = rig.run(&write.replace("work home", "home/notes home/.ssh state").replace("/new", "")).await;
    assert_eq!(out, "home/notes 0\nhome/.ssh 1\nstate 1\n");
}

#[tokio::test]
async fn modes_change_where_files_may_be_written_alone() {
    let change = r#"for name in home/.ssh state home; do chmod 755 "$1/$name" 2>/dev/null; echo "$name $?" >> out; done
        chmod 700 tmp; echo "tmp $?" >> out"#;
    let rig = Rig { approved: vec![ShellExecute], ..Rig::new() };
    assert_eq!(rig.run(change).await, "home/.ssh 1\nstate 1\nhome 1\ntmp 0\n");
    let rig = Rig { approved: vec![ShellExecute, FilesystemWrite], ..Rig::new() };
    assert_eq!(rig.run(change).await, "home/.ssh 1\nstate 1\nhome 0\ntmp 0\n");
}

#[tokio::test]
async fn programs_are_started_with_the_permission_to_execute_alone() {
    let start = r#"/bin/sh -c : 2>/dev/null; echo "system $?" >> out
        { printf '#!/bin/sh\n' > own && chmod 700 own && ./own; } 2>/dev/null; echo "own $?" >> out"#;
    assert_eq!(Rig::new().run(start).await, "system 126\nown 126\n");
    assert_eq!(Rig { approved: vec![ShellExecute], ..Rig::new() }.run(start).await, "system 0\nown 0\n");
}
