//! The servers behind the kernel: the handle, the connection, the tools and the life of each, and the list of all of them.
//!
//! [`Server`] is composed of parts, such as [`connection`], [`offers`], [`request_path`] and [`warnings`]. A part owns its data and does not
//! import the server. [`Supervision`] and the modules that it uses import it: they connect, watch and end servers.

#[cfg(feature = "openapi")]
mod api;
mod asking;
mod channels;
#[cfg(feature = "child")]
mod command_tools;
mod commands;
#[cfg(feature = "child")]
mod confined;
mod connect;
mod connection;
mod ending;
mod endpoint;
mod enforcement;
mod extensions;
mod inbound;
mod kept;
mod latency;
mod limit_keys;
mod link;
mod listening;
mod listing;
pub(crate) mod listings;
mod observer;
mod offers;
mod overlaps;
mod pause;
mod relisting;
mod request_path;
mod server;
mod server_exchange;
pub(crate) mod servers;
mod shape;
mod sleep;
mod spec;
mod start_grants;
mod states;
mod stop_progress;
mod succession;
mod supervision;
mod supervisor;
mod wait_inside;
mod warnings;
mod watched_resources;

#[cfg(feature = "openapi")]
pub use api::{ApiEndpoint, DocumentPlace};
#[cfg(feature = "child")]
pub use command_tools::{CommandEndpoint, CommandSpec};
pub(crate) use endpoint::EndpointAtStart;
pub use endpoint::{Endpoint, InProcess};
pub use enforcement::Enforcement;
pub use server::Server;
pub use spec::ServerSpec;
pub use states::{StateChange, StateChanges};

pub(super) use asking::{check_allowed, feature_of, name_asker, name_questions, named};
pub(super) use channels::StarAnswer;
pub(super) use commands::{AfterEnd, Command, EndCommand};
#[cfg(feature = "child")]
pub(super) use confined::settings as confinement_settings;
pub(super) use extensions::{add_passed, passed_from, united};
pub(super) use kept::take_listing_of;
pub(super) use limit_keys::LimitKey;
#[cfg(test)]
pub(super) use limit_keys::LimitKeys;
pub(super) use link::{Grant, Link, decides_on_tasks};
pub(super) use listing::{ListedTool, read_all};
pub(super) use observer::ServerObserver;
pub(super) use offers::{NamedEntry, Offers, Resources, literal_beginning};
pub(super) use relisting::{refresh_prompts, refresh_resources};
pub(super) use request_path::DispatchStack;
pub(super) use server::SharedParts;
pub(super) use server_exchange::{HostQuestion, LOG_TIMEOUT, ServerExchange};
pub(super) use shape::{CacheKey, ResultCache, ShapedTool};
pub(super) use spec::KernelFiles;
pub(super) use supervision::Supervision;
pub(super) use supervisor::{supervise, supervise_at_rest};
pub(super) use warnings::{warn_of_left_out, warn_of_mended};
pub(super) use watched_resources::WatchGuard;
