//! The specification of one tool in Markdown, in eight parts.

use super::{
    ToolDescription,
    fields::{Field, fields},
    markdown::{Markdown, name},
};
use mgp_types::{
    json::RawJson,
    tool_metadata::{Cost, ToolExample},
};
use serde_json::{Map, Value, json};

/// Returns the specification of a tool. No part is missing: the text names what the server does not state.
#[must_use]
pub fn specification(tool: &ToolDescription) -> String {
    let mut out = Markdown::default();
    out.heading(1, &format!("Tool: {}", name(&tool.name)));
    purpose(tool, &mut out);
    out.heading(2, "2. Invocation name");
    out.block(&name(&tool.name));
    input(tool, &mut out);
    output(tool, &mut out);
    errors(tool, &mut out);
    idempotency(tool, &mut out);
    usage(tool, &mut out);
    security(tool, &mut out);
    if !tool.ignored.is_empty() {
        out.heading(2, "Metadata that cannot be read");
        out.list(tool.ignored.iter().map(ToString::to_string));
    }
    out.finish()
}

fn purpose(tool: &ToolDescription, out: &mut Markdown) {
    let metadata = &tool.metadata;
    out.heading(2, "1. Purpose and description");
    let version = metadata.version.as_ref().map_or("not stated".to_owned(), ToString::to_string);
    out.block(&format!("**Version**: {version}"));
    if tool.deprecated {
        let reason = metadata.deprecated.as_ref().and_then(|deprecated| deprecated.reason.clone());
        out.text(&format!("Deprecated: {}", reason.as_deref().unwrap_or("its server gives no reason.")));
    }
    if let Some(title) = &tool.title {
        out.text(title);
    }
    out.text(
        tool.description
            .as_deref()
            .filter(|text| !text.trim().is_empty())
            .unwrap_or("Its server gives no description."),
    );
    let notes = [
        metadata.author.as_ref().map(|author| format!("Author: {author}")),
        listed("Tags", &tool.tags()),
        metadata.latency.map(|latency| format!("Expected time of a call: {latency}")),
        metadata.cost.as_ref().map(cost),
        listed("Takes (MIME types)", &tool.input_types()),
        listed("Returns (MIME types)", &tool.output_types()),
        metadata.max_input_size_bytes.map(|most| format!("Largest arguments: {most} bytes")),
        metadata.supports_streaming.filter(|yes| *yes).map(|_| "Sends partial results".to_owned()),
        metadata.supports_pagination.filter(|yes| *yes).map(|_| "Returns its results in pages".to_owned()),
    ];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    if !notes.is_empty() {
        out.list(notes);
    }
}

fn cost(cost: &Cost) -> String {
    let units = cost
        .estimated_units
        .map(|units| format!(", about {units} {} a call", cost.unit_label.as_deref().unwrap_or("units")));
    format!("Cost: {}{}", cost.category, units.unwrap_or_default())
}

fn listed(what: &str, items: &[String]) -> Option<String> {
    (!items.is_empty()).then(|| format!("{what}: {}", items.join(", ")))
}

fn input(tool: &ToolDescription, out: &mut Markdown) {
    out.heading(2, "3. Input schema (parameters)");
    table(&tool.input, "The tool takes no parameters by name.", out);
    out.code("json", &pretty(&Value::Object(tool.input.clone())));
}

fn output(tool: &ToolDescription, out: &mut Markdown) {
    out.heading(2, "4. Output schema (return value)");
    let Some(Value::Object(schema)) = &tool.output else {
        return out.text("Its server gives no schema of the result: expect text.");
    };
    table(schema, "The result has no members by name.", out);
    out.code("json", &pretty(&Value::Object(schema.clone())));
}

fn table(schema: &Map<String, Value>, none: &str, out: &mut Markdown) {
    let (fields, left_out) = fields(schema);
    if fields.is_empty() {
        return out.text(none);
    }
    let row = |Field { name: path, kind, required, description, limits }: &Field| {
        let required = if *required { "yes" } else { "no" };
        let limits = if limits.is_empty() { String::new() } else { name(limits) };
        [name(path), kind.clone(), required.to_owned(), description.clone(), limits]
    };
    let rows: Vec<_> = fields.iter().map(row).collect();
    out.table(["name", "type", "required", "description", "limits"], &rows);
    if left_out > 0 {
        out.text(&format!("And {left_out} more, which the schema names."));
    }
}

