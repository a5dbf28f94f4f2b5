//! The extractor for the state of a call that may be continued.

use super::{
    CheckpointSlot,
    seal::{MAX_STATE, close, end, open},
};
use crate::{
    Call, ToolError,
    from_call::FromCall,
    needs::{Needs, SingleExtractor},
    seal::{Seal, digest, now},
};
use mgp_stream::sink::CallStream;
use mgp_types::{checkpoint::CheckpointToken, json::RawJson, rpc::ErrorObject};
use serde::{Serialize, de::DeserializeOwned};
use std::time::Duration;

/// The state from which a call continues an earlier one of the same caller with the same arguments.
///
/// The handler saves its state as it proceeds. If the tool fails, or the caller cancels the call, the caller receives the state
/// as a sealed token, in `_meta["dev.cloto/checkpoint"]` of the result or the partial result. The caller sends it in `_meta` of
/// its next call. A tool that succeeds returns none.
///
/// The token is valid for the caller as identified by the server, for the tool and its arguments, and for a [limited
/// time](crate::Server::checkpoint_lifetime). Unless the server has a [key](crate::Server::state_key), the token ends with the
/// server. Its content is not secret: the caller can read it.
///
/// ```
/// use mgp_server_sdk::{Tool, ToolError, checkpoint::Checkpoint};
///
/// async fn copy(checkpoint: Checkpoint) -> Result<String, ToolError> {
///     let done: usize = checkpoint.state()?.unwrap_or(0);
///     for row in done..1000 {
///         // The work on one row.
///         checkpoint.save(&(row + 1))?;
///     }
///     Ok("copied".to_owned())
/// }
///
/// let tool = Tool::new("copy", "Copies all rows", copy);
/// # let _ = tool;
/// ```
#[derive(Debug)]
pub struct Checkpoint {
    seal: Seal,
    lifetime: Duration,
    /// The digest of the caller and the call.
    call: String,
    state: Option<RawJson>,
    stream: Option<CallStream>,
    slot: CheckpointSlot,
}

impl Checkpoint {
    /// Returns the state to continue from; `None` for a call that starts anew.
    ///
    /// # Errors
    /// Returns -32602 if the state is not of this type, for example because an earlier version of the server wrote it.
    pub fn state<T: DeserializeOwned>(&self) -> Result<Option<T>, ToolError> {
        let read = self.state.as_ref().map(RawJson::decode).transpose();
        read.map_err(|error| {
            ToolError::protocol(ErrorObject::invalid_params(format!(
                "the checkpoint cannot be used any more: {error}; call the tool without it to begin anew"
            )))
        })
    }

    /// Saves the state, replacing the one before. Each state is sealed at once, so save only after substantial steps.
    ///
    /// # Errors
    /// Returns a [`ToolError`] if the state cannot be JSON, or is longer than 64 KiB.
    pub fn save(&self, state: &(impl Serialize + ?Sized)) -> Result<(), ToolError> {
        let state = RawJson::from_value(state)?;
        let bytes = state.as_bytes().len();
        if bytes > MAX_STATE {
            return Err(ToolError::new(format!(
                "the state of a checkpoint has {bytes} bytes, expected at most {MAX_STATE}: keep the state, and save where it is"
            )));
        }
        let until = end(now(), self.lifetime);
        let token = close(&self.seal, &self.call, state, until)?;
        if let Some(stream) = &self.stream {
            stream.edit_partial(|partial| token.put(partial));
        }
        self.slot.set(Some(token));
        Ok(())
    }

    /// Drops the saved state: the caller starts anew.
    pub fn clear(&self) {
        if let Some(stream) = &self.stream {
            stream.edit_partial(CheckpointToken::remove);
        }
        self.slot.set(None);
    }
}

impl FromCall for Checkpoint {
    type Rejection = ToolError;

    fn needs(needs: &mut Needs) {
        needs.single(SingleExtractor::Checkpoint);
    }

    async fn from_call(call: &Call) -> Result<Self, ToolError> {
        let (incoming, app) = (call.incoming(), call.app());
        let state = open(&app.seal, incoming, now()).map_err(ToolError::protocol)?;
        let slot: Option<&CheckpointSlot> = incoming.ext.get();
        Ok(Self {
            seal: app.seal.clone(),
            lifetime: app.checkpoint_lifetime,
            state,
            stream: incoming.ext.get::<CallStream>().filter(|_| call.task_form().is_none()).cloned(),
            slot: slot.cloned().unwrap_or_default(),
            call: digest(incoming).map_err(ToolError::protocol)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Server, Tool};
    use mgp_transport::seam::Incoming;
    use mgp_types::json::RawObject;

    #[tokio::test]
    async fn a_checkpoint_expires_after_the_lifetime_that_the_server_sets() {
        let breaks = async |checkpoint: Checkpoint| -> Result<String, ToolError> {
            checkpoint.save(&3)?;
            Err(ToolError::new("the connection broke"))
        };
        let server = Server::new("s", "1").tool(Tool::new("import", "", breaks)).state_key([7; 32]);
        let begin = now();
        let client = server.checkpoint_lifetime(Duration::from_secs(600)).test_client().await.unwrap();
        let mut params = RawObject::parse(r#"{"name":"import","arguments":{}}"#).unwrap();
        let failed = client.peer().request_raw("tools/call", params.to_json()).await.unwrap();
        params.insert("_meta", RawObject::parse(failed.to_string()).unwrap().get("_meta").unwrap().clone());
        let again = Incoming::request(1, "tools/call", params);
        let state = |now| open(&Seal::new([7; 32]), &again, now);
        assert!(state(begin + 600).unwrap().is_some());
        assert!(state(now() + 601).unwrap_err().message.contains("it has expired"));
    }
}
