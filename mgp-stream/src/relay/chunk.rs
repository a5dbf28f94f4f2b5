//! Forwards chunks.

use super::{Host, RelayOutcome};
use crate::order::{ChunkOrder, ChunkPlace};
use mgp_transport::seam::{CallError, LogLimit};
use mgp_types::{
    rpc::{Notice, RawParams},
    stream::StreamChunk,
};

/// The chunks of one call.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    pub(super) order: ChunkOrder,
    warnings: LogLimit,
}

impl Chunks {
    pub(super) async fn forward(
        &mut self,
        host: &Host,
        params: &RawParams,
    ) -> Result<RelayOutcome, CallError> {
        let request = &host.asked.id;
        let Ok(mut chunk) = params.object().cloned() else {
            self.warn(|left_out| {
                tracing::warn!(%request, left_out, "a chunk whose params are no object: dropped");
            });
            return Ok(RelayOutcome::Dropped);
        };
        let (Some(index), Some(content)) =
            (chunk.decode::<u64>("index").ok().flatten(), chunk.get("content").cloned())
        else {
            self.warn(|left_out| {
                tracing::warn!(%request, left_out, "a chunk without an index or content: dropped");
            });
            return Ok(RelayOutcome::Dropped);
        };
        match self.order.see(index) {
            ChunkPlace::Next => {}
            ChunkPlace::AfterGap { missing } => {
                if let Some(stream) = &host.stream {
                    stream.note_gap();
                }
                self.warn(|left_out| {
                    tracing::warn!(
                        %request,
                        index,
                        missing,
                        left_out,
                        "chunks are missing: the stream goes on behind them"
                    );
                });
            }
            ChunkPlace::Late => {
                self.warn(|left_out| {
                    tracing::warn!(%request, index, left_out, "a chunk that is late or comes twice: dropped");
                });
                return Ok(RelayOutcome::Dropped);
            }
        }
        if !host.asked.chunks {
            return Ok(RelayOutcome::Dropped);
        }
        chunk.insert("request_id", request.to_json());
        host.asked.peer.notify(StreamChunk::METHOD, chunk).await?;
        if let Some(stream) = &host.stream {
            stream.record(content);
        }
        Ok(RelayOutcome::Sent)
    }
    /// Writes a warning if the log limit of the call admits one. `write` gets the number of warnings that were left out before.
    fn warn(&self, write: impl FnOnce(u64)) {
        if let Some(left_out) = self.warnings.admit() {
            write(left_out);
        }
    }
}
