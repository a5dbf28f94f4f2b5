//! Lists and their pages.

use crate::{
    Area, Check,
    outcome::{Miss, Outcome, failed, quoted, skipped},
    server_list::{ServerList, list},
    visit::Visit,
};
use mgp_types::{
    json::RawJson,
    mcp::conform::{
        Conformity, Mend, conform_prompt, conform_resource, conform_resource_template, conform_tool,
    },
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};

const fn check(id: &'static str, of: &'static str, rule: &'static str, run: crate::check::Run) -> Check {
    Check { id, area: Area::Lists, rule, of, run }
}

pub(super) const CHECKS: &[Check] = &[
    check("lists.tools", "MCP tools", "Every tool has a name, and its members have their types.", |visit| {
        Box::pin(tools(visit))
    }),
    check("lists.unique", "MCP tools", "No two tools have the same name.", |visit| Box::pin(unique(visit))),
    check(
        "lists.names",
        "MCP tools",
        "Names of tools are 1 to 128 letters, digits, underscores, hyphens, dots and slashes.",
        |visit| Box::pin(names(visit)),
    ),
    check(
        "lists.stable",
        "MCP tools",
        "A list that was not reported as changed is the same when it is read again.",
        |visit| Box::pin(stable(visit)),
    ),
    check("lists.pages", "MCP pagination", "The pages of a list come to an end.", |visit| {
        Box::pin(pages(visit))
    }),
    check(
        "lists.cursor",
        "MCP pagination",
        "A cursor that the server did not issue is answered with -32602.",
        |visit| Box::pin(cursor(visit)),
    ),
    check(
        "lists.resources",
        "MCP resources",
        "Every resource has a URI and a name, and its members have their types.",
        |visit| Box::pin(resources(visit)),
    ),
    check(
        "lists.templates",
        "MCP resources",
        "Every resource template has a URI template and a name, and its members have their types.",
        |visit| Box::pin(templates(visit)),
    ),
    check(
        "lists.prompts",
        "MCP prompts",
        "Every prompt has a name, and each of its arguments too, and its members have their types.",
        |visit| Box::pin(prompts(visit)),
    ),
];

/// Skips a check if there are no tools.
fn some_tools(visit: &Visit) -> Result<&[Value], Miss> {
    match visit.main.tools.entries.as_slice() {
        [] => skipped("the server lists no tools"),
        tools => Ok(tools),
    }
}

async fn tools(visit: &mut Visit) -> Outcome {
    let tools = some_tools(visit)?;
    for tool in tools {
        if tool["name"].as_str().is_none_or(str::is_empty) {
            return wrong("tools/list", tool, "a tool with a name");
        }
        for member in ["title", "description"] {
            if !(tool[member].is_null() || tool[member].is_string()) {
                return wrong("tools/list", tool, &format!("a text as {member}"));
            }
        }
        if !(tool["annotations"].is_null() || tool["annotations"].is_object()) {
            return wrong("tools/list", tool, "an object as annotations");
        }
        // The schemas have separate checks.
        let mut tool = tool.clone();
        if let Some(members) = tool.as_object_mut() {
            members.insert("inputSchema".to_owned(), json!({"type": "object"}));
            members.remove("outputSchema");
        }
        valid("tools/list", &tool, conform_tool)?;
    }
    Ok(format!("{} tools", tools.len()))
}

async fn unique(visit: &mut Visit) -> Outcome {
    some_tools(visit)?;
    let mut seen = BTreeSet::new();
    match visit.main.tools.names().into_iter().find(|name| !seen.insert(*name)) {
        Some(name) => {
            failed(format!("sent tools/list; got the tool {name:?} twice; expected each name once"))
        }
        None => Ok(format!("{} names", seen.len())),
    }
}

async fn names(visit: &mut Visit) -> Outcome {
    some_tools(visit)?;
    let fits = |name: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
        (1..=128).contains(&name.len()) && name.bytes().all(allowed)
    };
    match visit.main.tools.names().into_iter().find(|name| !name.is_empty() && !fits(name)) {
        Some(name) => failed(format!(
            "sent tools/list; got the name {:?}; expected 1 to 128 of [A-Za-z0-9_./-]",
            quoted(name)
        )),
        None => Ok("every name fits".to_owned()),
    }
}

/// The most times that the list is read again, because the server reported a change.
const READINGS: usize = 5;

/// The time in which a server reports a change that a list already shows.
const LATE_REPORT: Duration = Duration::from_secs(1);

