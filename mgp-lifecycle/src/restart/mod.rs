//! §11.5 Restart: decides whether and after how long a stopped server is started again, and when it is given up.

mod budget;
mod jitter;
mod policy;

pub use budget::{Restart, RestartBudget};
pub use jitter::{Jitter, RandomJitter};
pub use policy::{Exit, restarts};
