//! Several messages in one JSON array, as 2025-03-26 allows.

use bytes::Bytes;
use mgp_types::{
    json::{JsonError, RawJson, without_mark},
    rpc::{ErrorObject, Frame, FrameError, JsonRpcCode},
};

/// Returns `true` if a text, without white space before it, is intended as a batch.
pub(crate) fn is_batch(text: &[u8]) -> bool {
    without_mark(text).trim_ascii_start().first() == Some(&b'[')
}

/// Reads each message of a batch separately: an unreadable message does not affect the others.
///
/// # Errors
/// Returns the single error for an invalid batch. A batch is invalid if it is not an array, is empty, is longer than `max`, or
/// contains a message that must be sent alone.
pub(crate) fn read(text: Bytes, max: usize) -> Result<Vec<Result<Frame, FrameError>>, FrameError> {
    let refused = |error| FrameError { id: None, error, is_response: false, is_bare: false };
    let unreadable = |error: JsonError| {
        refused(ErrorObject::new(JsonRpcCode::ParseError, format!("parse error: {error}")))
    };
    let unmarked = without_mark(&text);
    let text = if unmarked.len() == text.len() { text } else { text.slice_ref(unmarked) };
    let array = RawJson::parse(text).map_err(unreadable)?;
    let messages = array.decode::<Vec<RawJson>>().map_err(unreadable)?;
    if messages.is_empty() {
        return Err(refused(ErrorObject::invalid_request("invalid batch: expected at least one message")));
    }
    if messages.len() > max {
        let message = format!("invalid batch: expected at most {max} messages, found {}", messages.len());
        return Err(refused(ErrorObject::invalid_request(message)));
    }
    let frames: Vec<_> = messages.into_iter().map(|message| Frame::parse(message.bytes())).collect();
    let alone = frames
        .iter()
        .any(|frame| matches!(frame, Ok(Frame::Request { method, .. }) if *method == crate::era::INITIALIZE));
    if alone {
        let message = "invalid batch: initialize must come alone, because nothing is agreed on before it";
        return Err(refused(ErrorObject::invalid_request(message)));
    }
    Ok(frames)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(text: &str) -> Result<Vec<Result<Frame, FrameError>>, String> {
        read(Bytes::copy_from_slice(text.as_bytes()), 3).map_err(|error| error.error.message)
    }

    #[test]
    fn each_message_of_a_batch_is_read_separately() {
        let text = r#"[{"jsonrpc":"2.0","id":1,"method":"a"}, 7 ,{"jsonrpc":"2.0","method":"b"}]"#;
        let frames = batch(text).unwrap();
        assert!(matches!(&frames[0], Ok(Frame::Request { id, .. }) if *id == 1.into()));
        assert!(frames[1].as_ref().unwrap_err().error.message.contains("found a number"));
        assert!(matches!(&frames[2], Ok(Frame::Notification { method, .. }) if *method == "b"));
    }

    #[test]
    fn a_byte_order_mark_before_a_batch_is_dropped() {
        let text = "\u{feff} [{\"jsonrpc\":\"2.0\",\"method\":\"a\"}]";
        assert!(is_batch(text.as_bytes()));
        assert_eq!(batch(text).unwrap().len(), 1);
    }

    #[test]
    fn an_invalid_batch_is_refused_as_a_whole() {
        let long = format!("[{}]", ["1"; 4].join(","));
        let alone = r#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"method":"initialize"}]"#;
        for (text, part) in [
            ("[]", "at least one message"),
            (&*long, "expected at most 3 messages, found 4"),
            (alone, "initialize must come alone"),
            ("[1,", "parse error"),
        ] {
            let message = batch(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
