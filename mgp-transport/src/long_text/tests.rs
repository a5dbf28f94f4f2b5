//! Tests of long strings, on one line and over a whole connection.

use super::*;
use crate::{
    connection::Connection,
    memory,
    seam::{BoxError, CallError, Incoming, Reply},
};
use mgp_types::{error::Recovery, json::RawJson};
use proptest::prelude::*;
use std::{io, sync::Arc};
use xtask_testing::RawPeer;

/// A store in memory, in which the texts of a line have at most a length together.
#[derive(Debug)]
struct Memory(u64);

#[derive(Debug, Default)]
struct MemoryText(Vec<u8>, [u8; 32]);

struct MemoryWriter(MemoryText, u64);

impl LongTextStore for Memory {
    fn begin(&self, before: &[PlacedText]) -> io::Result<Box<dyn LongTextWriter>> {
        let before: u64 = before.iter().map(|placed| placed.text.length()).sum();
        Ok(Box::new(MemoryWriter(MemoryText::default(), self.0.saturating_sub(before))))
    }
}

impl LongTextWriter for MemoryWriter {
    fn write(&mut self, part: &[u8]) -> io::Result<()> {
        self.0.0.extend_from_slice(part);
        if self.0.length() > self.1 { Err(io::Error::other("the store is full")) } else { Ok(()) }
    }
    fn finish(self: Box<Self>) -> io::Result<Arc<dyn LongText>> {
        Ok(Arc::new(self.0))
    }
}

impl LongText for MemoryText {
    fn length(&self) -> u64 {
        self.0.len() as u64
    }
    fn sha256(&self) -> &[u8; 32] {
        &self.1
    }
    fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let start = usize::try_from(offset).unwrap().min(self.0.len());
        Ok(self.0[start..self.0.len().min(start + length)].to_vec())
    }
}

fn text_of(placed: &PlacedText) -> String {
    String::from_utf8(placed.text.read(0, usize::MAX / 2).unwrap()).unwrap()
}

/// Reads a line in pieces of a length, and returns it with its long strings in their places again.
fn through(line: &str, piece: usize) -> io::Result<(String, usize)> {
    through_store(line, piece, u64::MAX)
}

fn through_store(line: &str, piece: usize, most: u64) -> io::Result<(String, usize)> {
    let mut outline = Outline::new(Arc::new(Memory(most)), 1 << 20);
    line.as_bytes().chunks(piece).try_for_each(|part| outline.read(part))?;
    let outlined = outline.finish();
    let mut text = String::from_utf8(outlined.line).unwrap();
    for placed in &outlined.texts {
        let quoted = format!("\"{}\"", placed.placeholder);
        assert_eq!(text.matches(&quoted).count(), 1);
        text = text.replace(&quoted, RawJson::string(&text_of(placed)).as_str());
    }
    Ok((text, outlined.texts.len()))
}

