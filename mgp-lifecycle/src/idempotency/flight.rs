//! Calls of this process that others with the same key wait for, without a look at the store.

use super::{EntryId, KeptAnswer};
use jiff::Timestamp;
use parking_lot::Mutex;
use std::{
    collections::{HashMap, hash_map},
    sync::Arc,
};
use tokio::sync::watch;

/// The end of a call, for those who waited for it.
#[derive(Debug, Clone)]
pub(super) enum FlightEnd {
    /// It runs.
    Running,
    /// It was answered. The answer is whole here, also if it is too large to be kept.
    Done(Arc<KeptAnswer>, Timestamp),
    /// It was sent, and its outcome is unknown.
    Unknown(Timestamp),
}

/// The calls with keys that run in this process.
#[derive(Debug, Clone, Default)]
pub(super) struct Flights(Arc<Mutex<HashMap<EntryId, FlightEntry>>>);

#[derive(Debug)]
struct FlightEntry {
    arguments: [u8; 32],
    /// True if the call is made here; false while its key is being claimed, which may show that it was used with other arguments.
    is_made: bool,
    landing: watch::Receiver<FlightEnd>,
}

/// A call that comes with a key.
#[derive(Debug)]
pub(super) enum FlightPlace {
    /// The first one.
    First(Flight),
    /// Another one is there, with the same arguments or with others.
    Taken { landing: watch::Receiver<FlightEnd>, is_same: bool },
    /// Another one is made, with other arguments.
    Conflict,
}

/// The place of the call that the others with its key wait for. If it is dropped before it lands, one of them takes its place.
#[derive(Debug)]
pub(super) struct Flight {
    id: EntryId,
    landing: watch::Sender<FlightEnd>,
    flights: Flights,
}

impl Flights {
    pub(super) fn board(&self, id: &EntryId, arguments: [u8; 32]) -> FlightPlace {
        match self.0.lock().entry(id.clone()) {
            hash_map::Entry::Occupied(aloft) => {
                let FlightEntry { arguments: there, is_made, landing } = aloft.get();
                match (*there == arguments, is_made) {
                    (false, true) => FlightPlace::Conflict,
                    (is_same, _) => FlightPlace::Taken { landing: landing.clone(), is_same },
                }
            }
            hash_map::Entry::Vacant(vacant) => {
                let (landing, landed) = watch::channel(FlightEnd::Running);
                vacant.insert(FlightEntry { arguments, is_made: false, landing: landed });
                FlightPlace::First(Flight { id: id.clone(), landing, flights: self.clone() })
            }
        }
    }
}

impl Flight {
    /// Notes that the call is made: its arguments are those of the key.
    pub(super) fn make(&self) {
        if let Some(aloft) = self.flights.0.lock().get_mut(&self.id) {
            aloft.is_made = true;
        }
    }

    /// Tells those who wait how the call ended.
    pub(super) fn land(self, landing: FlightEnd) {
        self.landing.send_replace(landing);
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        // Before the sender goes, so that those who wait find the place free.
        self.flights.0.lock().remove(&self.id);
    }
}
