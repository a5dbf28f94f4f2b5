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
pub struct MemoryIdempotencyStore(Mutex<Rows>);

#[derive(Debug, Default)]
struct Rows {
    rows: HashMap<EntryId, Row>,
    sums: HashMap<String, Sums>,
}

/// The entries of one caller, and the bytes of their answers.
#[derive(Debug, Default, Clone, Copy)]
struct Sums {
    entries: usize,
    bytes: usize,
}

#[derive(Debug)]
struct Row {
    caller: String,
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

impl Rows {
    fn sums(&self, caller: &str) -> Sums {
        self.sums.get(caller).copied().unwrap_or_default()
    }

    fn remove(&mut self, id: &EntryId) {
        let Some(row) = self.rows.remove(id) else { return };
        let Some(sums) = self.sums.get_mut(&row.caller) else { return };
        (sums.entries, sums.bytes) = (sums.entries - 1, sums.bytes - row.bytes());
        if sums.entries == 0 {
            self.sums.remove(&row.caller);
        }
    }

    fn sweep(&mut self, now: Timestamp) -> usize {
        let over: Vec<_> =
            self.rows.iter().filter(|(_, row)| row.is_over(now)).map(|(id, _)| id.clone()).collect();
        over.iter().for_each(|id| self.remove(id));
        over.len()
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
        let NewEntry { id, caller, arguments, made_at, expires_at } = new;
        let mut rows = self.0.lock();
        match rows.rows.get(&id) {
            Some(row) if !row.is_over(made_at) => return Ok(Claim::Exists(Box::new(row.entry.clone()))),
            Some(_) => rows.remove(&id),
            None => {}
        }
        if rows.sums(&caller).entries >= bounds.entries {
            rows.sweep(made_at);
        }
        let count = rows.sums(&caller).entries;
        if count >= bounds.entries {
            let own = rows.rows.values().filter(|row| row.caller == caller);
            let room_at = own.map(|row| row.expires_at).min();
            return Ok(Claim::Full { bound: EntryBound::Entries(count), room_at });
        }
        rows.sums.entry(caller.clone()).or_default().entries += 1;
        let entry = Entry { arguments, made_at, state: EntryState::Pending { here: true } };
        rows.rows.insert(id, Row { caller, entry, expires_at });
        Ok(Claim::New)
    }

    async fn keep(&self, id: &EntryId, outcome: Outcome, bounds: EntryBounds) -> Result<(), StoreError> {
        let mut rows = self.0.lock();
        let Some(caller) = rows.rows.get(id).map(|row| row.caller.clone()) else { return Ok(()) };
        let room = bounds.answer_bytes.min(bounds.all_bytes.saturating_sub(rows.sums(&caller).bytes));
        let Some(row) = rows.rows.get_mut(id) else { return Ok(()) };
        let before = row.bytes();
        row.entry.state = match outcome {
            Outcome::Done(answer) => EntryState::Done(answer.within(room)),
            Outcome::Unknown => EntryState::Unknown,
        };
        let after = row.bytes();
        let sums = rows.sums.entry(caller).or_default();
        sums.bytes = sums.bytes + after - before;
        Ok(())
    }

    async fn foresee(&self, new: NewEntry, bounds: EntryBounds) -> Result<Claim, StoreError> {
        let rows = self.0.lock();
        let is_there = |row: &&Row| !row.is_over(new.made_at);
        if let Some(row) = rows.rows.get(&new.id).filter(is_there) {
            return Ok(Claim::Exists(Box::new(row.entry.clone())));
        }
        let own = rows.rows.values().filter(|row| row.caller == new.caller && is_there(row));
        let (count, room_at) = (own.clone().count(), own.map(|row| row.expires_at).min());
        Ok(if count >= bounds.entries {
            Claim::Full { bound: EntryBound::Entries(count), room_at }
        } else {
            Claim::New
        })
    }

    async fn release(&self, id: &EntryId) -> Result<(), StoreError> {
        self.0.lock().remove(id);
        Ok(())
    }

    async fn sweep(&self, now: Timestamp) -> Result<usize, StoreError> {
        Ok(self.0.lock().sweep(now))
    }

    async fn version(&self) -> Result<i64, StoreError> {
        Ok(0)
    }
}
