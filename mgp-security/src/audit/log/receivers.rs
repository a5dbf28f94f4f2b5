//! The programs to which events are forwarded, and the number of the last event that each has received.

use super::{
    connections::{Connections, Reader},
    reader,
};
use mgp_store::private_file::FileLock;
use mgp_types::audit::AuditReplayResult;
use rusqlite::OptionalExtension;
use std::{ffi::OsString, io, path::Path, time::Duration};

/// The turn to forward the events of a trail, until it is dropped or its process ends.
#[derive(Debug)]
#[must_use = "the turn ends when this is dropped"]
pub struct ForwardingTurn(#[allow(dead_code, reason = "held, never read")] FileLock);

impl ForwardingTurn {
    /// Takes the turn; `None` if another handle has it. Blocks on the disk.
    pub(super) fn take(trail: &Path) -> io::Result<Option<Self>> {
        let mut path = OsString::from(trail);
        path.push("-forwarding.lock");
        match FileLock::acquire(Path::new(&path), Duration::ZERO) {
            Ok(lock) => Ok(Some(Self(lock))),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Reads the first events that a receiver has not received. For a new receiver, these are all events.
pub(super) fn unreceived(
    mut reader: Reader<'_>,
    receiver: &str,
    limit: u32,
) -> rusqlite::Result<AuditReplayResult> {
    let reading = reader.snapshot()?;
    let last: Option<i64> = reading
        .prepare_cached("SELECT seq FROM receivers WHERE name = ?")?
        .query_row([receiver], |row| row.get(0))
        .optional()?;
    reader::replay(
        &reading,
        &reader::Page::from_number(u64::try_from(last.unwrap_or_default()).unwrap_or_default(), limit),
    )
}

impl Connections {
    /// Notes the number of the last event that a receiver has received. Blocks on the disk.
    pub(super) fn received(&self, receiver: &str, seq: i64) -> rusqlite::Result<()> {
        let checkpointing = self.checkpointing.lock();
        let Some(file) = &*checkpointing else { return Err(rusqlite::Error::InvalidQuery) };
        let note = "INSERT INTO receivers (name, seq) VALUES (?1, ?2)
            ON CONFLICT (name) DO UPDATE SET seq = max(seq, ?2)";
        file.prepare_cached(note)?.execute((receiver, seq)).map(drop)
    }
}
