//! Tests of the size of arguments.

use super::*;
use crate::testing::{Inner, TestCall, plain_profile};
use mgp_transport::seam::{GateLayer, RefusalKind};
use mgp_types::tool_security::ToolProfile;
use tower::{Layer, ServiceExt};

#[tokio::test]
async fn oversized_arguments_are_refused_with_both_sizes() {
    for (params, most, passes) in [
        (r#"{"arguments":{"a":"12345"}}"#, Some(13), true),
        (r#"{"arguments":{"a":"12345"}}"#, Some(12), false),
        (r#"{"arguments":{"a":"12345"}}"#, None, true),
        ("{}", Some(0), true),
    ] {
        let profile = ToolProfile { max_input_bytes: most, ..plain_profile() };
        let (inner, call) = (Inner::new(), TestCall::new(params).profile(profile));
        let record = call.record.clone();
        let reply = GateLayer::new(InputSize).layer(inner.clone()).oneshot(call.identified()).await.unwrap();
        assert_eq!(inner.reached(), usize::from(passes), "{params}");
        if !passes {
            let error = reply.as_error().unwrap();
            assert_eq!(error.code, 4000);
            assert!(error.message.contains("at most 12 bytes of JSON, found 13"), "{}", error.message);
            assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::Validation);
        }
    }
}
