//! The steps, one file each.

mod callback;
mod cancel;
mod checkpoint;
mod created;
mod discover;
mod events;
mod fallback;
mod grant;
mod health;
mod negotiate;
mod permission;
mod refused;
mod restart;
mod retry;
mod step;
mod stream;
mod validator;

pub(super) use step::{STEPS, Step};
