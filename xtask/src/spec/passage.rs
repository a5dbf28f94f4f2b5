//! Sends a message through the reader and writer of frames with an unknown member, which must stay unchanged.

use bytes::Bytes;
use mgp_types::{
    json::{RawJson, RawObject},
    rpc::Frame,
};

use super::exact;

const KEY: &str = "x_unknown";
/// A number that no Rust number holds, down to its last zero.
const VALUE: &str = "123456789012345678901234567890.10";

/// Reads a message as a frame, writes it again, and returns the frame.
///
/// # Errors
/// Text that is not a frame, or a frame that is different after writing.
pub(super) fn check(message: &RawObject) -> Result<Frame, String> {
    let frame = there_and_back(message)?;
    let mut marked = message.clone();
    let (mut envelope, member) = match &frame {
        Frame::Response { outcome: Err(_), .. } => (marked.object("error").unwrap_or_default(), "data"),
        Frame::Response { .. } => (marked.clone(), "result"),
        Frame::Request { .. } | Frame::Notification { .. } => (marked.clone(), "params"),
    };
    let mut inner = envelope.object(member).unwrap_or_default();
    inner.insert(KEY, RawJson::parse(VALUE).map_err(|error| error.to_string())?);
    envelope.insert(member, inner.to_json());
    if member == "data" {
        marked.insert("error", envelope.to_json());
    } else {
        marked = envelope;
    }
    there_and_back(&marked).map_err(|error| format!("with an unknown member: {error}"))?;
    Ok(frame)
}

fn there_and_back(message: &RawObject) -> Result<Frame, String> {
    let text = message.to_json();
    let frame = Frame::parse(&Bytes::copy_from_slice(text.as_bytes())).map_err(|error| error.to_string())?;
    let mut line = Vec::new();
    frame.write(&mut line);
    if line.contains(&b'\n') {
        return Err("the written frame is more than one line".into());
    }
    let written = RawJson::parse(line).map_err(|error| error.to_string())?;
    exact::difference(&text, &written).map_or(Ok(frame), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_message_passes_and_edge_losses_are_noticed() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":[ 1 ]}}"#,
            r#"{"jsonrpc":"2.0","method":"a"}"#,
            r#"{"jsonrpc":"2.0","id":"x","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#,
        ] {
            assert!(check(&RawObject::parse(text).unwrap()).is_ok(), "{text}");
        }
        let dropped = RawObject::parse(r#"{"jsonrpc":"2.0","method":"a","top":1}"#).unwrap();
        assert_eq!(check(&dropped).unwrap_err(), "/top is lost, expected 1");
    }
}
