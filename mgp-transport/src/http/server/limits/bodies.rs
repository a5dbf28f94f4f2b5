//! The number of bytes that request bodies hold, of all callers together and of each.

use super::Room;
use crate::http::server::refusal::Refusal;
use http::StatusCode;
use mgp_types::context::Principal;
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc};

/// The number of bytes that request bodies hold. Clones share the count.
#[derive(Debug, Clone, Default)]
pub(in crate::http::server) struct Bodies(Arc<Mutex<ByteCounts>>);

#[derive(Debug, Default)]
struct ByteCounts {
    all: usize,
    of_one: HashMap<Principal, usize>,
}

/// The lease of one body, released when dropped.
#[derive(Debug)]
pub(in crate::http::server) struct BodyLease {
    bodies: Bodies,
    principal: Principal,
    room: Room,
    bytes: usize,
}

impl Bodies {
    /// Returns a lease for a principal's body, of no bytes yet.
    pub(in crate::http::server) fn lease(&self, principal: &Principal, room: Room) -> BodyLease {
        BodyLease { bodies: self.clone(), principal: principal.clone(), room, bytes: 0 }
    }
}

impl BodyLease {
    /// Grows the lease to a number of bytes.
    ///
    /// # Errors
    /// Returns 503 or 429 if the bodies of all callers, or of this principal, would exceed their limit.
    pub(in crate::http::server) fn grow(&mut self, to: usize) -> Result<(), Refusal> {
        let more = to.saturating_sub(self.bytes);
        let mut bytes = self.bodies.0.lock();
        let of_one = bytes.of_one.get(&self.principal).copied().unwrap_or_default();
        if bytes.all + more > self.room.all {
            let message = format!(
                "too many bytes in request bodies: those of all callers may hold {} together (total_body_limit)",
                self.room.all
            );
            return Err(Refusal::no_room(StatusCode::SERVICE_UNAVAILABLE, message));
        }
        if of_one + more > self.room.of_one {
            let message = format!(
                "too many bytes in request bodies: those of {:?} may hold {} together (total_body_limit_per_agent)",
                self.principal.id(),
                self.room.of_one
            );
            return Err(Refusal::no_room(StatusCode::TOO_MANY_REQUESTS, message));
        }
        bytes.all += more;
        bytes.of_one.insert(self.principal.clone(), of_one + more);
        self.bytes += more;
        Ok(())
    }
}

impl Drop for BodyLease {
    fn drop(&mut self) {
        let mut bytes = self.bodies.0.lock();
        bytes.all -= self.bytes;
        if let Some(of_one) = bytes.of_one.get_mut(&self.principal) {
            *of_one -= self.bytes;
            if *of_one == 0 {
                bytes.of_one.remove(&self.principal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lease(bodies: &Bodies, agent: &str) -> BodyLease {
        bodies.lease(&Principal::agent(agent), Room { all: 100, of_one: 60 })
    }

    #[test]
    fn shares_are_bounded_per_caller_and_in_total_and_returned() {
        let bodies = Bodies::default();
        let (mut first, mut second) = (lease(&bodies, "a"), lease(&bodies, "a"));
        first.grow(10).unwrap();
        first.grow(40).unwrap();
        second.grow(20).unwrap();
        let refused = second.grow(21).unwrap_err();
        assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
        assert!(refused.error.message.contains(r#"those of "a" may hold 60"#), "{refused:?}");
        let mut other = lease(&bodies, "b");
        other.grow(40).unwrap();
        let refused = other.grow(41).unwrap_err();
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(refused.error.message.contains("those of all callers may hold 100"), "{refused:?}");
        drop((first, second));
        other.grow(60).unwrap();
        drop(other);
        assert_eq!(bodies.0.lock().all, 0);
        assert!(bodies.0.lock().of_one.is_empty());
    }
}
