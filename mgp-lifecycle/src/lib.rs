//! §11 Lifecycle: the handshake gate, the states of a server, health, drain, restart; and §14.6 retries, with a circuit breaker.
//!
//! - [`breaker`]: refuses calls to one server for a while after several failed in a row.
//! - [`handshake`]: serves nothing before `initialize` is answered.
//! - [`state`]: the state of a server, and the transitions between states.
//! - [`gate`]: refuses calls to one server according to its state, counts the calls in flight, drains.
//! - [`health`]: a server's report about itself, and the probe that asks for it.
//! - [`on_demand`]: starts a server for the requests that need it, if it does not run or is away.
//! - `idempotency`: makes a call with a key only once (feature `idempotency`).
//! - `replica`: the processes that serve hosts from one database, and their sessions (feature `replicas`).
//! - [`restart`]: decides whether and after how long a stopped server is started again, and when it is given up.
//! - [`retry`]: makes failed calls again where that is safe.
//! - `transaction`: undoes calls by other calls (feature `idempotency`).
//! - [`shutdown`]: a server's answer to the request to stop.
//!
//! ```
//! use mgp_lifecycle::{gate::{DrainOutcome, Gate}, state::{Outlook, StateMachine}};
//! use mgp_types::lifecycle::ServerState;
//! use std::time::Duration;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let machine = StateMachine::new("notes");
//! let gate = Gate::new(machine.clone());
//! assert!(gate.enter().is_err(), "it is not connected yet");
//! machine.transition(ServerState::Connecting, "start")?;
//! machine.transition(ServerState::Connected, "handshake done")?;
//!
//! let call = gate.enter()?;
//! let drain = gate.drain("operator_request", Duration::from_secs(30), Outlook::Final)?;
//! assert_eq!(drain.answer().pending_requests, Some(1));
//! drop(call);
//! assert_eq!(drain.finished().await, DrainOutcome::Idle);
//! # Ok(()) }
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod breaker;
pub mod gate;
pub mod handshake;
pub mod health;
#[cfg(feature = "idempotency")]
pub mod idempotency;
pub mod on_demand;
#[cfg(all(feature = "idempotency", feature = "sqlite"))]
mod owner;
#[cfg(feature = "replicas")]
pub mod replica;
pub mod restart;
pub mod retry;
pub mod shutdown;
pub mod state;
#[cfg(feature = "idempotency")]
pub mod transaction;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