#[test]
fn long_strings_are_extracted_and_short_ones_stay() {
    for unit in
        ["a", "文", "🦀", "\\n", "\\\\", "\\\"", "\\u00e9", "\\ud83e\\udd80", "\\\\ud83e", "é\\t", "]}:,"]
    {
        let long = unit.repeat(3 * PIECE / unit.len());
        let line = format!(r#"{{"a": ["{long}" , "short", 1],"b":"{long}","{unit}":"{unit}"}}"#);
        for piece in [1, 7, 4096, line.len()] {
            let (whole, texts) = through(&line, piece).unwrap();
            assert_eq!(texts, 2, "{unit}");
            let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
            assert_eq!(value(&whole), value(&line), "{unit} in pieces of {piece}");
        }
    }
}

#[test]
fn an_invalid_json_string_is_an_error() {
    let long = "a".repeat(2 * PIECE);
    for (line, problem) in [
        (format!(r#"{{"{long}":1}}"#), "name is too long"),
        (format!(r#"{{"{long}" :1}}"#), "name is too long"),
        (format!(r#"["{long}\x"]"#), "invalid characters"),
        (format!(r#"["{long}\ud83e"]"#), "invalid characters"),
        (format!("[\"{long}\u{1}\"]"), "invalid characters"),
        (format!("[{}]", "1,".repeat(1 << 20)), "longer than its limit"),
    ] {
        let error = through(&line, 1000).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
    // Only so many strings are taken out.
    let many = format!("[{}1]", format!("\"{long}\",").repeat(20));
    assert_eq!(through(&many, 1000).unwrap(), (many.clone(), 16));
    let more = format!("[{}1]", format!("\"{long}\",").repeat(25));
    assert!(through(&more, 1000).unwrap_err().to_string().contains("longer than its limit"));
    let mut outline = Outline::new(Arc::new(Memory(1000)), PIECE);
    let error = outline.read(format!("\"{long}\"").as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "the store is full");
}

#[test]
fn long_strings_that_the_store_refuses_return_into_the_line() {
    for unit in ["a", "🦀", "\\n", "\\\"", "\\u00e9", "\\ud83e\\udd80", "é\\t"] {
        let long = unit.repeat(4 * PIECE / unit.len());
        let line = format!(r#"{{"a": ["{long}" , "short", 1],"b":"{long}","{unit}":"{unit}"}}"#);
        let length = serde_json::from_str::<String>(&format!("\"{long}\"")).unwrap().len() as u64;
        for most in [0, 1, PIECE as u64, length - 1, 2 * length - 1] {
            for piece in [7, 4096, line.len()] {
                let (whole, texts) = through_store(&line, piece, most).unwrap();
                assert_eq!(texts, 0, "{unit}");
                let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
                assert!(value(&whole) == value(&line), "{unit} in pieces of {piece} with room for {most}");
            }
        }
    }
}

proptest! {
    #[test]
    fn any_text_survives_unchanged(text in ".{0,40}", times in 1usize..5_000, piece in 1usize..70_000) {
        let line = RawJson::string(&text.repeat(times)).to_string();
        prop_assert_eq!(through(&line, piece).unwrap().0, line);
    }
}

/// Returns a connection, and its other side in the test's hands.
fn wire() -> (Connection, RawPeer) {
    let (here, far) = memory::pair();
    let nothing = tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) });
    (Connection::builder(nothing).over(here.0, here.1), RawPeer::new(far))
}

/// Answers a call with a text of 20 MiB, which is more than a frame may have. Returns the outcome and what was kept.
async fn answered(answer: &str, texts: &ReceivedTexts, is_wanted: bool) -> Result<RawJson, CallError> {
    let (connection, mut far) = wire();
    let peer = connection.peer().clone();
    let id = peer.next_id();
    let guard = is_wanted.then(|| peer.long_texts().unwrap().receive(id, texts.clone()));
    let call = peer.start_exact(id, "tools/call", RawJson::empty_object()).await.unwrap();
    far.text().await;
    let answer = answer.replace("ID", &id.to_string());
    let (outcome, ()) = tokio::join!(call.reply(), far.send(answer));
    drop(guard);
    assert!(peer.long_texts().unwrap().is_unused());
    outcome
}

#[tokio::test]
async fn an_overlong_answer_is_read_if_its_call_stores_strings() {
    // Mostly plain, because tests are not optimized.
    let (unit, times) = (format!("x\\n{}", "y".repeat(1000)), 20 << 10);
    let long = unit.repeat(times);
    for answer in [
        format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{{"text":"{long}"}}}}"#),
        format!(r#"{{"result":{{"text":"{long}"}},"jsonrpc":"2.0","id":ID}}"#),
    ] {
        let texts = ReceivedTexts::new(Arc::new(Memory(u64::MAX)));
        let result = answered(&answer, &texts, true).await.unwrap();
        let taken = texts.take();
        assert_eq!(result.as_str(), format!(r#"{{"text":"{}"}}"#, taken[0].placeholder));
        assert!(text_of(&taken[0]) == unit.replace("\\n", "\n").repeat(times));
        let error = answered(&answer, &texts, false).await.unwrap_err().to_string();
        assert!(error.contains("longer than") && texts.take().is_empty(), "{error}");
        let full = ReceivedTexts::new(Arc::new(Memory(1 << 20)));
        let CallError::Peer(error) = answered(&answer, &full, true).await.unwrap_err() else { panic!() };
        assert!(error.message.contains("the store is full") && error.code == 3001, "{error}");
        let advice = Recovery::from_error(&error).unwrap();
        assert!(!advice.retryable && !advice.is_outcome_unknown());
    }
}

#[tokio::test]
async fn an_answer_without_room_in_the_store_stays_whole() {
    let (unit, times) = (format!("x\\n{}", "y".repeat(1000)), 2 << 10);
    let long = unit.repeat(times);
    for answer in [
        format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{{"text":"{long}"}}}}"#),
        format!(r#"{{"result":{{"text":"{long}"}},"jsonrpc":"2.0","id":ID}}"#),
    ] {
        let texts = ReceivedTexts::new(Arc::new(Memory(1 << 20)));
        let result = answered(&answer, &texts, true).await.unwrap();
        assert!(result.as_str() == format!(r#"{{"text":"{long}"}}"#) && texts.take().is_empty());
    }
}

#[tokio::test]
async fn only_a_result_s_content_has_placeholders() {
    let long = format!("x\\n{}", "y".repeat(1000)).repeat(1 << 10);
    let short = RawJson::string("s").to_string();
    for (members, kept) in [
        (format!(r#""result":{{"text":"{long}","_meta":{{"a":"LONG"}},"_mgp":{{"b":"LONG"}}}}"#), 1),
        (format!(r#""result":{{"resultType":"complete","text":"{long}","_meta":{{"a":{short}}}}}"#), 1),
        (r#""result":{"resultType":"input_required","requestState":"LONG"}"#.to_owned(), 0),
        (r#""result":["LONG"]"#.to_owned(), 0),
        (r#""error":{"code":-32000,"message":"LONG","data":["LONG"]}"#.to_owned(), 0),
    ] {
        let members = members.replace("LONG", &long);
        let texts = ReceivedTexts::new(Arc::new(Memory(u64::MAX)));
        let answer = format!(r#"{{"jsonrpc":"2.0","id":ID,{members}}}"#);
        let (result, error) = match answered(&answer, &texts, true).await {
            Ok(result) => (result, RawJson::null()),
            Err(CallError::Peer(error)) => (RawJson::null(), RawJson::from_value(&error).unwrap()),
            Err(error) => panic!("{error}"),
        };
        let taken = texts.take();
        assert_eq!(taken.len(), kept, "{}", &members[..60]);
        let received =
            if result.is_null() { format!(r#""error":{error}"#) } else { format!(r#""result":{result}"#) };
        let whole = match &taken[..] {
            [one] => received.replace(&*one.placeholder, &long),
            _ => received,
        };
        assert!(whole == members, "{}", &members[..60]);
    }
}

#[tokio::test]
async fn metadata_that_makes_a_frame_too_long_is_refused() {
    let long = "y".repeat(17 << 20);
    let texts = ReceivedTexts::new(Arc::new(Memory(u64::MAX)));
    let answer = format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{{"_meta":{{"a":"{long}"}}}}}}"#);
    let error = answered(&answer, &texts, true).await.unwrap_err().to_string();
    assert!(error.contains("longer than") && texts.take().is_empty(), "{error}");
}

#[tokio::test]
async fn an_answer_to_another_call_is_whole_again() {
    let (connection, mut far) = wire();
    let peer = connection.peer().clone();
    let texts = ReceivedTexts::new(Arc::new(Memory(u64::MAX)));
    let _guard = peer.long_texts().unwrap().receive(peer.next_id(), texts.clone());
    let id = peer.next_id();
    let call = peer.start_exact(id, "tools/call", RawJson::empty_object()).await.unwrap();
    far.text().await;
    let long = "é\\t".repeat(200_000);
    let answer = format!("{{\"result\":{{\"text\":\"{long}\"}},\"jsonrpc\":\"2.0\",\"id\":{id}}}");
    let (outcome, ()) = tokio::join!(call.reply(), far.send(answer));
    assert_eq!(outcome.unwrap().as_str(), format!("{{\"text\":\"{long}\"}}"));
    assert!(texts.take().is_empty());
}

#[tokio::test]
async fn a_request_is_written_with_its_long_strings_in_order() {
    let (connection, mut far) = wire();
    let peer = connection.peer().clone();
    let content = format!("quoted \"é\"\n🦀{}", "plain".repeat(200)).repeat(3000);
    let text: Arc<dyn LongText> = Arc::new(MemoryText(content.clone().into_bytes(), [0; 32]));
    let placed = PlacedText { placeholder: "mgp-long-text-1".into(), text };
    let params = |name: &str| {
        RawJson::parse(format!(r#"{{"a":"mgp-long-text-1","b":["mgp-long-text-1"],"name":"{name}"}}"#))
            .unwrap()
    };
    let guard = peer.long_texts().unwrap().send(1, placed);
    let first = peer.start_exact(1, "tools/call", params("first")).await.unwrap();
    let second = peer.clone();
    let sending = async { second.start_exact(2, "tools/call", params("second")).await.unwrap() };
    let (second, lines) = tokio::join!(sending, async { [far.text().await, far.text().await] });
    let value: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
    assert!(value["params"]["a"] == content.as_str() && value["params"]["b"][0] == content.as_str());
    assert_eq!(value["params"]["name"], "first");
    drop(guard);
    // In another call, the string is one like any other.
    assert!(lines[1].contains(r#""a":"mgp-long-text-1""#) && lines[1].contains("second"), "{}", lines[1]);
    drop((first, second));
}
