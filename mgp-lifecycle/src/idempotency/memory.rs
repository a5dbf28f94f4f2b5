//! A store of entries in memory.

use super::{
    Claim, Entry, EntryBound, EntryBounds, EntryId, EntryState, IdempotencyStore, NewEntry, Outcome,
    StoreError,
};
use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;
use std::collections::HashMap;

/// A store of entries that live as long as the process: for tests, and for kernels without a state folder.
#[derive(Debug, Default)]
pub struct MemoryIdempotencyStore(Mutex<HashMap<EntryId, Row>>);

#[derive(Debug)]
struct Row {
    entry: Entry,
    expires_at: Timestamp,
}

impl Row {
    fn is_over(&self, now: Timestamp) -> bool {
        self.expires_at <= now && !matches!(self.entry.state, EntryState::Pending { .. })
    }

    fn bytes(&self) -> usize {
        match &self.entry.state {
            EntryState::Done(answer) => answer.text().map_or(0, |text| text.as_bytes().len()),
            _ => 0,
        }
    }
}

impl MemoryIdempotencyStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

#[async_trait]
impl IdempotencyStore for MemoryIdempotencyStore {
    async fn claim(&self, new: NewEntry, bounds: EntryBounds) -> Result<Claim, StoreError> {
        let NewEntry { id, arguments, made_at, expires_at } = new;
        let mut rows = self.0.lock();
        rows.retain(|_, row| !row.is_over(made_at));
        if let Some(row) = rows.get(&id) {
            return Ok(Claim::There(Box::new(row.entry.clone())));
        }
        let own = || rows.iter().filter(|(there, _)| there.principal == id.principal);
        let count = own().count();
        if count >= bounds.entries {
            let room_at = own().map(|(_, row)| row.expires_at).min();
            return Ok(Claim::Full { bound: EntryBound::Entries(count), room_at });
        }
        let entry = Entry { arguments, made_at, state: EntryState::Pending { here: true } };
        rows.insert(id, Row { entry, expires_at });
        Ok(Claim::New)
    }

    async fn keep(&self, id: &EntryId, outcome: Outcome, bounds: EntryBounds) -> Result<(), StoreError> {
        let mut rows = self.0.lock();
        let own = rows.iter().filter(|(there, _)| there.principal == id.principal);
        let used: usize = own.map(|(_, row)| row.bytes()).sum();
        let room = bounds.answer_bytes.min(bounds.all_bytes.saturating_sub(used));
        if let Some(row) = rows.get_mut(id) {
            row.entry.state = match outcome {
                Outcome::Done(answer) => EntryState::Done(answer.within(room)),
                Outcome::Unknown => EntryState::Unknown,
            };
        }
        Ok(())
    }

    async fn release(&self, id: &EntryId) -> Result<(), StoreError> {
        self.0.lock().remove(id);
        Ok(())
    }

    async fn sweep(&self, now: Timestamp) -> Result<usize, StoreError> {
        let mut rows = self.0.lock();
        let before = rows.len();
        rows.retain(|_, row| !row.is_over(now));
        Ok(before - rows.len())
    }

    async fn version(&self) -> Result<i64, StoreError> {
        Ok(0)
    }
}
