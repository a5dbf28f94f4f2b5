//! The steps, one file each.

mod cancel;
mod discover;
mod events;
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
