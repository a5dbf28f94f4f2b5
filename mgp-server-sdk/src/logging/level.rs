//! The level of a session.

use mgp_transport::seam::{Extensions, Incoming, Reply, Role, Routes, Session};
use mgp_types::{
    mcp::{LoggingLevel, SetLevel, SetLevelParams},
    rpc::{Empty, ErrorObject, RawParams},
};

/// The level for a client that asked for none.
const DEFAULT: LoggingLevel = LoggingLevel::Info;

/// The level of a session, among the session's values; `None` if no messages are to be sent.
#[derive(Debug, Clone, Copy)]
struct Level(Option<LoggingLevel>);

/// Returns the level from which on a session's client receives log messages, or `None` if it receives none.
#[must_use]
pub fn level(session: &Session) -> Option<LoggingLevel> {
    session.get::<Level>().map_or(Some(DEFAULT), |level| level.0)
}

/// Returns the level that a session's client asked for.
#[must_use]
pub fn asked_for(session: &Session) -> Option<LoggingLevel> {
    session.get::<Level>().and_then(|level| level.0)
}

/// Stores the level that a request asks for, among the values that the request sets for its client.
pub(crate) fn note_level(said: &mut Extensions, level: Option<LoggingLevel>) {
    said.insert(Level(level));
}

/// Returns whether a session's client should receive a log message with these params (`notifications/message`).
#[must_use]
pub fn is_wanted(session: &Session, params: &RawParams) -> bool {
    let said = params.object().ok().and_then(|params| params.text("level"));
    let said = said.and_then(|said| said.parse::<LoggingLevel>().ok());
    match (level(session), said) {
        (Some(wanted), Some(said)) => said >= wanted,
        _ => false,
    }
}

/// Returns `logging/setLevel`.
pub(crate) fn routes() -> Routes {
    Routes::new().route(SetLevel, Role::Anyone, async |(), message| Ok(set(&message)?))
}

/// Answers `logging/setLevel`.
///
/// # Errors
/// Returns -32602 if the params name no valid level.
pub fn set(incoming: &Incoming) -> Result<Reply, ErrorObject> {
    let SetLevelParams { level, .. } = incoming.params.decode()?;
    if let Some(session) = incoming.session() {
        session.set(Level(Some(level)));
    }
    Ok(Reply::from_value(&Empty::default()))
}
