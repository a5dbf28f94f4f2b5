//! Permissions, and the query whether a call would be allowed.

use crate::{
    Area, Check,
    outcome::{Outcome, failed, quoted, skipped},
    session::Answer,
    visit::Visit,
};
use mgp_types::permission::Permission;
use serde_json::{Value, json};

const fn check(id: &'static str, of: &'static str, rule: &'static str, run: crate::check::Run) -> Check {
    Check { id, area: Area::Scopes, rule, of, run }
}

pub(super) const CHECKS: &[Check] = &[
    check(
        "scopes.permissions",
        "MGP §3.2",
        "Declared permissions are standard ones, or have names in reverse-domain notation.",
        |visit| Box::pin(permissions(visit)),
    ),
    check("scopes.declared", "proposal 4", "The scopes that a tool declares are a list of names.", |visit| {
        Box::pin(declared(visit))
    }),
    check(
        "scopes.question",
        "proposal 4",
        "The query whether a call is allowed is answered with yes or no, and with no for a tool that does not exist.",
        |visit| Box::pin(question(visit)),
    ),
];

async fn permissions(visit: &mut Visit) -> Outcome {
    let Some(mgp) = visit.main.greeting.mgp() else {
        return skipped("the server does not answer the offer of MGP");
    };
    let of_tools = visit.tools().map(|tool| &tool["security"]["permissions_required"]);
    let mut names = 0;
    for list in std::iter::once(&mgp["permissions_required"]).chain(of_tools) {
        for name in list.as_array().into_iter().flatten() {
            names += 1;
            if name.as_str().is_none_or(|name| Permission::expand(name).is_err()) {
                return failed(format!(
                    "got the permission {}; expected one such as network.outbound, or com.example.name",
                    quoted(&name.to_string())
                ));
            }
        }
    }
    match names {
        0 => skipped("no permissions are declared"),
        count => Ok(format!("{count} permissions")),
    }
}

async fn declared(visit: &mut Visit) -> Outcome {
    let mut tools = 0;
    for tool in visit.tools() {
        for scopes in [
            &tool["required_scopes"],
            &tool["_meta"]["dev.cloto/tool"]["required_scopes"],
            &tool["_meta"]["dev.cloto/tool"]["scopes"],
        ] {
            if scopes.is_null() {
                continue;
            }
            tools += 1;
            let named =
                |scope: &Value| scope.as_str().is_some_and(|name| !name.is_empty() && !name.contains(' '));
            if !scopes.as_array().is_some_and(|scopes| scopes.iter().all(named)) {
                return failed(format!(
                    "asked for tools; got the scopes {}; expected a list of names",
                    quoted(&scopes.to_string())
                ));
            }
        }
    }
    match tools {
        0 => skipped("no tool declares scopes"),
        count => Ok(format!("{count} tools")),
    }
}

async fn question(visit: &mut Visit) -> Outcome {
    let params = json!({ "name": "check_does_not_exist", "arguments": {} });
    let exchange = visit.main.session.request("mgp/tools/check", params).await;
    match &exchange.answer {
        Answer::Error(error) if error.code == Some(-32601) => {
            skipped("the server does not support this query")
        }
        Answer::Error(_) => Ok(exchange.came()),
        Answer::Result(result) if result["allowed"] == json!(false) => Ok(exchange.came()),
        _ => Err(exchange.wrong("allowed: false, because there is no such tool")),
    }
}
