//! The ground floor: the audit trail, traces, changes, states and the state folder, for all rooms above.

pub(in crate::kernel) mod answer_details;
pub(in crate::kernel) mod caller;
pub(in crate::kernel) mod changes;
pub(in crate::kernel) mod configuration_error;
#[cfg(feature = "http")]
mod denials;
pub(in crate::kernel) mod dry_run_form;
pub(in crate::kernel) mod event_checks;
pub(in crate::kernel) mod kernel_id;
pub(in crate::kernel) mod local;
pub(in crate::kernel) mod long_call;
pub(in crate::kernel) mod manifest_uri;
pub(in crate::kernel) mod own_channel;
pub(in crate::kernel) mod page;
pub(in crate::kernel) mod request_head;
pub(in crate::kernel) mod roles;
pub(in crate::kernel) mod round_host;
pub(in crate::kernel) mod state;
pub(in crate::kernel) mod stopped;
pub(in crate::kernel) mod trace;
pub(in crate::kernel) mod trail;
