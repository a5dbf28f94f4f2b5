//! The results that this kernel has, within limits.

use super::{content::Content, data::KeptData};
use crate::ground::reference_store::{KeptTotals, RoomBounds, RoomShortage};
use mgp_types::context::Principal;
use parking_lot::{Mutex, MutexGuard};
use std::{fmt, sync::Arc};
use tokio::{task::JoinSet, time::Instant};

/// The maximum number of files for separately kept long strings of JSON, over all results. A process may open a thousand files, and most
/// of them are for connections.
const MAX_FILES_BESIDE: usize = 128;

/// The results that this kernel has.
pub(super) struct Entries {
    list: Mutex<Vec<Entry>>,
    bounds: RoomBounds,
    /// The tasks that wait for the expiry of entries. They end with this value.
    timers: Mutex<JoinSet<()>>,
    /// The maximum number of additional files: [`MAX_FILES_BESIDE`] outside of tests.
    pub(super) max_files_beside: usize,
}

/// Reserved room for data, from the moment at which its length is known.
struct Entry {
    id: String,
    owner: Principal,
    bytes: u64,
    /// The number of files in addition to that of the whole data.
    files_beside: usize,
    until: Instant,
    /// `None` while the data is written.
    data: Option<Arc<KeptData>>,
}

impl Entries {
    pub(super) fn new(bounds: RoomBounds) -> Self {
        let (list, timers) = Default::default();
        Self { list, bounds, timers, max_files_beside: MAX_FILES_BESIDE }
    }

    /// Checks that there is room for one more result of a principal.
    ///
    /// # Errors
    /// [`RoomShortage`].
    pub(super) fn check_room(&self, owner: &Principal) -> Result<(), RoomShortage> {
        self.check(&self.current(), owner, 1)
    }

    /// Returns the data of a principal's reference. References of another principal, expired ones and unknown ones give the same
    /// result.
    pub(super) fn find(&self, owner: &Principal, id: &str) -> Option<Arc<KeptData>> {
        let entries = self.current();
        entries.iter().find(|entry| entry.id == id && is_same(&entry.owner, owner))?.data.clone()
    }

    /// Returns the entries that have not expired.
    fn current(&self) -> MutexGuard<'_, Vec<Entry>> {
        let now = Instant::now();
        let mut entries = self.list.lock();
        entries.retain(|entry| entry.until > now);
        entries
    }

    fn check(&self, entries: &[Entry], owner: &Principal, bytes: u64) -> Result<(), RoomShortage> {
        let mut totals = KeptTotals::default();
        let mut first: Option<Instant> = None;
        for entry in entries {
            totals.total_results += 1;
            totals.total_bytes = totals.total_bytes.saturating_add(entry.bytes);
            if entry.owner.is_same_caller(owner) {
                totals.results += 1;
                totals.bytes = totals.bytes.saturating_add(entry.bytes);
                first = Some(first.map_or(entry.until, |first| first.min(entry.until)));
            }
        }
        totals.free_in = first.map(|until| until.saturating_duration_since(Instant::now()));
        totals.check(&self.bounds, bytes)
    }

    /// Reserves room for data under an id. Without room for additional files, only the whole data is kept.
    ///
    /// # Errors
    /// [`RoomShortage`].
    pub(super) fn reserve(
        self: &Arc<Self>,
        owner: &Principal,
        id: String,
        until: Instant,
        content: &mut Content,
    ) -> Result<Place, RoomShortage> {
        let mut entries = self.current();
        let files: usize = entries.iter().map(|entry| entry.files_beside).sum();
        if files + content.files_beside() > self.max_files_beside {
            content.keep_only_whole();
        }
        self.add(&mut entries, owner, (id, until), content.room(), content.files_beside())
    }

    /// Reserves room for data in one file under an id.
    ///
    /// # Errors
    /// [`RoomShortage`].
    pub(super) fn reserve_bytes(
        self: &Arc<Self>,
        owner: &Principal,
        id: String,
        until: Instant,
        bytes: u64,
    ) -> Result<Place, RoomShortage> {
        self.add(&mut self.current(), owner, (id, until), bytes, 0)
    }

    fn add(
        self: &Arc<Self>,
        entries: &mut Vec<Entry>,
        owner: &Principal,
        (id, until): (String, Instant),
        bytes: u64,
        files_beside: usize,
    ) -> Result<Place, RoomShortage> {
        self.check(entries, owner, bytes)?;
        // Delegation restricts kept data like it restricts calls.
        let owner = owner.clone();
        entries.push(Entry { id: id.clone(), owner, bytes, files_beside, until, data: None });
        Ok(Place { entries: self.clone(), id, until })
    }
}

/// Returns whether two principals are the same caller for the same agents.
fn is_same(one: &Principal, other: &Principal) -> bool {
    one.is_same_caller(other) && one.delegation().eq(other.delegation())
}

/// Reserved room, which is released unless data is stored in it.
pub(super) struct Place {
    entries: Arc<Entries>,
    pub(super) id: String,
    until: Instant,
}

impl Place {
    /// Extends the reserved room.
    ///
    /// # Errors
    /// [`RoomShortage`].
    pub(super) fn grow(&self, bytes: u64) -> Result<(), RoomShortage> {
        let mut entries = self.entries.list.lock();
        // An expired entry no longer holds anything.
        let Some(at) = entries.iter().position(|entry| entry.id == self.id) else { return Ok(()) };
        let mut entry = entries.swap_remove(at);
        let checked = self.entries.check(&entries, &entry.owner, bytes);
        if checked.is_ok() {
            entry.bytes = bytes;
        }
        entries.push(entry);
        checked
    }

    /// Stores data in the reserved room, until it expires.
    pub(super) fn fill(self, data: Arc<KeptData>) {
        let mut entries = self.entries.list.lock();
        if let Some(entry) = entries.iter_mut().find(|entry| entry.id == self.id) {
            entry.data = Some(data);
        }
        drop(entries);
        let (kept, until) = (Arc::downgrade(&self.entries), self.until);
        let mut timers = self.entries.timers.lock();
        while timers.try_join_next().is_some() {}
        timers.spawn(async move {
            tokio::time::sleep_until(until).await;
            // Frees the disk at the expiry, even without another request.
            kept.upgrade().into_iter().for_each(|entries| drop(entries.current()));
        });
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.entries.list.lock().retain(|entry| entry.id != self.id || entry.data.is_some());
    }
}

impl fmt::Debug for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entries").field("kept", &self.list.lock().len()).finish_non_exhaustive()
    }
}
