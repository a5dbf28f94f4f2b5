//! Tests of journals that cannot be read, or cannot be kept aside.

use super::support::{Trail, and, events, numbers};
use crate::audit::log::journal::WriterId;
use std::{fs, process::Command};

#[cfg(unix)]
#[tokio::test]
async fn a_journal_that_cannot_be_read_keeps_back_no_other() {
    let trail = Trail::killed(3);
    // Before and behind the other one. Opening a pipe would wait for ever if nobody else had it open.
    let pipes = [WriterId([1; 16]), WriterId([8; 16])].map(|writer| {
        let path = trail.journals().join(format!("{writer}-00000000"));
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        fs::File::options().read(true).write(true).open(&path).unwrap()
    });
    let log = trail.open();
    assert_eq!(events(&log).await, numbers(3));
    let error = log.verify(None).await.unwrap_err().message;
    assert!(error.contains("is not a file"), "{error}");
    assert_eq!(trail.files().len(), pipes.len());
}

#[tokio::test]
async fn damage_is_reported_once_its_journal_is_kept_aside() {
    let trail = Trail::killed(2);
    let mut changed = fs::read(trail.segment(0)).unwrap();
    *changed.last_mut().unwrap() ^= 4;
    fs::write(trail.segment(0), &changed).unwrap();
    // A folder has the name under which the journal is kept.
    let aside = trail.segment(0).with_extension("damaged");
    fs::create_dir_all(aside.join("inner")).unwrap();
    let log = trail.open();
    assert_eq!(events(&log).await, numbers(1));
    assert!(log.verify(None).await.is_err());
    assert_eq!(fs::read(trail.segment(0)).unwrap(), changed);
    fs::remove_dir_all(&aside).unwrap();
    assert_eq!(events(&log).await, and(numbers(1), "damaged changed"));
    assert_eq!(fs::read(aside).unwrap(), changed);
}
