//! §6.2 Forwards stored events to the hosts of operators and to an audit server.

mod methods;
mod to_hosts;
mod to_server;

pub(crate) use methods::routes;
pub(crate) use to_hosts::{forward_to_hosts, newest};
pub(crate) use to_server::forward_to_server;

use std::time::Duration;

/// The interval at which the trail is read for new events. Other processes store events in the same file, and cannot notify the reader.
const INTERVAL: Duration = Duration::from_millis(200);
