//! Forwards chunks.

use super::{Host, Relayed};
use crate::order::{ChunkOrder, ChunkPlace};
use mgp_transport::seam::CallError;
use mgp_types::{
    rpc::{Notice, RawParams},
    stream::StreamChunk,
};

/// The chunks of one call.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    pub(super) order: ChunkOrder,
}

impl Chunks {
    pub(super) async fn forward(&mut self, host: &Host, params: &RawParams) -> Result<Relayed, CallError> {
        let request = &host.asked.id;
        let Ok(mut chunk) = params.object().cloned() else {
            tracing::warn!(%request, "a chunk whose params are no object: dropped");
            return Ok(Relayed::Dropped);
        };
        let (Some(index), Some(content)) =
            (chunk.decode::<u64>("index").ok().flatten(), chunk.get("content").cloned())
        else {
            tracing::warn!(%request, "a chunk without an index or content: dropped");
            return Ok(Relayed::Dropped);
        };
        match self.order.see(index) {
            ChunkPlace::Next => {}
            ChunkPlace::AfterGap { missing } => {
                tracing::warn!(%request, index, missing, "chunks are missing: the stream goes on behind them");
            }
            ChunkPlace::Late => {
                tracing::warn!(%request, index, "a chunk that is late or comes twice: dropped");
                return Ok(Relayed::Dropped);
            }
        }
        if !host.asked.chunks {
            return Ok(Relayed::Dropped);
        }
        chunk.insert("request_id", request.to_json());
        host.asked.peer.notify(StreamChunk::METHOD, chunk).await?;
        if let Some(stream) = &host.stream {
            stream.record(content);
        }
        Ok(Relayed::Sent)
    }
}
