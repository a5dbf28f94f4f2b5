//! Messages, tools, calls, handshakes.

use crate::generate::{id, json, object, string, written};
use bytes::Bytes;
use mgp_types::{
    json::{Nullable, RawJson, RawObject},
    mcp::{CallToolParams, ContentBlock, Tool},
    negotiation::{Carrier, Extension, ExtensionSet, ServerProfile, answer, conclude, offer, read_offer},
    rpc::{Frame, RequestId},
    stream::StreamChunkParams,
};
use proptest::{collection::vec, prelude::*};

proptest! {
    #[test]
    fn ids(text in id()) {
        let read = RequestId::from_json(&RawJson::parse(text.clone()).unwrap()).unwrap();
        prop_assert_eq!(read.to_json().to_string(), text.clone());
        prop_assert_eq!(written::<RequestId>(&text), text);
    }

    #[test]
    fn objects(text in object(), key in any::<String>(), value in json()) {
        let mut read = RawObject::parse(text.clone()).unwrap();
        prop_assert_eq!(read.to_json().to_string(), text.clone());
        // Text that is already accepted is cut, not parsed; both ways give the same members.
        let cut = RawObject::from_json(&RawJson::parse(text.clone()).unwrap()).unwrap();
        prop_assert_eq!(&cut, &read);
        prop_assert_eq!(written::<RawObject>(&text), text.clone());
        let value = RawJson::parse(value).unwrap();
        if read.insert_named(&key, value.clone()).is_none() {
            let again = RawObject::from_json(&read.to_json()).unwrap();
            prop_assert_eq!(again.get(&key), Some(&value));
            read.remove(&key);
            prop_assert_eq!(read.to_json().to_string(), text.clone());
        }
    }

    #[test]
    fn frames(id in id(), method in any::<String>(), params in object(), result in json()) {
        let method = serde_json::to_string(&method).unwrap();
        for text in [
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#),
            format!(r#"{{"jsonrpc":"2.0","method":{method},"params":{params}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-7,"message":{method},"data":{params}}}}}"#),
        ] {
            let frame = Frame::parse(&Bytes::from(text.clone())).unwrap();
            let mut out = Vec::new();
            frame.write(&mut out);
            prop_assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }

    #[test]
    fn any_input_is_read_or_refused(bytes in vec(any::<u8>(), 0..300), text in ".{0,80}") {
        for input in [bytes, text.into_bytes()] {
            if let Ok(frame) = Frame::parse(&Bytes::from(input)) {
                let mut out = Vec::new();
                frame.write(&mut out);
                prop_assert_eq!(Frame::parse(&Bytes::from(out)), Ok(frame));
            }
        }
    }

    #[test]
    fn tools_with_members_of_all_kinds(schema in json(), other in json(), name in string()) {
        let text = format!(r#"{{"name":{name},"inputSchema":{schema},"security":{{"risk_level":"safe","u":{other}}},"v":{other}}}"#);
        prop_assert_eq!(written::<Tool>(&text), text);
    }

    #[test]
    fn calls_and_chunks(arguments in json(), other in object(), id in id()) {
        let text = format!(r#"{{"name":"a","arguments":{arguments},"_meta":{other},"_mgp":{other},"x":{arguments}}}"#);
        prop_assert_eq!(written::<CallToolParams>(&text), text);
        let content = format!(r#"{{"type":"text","text":"a","x":{arguments}}}"#);
        prop_assert_eq!(written::<ContentBlock>(&content), content.clone());
        let text = format!(r#"{{"request_id":{id},"index":3,"content":{content},"done":true}}"#);
        prop_assert_eq!(written::<StreamChunkParams>(&text), text);
    }

    #[test]
    fn null_and_absence(value in proptest::option::of(string())) {
        let text = value.unwrap_or_else(|| "null".to_owned());
        prop_assert_eq!(written::<Nullable<String>>(&text), text);
    }

    #[test]
    fn both_sides_of_a_handshake_agree(client in 0u16..1024, server in 0u16..1024, at in 0usize..3) {
        let set = |bits: u16| -> ExtensionSet {
            Extension::ALL.into_iter().filter(|e| bits & (1 << *e as u8) != 0).collect()
        };
        let (client, server) = (set(client), set(server));
        let mut offered = RawObject::new();
        Carrier::ALL[at].put(&mut offered, &offer(client));
        let profile = ServerProfile { extensions: server, ..Default::default() };
        let response = answer(&read_offer(&offered).unwrap(), &profile);
        let mut answered = RawObject::new();
        response.put(&mut answered);
        let negotiated = conclude(client, &answered).unwrap();
        prop_assert_eq!(negotiated.extensions, client.intersect(server));
        prop_assert_eq!(response.negotiated.extensions, negotiated.extensions);
        prop_assert_eq!(negotiated.carrier, Carrier::ALL[at]);
    }

    #[test]
    fn no_capabilities_fail_a_handshake(mgp in json()) {
        let text = format!(r#"{{"mgp":{mgp},"experimental":{{"mgp":{mgp}}},"extensions":{mgp}}}"#);
        let capabilities = RawObject::parse(text).unwrap();
        prop_assert_eq!(read_offer(&capabilities), None);
        prop_assert_eq!(conclude(ExtensionSet::ALL, &capabilities), None);
    }
}
