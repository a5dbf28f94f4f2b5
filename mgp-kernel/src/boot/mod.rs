//! The kernel as a whole: its handle, its configuration, its start, its operator's commands, and its end. The only room that sees all others.

mod approved;
pub(crate) mod builder;
pub(crate) mod configured;
mod health;
pub(crate) mod kernel;
mod methods;
mod new_rights;
mod notices;
mod observer;
pub(crate) mod operator;
mod pin_later;
pub(crate) mod reload;
mod session_methods;
mod settings;
mod start;
pub(crate) mod stop_progress;
