//! The sections of MGP that were negotiated.

use crate::{
    Area, Check,
    outcome::{Miss, Outcome, failed, quoted, skipped},
    session::{Answer, all_extensions},
    visit::Visit,
};
use mgp_types::{
    json::RawJson,
    json_schema::CompiledSchema,
    negotiation::{Extension, MgpVersion},
    schemas::mgp_schemas,
};
use serde_json::{Value, json};

const fn check(id: &'static str, of: &'static str, rule: &'static str, run: crate::check::Run) -> Check {
    Check { id, area: Area::Mgp, rule, of, run }
}

pub(super) const CHECKS: &[Check] = &[
    check(
        "mgp.answer",
        "MGP §2.3",
        "An offer is answered with a version and a list of extensions.",
        |visit| Box::pin(answer(visit)),
    ),
    check("mgp.intersection", "MGP §2.4", "Only extensions that were offered are answered.", |visit| {
        Box::pin(intersection(visit))
    }),
    check(
        "mgp.unknown-method",
        "MGP §1.5",
        "A method of MGP that does not exist is answered with -32601.",
        |visit| Box::pin(unknown_method(visit)),
    ),
    check(
        "mgp.security",
        "MGP §4.3",
        "The security of a tool has its risk and its members in their form.",
        |visit| Box::pin(security(visit)),
    ),
    check("mgp.health-ping", "MGP §11.3", "`mgp/health/ping` is answered with a health.", |visit| {
        Box::pin(health_ping(visit))
    }),
    check(
        "mgp.health-status",
        "MGP §11.3",
        "`mgp/health/status` is answered with a health and its numbers.",
        |visit| Box::pin(health_status(visit)),
    ),
    check(
        "mgp.cancel",
        "MGP §12.7",
        "Cancelling what does not run says that nothing was cancelled.",
        |visit| Box::pin(cancel(visit)),
    ),
    check(
        "mgp.subscribe",
        "MGP §13.3",
        "A subscription is answered with its id, its channels, and the unknown ones.",
        |visit| Box::pin(subscribe(visit)),
    ),
    check("mgp.unsubscribe", "MGP §13.3", "A subscription that does not exist is not removed.", |visit| {
        Box::pin(unsubscribe(visit))
    }),
    check("mgp.servers", "MGP §15.2", "`mgp/discovery/list` is answered with the servers.", |visit| {
        Box::pin(servers(visit))
    }),
    check(
        "mgp.manifest",
        "proposal 1",
        "`mgp/discovery/manifest` is answered with a manifest in its form that has every tool.",
        |visit| Box::pin(super::manifest::manifest(visit)),
    ),
    check(
        "mgp.search",
        "MGP §16.5",
        "A search is answered with tools that a call can be made of.",
        |visit| Box::pin(search(visit)),
    ),
    check(
        "mgp.session",
        "MGP §16.7",
        "`mgp/tools/session` is answered with the tools and their size.",
        |visit| Box::pin(session(visit)),
    ),
    check("mgp.access", "MGP §5.4", "`mgp/access/query` is answered with a decision, or refused.", |visit| {
        Box::pin(access(visit))
    }),
    check("mgp.replay", "MGP §6.3", "`mgp/audit/replay` is answered with events, or refused.", |visit| {
        Box::pin(replay(visit))
    }),
];

/// Returns the server's answer to the offer of MGP, or skips the check.
fn offered(visit: &Visit) -> Result<&Value, Miss> {
    match visit.main.greeting.mgp() {
        Some(mgp) => Ok(mgp),
        None => skipped("the server does not answer the offer of MGP"),
    }
}

async fn answer(visit: &mut Visit) -> Outcome {
    let mgp = offered(visit)?;
    let version = mgp["version"].as_str().filter(|version| version.parse::<MgpVersion>().is_ok());
    let names = mgp["extensions"].as_array().filter(|names| names.iter().all(Value::is_string));
    match (version, names) {
        (Some(version), Some(names)) => Ok(format!("MGP {version} with {} extensions", names.len())),
        _ => failed(format!(
            "offered MGP; got {}; expected a version such as 0.6.0, and names as extensions",
            quoted(&mgp.to_string())
        )),
    }
}

async fn intersection(visit: &mut Visit) -> Outcome {
    offered(visit)?;
    let offered = all_extensions();
    let is_offered = |name: &str| {
        name == Extension::ERROR_HANDLING
            || Extension::from_spelling(name).iter().any(|extension| offered.contains(&extension.as_str()))
    };
    match visit.extensions().into_iter().find(|name| !is_offered(name)) {
        Some(name) => failed(format!(
            "offered {}; got {name:?}; expected none that was not offered",
            offered.join(", ")
        )),
        None => Ok("only what was offered".to_owned()),
    }
}

async fn unknown_method(visit: &mut Visit) -> Outcome {
    offered(visit)?;
    let exchange = visit.main.session.request("mgp/check/does-not-exist", json!({})).await;
    match exchange.has_code(&[-32601]) {
        true => Ok(exchange.came()),
        false => Err(exchange.wrong("the error -32601")),
    }
}

async fn security(visit: &mut Visit) -> Outcome {
    offered(visit)?;
    let with: Vec<_> = visit.tools().filter(|tool| !tool["security"].is_null()).collect();
    if with.is_empty() {
        return skipped("no tool has security");
    }
    let whole = schema("mgp/tools/discover")?;
    let mut of_security = whole["$defs"]["SecurityMetadata"].clone();
    of_security["$defs"] = whole["$defs"].clone();
    for tool in &with {
        if let Err(problem) = fit(&of_security, &tool["security"]) {
            return failed(format!(
                "asked for tools; got {}; expected security that fits its schema: {problem}",
                quoted(&tool.to_string())
            ));
        }
    }
    Ok(format!("{} tools", with.len()))
}

