//! Registered servers in memory.

use super::{
    AddOutcome, Registration, RegistrationStore, RequestOutcome, RequestedServer, StoreError,
    requested_server::place, store::is_same,
};
use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;
use std::sync::Arc;

/// Registered servers that live as long as the process: for tests, and for kernels without a state folder. Clones share the servers.
#[derive(Debug, Clone, Default)]
pub struct MemoryRegistrationStore(Arc<Mutex<Rows>>);

#[derive(Debug, Default)]
struct Rows {
    rows: Vec<Registration>,
    requests: Vec<RequestedServer>,
    version: i64,
}

impl MemoryRegistrationStore {
    /// Creates a store without servers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

#[async_trait]
impl RegistrationStore for MemoryRegistrationStore {
    async fn load(&self) -> Result<Vec<Registration>, StoreError> {
        Ok(self.0.lock().rows.clone())
    }

    async fn add(&self, registration: Registration, limit: usize) -> Result<AddOutcome, StoreError> {
        let mut stored = self.0.lock();
        if stored.rows.iter().any(|known| known.id() == registration.id()) {
            return Ok(AddOutcome::Taken);
        }
        if stored.rows.len() >= limit {
            return Ok(AddOutcome::Full);
        }
        stored.rows.push(registration);
        stored.version += 1;
        Ok(AddOutcome::Yes)
    }

    async fn remove(&self, found: &Registration) -> Result<Option<Registration>, StoreError> {
        let mut stored = self.0.lock();
        let Some(at) = stored.rows.iter().position(|known| is_same(known, found)) else { return Ok(None) };
        stored.version += 1;
        Ok(Some(stored.rows.remove(at)))
    }

    async fn requests(&self) -> Result<Vec<RequestedServer>, StoreError> {
        let now = Timestamp::now();
        let mut requests = self.0.lock().requests.clone();
        requests.retain(|row| row.denied_by.is_some() || row.is_open(now));
        Ok(requests)
    }

    async fn request(&self, registration: Registration) -> Result<RequestOutcome, StoreError> {
        let asked = RequestedServer::new(registration);
        let requests = &mut self.0.lock().requests;
        let (outcome, stay) = place(requests, &asked, Timestamp::now());
        requests.retain(|row| stay.contains(&row.request_id));
        if let RequestOutcome::Kept(row) = &outcome {
            match requests.iter_mut().find(|there| there.request_id == row.request_id) {
                Some(there) => *there = (**row).clone(),
                None => requests.push((**row).clone()),
            }
        }
        Ok(outcome)
    }

    async fn deny_request(&self, request_id: &str, by: &str) -> Result<bool, StoreError> {
        let requests = &mut self.0.lock().requests;
        let row = requests.iter_mut().find(|row| row.request_id == request_id && row.denied_by.is_none());
        Ok(row.map(|row| row.denied_by = Some(by.to_owned())).is_some())
    }

    async fn take_request(&self, request_id: &str) -> Result<Option<RequestedServer>, StoreError> {
        let requests = &mut self.0.lock().requests;
        let place = requests.iter().position(|row| row.request_id == request_id && row.denied_by.is_none());
        Ok(place.map(|place| requests.remove(place)))
    }

    async fn remove_request(&self, request_id: &str) -> Result<Option<RequestedServer>, StoreError> {
        let requests = &mut self.0.lock().requests;
        let place = requests.iter().position(|row| row.request_id == request_id);
        Ok(place.map(|place| requests.remove(place)))
    }

    async fn version(&self) -> Result<i64, StoreError> {
        Ok(self.0.lock().version)
    }
}
