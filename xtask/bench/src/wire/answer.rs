//! The answer to a call, in a body of JSON or of events.

use crate::adder::Add;
use serde::Deserialize;

#[derive(Deserialize)]
struct Answer<'a> {
    id: Option<i64>,
    #[serde(borrow)]
    result: Option<CallResult<'a>>,
}

#[derive(Deserialize)]
struct CallResult<'a> {
    #[serde(borrow)]
    content: Vec<Block<'a>>,
}

#[derive(Deserialize)]
struct Block<'a> {
    text: Option<&'a str>,
}

/// Checks that a body has the right answer to a call.
pub(super) fn check(add: Add, body: &[u8]) -> Result<(), String> {
    let body = std::str::from_utf8(body).map_err(|error| format!("body: {error}"))?;
    let wrong = || format!("{add:?} was answered with {body}");
    let answer = messages(body).find_map(|message| {
        let answer: Answer<'_> = serde_json::from_str(message).ok()?;
        (answer.id == Some(add.a)).then_some(answer)
    });
    let result = answer.and_then(|answer| answer.result).ok_or_else(wrong)?;
    add.check(result.content.first().and_then(|block| block.text))
}

/// Returns the messages of a body: the body itself, or the data of its events. Servers put a message on one line.
pub(super) fn messages(body: &str) -> impl Iterator<Item = &str> {
    let json = body.starts_with('{').then_some(body);
    let lines = if json.is_some() { "" } else { body };
    json.into_iter().chain(lines.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: &str = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"1000007"}]}}"#;

    #[test]
    fn an_answer_is_found_as_json_and_among_events() {
        let add = Add::of(7);
        assert_eq!(check(add, RIGHT.as_bytes()), Ok(()));
        let events = format!(
            "id: 0\nretry: 3000\ndata: \n\nevent: message\ndata: {{\"method\":\"m\"}}\n\ndata: {RIGHT}\n\n"
        );
        assert_eq!(check(add, events.as_bytes()), Ok(()));
    }

    #[test]
    fn wrong_sums_foreign_answers_and_errors_are_refused() {
        let add = Add::of(7);
        for text in [
            RIGHT.replace("1000007", "1000008"),
            RIGHT.replace("\"id\":7", "\"id\":8"),
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"no"}}"#.to_owned(),
            String::new(),
        ] {
            assert!(check(add, text.as_bytes()).is_err(), "{text}");
        }
    }
}
