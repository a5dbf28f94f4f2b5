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
    /// True while a chunk is on its way to the host, and after one that did not reach it.
    is_unsent: bool,
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
                tracing::warn!(%request, left_out, "a chunk whose params are not an object: dropped");
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
                        "chunks are missing: the stream continues after them"
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
        let follows_unsent = std::mem::replace(&mut self.is_unsent, true);
        host.asked.peer.notify(StreamChunk::METHOD, chunk).await?;
        self.is_unsent = false;
        if let Some(stream) = &host.stream {
            if follows_unsent {
                stream.note_gap();
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{options::StreamOptions, sink::CallStream};
    use mgp_transport::{
        connection::Connection,
        memory,
        seam::{BoxError, Incoming, Reply},
    };
    use mgp_types::json::RawJson;
    use std::time::Duration;
    use tokio::{io::AsyncReadExt, time::timeout};

    fn chunk(index: u64, text: &str, padding: usize) -> RawParams {
        let padding = "x".repeat(padding);
        let content = format!(r#"{{"type":"text","text":"{text}"}}"#);
        RawJson::parse(format!(r#"{{"index":{index},"content":{content},"padding":"{padding}"}}"#))
            .unwrap()
            .into()
    }

    #[tokio::test(start_paused = true)]
    async fn texts_are_not_joined_across_an_undelivered_chunk() {
        let (here, (mut read, _write)) = memory::pair();
        let answer = tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) });
        let connection = Connection::builder(answer).over(here.0, here.1);
        let stream = CallStream::new();
        let peer = connection.peer().clone();
        let asked = StreamOptions { peer, id: 1.into(), token: None, negotiated: true, chunks: true };
        let host = Host { asked, stream: Some(stream.clone()) };
        let mut chunks = Chunks::default();
        let mut index = 0;
        // The host reads nothing until a chunk has no room.
        while timeout(Duration::from_millis(10), chunks.forward(&host, &chunk(index, "a", 10_000)))
            .await
            .is_ok()
        {
            index += 1;
            assert!(index < 10_000);
        }
        tokio::spawn(async move {
            let mut buffer = vec![0; 1 << 20];
            while read.read(&mut buffer).await.is_ok_and(|count| count > 0) {}
        });
        for text in ["b", "c"] {
            index += 1;
            assert_eq!(chunks.forward(&host, &chunk(index, text, 0)).await.unwrap(), RelayOutcome::Sent);
        }
        let content = stream.content();
        assert_eq!(content.last().unwrap().as_str(), r#"{"type":"text","text":"bc"}"#);
    }
}
