//! Schemas, and values that must fit them.

use crate::{
    Area, Check, arguments,
    outcome::{Outcome, failed, quoted, skipped},
    session::Answer,
    visit::{Call, Visit},
};
use mgp_types::json_schema::CompiledSchema;
use serde_json::{Value, json};

const fn check(id: &'static str, of: &'static str, rule: &'static str, run: crate::check::Run) -> Check {
    Check { id, area: Area::Schemas, rule, of, run }
}

pub(super) const CHECKS: &[Check] = &[
    check(
        "schemas.input",
        "MCP tools",
        "Every tool has a valid JSON Schema of an object as `inputSchema`.",
        |visit| Box::pin(input(visit)),
    ),
    check(
        "schemas.output",
        "MCP tools",
        "Every `outputSchema` is a valid JSON Schema of an object.",
        |visit| Box::pin(output(visit)),
    ),
    check(
        "schemas.content",
        "MCP tools",
        "A result has a list of content, and every part of it has a type.",
        |visit| Box::pin(content(visit)),
    ),
    check(
        "schemas.result",
        "MCP tools",
        "A tool with an `outputSchema` answers with `structuredContent` that fits it.",
        |visit| Box::pin(result(visit)),
    ),
    check("schemas.arguments", "MCP tools", "Arguments that do not fit the schema are refused.", |visit| {
        Box::pin(unfit(visit))
    }),
];

async fn input(visit: &mut Visit) -> Outcome {
    if visit.tools().next().is_none() {
        return skipped("the server lists no tools");
    }
    for tool in visit.tools() {
        if let Err(problem) = object_schema(&tool["inputSchema"]) {
            return failed(format!(
                "asked for tools; got the inputSchema of {}: {problem}; expected a valid schema of an object",
                tool["name"]
            ));
        }
    }
    Ok(format!("{} schemas", visit.tools().count()))
}

async fn output(visit: &mut Visit) -> Outcome {
    let with: Vec<_> = visit.tools().filter(|tool| !tool["outputSchema"].is_null()).collect();
    if with.is_empty() {
        return skipped("no tool has an outputSchema");
    }
    for tool in &with {
        if let Err(problem) = object_schema(&tool["outputSchema"]) {
            return failed(format!(
                "asked for tools; got the outputSchema of {}: {problem}; expected a valid schema of an object",
                tool["name"]
            ));
        }
    }
    Ok(format!("{} schemas", with.len()))
}

fn object_schema(schema: &Value) -> Result<(), String> {
    if !schema.is_object() {
        return Err(format!("{} is not an object", quoted(&schema.to_string())));
    }
    if schema["type"] != json!("object") {
        return Err(format!("its type is {}", schema["type"]));
    }
    CompiledSchema::compile(schema).map(|_| ()).map_err(|error| quoted(&error.to_string()))
}

async fn content(visit: &mut Visit) -> Outcome {
    let calls = visit.calls().await?;
    for call in &calls {
        let result = match &call.exchange.answer {
            Answer::Result(result) => result,
            Answer::Error(_) => continue,
            Answer::Missing(_) => return Err(call.exchange.wrong("a result or an error")),
        };
        let typed = |part: &Value| part["type"].is_string();
        let fits = result["content"].as_array().is_some_and(|parts| parts.iter().all(typed));
        if !fits {
            return Err(call.exchange.wrong("a list as content, whose parts have a type"));
        }
    }
    Ok(called(&calls))
}

async fn result(visit: &mut Visit) -> Outcome {
    let calls = visit.calls().await?;
    let mut checked = Vec::new();
    for call in calls.into_iter().filter(|call| !call.tool["outputSchema"].is_null()) {
        let Answer::Result(result) = &call.exchange.answer else { continue };
        if result["isError"] == json!(true) {
            continue;
        }
        let structured = &result["structuredContent"];
        match arguments::fits(&call.tool["outputSchema"], structured) {
            Some(true) => checked.push(call),
            Some(false) => {
                return Err(call.exchange.wrong(&format!(
                    "structuredContent that fits {}",
                    quoted(&call.tool["outputSchema"].to_string())
                )));
            }
            // The schema is reported by schemas.output.
            None => {}
        }
    }
    match checked.is_empty() {
        true => skipped("no tool with an outputSchema was called and answered"),
        false => Ok(called(&checked)),
    }
}

async fn unfit(visit: &mut Visit) -> Outcome {
    let mut refused = 0;
    for tool in visit.callable() {
        let Some((arguments, reason)) = arguments::unfitting(&tool["inputSchema"]) else { continue };
        let params = json!({ "name": tool["name"], "arguments": arguments });
        let exchange = visit.main.session.request("tools/call", params).await;
        match &exchange.answer {
            Answer::Error(_) => refused += 1,
            Answer::Result(result) if result["isError"] == json!(true) => refused += 1,
            _ => {
                return Err(exchange
                    .wrong(&format!("an error or a result with isError, because {}", quoted(&reason))));
            }
        }
    }
    match refused {
        0 => skipped("no tool is marked as read-only and restricts its arguments"),
        count => Ok(format!("{count} calls are refused")),
    }
}

fn called(calls: &[Call]) -> String {
    let told = |call: &Call| format!("{} with {}", call.tool["name"], quoted(&call.arguments.to_string()));
    format!("called {}", calls.iter().map(told).collect::<Vec<_>>().join(", "))
}
