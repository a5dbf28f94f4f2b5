//! The envelope of the stateless revisions.

use crate::generate::{json, object};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{
        CacheHint, Implementation, InputRequest, InputRequired, InputResponses, LoggingLevel, MgpFilter,
        SubscriptionFilter,
        stateless::{Completion, RequestEnvelope},
    },
    rpc::RawParams,
};
use proptest::{collection::vec, option, prelude::*, sample::select};

fn parsed(text: &str) -> RawObject {
    RawObject::parse(text.to_owned()).unwrap()
}

fn request() -> impl Strategy<Value = InputRequest> {
    (".{0,20}", object()).prop_map(|(method, params)| InputRequest {
        method,
        params: RawParams::from(RawJson::parse(params).unwrap()),
    })
}

proptest! {
    #[test]
    fn envelopes(capabilities in object(), client in option::of(json()), level in option::of(select(LoggingLevel::ALL)), own in object()) {
        let prefix = "io.modelcontextprotocol";
        let mut meta = format!(r#""{prefix}/protocolVersion":"2026-07-28","{prefix}/clientCapabilities":{capabilities}"#);
        if let Some(other) = client {
            meta += &format!(r#","{prefix}/clientInfo":{{"name":"a","version":"1","x":{other}}}"#);
        }
        if let Some(level) = level {
            meta += &format!(r#","{prefix}/logLevel":"{level}""#);
        }
        let text = format!(r#"{{"_meta":{{{meta}}}}}"#);
        let envelope = RequestEnvelope::read(&parsed(&text)).unwrap();
        let mut written = RawObject::new();
        envelope.write(&mut written);
        prop_assert_eq!(written.to_json().to_string(), text);

        // The other members are unchanged, whether the envelope is written or removed.
        let mut beside = parsed(&format!(r#"{{"_meta":{own},"arguments":{own}}}"#));
        let before = beside.clone();
        envelope.write(&mut beside);
        prop_assert_eq!(RequestEnvelope::read(&beside), Ok(envelope));
        RequestEnvelope::strip(&mut beside);
        let members = |object: &RawObject| object.object("_meta").unwrap_or_default();
        prop_assert_eq!(members(&beside), members(&before));
        prop_assert_eq!(beside.get("arguments"), before.get("arguments"));
    }

    #[test]
    fn rounds_of_input(requests in vec((any::<String>(), request()), 0..4), state in option::of(any::<String>())) {
        let mut required = InputRequired { requests: Vec::new(), state };
        for (key, request) in requests {
            required.ask(&key, request);
        }
        let read = InputRequired::read(&required.to_json());
        if required.requests.is_empty() && required.state.is_none() {
            prop_assert!(read.is_err(), "it asks for nothing");
        } else {
            prop_assert_eq!(read, Ok(required));
        }
    }

    #[test]
    fn client_input(answers in object(), state in option::of(any::<String>()), own in object()) {
        let brought = InputResponses { answers: parsed(&answers), state };
        let mut params = parsed(&own);
        let before = params.clone();
        brought.clone().write(&mut params);
        prop_assert_eq!(InputResponses::read(&params), Ok(brought));
        InputResponses::strip(&mut params);
        prop_assert_eq!(params, before);
    }

    #[test]
    fn subscriptions(flags in any::<[bool; 3]>(), resources in vec(any::<String>(), 0..3), tasks in vec(any::<String>(), 0..3), mgp in option::of(any::<[bool; 2]>())) {
        let [tools, prompts, lists] = flags;
        let filter = SubscriptionFilter {
            tools_list_changed: tools,
            prompts_list_changed: prompts,
            resources_list_changed: lists,
            resource_subscriptions: resources,
            task_ids: tasks,
            mgp: mgp.map(|[audit, lifecycle]| MgpFilter { audit, lifecycle, events: None }),
        };
        prop_assert_eq!(RawJson::from_value(&filter).unwrap().decode::<SubscriptionFilter>(), Ok(filter));
    }

    #[test]
    fn a_completed_result_keeps_all_its_members(result in object(), key in "(resultType|ttlMs|cacheScope|_meta|x)", value in json()) {
        let mut result = parsed(&result);
        result.insert_named(&key, RawJson::parse(value).unwrap());
        let completed = Completion::new(&Implementation::new("a", "1")).complete(&result.to_json(), Some(CacheHint::NONE));
        let completed = RawObject::parse(completed.bytes().clone()).unwrap();
        prop_assert!(completed.get("resultType").is_some());
        for (key, value) in result.iter().filter(|(key, _)| *key != "_meta") {
            prop_assert_eq!(completed.get(key), Some(value));
        }
    }

    #[test]
    fn answer_metadata_is_added_once_and_can_be_removed(result in object(), hint in any::<bool>()) {
        let completion = Completion::new(&Implementation::new("s", "1"));
        let hint = hint.then_some(CacheHint::NONE);
        let complete = completion.complete(&RawJson::parse(result.clone()).unwrap(), hint);
        prop_assert_eq!(parsed(complete.as_str()).get("ttlMs").is_some(), hint.is_some());
        prop_assert_eq!(completion.complete(&complete, hint), complete.clone());
        let mut stripped = parsed(complete.as_str());
        RequestEnvelope::strip_result("tools/call", &mut stripped);
        prop_assert_eq!(stripped.to_json().to_string(), result);
    }
}