async fn health_ping(visit: &mut Visit) -> Outcome {
    visit.needs(&["lifecycle"])?;
    typed(visit, "mgp/health/ping", json!({ "timestamp": "2026-01-01T00:00:00Z" }))
        .await
        .map(|result| told(&result))
}

async fn health_status(visit: &mut Visit) -> Outcome {
    visit.needs(&["lifecycle"])?;
    typed(visit, "mgp/health/status", json!({})).await.map(|result| told(&result))
}

async fn cancel(visit: &mut Visit) -> Outcome {
    visit.needs_initialize("sessions in which a request could be cancelled")?;
    visit.needs(&["streaming"])?;
    let result = typed(visit, "mgp/stream/cancel", json!({ "request_id": "check-never-sent" })).await?;
    match result["cancelled"] == json!(false) {
        true => Ok(told(&result)),
        false => failed(format!(
            "sent mgp/stream/cancel for a request that does not run; got {result}; expected cancelled: false"
        )),
    }
}

async fn subscribe(visit: &mut Visit) -> Outcome {
    visit.needs_initialize("sessions to subscribe in")?;
    visit.needs(&["events", "bidirectional"])?;
    let result = typed(visit, "mgp/events/subscribe", json!({ "channels": ["check.nothing"] })).await?;
    let id = json!({ "subscription_id": result["subscription_id"] });
    let ended = typed(visit, "mgp/events/unsubscribe", id).await?;
    match ended["removed"] == json!(true) {
        true => Ok(told(&result)),
        false => failed(format!(
            "sent mgp/events/unsubscribe for a subscription; got {ended}; expected removed: true"
        )),
    }
}

async fn unsubscribe(visit: &mut Visit) -> Outcome {
    visit.needs_initialize("sessions to subscribe in")?;
    visit.needs(&["events", "bidirectional"])?;
    let params = json!({ "subscription_id": "check-never-given" });
    let exchange = visit.main.session.request("mgp/events/unsubscribe", params).await;
    match &exchange.answer {
        Answer::Error(_) => Ok(exchange.came()),
        Answer::Result(result) if result["removed"] == json!(false) => Ok(exchange.came()),
        _ => Err(exchange.wrong("removed: false, or an error")),
    }
}

async fn servers(visit: &mut Visit) -> Outcome {
    visit.needs(&["discovery"])?;
    typed(visit, "mgp/discovery/list", json!({})).await.map(|result| told(&result))
}

async fn search(visit: &mut Visit) -> Outcome {
    visit.needs(&["tool_discovery"])?;
    typed(visit, "mgp/tools/discover", json!({ "query": "read a text", "max_results": 3 }))
        .await
        .map(|result| told(&result))
}

async fn session(visit: &mut Visit) -> Outcome {
    visit.needs(&["tool_discovery"])?;
    typed(visit, "mgp/tools/session", json!({})).await.map(|result| told(&result))
}

async fn access(visit: &mut Visit) -> Outcome {
    visit.needs(&["access_control"])?;
    let params = json!({ "agent_id": "check", "server_id": "check", "tool_name": null });
    allowed(visit, "mgp/access/query", params).await
}

async fn replay(visit: &mut Visit) -> Outcome {
    visit.needs(&["audit"])?;
    allowed(visit, "mgp/audit/replay", json!({ "limit": 1 })).await
}

/// Makes a request that is reserved for operators: a refusal is correct, too.
async fn allowed(visit: &mut Visit, method: &str, params: Value) -> Outcome {
    let exchange = visit.main.session.request(method, params).await;
    match &exchange.answer {
        Answer::Error(error) if error.code != Some(-32603) => Ok(exchange.came()),
        Answer::Result(result) => {
            fit(&schema(method)?, result)
                .map_err(|problem| exchange.wrong(&format!("a result that fits its schema: {problem}")))?;
            Ok(exchange.came())
        }
        _ => Err(exchange.wrong("a result that fits its schema, or a refusal")),
    }
}

/// Makes a request whose result must fit the schema of its method.
async fn typed(visit: &mut Visit, method: &str, params: Value) -> Result<Value, Miss> {
    let exchange = visit.main.session.request(method, params).await;
    let result = exchange.result("a result that fits the schema of the method")?;
    match fit(&schema(method)?, result) {
        Ok(()) => Ok(result.clone()),
        Err(problem) => Err(exchange.wrong(&format!("a result that fits its schema: {problem}"))),
    }
}

fn told(result: &Value) -> String {
    quoted(&result.to_string())
}

/// Returns the schema of a method's result.
fn schema(method: &str) -> Result<Value, Miss> {
    let found = mgp_schemas().into_iter().find(|message| message.method == method);
    found
        .and_then(|message| message.result)
        .ok_or_else(|| Miss::Skipped(format!("there is no schema of {method}")))
}

pub(super) fn fit(schema: &Value, value: &Value) -> Result<(), String> {
    let compiled = CompiledSchema::compile(schema).map_err(|error| error.to_string())?;
    let json = RawJson::parse(value.to_string()).map_err(|error| error.to_string())?;
    compiled.check(&json).map_err(|mismatch| quoted(&mismatch.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_that_the_checks_use_can_be_compiled() {
        for message in mgp_schemas() {
            for schema in std::iter::once(&message.params).chain(&message.result) {
                assert!(CompiledSchema::compile(schema).is_ok(), "{}", message.method);
            }
        }
    }
}
