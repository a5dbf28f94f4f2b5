//! The steps, one file each.

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

pub(super) use step::{STEPS, Step};
