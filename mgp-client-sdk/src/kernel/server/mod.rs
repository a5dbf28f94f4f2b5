//! One server behind the kernel: its endpoint, connection, tools and lifecycle.

mod answers;
mod call;
mod callback_bridge;
mod callback_records;
mod callbacks;
mod callers;
mod channel_events;
mod channels;
mod commands;
#[cfg(feature = "child")]
mod confined;
mod connect;
mod early_end;
mod ending;
mod endpoint;
mod enforcement;
mod inbound;
mod input_schema;
mod kept;
mod kernel_files;
mod latency;
mod limit_keys;
mod link;
mod listening;
mod listing;
mod log_level;
mod offers;
mod outcome;
mod parts_digest;
mod pause;
mod proposals;
mod questions;
mod relisting;
mod retries;
pub(super) mod roots;
#[expect(clippy::module_inception, reason = "the handle on a server is named for what it is")]
mod server;
mod shared;
mod sleep;
mod spec;
mod start_grants;
mod stream_summary;
mod supervisor;
mod url_elicitations;
mod url_required;
mod wait_inside;
mod warnings;
mod watched_resources;

pub use endpoint::{Endpoint, InProcess};
pub use enforcement::Enforcement;
pub use server::Server;
pub use spec::ServerSpec;

pub(super) use answers::MENDED;
pub(super) use call::ServerCall;
pub(super) use callback_bridge::answers_callbacks;
pub(super) use callers::{Caller, Callers};
pub(super) use commands::{AfterEnd, Command, EndCommand};
#[cfg(feature = "child")]
pub(super) use confined::settings as confinement_settings;
pub(super) use kernel_files::KernelFiles;
pub(super) use link::Link;
pub(super) use listing::read_all;
pub(super) use offers::{NamedEntry, Offers, Resources, literal_beginning};
pub(super) use proposals::{GrantedWish, KERNEL_TEXT, has_kernel_text};
pub(super) use questions::{ask as ask_host, name_questions};
pub(super) use server::{DispatchStack, ListedTool};
pub(super) use supervisor::{supervise, supervise_at_rest};
pub(super) use warnings::{warn_of_left_out, warn_of_mended};
pub(super) use watched_resources::WatchedResources;
