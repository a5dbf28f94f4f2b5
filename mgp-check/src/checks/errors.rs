//! Errors and their reports.

use crate::{
    Area, Check,
    outcome::{Outcome, failed, quoted, skipped},
    session::Answer,
    visit::Visit,
};
use mgp_types::error::ErrorCode;
use serde_json::{Value, json};

const fn check(id: &'static str, of: &'static str, rule: &'static str, run: crate::check::Run) -> Check {
    Check { id, area: Area::Errors, rule, of, run }
}

pub(super) const CHECKS: &[Check] = &[
    check("errors.unknown-tool", "MCP tools", "A call of a tool that does not exist is an error.", |visit| {
        Box::pin(unknown_tool(visit))
    }),
    check(
        "errors.no-tool",
        "MCP tools",
        "A call without the name of a tool is an error of the protocol.",
        |visit| Box::pin(no_tool(visit)),
    ),
    check(
        "errors.unknown-resource",
        "MCP resources",
        "A resource that does not exist is an error.",
        |visit| Box::pin(unknown_resource(visit)),
    ),
    check("errors.unknown-prompt", "MCP prompts", "A prompt that does not exist is an error.", |visit| {
        Box::pin(unknown_prompt(visit))
    }),
    check("errors.report", "proposal 11", "An error with a report has members of the right form.", |visit| {
        Box::pin(report(visit))
    }),
    check(
        "errors.advice",
        "MGP §14.5",
        "Advice in `_mgp` has the category of its code, and states whether to retry.",
        |visit| Box::pin(advice(visit)),
    ),
    check(
        "errors.failure",
        "proposal 11",
        "A result with a status keeps the rules of the status.",
        |visit| Box::pin(claimed_results(visit)),
    ),
];

/// A name that no server has.
const NOWHERE: &str = "check_does_not_exist";

async fn unknown_tool(visit: &mut Visit) -> Outcome {
    if !visit.main.greeting.declares("tools") {
        return skipped("the server does not declare tools");
    }
    let params = json!({ "name": NOWHERE, "arguments": {} });
    let exchange = visit.main.session.request("tools/call", params).await;
    match &exchange.answer {
        Answer::Error(_) => Ok(exchange.came()),
        Answer::Result(result) if result["isError"] == json!(true) => Ok(exchange.came()),
        _ => Err(exchange.wrong("an error, or a result with isError")),
    }
}

async fn no_tool(visit: &mut Visit) -> Outcome {
    if !visit.main.greeting.declares("tools") {
        return skipped("the server does not declare tools");
    }
    let exchange = visit.main.session.request("tools/call", json!({ "arguments": {} })).await;
    exchange.error("an error of the protocol, such as -32602").map(|_| exchange.came())
}

async fn unknown_resource(visit: &mut Visit) -> Outcome {
    if !visit.main.greeting.declares("resources") {
        return skipped("the server does not declare resources");
    }
    let params = json!({ "uri": "check://does/not/exist" });
    let exchange = visit.main.session.request("resources/read", params).await;
    exchange.error("an error, such as -32002").map(|_| exchange.came())
}

async fn unknown_prompt(visit: &mut Visit) -> Outcome {
    if !visit.main.greeting.declares("prompts") {
        return skipped("the server does not declare prompts");
    }
    let exchange = visit.main.session.request("prompts/get", json!({ "name": NOWHERE })).await;
    exchange.error("an error, such as -32602").map(|_| exchange.came())
}

/// The categories of the proposals and of MGP.
const CATEGORIES: [&str; 10] = [
    "transient",
    "permanent",
    "auth_required",
    "invalid_input",
    "rate_limited",
    "security",
    "lifecycle",
    "resource",
    "validation",
    "external",
];