fn errors(tool: &ToolDescription, out: &mut Markdown) {
    out.heading(2, "5. Error handling");
    let errors = &tool.metadata.errors;
    if errors.is_empty() {
        out.text("Its server names no errors. A failed call has `isError`, with the reason as text.");
    } else {
        let details = |json: &RawJson| json.to_text().unwrap_or_else(|| json.to_string());
        let row = |error: &mgp_types::tool_metadata::DeclaredError| {
            let when = error.when.clone().unwrap_or_else(|| "not stated".to_owned());
            [name(&error.error_type), when, error.details.as_ref().map(details).unwrap_or_default()]
        };
        out.table(["type", "when", "details"], &errors.iter().map(row).collect::<Vec<_>>());
    }
    out.block("The type, the message and the details of an error stand in the result's `_meta[\"dev.cloto/result\"].error`.");
}

fn idempotency(tool: &ToolDescription, out: &mut Markdown) {
    out.heading(2, "6. Idempotency");
    out.text(match tool.is_idempotent() {
        Some(true) => {
            "Idempotent, as its server says: repeating a call with the same arguments has no further effect."
        }
        Some(false) => "Not idempotent, as its server says: repeating a call may repeat its effect.",
        None => "Its server does not say: expect that repeating a call repeats its effect.",
    });
    if let Some(statement) = &tool.metadata.idempotency {
        out.text(statement);
    }
    if let Some(undo) = &tool.metadata.compensation {
        out.block(&format!("A call is undone by {}.", name(&undo.tool)));
    }
}

fn usage(tool: &ToolDescription, out: &mut Markdown) {
    out.heading(2, "7. Usage examples");
    let examples = tool.examples();
    let is_given = !tool.metadata.examples.is_empty();
    if examples.is_empty() {
        out.text("Its server gives no examples, and none could be made from the schema.");
    } else if !is_given {
        out.text("Its server gives no examples. These fit the schema of the arguments:");
    }
    for ToolExample { description, arguments, result } in &examples {
        if let Some(description) = description {
            out.text(description);
        }
        let arguments = arguments.to_json().decode::<Value>().unwrap_or_default();
        out.code("json", &pretty(&json!({"tool_name": tool.name, "arguments": arguments})));
        if let Some(result) = result {
            out.text("Its result:");
            out.code("json", &pretty(&result.decode().unwrap_or_default()));
        }
    }
    out.text("A call that fails answers, for example:");
    let error = tool.metadata.errors.first();
    let error_type = error.map_or("ToolExecutionError", |error| &error.error_type);
    let message = error.and_then(|error| error.when.clone()).unwrap_or_else(|| "the reason".to_owned());
    let failure = json!({"status": "failure", "data": null, "error": {"error_type": error_type, "error_message": message}});
    out.code("json", &pretty(&failure));
}

fn security(tool: &ToolDescription, out: &mut Markdown) {
    let (metadata, hints) = (&tool.metadata, &tool.annotations);
    out.heading(2, "8. Security considerations");
    if metadata.security_notes.is_empty() {
        out.text("Its server states no risks of its own.");
    } else {
        out.list(metadata.security_notes.iter().cloned());
    }
    let effects = [
        (hints.read_only_hint == Some(true)).then_some("changes nothing"),
        (hints.destructive_hint == Some(true)).then_some("may destroy existing things"),
        (hints.open_world_hint == Some(true)).then_some("reaches things outside of its server"),
    ];
    let effects: Vec<&str> = effects.into_iter().flatten().collect();
    let notes = [
        (!effects.is_empty()).then(|| format!("Effects, as its server says: {}", effects.join(", "))),
        metadata.risk_level.map(|impact| format!("Impact, as its server says: {impact}")),
        tool.risk.map(|risk| format!("Risk, as the gateway judges it: {risk}")),
        listed("Permissions", &tool.permissions),
        listed("Scopes", &metadata.required_scopes),
        metadata.requires_confirmation.filter(|yes| *yes).map(|_| "Each call has to be approved".to_owned()),
        metadata.confirmation_message.as_ref().map(|message| format!("The approver reads: {message}")),
    ];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    if !notes.is_empty() {
        out.list(notes);
    }
    out.text(match tool.arguments_checked {
        Some(true) => "The gateway checks the arguments of every call against the schema of part 3, before the call is made.",
        Some(false) => {
            "The gateway checks arguments against the schema of part 3 only for calls that ask for it (`check_arguments`). For other \
             calls, the tool's server does or does not."
        }
        None => "Whether arguments are checked against the schema of part 3 depends on the tool's server.",
    });
    out.text("The gateway's access control decides which agents may call the tool.");
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
