//! Routes each method to the part of the server that answers it.
//!
//! ```text
//!               ┌ initialize, lists, logging, subscriptions, tasks, health, shutdown: answered at once
//! handshake ▸ router
//!               └ gate (2001 while the server stops) ┬ tools/call: limit ▸ time limit ▸ cancel ▸ handler
//!                                                    └ resources, prompts, completion: time limit ▸ cancel ▸ handler
//! lane: ping, mgp/health/ping, mgp/stream/cancel, mgp/callback/respond
//! ```

mod complete;
mod listen;
mod pages;
mod service;
mod tool_pages;
mod work;

pub(crate) use complete::completion_routes;
pub(crate) use listen::ChangeSource;
pub(crate) use pages::Pages;
pub(crate) use service::Router;
pub(crate) use tool_pages::{ToolLists, ToolPages};
pub(crate) use work::{Limits, Work};
