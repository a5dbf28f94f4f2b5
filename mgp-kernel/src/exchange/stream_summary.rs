//! §12.5 The summary of a stream in a server's result, corrected for the host.

use mgp_stream::sink::CallStream;
use mgp_transport::seam::Incoming;
use mgp_types::{
    json::{RawJson, RawObject},
    rpc::RawResult,
};

/// The member of a summary that states whether there were chunks.
const STREAMED: &str = "streamed";

/// Returns a server's result with a summary of the chunks that reached the host, if the server's own summary differs. A host that
/// requested no chunks got none, whatever the server sent. `None` if the result is not changed.
pub(super) fn for_host(message: &Incoming, result: &RawResult) -> Option<RawObject> {
    // A plain host gets no summary. Few results contain one, so the text is searched first.
    let stream = CallStream::of(message)?;
    if !result.as_str().contains("\"streamed\"") {
        return None;
    }
    corrected(RawObject::from_json(result).ok()?, stream.chunks_sent())
}

fn corrected(mut result: RawObject, sent: u64) -> Option<RawObject> {
    let mut mgp = result.object("_mgp").filter(|mgp| mgp.get(STREAMED).is_some())?;
    let streamed = RawJson::from(sent > 0);
    let chunks = RawJson::from_value(&sent).ok()?;
    if mgp.get(STREAMED) == Some(&streamed) && mgp.get("chunks_sent") == Some(&chunks) {
        return None;
    }
    mgp.insert(STREAMED, streamed);
    mgp.insert("chunks_sent", chunks);
    result.insert("_mgp", mgp.to_json());
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_counts_the_chunks_that_the_host_received() {
        let corrected = |text: &'static str, sent| {
            let result = corrected(RawObject::parse(text).unwrap(), sent)?;
            Some(result.to_json().as_str().to_owned())
        };
        let two = r#"{"content":[],"_mgp":{"streamed":true,"chunks_sent":2,"duration_ms":7}}"#;
        assert_eq!(corrected(two, 2), None);
        let none = two.replace("true,\"chunks_sent\":2", "false,\"chunks_sent\":0");
        assert_eq!(corrected(two, 0), Some(none));
        assert_eq!(corrected(two, 1), Some(two.replace(":2", ":1")));
        for without in [r#"{"content":[]}"#, r#"{"_mgp":{"cancelled":true}}"#, r#"{"_mgp":7}"#] {
            assert_eq!(corrected(without, 0), None, "{without}");
        }
    }
}
