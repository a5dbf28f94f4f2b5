//! Limits on the number of sessions, of requests and of bytes in bodies: one limit for all callers together, and one for each caller, so
//! that no caller locks out the others.

use crate::http::server::refusal::Refusal;
use http::StatusCode;

/// The default limit of one caller is one of this many equal shares.
const SHARES: usize = 4;

/// The limits of one resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http::server) struct Room {
    pub(in crate::http::server) all: usize,
    pub(in crate::http::server) of_one: usize,
}

impl Room {
    /// Creates limits with `of_one` for one caller, or with a share of `all` if that is `None`. If there is only one caller, it
    /// may have all.
    pub(in crate::http::server) fn new(all: usize, of_one: Option<usize>, several: bool) -> Self {
        let of_one = if several { of_one.unwrap_or(all.div_ceil(SHARES)) } else { all };
        Self { all, of_one }
    }

    /// Refuses one more `thing` if the callers together already have `all`, or this caller has `of_one`, and that is the limit.
    pub(in crate::http::server) fn check(
        self,
        thing: &str,
        all: usize,
        of_one: usize,
    ) -> Result<(), Refusal> {
        let (status, message) = if all >= self.all {
            let limit = self.all;
            let message = format!("too many {thing}s: {limit} are open, which is the limit");
            (StatusCode::SERVICE_UNAVAILABLE, message)
        } else if of_one >= self.of_one {
            let limit = self.of_one;
            let message =
                format!("too many {thing}s of this caller: {limit} are open, which is the limit of one");
            (StatusCode::TOO_MANY_REQUESTS, message)
        } else {
            return Ok(());
        };
        Err(Refusal::no_room(status, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_several_callers_gets_a_share_and_a_sole_one_gets_all() {
        let of_one = |all, of_one, several| Room::new(all, of_one, several).of_one;
        assert_eq!(of_one(1024, None, true), 256);
        assert_eq!(of_one(1, None, true), 1);
        assert_eq!(of_one(1024, Some(7), true), 7);
        assert_eq!(of_one(1024, None, false), 1024);
        assert_eq!(of_one(1024, Some(7), false), 1024);
    }

    #[test]
    fn the_exceeded_bound_is_named() {
        let room = Room { all: 3, of_one: 2 };
        assert!(room.check("session", 2, 1).is_ok());
        let full = room.check("session", 3, 0).unwrap_err();
        assert_eq!(full.status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(full.error.message.contains("too many sessions: 3"), "{full:?}");
        let full = room.check("request", 2, 2).unwrap_err();
        assert_eq!(full.status, StatusCode::TOO_MANY_REQUESTS);
        assert!(full.error.message.contains("too many requests of this caller: 2"), "{full:?}");
    }
}
