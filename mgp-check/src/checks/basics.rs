//! The handshake, ping, and rules for every request.

use crate::{
    Area, Check,
    outcome::{Outcome, failed, skipped},
    server_list::list,
    session::{Answer, QUIET, initialize},
    target::VERSION,
    visit::Visit,
};
use mgp_types::mcp::{ProtocolVersion, stateless::VERSION_KEY};
use serde_json::{Value, json};

/// The check that fails if there is no handshake.
pub(crate) const HANDSHAKE: &str = "basics.handshake";

/// JSON-RPC's codes.
const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;

const fn check(id: &'static str, of: &'static str, rule: &'static str, run: crate::check::Run) -> Check {
    Check { id, area: Area::Basics, rule, of, run }
}

pub(super) const CHECKS: &[Check] = &[
    check(
        HANDSHAKE,
        "MCP lifecycle",
        "`initialize`, or otherwise `server/discover`, is answered with a version, capabilities and the server's name and version.",
        |visit| Box::pin(handshake(visit)),
    ),
    check("basics.version", "MCP lifecycle", "The answered version is one of MCP.", |visit| {
        Box::pin(version(visit))
    }),
    check(
        "basics.unknown-version",
        "MCP lifecycle",
        "A version that does not exist is answered with one that does, or with an error.",
        |visit| Box::pin(unknown_version(visit)),
    ),
    check("basics.ping", "MCP ping", "`ping` is answered with an empty result.", |visit| {
        Box::pin(ping(visit))
    }),
    check("basics.meta", "MCP base", "Unknown members of `_meta` do no harm.", |visit| Box::pin(meta(visit))),
    check(
        "basics.unknown-method",
        "MCP base",
        "A method that does not exist is answered with -32601.",
        |visit| Box::pin(unknown_method(visit)),
    ),
    check(
        "basics.unknown-notification",
        "MCP base",
        "An unknown notification is not answered and ends nothing.",
        |visit| Box::pin(unknown_notification(visit)),
    ),
    check(
        "basics.cancelled",
        "MCP cancellation",
        "A cancellation of a request that does not exist is not answered and ends nothing.",
        |visit| Box::pin(cancelled(visit)),
    ),
    check(
        "basics.capabilities",
        "MCP lifecycle",
        "The lists of declared capabilities can be read.",
        |visit| Box::pin(capabilities(visit)),
    ),
    check(
        "basics.unreadable",
        "MCP base",
        "A text that is not JSON ends nothing, and is answered with -32700 or not at all.",
        |visit| Box::pin(unreadable(visit)),
    ),
    check(
        "basics.invalid-request",
        "MCP base",
        "A message without a method ends nothing, and is answered with -32600 or not at all.",
        |visit| Box::pin(invalid_request(visit)),
    ),
];

async fn handshake(visit: &mut Visit) -> Outcome {
    let greeting = &visit.main.greeting;
    let (result, info) = (&greeting.result, &greeting.result["serverInfo"]);
    let named =
        ["name", "version"].iter().all(|key| info[*key].as_str().is_some_and(|text| !text.is_empty()));
    // Without a handshake, a server does not have to name itself.
    let named = named || greeting.is_stateless && info.is_null();
    if !result["protocolVersion"].is_string() || !result["capabilities"].is_object() || !named {
        return Err(greeting
            .exchange
            .wrong("protocolVersion, the object capabilities, and serverInfo with a name and a version"));
    }
    Ok(format!("{} {}", info["name"], info["version"]))
}

async fn version(visit: &mut Visit) -> Outcome {
    let greeting = &visit.main.greeting;
    let Some(version) = greeting.result["protocolVersion"].as_str() else {
        return skipped("the answer names no version");
    };
    match version.parse::<ProtocolVersion>() {
        Ok(known) if greeting.is_stateless && known.is_stateless() => {
            Ok(format!("without a handshake, {version}"))
        }
        Ok(known) if !known.is_stateless() => Ok(format!("asked for {VERSION}, answered with {version}")),
        _ => {
            Err(greeting.exchange.wrong("a revision of MCP that begins with initialize, such as 2025-06-18"))
        }
    }
}

async fn unknown_version(visit: &mut Visit) -> Outcome {
    let mut session = visit.connect().await?;
    if visit.main.greeting.is_stateless {
        crate::session::greet(&mut session, VERSION, true).await?;
        let params = json!({ "_meta": { VERSION_KEY: "1999-01-01" } });
        let exchange = session.request("server/discover", params).await;
        visit.part(session).await;
        return exchange.error("an error, because no such version exists").map(|_| exchange.came());
    }
    let exchange = session.request("initialize", initialize("1999-01-01", true)).await;
    visit.part(session).await;
    let expected = "another version, or an error";
    match &exchange.answer {
        Answer::Result(result) if result["protocolVersion"] == json!("1999-01-01") => {
            Err(exchange.wrong(expected))
        }
        Answer::Missing(_) => Err(exchange.wrong(expected)),
        Answer::Result(_) | Answer::Error(_) => Ok(exchange.came()),
    }
}