async fn report(visit: &mut Visit) -> Outcome {
    let mut reports = 0;
    for error in visit.errors() {
        let data = error.data();
        if data.get("error_type").is_none() && data.get("category").is_none() {
            continue;
        }
        reports += 1;
        if let Some(problem) = problem_of_report(data) {
            return failed(format!("got the error {}; expected {problem}", quoted(&error.value.to_string())));
        }
    }
    match reports {
        0 => skipped("no error has a report"),
        count => Ok(format!("{count} reports")),
    }
}

fn problem_of_report(data: &Value) -> Option<&'static str> {
    let is_absent_or = |key: &str, fits: fn(&Value) -> bool| data.get(key).is_none_or(fits);
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    let category = |value: &Value| value.as_str().is_some_and(|name| CATEGORIES.contains(&name));
    let wait = |value: &Value| value.as_f64().is_some_and(|seconds| seconds >= 0.0);
    [
        (is_absent_or("error_type", text), "a text as error_type"),
        (is_absent_or("category", category), "a category of the proposals or of MGP"),
        (is_absent_or("reason", text), "a text as reason"),
        (is_absent_or("retryable", Value::is_boolean), "true or false as retryable"),
        (is_absent_or("retry_after_seconds", wait), "a number that is not negative as retry_after_seconds"),
        (is_absent_or("user_actionable", Value::is_boolean), "true or false as user_actionable"),
        (is_absent_or("trace_id", text), "a text as trace_id"),
    ]
    .into_iter()
    .find_map(|(fits, expected)| (!fits).then_some(expected))
}

async fn advice(visit: &mut Visit) -> Outcome {
    let mut given = 0;
    for error in visit.errors() {
        let advice = &error.data()["_mgp"];
        if advice.is_null() {
            continue;
        }
        given += 1;
        let category = error.code.and_then(ErrorCode::from_code).map(|code| code.category().as_str());
        let told = advice["category"].as_str();
        if !advice["retryable"].is_boolean()
            || told.is_none()
            || category.is_some_and(|category| told != Some(category))
        {
            return failed(format!(
                "got the error {}; expected retryable, and the category {}",
                quoted(&error.value.to_string()),
                category.unwrap_or("of its code")
            ));
        }
    }
    match given {
        0 => skipped("no error has advice"),
        count => Ok(format!("{count} errors with advice")),
    }
}

async fn claimed_results(visit: &mut Visit) -> Outcome {
    let mut claims = 0;
    for call in visit.calls().await? {
        let Answer::Result(result) = &call.exchange.answer else { continue };
        let claim = &result["_meta"]["dev.cloto/result"];
        let Some(status) = claim.get("status") else { continue };
        claims += 1;
        let is_error = result["isError"] == json!(true);
        let error = &claim["error"];
        let whole = error["error_type"].is_string() && error["error_message"].is_string();
        let expected = match status.as_str() {
            Some("failure") if is_error && whole => None,
            Some("failure") => {
                Some("isError, and an error with error_type and error_message, because the status is failure")
            }
            Some("partial_success") if error.is_null() || whole => None,
            Some("partial_success") => Some("an error with error_type and error_message"),
            Some("success" | "no_change_needed") if !is_error && error.is_null() => None,
            Some("success" | "no_change_needed") => {
                Some("neither isError nor an error, because the status is not a failure")
            }
            _ => Some("success, failure, no_change_needed or partial_success as status"),
        };
        if let Some(expected) = expected {
            return Err(call.exchange.wrong(expected));
        }
    }
    match claims {
        0 => skipped("no result has a status"),
        count => Ok(format!("{count} results")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_category_of_the_proposals_and_of_ours_is_known() {
        let proposed = ["transient", "permanent", "auth_required", "invalid_input", "rate_limited"];
        let ours = ErrorCode::ALL.iter().map(|code| code.category().as_str());
        for category in proposed.into_iter().chain(ours) {
            assert_eq!(problem_of_report(&json!({ "category": category })), None, "{category}");
        }
        assert!(problem_of_report(&json!({ "category": "oops" })).is_some());
    }
}