async fn stable(visit: &mut Visit) -> Outcome {
    some_tools(visit)?;
    let mut before: Vec<_> = visit.main.tools.names().into_iter().map(str::to_owned).collect();
    let session = &mut visit.main.session;
    let mut known = 0;
    for _ in 0..READINGS {
        let after: Vec<_> =
            list(session, "tools/list", "tools").await.names().into_iter().map(str::to_owned).collect();
        if before == after {
            return Ok(format!("{} tools in the same order", after.len()));
        }
        if reports(&session.heard) == known {
            session.listen(LATE_REPORT).await;
        }
        let reported = reports(&session.heard);
        if reported == known {
            return failed(format!(
                "sent tools/list twice; got {} and then {}; expected the same tools in the same order",
                quoted(&before.join(", ")),
                quoted(&after.join(", "))
            ));
        }
        (before, known) = (after, reported);
    }
    skipped("the server reports again and again that its list has changed")
}

/// Returns the number of times that a server reported a change of its tools.
fn reports(heard: &[Value]) -> usize {
    heard.iter().filter(|message| message["method"] == json!("notifications/tools/list_changed")).count()
}

async fn pages(visit: &mut Visit) -> Outcome {
    some_tools(visit)?;
    match &visit.main.tools.endless {
        Some(trouble) => failed(format!(
            "sent tools/list for each page; got {trouble}; expected a last page without nextCursor"
        )),
        None => Ok(format!("{} pages", visit.main.tools.pages)),
    }
}

async fn cursor(visit: &mut Visit) -> Outcome {
    if visit.main.tools.pages < 2 {
        return skipped("the list of tools is one page");
    }
    let params = json!({ "cursor": "check-never-given" });
    let exchange = visit.main.session.request("tools/list", params).await;
    match exchange.has_code(&[-32602]) {
        true => Ok(exchange.came()),
        false => Err(exchange.wrong("the error -32602")),
    }
}

async fn resources(visit: &mut Visit) -> Outcome {
    let entries = declared(visit, "resources").await?;
    for resource in &entries {
        if !resource["uri"].is_string() || !resource["name"].is_string() {
            return wrong("resources/list", resource, "a resource with uri and name");
        }
        valid("resources/list", resource, conform_resource)?;
    }
    Ok(format!("{} resources", entries.len()))
}

async fn templates(visit: &mut Visit) -> Outcome {
    let method = "resources/templates/list";
    let listing = listing(visit, "resources", method, "resourceTemplates").await?;
    if let Some(refusal) = listing.refusal {
        // A server with resources does not have to support templates.
        if refusal.has_code(&[-32601]) {
            return skipped(format!("sent {method}; got {}", refusal.came()));
        }
        return Err(refusal.wrong("a list, or the error -32601"));
    }
    for template in &listing.entries {
        if !template["uriTemplate"].is_string() || !template["name"].is_string() {
            return wrong(method, template, "a template with uriTemplate and name");
        }
        valid(method, template, conform_resource_template)?;
    }
    Ok(format!("{} templates", listing.entries.len()))
}

async fn prompts(visit: &mut Visit) -> Outcome {
    let entries = declared(visit, "prompts").await?;
    for prompt in &entries {
        let mut arguments = prompt["arguments"].as_array().into_iter().flatten();
        if !prompt["name"].is_string() || !arguments.all(|argument| argument["name"].is_string()) {
            return wrong("prompts/list", prompt, "a prompt with a name, and a name for each argument");
        }
        valid("prompts/list", prompt, conform_prompt)?;
    }
    Ok(format!("{} prompts", entries.len()))
}

/// Reads a list, unless its capability is not declared.
async fn listing(
    visit: &mut Visit,
    capability: &str,
    method: &str,
    member: &str,
) -> Result<ServerList, Miss> {
    if !visit.main.greeting.declares(capability) {
        return skipped(format!("the server does not declare {capability}"));
    }
    Ok(list(&mut visit.main.session, method, member).await)
}

/// Reads the list with the name of its capability.
async fn declared(visit: &mut Visit, capability: &str) -> Result<Vec<Value>, Miss> {
    let listing = listing(visit, capability, &format!("{capability}/list"), capability).await?;
    match listing.refusal {
        Some(_) => skipped("the list cannot be read, which basics.capabilities reports"),
        None => Ok(listing.entries),
    }
}

/// Fails if an entry is invalid by MCP's schema, because SDKs of hosts then refuse the whole list.
fn valid(method: &str, entry: &Value, conform: fn(&RawJson) -> Conformity) -> Result<(), Miss> {
    let Ok(text) = RawJson::from_value(entry) else { return Ok(()) };
    let first = match conform(&text) {
        Conformity::Valid => return Ok(()),
        Conformity::Mended(_, mends) => mends.0.into_iter().next(),
        Conformity::Invalid(mend) => Some(mend),
    };
    let Some(Mend { pointer, found, expected, .. }) = first else { return Ok(()) };
    failed(format!(
        "sent {method}; got {}; expected {expected} as {pointer}, where {found} is: hosts refuse the whole list",
        quoted(&entry.to_string())
    ))
}

fn wrong(method: &str, entry: &Value, expected: &str) -> Outcome {
    failed(format!("sent {method}; got {}; expected {expected}", quoted(&entry.to_string())))
}
