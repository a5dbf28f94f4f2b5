//! The steps, one file each, and their order.

mod callback;
mod cancel;
mod checkpoint;
mod created;
mod discover;
mod dry_run;
mod events;
mod fallback;
mod grant;
mod health;
mod idempotent;
mod limit;
mod negotiate;
mod permission;
mod reference;
mod refused;
mod restart;
mod result;
mod retry;
mod step;
mod stream;
mod transaction;
mod validator;

pub(super) use step::Step;

use self::{
    callback::Callback, cancel::Cancel, checkpoint::Checkpoint, created::Creation, discover::Discover,
    dry_run::DryRun, events::Events, fallback::Fallback, grant::Grant, health::Health,
    idempotent::Idempotency, limit::Limit, negotiate::Negotiate, permission::Permission,
    reference::Reference, refused::Refusal, restart::Restart, result::TypedResult, retry::Retry,
    stream::Stream, transaction::Transaction, validator::Validator,
};

/// The steps. Each builds on those before it.
pub(in crate::demo) const STEPS: [&dyn Step; 22] = [
    &Negotiate,
    &Discover,
    &Refusal,
    &Grant,
    &Permission,
    &Validator,
    &Stream,
    &Cancel,
    &Checkpoint,
    &Events,
    &Callback,
    &Creation,
    &Health,
    &Restart,
    &Retry,
    &Fallback,
    &TypedResult,
    &DryRun,
    &Limit,
    &Idempotency,
    &Transaction,
    &Reference,
];