async fn ping(visit: &mut Visit) -> Outcome {
    visit.needs_initialize("ping")?;
    let exchange = visit.main.session.request("ping", json!({})).await;
    let result = exchange.result("the result {}")?;
    let members = result.as_object().map(|members| members.keys().filter(|key| *key != "_meta").count());
    if members != Some(0) {
        return Err(exchange.wrong("the result {}"));
    }
    Ok("answered".to_owned())
}

async fn meta(visit: &mut Visit) -> Outcome {
    let params = json!({ "_meta": { "dev.cloto/check": [1, { "deep": null }] } });
    let greeting = &visit.main.greeting;
    let method = match greeting.declares("tools") {
        true => "tools/list",
        false if greeting.is_stateless => "server/discover",
        false => "ping",
    };
    let exchange = visit.main.session.request(method, params).await;
    exchange.result("the result as without `_meta`")?;
    Ok(format!("{method} with `_meta` is answered"))
}

async fn unknown_method(visit: &mut Visit) -> Outcome {
    let exchange = visit.main.session.request("check/does-not-exist", json!({})).await;
    match exchange.has_code(&[METHOD_NOT_FOUND]) {
        true => Ok(exchange.came()),
        false => Err(exchange.wrong("the error -32601")),
    }
}

async fn unknown_notification(visit: &mut Visit) -> Outcome {
    notified(visit, "notifications/check-does-not-exist", json!({})).await
}

async fn cancelled(visit: &mut Visit) -> Outcome {
    let params = json!({ "requestId": "check-never-sent", "reason": "a check" });
    notified(visit, "notifications/cancelled", params).await
}

/// Sends a notification in a separate session, which must continue silently.
async fn notified(visit: &mut Visit, method: &str, params: Value) -> Outcome {
    let mut session = visit.connect().await?;
    crate::session::greet(&mut session, VERSION, true).await?;
    let before = session.faults.len();
    session.notify(method, params).await;
    session.listen(QUIET).await;
    let answer = session.faults.get(before).map(|fault| fault.told.clone());
    let next = session.request("tools/list", json!({})).await;
    // The fault is reported by this check.
    session.faults.truncate(before);
    visit.part(session).await;
    if let Some(came) = answer {
        return failed(format!("sent {method}; {came}, and no answer to a notification"));
    }
    if matches!(next.answer, Answer::Missing(_)) {
        return failed(format!(
            "sent {method} and then {}; got {}; expected an answer",
            next.sent,
            next.came()
        ));
    }
    Ok("not answered, and the next request is".to_owned())
}

async fn capabilities(visit: &mut Visit) -> Outcome {
    let mut read = Vec::new();
    for (capability, method, member) in [
        ("tools", "tools/list", "tools"),
        ("resources", "resources/list", "resources"),
        ("prompts", "prompts/list", "prompts"),
    ] {
        if !visit.main.greeting.declares(capability) {
            continue;
        }
        if let Some(refusal) = list(&mut visit.main.session, method, member).await.refusal {
            return Err(refusal.wrong(&format!("a list, because the capability {capability:?} is declared")));
        }
        read.push(capability);
    }
    match read.is_empty() {
        true => skipped("neither tools nor resources nor prompts are declared"),
        false => Ok(format!("read: {}", read.join(", "))),
    }
}

async fn unreadable(visit: &mut Visit) -> Outcome {
    survives(visit, "{\"jsonrpc\": \"2.0\", \"id\": 1, oops", PARSE_ERROR).await
}

async fn invalid_request(visit: &mut Visit) -> Outcome {
    survives(visit, "{\"jsonrpc\": \"2.0\", \"params\": {}}", INVALID_REQUEST).await
}

/// Sends a text that is not a message in a separate session, and then a request.
async fn survives(visit: &mut Visit, text: &str, code: i64) -> Outcome {
    let mut session = visit.connect().await?;
    crate::session::greet(&mut session, VERSION, true).await?;
    let (faults, errors) = (session.faults.len(), session.errors.len());
    session.send_text(text).await;
    session.listen(QUIET).await;
    let answer = session.errors.get(errors).cloned();
    let next = session.request("tools/list", json!({})).await;
    // The answer to a text that is not a request has no id to match.
    session.faults.truncate(faults);
    visit.part(session).await;
    if let Some(error) = answer
        && error.code != Some(code)
    {
        return failed(format!("sent {text}; got the error {}; expected {code}, or nothing", error.value));
    }
    match next.answer {
        Answer::Missing(_) => {
            failed(format!("sent {text} and then {}; got {}; expected an answer", next.sent, next.came()))
        }
        _ => Ok("the next request is answered".to_owned()),
    }
}
