//! Results with more tokens than a host is sent, which the kernel keeps although nobody asked.

use crate::features::references::{host, kernel_with, reference_of, sha256, short};
use mgp_types::reference::ReferencePart;
use serde_json::{Value, json};

#[tokio::test]
async fn a_result_over_the_limit_of_tokens_is_kept_by_itself() {
    let (setup, _server) =
        kernel_with(|kernel| kernel.config(|config| config.results.max_tokens = Some(1000))).await;
    let mut host = host(&setup, "agent.test").await;
    let call = |times: usize| json!({"name": "make", "arguments": {"text": "word ", "times": times}});
    let short = host.get("tools/call", call(900)).await;
    assert_eq!(short["content"][0]["text"], "word ".repeat(900));
    let long = host.get("tools/call", call(5000)).await;
    assert_eq!(reference_of(&long).size_bytes, Some(25_000));
    let text = long["content"][0]["text"].as_str().unwrap();
    assert!(text.len() < 2000 && text.contains("Its first 1000 characters:\nword word"), "{text}");
    // A client may check the structured content of a tool that it calls by name.
    let checked = host.get("tools/call", json!({"name": "checked"})).await;
    assert_eq!(checked["structuredContent"]["rows"][0]["n"], 1);
    let fail = host.get("tools/call", json!({"name": "fail"})).await;
    assert!(fail["isError"] == true && fail["content"][0]["text"].as_str().unwrap().len() > 4000);
}

#[tokio::test]
async fn structured_content_counts_and_is_kept_without_repetition() {
    let (setup, _server) =
        kernel_with(|kernel| kernel.config(|config| config.results.max_tokens = Some(1000))).await;
    let mut host = host(&setup, "agent.test").await;
    let text = |text: &str| json!({"type": "text", "text": text});
    let (short, long) = (json!({"n": 1}), json!({"rows": "word ".repeat(5000)}));
    let picture = json!({"type": "image", "data": "AA==", "mimeType": "image/png"});
    for (content, structured, is_joined) in [
        (json!([text(&"word ".repeat(5000))]), &short, true),
        (json!([text(&short.to_string()), text(&"word ".repeat(5000))]), &short, true),
        (json!([text(&long.to_string()), picture]), &long, true),
        (json!([text("two rows")]), &long, true),
        (json!([text(&long.to_string())]), &long, false),
        (json!([text(&serde_json::to_string_pretty(&long).unwrap())]), &long, false),
        (json!([]), &long, false),
    ] {
        let whole = json!({"content": content, "structuredContent": structured});
        let call = json!({"name": "echo", "arguments": {"result": whole}});
        let reference = reference_of(&host.get("tools/call", call).await);
        assert_eq!(reference.mime_type, "application/json");
        let uri = format!("{}?offset=0&length=262144", reference.uri());
        let read = host.get("resources/read", json!({"uri": uri})).await;
        let kept: Value = serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
        assert!(kept == if is_joined { whole } else { structured.clone() }, "{kept}");
    }
    // A repetition does not count.
    let half = json!({"rows": "word ".repeat(600)});
    let whole = json!({"content": [text(&half.to_string())], "structuredContent": half});
    let call = json!({"name": "echo", "arguments": {"result": whole}});
    let answer = host.get("tools/call", call).await;
    assert_eq!((&answer["content"], &answer["structuredContent"]), (&whole["content"], &half));
}

#[tokio::test]
async fn a_result_that_is_to_be_checked_is_not_kept_by_itself() {
    let (setup, _server) =
        kernel_with(|kernel| kernel.config(|config| config.results.max_tokens = Some(100))).await;
    let mut host = host(&setup, "agent.test").await;
    for checks in [false, true] {
        let options = json!({"dev.cloto/call": {"check_result": checks}});
        let call = json!({"name": "mgp_tools_call", "arguments": {"name": "checked", "arguments": {}}, "_meta": options});
        let answer = host.get("tools/call", call).await;
        let kept = answer["_meta"].get("dev.cloto/reference").is_some();
        assert_eq!((kept, answer["structuredContent"]["rows"][0]["n"] == 1), (!checks, checks), "{answer}");
    }
}

#[tokio::test]
async fn a_host_that_only_calls_tools_reads_a_kept_result_to_its_end() {
    let (setup, _server) = kernel_with(|kernel| {
        kernel.config(|config| {
            config.results.max_tokens = Some(1000);
            config.agents.push("agent.other".into());
        })
    })
    .await;
    let mut host = host(&setup, "agent.test").await;
    let listed = host.get("tools/list", json!({})).await;
    let is_listed = |name: &str| listed["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == name);
    assert!(is_listed("mgp_result_read"), "{listed}");
    let call = json!({"name": "make", "arguments": {"text": "wörd ", "times": 5000}});
    let long = host.get("tools/call", call).await;
    let reference = reference_of(&long);
    assert!(long["content"][0]["text"].as_str().unwrap().contains("call mgp_result_read"), "{long}");
    for is_wrapped in [false, true] {
        let (mut text, mut offset) = (String::new(), 0);
        loop {
            let part = json!({"ref": reference.ref_id, "offset": offset});
            let part = match is_wrapped {
                true => {
                    host.call("mgp_tools_call", json!({"name": "mgp_result_read", "arguments": part})).await
                }
                false => host.call("mgp_result_read", part).await,
            };
            let part: ReferencePart = serde_json::from_value(part["structuredContent"].clone()).unwrap();
            // No part is longer than the results that the host is sent.
            assert!(part.text.len() <= 1000 && part.offset == offset, "{part:?}");
            text.push_str(&part.text);
            match part.next_offset {
                Some(next) => offset = next,
                None => break,
            }
        }
        assert_eq!(text, "wörd ".repeat(5000));
        assert_eq!(sha256(&text), reference.checksum.clone().unwrap().value);
    }
    let mut other = self::host(&setup, "agent.other").await;
    let mut unknown = Vec::new();
    let never = "ref-00000000000000000000000000000000";
    for (host, id) in [(&mut other, reference.ref_id.as_str()), (&mut host, never)] {
        let refused = host.call("mgp_result_read", json!({"ref": id})).await;
        let text = refused["content"][0]["text"].as_str().unwrap().replace(&short(id), "REF");
        unknown.push((refused["isError"].clone(), text));
    }
    assert_eq!(unknown[0], unknown[1]);
    for (wrong, problem) in [
        (json!({"offset": 40_000}), "invalid offset: expected at most 30000, found 40000"),
        (json!({"length": 3}), "invalid length: expected 4 to 262144, found 3"),
    ] {
        let mut part = wrong;
        part["ref"] = json!(reference.ref_id);
        let refused = host.call("mgp_result_read", part.clone()).await;
        let check = json!({"name": "mgp_result_read", "arguments": part});
        let dry = host.get("mgp/tools/check", check).await;
        assert!(refused["content"][0]["text"].as_str().unwrap().contains(problem), "{refused}");
        assert_eq!((&refused["isError"], &dry["allowed"]), (&json!(true), &json!(false)), "{refused} {dry}");
    }
}
