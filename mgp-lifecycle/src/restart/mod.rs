//! §11.5 Restart: whether, after how long, and when to give up.

mod budget;
mod jitter;
mod policy;

pub use budget::{Restart, RestartBudget};
pub use jitter::{Jitter, RandomJitter};
pub use policy::{Exit, restarts};
