//! The buttons of the console, each of which runs one command.

mod added_servers;
mod agents;
mod approvals;
mod doubt;
mod form_error;
mod lifetime;
mod outcome;
mod run;
mod servers;
mod settings;
mod table;
mod tools;
mod trail;

pub(crate) use added_servers::{ADD_SERVER, PREVIEW_REGISTRATION, PREVIEW_SERVER, REGISTER_SERVER};
pub(crate) use agents::{ADD_KEY, CONNECT, DISCONNECT, GRANT, REVOKE, REVOKE_KEY, ROTATE_KEY};
pub(crate) use approvals::{ACCEPT, APPROVE, DENY, PREVIEW, TAKE_BACK};
pub(crate) use doubt::ANYWAY;
pub(crate) use run::run;
pub(crate) use servers::{DRAIN, REMOVE_SERVER, RESTART, START, STOP};
pub(crate) use settings::{CHECK_SETTINGS, MEND, MEND_ALL, RELOAD, SAVE_SETTINGS};
pub(crate) use table::actions;
pub(crate) use tools::{CALL, CHECK};
pub(crate) use trail::VERIFY;
