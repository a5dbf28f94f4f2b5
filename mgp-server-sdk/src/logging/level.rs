//! The level of a session.

use mgp_transport::seam::{Incoming, Reply, Session};
use mgp_types::{
    mcp::{LoggingLevel, SetLevelParams},
    rpc::{Empty, ErrorObject},
};

/// What a client that asked for none gets.
const DEFAULT: LoggingLevel = LoggingLevel::Info;

/// The level of a session, in its values.
#[derive(Debug, Clone, Copy)]
struct Level(LoggingLevel);

/// From which level on a session's client wants log messages.
pub(crate) fn level(session: &Session) -> LoggingLevel {
    session.get::<Level>().map_or(DEFAULT, |level| level.0)
}

/// Answers `logging/setLevel`.
pub(crate) fn set(incoming: &Incoming) -> Result<Reply, ErrorObject> {
    let SetLevelParams { level, .. } = incoming.params.decode()?;
    if let Some(session) = incoming.session() {
        session.set(Level(level));
    }
    Ok(Reply::from_value(&Empty::default()))
}
