//! The replica that handles a request: this one, or another one to which the request is forwarded.
//!
//! | file | contents |
//! |---|---|
//! | `route.rs` | the choice of the replica for a request that names a session |
//! | `named_session.rs` | the session that a request names |
//! | `parked.rs` | requests of the stateless era that continue a call |
//! | `relay.rs` | the response of another replica |
//! | `take_over.rs` | the restoration of a session whose owner is gone |

mod named_session;
mod parked;
mod relay;
mod route;
mod take_over;

pub(super) use parked::forward_parked;
pub(super) use route::route;
