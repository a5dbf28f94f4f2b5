//! Processes of servers that run on after the end of the process that started the server.

use super::left_behind::{VARIABLE, kill, wait_for};
use std::{fs, io, os::unix::fs::MetadataExt};

/// The most orphans that are returned.
const MAX_ORPHANS: usize = 256;

/// A process of a server, of this account, whose starter has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orphan {
    id: i32,
    name: String,
    /// The variable and its value that mark the process.
    mark: Vec<u8>,
}

impl Orphan {
    /// Returns the orphans of this account on this machine, ordered by their ids. Processes in other containers are left out, because their
    /// starters cannot be seen.
    ///
    /// # Errors
    /// If the processes cannot be listed.
    pub fn all() -> io::Result<Vec<Self>> {
        let own = rustix::process::geteuid().as_raw();
        let namespace = fs::read_link("/proc/self/ns/pid")?;
        let mut orphans = Vec::new();
        for entry in fs::read_dir("/proc")? {
            let id: Option<i32> = entry?.file_name().to_str().and_then(|name| name.parse().ok());
            // This process may be one itself.
            let Some(id) = id.filter(|id| id.unsigned_abs() != std::process::id()) else { continue };
            let folder = format!("/proc/{id}");
            let is_near = fs::metadata(&folder).is_ok_and(|found| found.uid() == own)
                && fs::read_link(format!("{folder}/ns/pid")).is_ok_and(|of| of == namespace);
            let orphan = is_near.then(|| Self::of(id, &folder)).flatten();
            orphans.extend(orphan.filter(|_| orphans.len() < MAX_ORPHANS));
        }
        orphans.sort_by_key(|orphan| orphan.id);
        Ok(orphans)
    }

    fn of(id: i32, folder: &str) -> Option<Self> {
        let environment = fs::read(format!("{folder}/environ")).ok()?;
        let start = format!("{VARIABLE}=");
        let mark = environment.split(|byte| *byte == 0).find(|entry| entry.starts_with(start.as_bytes()))?;
        let mut parts = std::str::from_utf8(mark).ok()?.strip_prefix(&start)?.split('-');
        let starter: i32 = parts.next()?.parse().ok()?;
        // A process that started later has only got the id of the starter.
        let own = started(id)?;
        if started(starter).is_some_and(|starter| starter <= own) {
            return None;
        }
        let name = fs::read_to_string(format!("{folder}/comm")).ok()?.trim_end().to_owned();
        Some(Self { id, name, mark: mark.to_owned() })
    }

    /// Returns the id of the process.
    #[must_use]
    pub const fn id(&self) -> i32 {
        self.id
    }

    /// Returns the name of the process's program.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Kills the process, if it still has its mark, and waits two seconds at most until it has ended. Blocks the thread.
    ///
    /// # Errors
    /// If the process still runs and could not be killed.
    pub fn kill(&self) -> io::Result<()> {
        match kill(self.id, &self.mark) {
            Some(process) => wait_for(&[process]),
            None if Self::of(self.id, &format!("/proc/{}", self.id)).as_ref() == Some(self) => {
                return Err(io::Error::other(format!("process {} cannot be killed", self.id)));
            }
            None => {}
        }
        Ok(())
    }
}

/// Returns the time at which a process was started, in the system's ticks since its boot; `None` if it has ended. Unlike times of the clock,
/// ticks of two processes can be compared after the clock was set.
fn started(id: i32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name of the program may contain spaces and parentheses.
    let mut fields = stat.rsplit_once(") ")?.1.split_whitespace();
    let is_zombie = fields.next().is_none_or(|state| matches!(state, "Z" | "X"));
    fields.nth(18).filter(|_| !is_zombie)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn only_a_process_whose_starter_has_ended_is_an_orphan() {
        let mut ended = Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let start = |starter: u32| {
            let mark = format!("{starter}-1-0");
            Command::new("sleep").arg("1000").env(VARIABLE, mark).stdin(Stdio::null()).spawn().unwrap()
        };
        let mut children = [start(ended.id()), start(std::process::id())];
        let is_orphan = |id: u32| Orphan::all().unwrap().iter().any(|orphan| orphan.id() == id.cast_signed());
        assert_eq!(children.each_ref().map(|child| is_orphan(child.id())), [true, false]);
        let orphans = Orphan::all().unwrap();
        let orphan = orphans.iter().find(|orphan| orphan.id() == children[0].id().cast_signed()).unwrap();
        assert_eq!(orphan.name(), "sleep");
        orphan.kill().unwrap();
        assert!(!children[0].wait().unwrap().success() && !is_orphan(children[0].id()));
        // A process that has ended needs no signal.
        orphan.kill().unwrap();
        for mut child in children {
            let _ = child.kill();
            child.wait().unwrap();
        }
    }
}
