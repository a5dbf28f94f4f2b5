//! The kernel as a whole: its handle, its configuration, its start, its operator's commands, and its end. The only room that sees all others.

mod applied;
mod background;
pub(crate) mod builder;
mod configured;
mod endpoint;
mod grants;
mod health;
pub(crate) mod kernel;
pub(crate) mod limit_rules;
mod methods;
mod observer;
pub(crate) mod operator;
pub(crate) mod reload;
mod session_methods;
mod settings;
mod start;
mod stop_progress;
