//! The keys of parsed objects. A key that most messages have is kept as a static string instead of a share of the text:
//! each copy of a share changes a reference count, on several threads.

use bytes::Bytes;

macro_rules! known {
    ($key:expr, $($name:literal)*) => {
        match $key {
            $($name => Some(&$name[..]),)*
            _ => None,
        }
    };
}

/// Returns a key of a text to keep.
pub(super) fn keep(text: &Bytes, key: &[u8]) -> Bytes {
    match known(key) {
        Some(known) => Bytes::from_static(known),
        None => text.slice_ref(key),
    }
}

/// Returns a value of a text to keep. The one value that every message has is kept as a static string, too.
pub(super) fn keep_value(text: &Bytes, value: &[u8]) -> Bytes {
    match value {
        br#""2.0""# => Bytes::from_static(br#""2.0""#),
        _ => text.slice_ref(value),
    }
}

/// Returns the static form of a key that is common in messages, calls, their results and their metadata.
fn known(key: &[u8]) -> Option<&'static [u8]> {
    known!(key,
        b"jsonrpc" b"id" b"method" b"params" b"result" b"error"
        b"name" b"arguments" b"_meta" b"_mgp"
        b"content" b"type" b"text" b"structuredContent" b"isError" b"resultType"
        b"code" b"message" b"data"
        b"progressToken" b"traceparent" b"trace_id"
        b"io.modelcontextprotocol/protocolVersion" b"io.modelcontextprotocol/clientCapabilities"
        b"io.modelcontextprotocol/clientInfo" b"io.modelcontextprotocol/logLevel"
        b"io.modelcontextprotocol/serverInfo"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_are_kept_as_written() {
        let text = Bytes::from_static(br#"{"id":1,"ids":2}"#);
        for key in [&text[2..4], &text[9..12], b""] {
            assert_eq!(keep(&text, key), key);
        }
        for value in [&br#""2.0""#[..], b"2"] {
            let text = Bytes::copy_from_slice(value);
            assert_eq!(keep_value(&text, &text), value);
        }
        assert!(known(b"id").is_some() && known(b"ids").is_none());
    }
}
