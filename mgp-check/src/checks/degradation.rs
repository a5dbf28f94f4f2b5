//! The same server toward a plain client, and toward an old one.

use crate::{
    Area, Check,
    outcome::{Outcome, failed, quoted, skipped},
    session::Answer,
    visit::{Call, Visit},
};
use serde_json::{Value, json};

const fn check(id: &'static str, of: &'static str, rule: &'static str, run: crate::check::Run) -> Check {
    Check { id, area: Area::Degradation, rule, of, run }
}

pub(super) const CHECKS: &[Check] = &[
    check(
        "degradation.handshake",
        "MGP §2.4",
        "A client that did not offer MGP is answered without it.",
        |visit| Box::pin(handshake(visit)),
    ),
    check("degradation.tools", "MGP §1.3", "A plain client has the same tools.", |visit| {
        Box::pin(tools(visit))
    }),
    check(
        "degradation.members",
        "MGP §1.2",
        "A plain client receives no members of MGP in tools and results.",
        |visit| Box::pin(members(visit)),
    ),
    check(
        "degradation.codes",
        "MGP §14.2",
        "A plain client receives only error codes of JSON-RPC and MCP.",
        |visit| Box::pin(codes(visit)),
    ),
    check(
        "degradation.notifications",
        "MGP §1.2",
        "A plain client receives no notifications of MGP.",
        |visit| Box::pin(notifications(visit)),
    ),
    check(
        "degradation.old-version",
        "MCP lifecycle",
        "A client of 2024-11-05 is answered, with that version or another.",
        |visit| Box::pin(old_version(visit)),
    ),
];

async fn handshake(visit: &mut Visit) -> Outcome {
    let plain = visit.plain().await?;
    match plain.greeting.mgp() {
        Some(mgp) => failed(format!(
            "sent {} without MGP; got {}; expected no member mgp",
            if plain.greeting.is_stateless { "server/discover" } else { "initialize" },
            quoted(&mgp.to_string())
        )),
        None => Ok("no trace of MGP".to_owned()),
    }
}

async fn tools(visit: &mut Visit) -> Outcome {
    let mut ours: Vec<_> = visit.main.tools.names().into_iter().map(str::to_owned).collect();
    if ours.is_empty() {
        return skipped("the server lists no tools");
    }
    let plain = visit.plain().await?;
    let mut theirs: Vec<_> = plain.tools.names().into_iter().map(str::to_owned).collect();
    ours.sort_unstable();
    theirs.sort_unstable();
    match ours == theirs {
        true => Ok(format!("{} tools", ours.len())),
        false => failed(format!(
            "sent tools/list as a plain client; got {}; expected {}",
            quoted(&theirs.join(", ")),
            quoted(&ours.join(", "))
        )),
    }
}

async fn members(visit: &mut Visit) -> Outcome {
    let calls = visit.calls().await.unwrap_or_default();
    let plain = visit.plain().await?;
    // A listed tool, if there is one.
    let names = plain.tools.names();
    let is_listed = |call: &Call| call.tool["name"].as_str().is_some_and(|name| names.contains(&name));
    let call = calls.iter().find(|call| is_listed(call)).or(calls.first()).cloned();
    for tool in &plain.tools.entries {
        if let Some(member) = ["security", "_mgp"].into_iter().find(|member| tool.get(*member).is_some()) {
            return failed(format!(
                "sent tools/list as a plain client; got {member} in {}; expected no members of MGP",
                quoted(&tool.to_string())
            ));
        }
    }
    let Some(call) = call else { return Ok("no members of MGP in tools".to_owned()) };
    let params = json!({ "name": call.tool["name"], "arguments": call.arguments });
    let exchange = plain.session.request("tools/call", params).await;
    match &exchange.answer {
        Answer::Result(result) if result.get("_mgp").is_some() => {
            Err(exchange.wrong("a result without _mgp"))
        }
        _ => Ok("no members of MGP in tools and results".to_owned()),
    }
}

async fn codes(visit: &mut Visit) -> Outcome {
    let plain = visit.plain().await?;
    for (method, params) in [
        ("tools/call", json!({ "name": "check_does_not_exist", "arguments": {} })),
        ("tools/call", json!({})),
        ("mgp/check/does-not-exist", json!({})),
    ] {
        let exchange = plain.session.request(method, params).await;
        if let Answer::Error(error) = &exchange.answer
            && error.code.is_some_and(|code| code > 0)
        {
            return Err(exchange.wrong("a code of JSON-RPC or MCP, which is negative"));
        }
    }
    Ok("no codes of MGP".to_owned())
}

async fn notifications(visit: &mut Visit) -> Outcome {
    visit.plain().await?;
    let heard = visit.opened_plain().map_or(&[][..], |plain| plain.session.heard.as_slice());
    let of_mgp = |message: &&Value| {
        message["method"].as_str().is_some_and(|method| method.starts_with("notifications/mgp."))
    };
    match heard.iter().find(of_mgp) {
        Some(message) => failed(format!(
            "got {} as a plain client; expected no notification of MGP",
            quoted(&message.to_string())
        )),
        None => Ok(format!("{} notifications, none of MGP", heard.len())),
    }
}

async fn old_version(visit: &mut Visit) -> Outcome {
    visit.needs_initialize("older clients")?;
    let mut session = visit.connect().await?;
    let answer = crate::session::greet(&mut session, "2024-11-05", false).await;
    let known = answer.map(|greeting| {
        let version = greeting.result["protocolVersion"].as_str().unwrap_or_default().to_owned();
        (version, greeting)
    });
    visit.part(session).await;
    let (version, greeting) = known?;
    match version.is_empty() {
        true => Err(greeting.exchange.wrong("a result with a protocolVersion")),
        false => Ok(format!("answered with {version}")),
    }
}
