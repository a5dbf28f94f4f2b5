//! The members that each request of this side carries.

use super::{CallError, Session};
use mgp_types::{
    json::RawObject,
    mcp::{
        LoggingLevel,
        stateless::{EnvelopeMembers, RequestEnvelope},
    },
    rpc::RawParams,
};
use parking_lot::Mutex;
use std::sync::OnceLock;

/// The members that each request of this side carries, except those that are sent exactly as given.
#[derive(Debug, Default)]
pub(crate) struct RequestMembers {
    /// The envelope of the requests, and its serialized members, if the other side speaks a stateless revision.
    envelope: OnceLock<(RequestEnvelope, EnvelopeMembers)>,
    /// The least level of the log messages that the requests ask for.
    log_level: Mutex<Option<LoggingLevel>>,
    /// The function that adds further members.
    add: Option<fn(&mut RawObject, &Session)>,
}

impl RequestMembers {
    /// Creates the members of requests without an envelope. `add` adds further members.
    pub(crate) fn new(add: Option<fn(&mut RawObject, &Session)>) -> Self {
        Self { add, ..Self::default() }
    }

    /// Returns `true` if the other side speaks a stateless revision.
    pub(crate) fn are_stateless(&self) -> bool {
        self.envelope.get().is_some()
    }

    /// Sets the envelope. The first one is kept.
    pub(super) fn speak_stateless(&self, envelope: RequestEnvelope) {
        let members = envelope.members();
        let _ = self.envelope.set((envelope, members));
    }

    pub(super) fn envelope(&self) -> Option<&RequestEnvelope> {
        self.envelope.get().map(|(envelope, _)| envelope)
    }

    pub(super) fn set_log_level(&self, level: Option<LoggingLevel>) {
        *self.log_level.lock() = level;
    }

    pub(super) fn log_level(&self) -> Option<LoggingLevel> {
        *self.log_level.lock()
    }

    /// Adds the members to the params of a request.
    ///
    /// # Errors
    /// Returns [`CallError::Peer`] if the params are not an object.
    pub(super) fn put_into(&self, params: RawParams, session: &Session) -> Result<RawParams, CallError> {
        let (envelope, add) = (self.envelope.get(), self.add);
        if envelope.is_none() && add.is_none() {
            return Ok(params);
        }
        let mut object = params.into_object().map_err(CallError::Peer)?;
        if let Some(add) = add {
            add(&mut object, session);
        }
        if let Some((envelope, members)) = envelope
            && RequestEnvelope::version_in(&object).is_none()
        {
            match self.log_level() {
                None => members.write(&mut object),
                level => RequestEnvelope { log_level: level, ..envelope.clone() }.write(&mut object),
            }
        }
        Ok(object.into())
    }
}
