//! The ground floor: the audit trail, traces, changes, states and the state folder, for all rooms above.

pub(crate) mod answer_details;
pub(crate) mod caller;
pub(crate) mod changes;
pub(crate) mod configuration_error;
#[cfg(feature = "http")]
mod denials;
pub(crate) mod event_checks;
pub(crate) mod kernel_id;
pub(crate) mod local;
pub(crate) mod manifest_uri;
#[cfg(feature = "postgres")]
pub(crate) mod migration;
pub(crate) mod own_channel;
pub(crate) mod page;
pub(crate) mod reference_store;
pub(crate) mod request_head;
pub(crate) mod roles;
pub(crate) mod round_host;
pub(crate) mod session_number;
pub(crate) mod state;
pub(crate) mod stopped;
pub(crate) mod stores;
pub(crate) mod time_buckets;
pub(crate) mod trace;
pub(crate) mod trail;
