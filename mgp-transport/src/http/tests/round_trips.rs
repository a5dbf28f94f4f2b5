//! Round trips: each end reads what the other wrote, unchanged.

use crate::http::{
    client::sse::SseParser,
    param_header::{ParamHeader, decode_header, encode_header},
    server::stream::{EventId, sse::write},
};
use http::HeaderValue;
use mgp_types::json::{RawJson, RawObject};
use proptest::{collection::vec, option, prelude::*};
use std::collections::VecDeque;

fn event_id() -> impl Strategy<Value = EventId> {
    any::<(u64, u64, u64)>().prop_map(|(session, stream, event)| EventId { session, stream, event })
}

proptest! {
    #[test]
    fn ids_of_events(id in event_id(), text in "[0-9+-]{0,30}") {
        prop_assert_eq!(id.to_string().parse(), Ok(id));
        // Every text is one id at most, up to zeros in front.
        if let Ok(read) = text.parse::<EventId>() {
            prop_assert_eq!(read.to_string().parse(), Ok(read));
        }
    }

    #[test]
    fn events(messages in vec((option::of(event_id()), any::<String>()), 0..5), size in 1usize..40) {
        let messages: Vec<_> =
            messages.into_iter().map(|(id, text)| (id, RawJson::string(text.as_str()).bytes().clone())).collect();
        let stream: Vec<u8> = messages.iter().flat_map(|(id, text)| write(*id, text)).collect();
        let (mut parser, mut read) = (SseParser::new(10_000), VecDeque::new());
        for piece in stream.chunks(size) {
            parser.feed(piece, &mut read).unwrap();
        }
        prop_assert!(read.iter().all(|event| event.event == "message"));
        prop_assert!(read.iter().map(|event| &event.data).eq(messages.iter().map(|(_, text)| text)));
        let last = messages.iter().rev().find_map(|(id, _)| *id);
        prop_assert_eq!(parser.last_id().map(|id| id.parse().unwrap()), last);
    }

    #[test]
    fn texts_in_headers(text in prop_oneof![any::<String>(), "[ -~\t]{0,20}", "=\\?base64\\?[a-zA-Z=]{0,8}\\?="]) {
        let header = encode_header(&text);
        prop_assert!(HeaderValue::from_str(&header).is_ok() && header.trim() == header);
        prop_assert_eq!(decode_header(&header), Ok(text));
    }

    #[test]
    fn arguments_in_headers(text in any::<String>(), other in any::<String>(), number in any::<i64>()) {
        let schema = r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"},"o":{"properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}}"#;
        let headers = ParamHeader::of_schema(&RawJson::parse(schema.to_owned()).unwrap()).unwrap();
        let arguments = |text: &str| {
            let text = RawJson::string(text);
            RawObject::parse(format!(r#"{{"a":{text},"o":{{"n":{number}}}}}"#)).unwrap()
        };
        for header in &headers {
            let value = header.value(&arguments(&text));
            prop_assert!(header.agrees(&arguments(&text), value.as_deref()));
        }
        let value = headers[0].value(&arguments(&text));
        prop_assert_eq!(headers[0].agrees(&arguments(&other), value.as_deref()), text == other);
    }
}
