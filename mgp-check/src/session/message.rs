//! The kind of a message.

use serde_json::{Map, Value};

/// A message of the server.
#[derive(Debug)]
pub(crate) enum Message {
    Unreadable,
    Request { id: Value, method: String },
    Notification(Value),
    Response { id: Value, message: Map<String, Value> },
}

/// Reads a text. A batch, which some revisions allow, yields several messages.
pub(crate) fn read(text: &[u8]) -> Vec<Message> {
    match serde_json::from_slice(text) {
        Ok(Value::Array(items)) if !items.is_empty() => items.into_iter().map(classify).collect(),
        Ok(value) => vec![classify(value)],
        Err(_) => vec![Message::Unreadable],
    }
}

fn classify(value: Value) -> Message {
    let Value::Object(mut message) = value else { return Message::Unreadable };
    let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
    match (method, message.remove("id")) {
        (Some(method), Some(id)) => Message::Request { id, method },
        (Some(_), None) => Message::Notification(message.into()),
        (None, id) if id.is_some() || message.contains_key("result") || message.contains_key("error") => {
            Message::Response { id: id.unwrap_or_default(), message }
        }
        (None, _) => Message::Unreadable,
    }
}
