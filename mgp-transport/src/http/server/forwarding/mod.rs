//! The replica that handles a request: this one, or another one to which the request is forwarded.
//!
//! | file | contents |
//! |---|---|
//! | `route.rs` | the choice of the replica for a request that names a session |
//! | `named_session.rs` | the session that a request names |
//! | `continued.rs` | requests of the stateless era that continue a call or a task |
//! | `relay.rs` | the response of another replica |
//! | `take_over.rs` | the restoration of a session whose owner is gone |

mod continued;
mod named_session;
mod relay;
mod route;
mod take_over;

pub(super) use continued::forward_continued;
pub(super) use route::route;
