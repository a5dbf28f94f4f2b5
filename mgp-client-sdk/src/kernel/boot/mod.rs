//! The kernel as a whole: its handle, its configuration, its start, its operator's commands, and its end. The only room that sees all others.

pub(in crate::kernel) mod builder;
pub(in crate::kernel) mod configured;
pub(in crate::kernel) mod core;
mod health;
pub(in crate::kernel) mod kernel;
mod methods;
mod notices;
mod observer;
mod operator;
mod pin_later;
pub(in crate::kernel) mod reload;
mod session_methods;
mod settings;
mod start;
pub(in crate::kernel) mod stop_progress;
