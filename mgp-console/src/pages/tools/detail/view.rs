//! The middle of the page of one tool.

use super::{
    facts::{access, annotations, facts},
    form::argument_fields,
    report::ToolReport,
};
use crate::{
    actions::{CALL, CHECK},
    command_line::{Words, command_line},
    commands::CommandError,
    form::address,
    page::{Action, Context, Nav, command_box, foreign, foreign_block},
    pages::tools::{arguments::fields, result::value_view},
};
use maud::{Markup, html};

pub(in crate::pages::tools) async fn detail(context: &Context, name: &str) -> Result<Markup, CommandError> {
    let words = &context.texts.tools;
    let agent = context.query.one("agent");
    let line = || Words::of(&["tools", "show"]).option("agent", agent).value(name);
    let tool: ToolReport = context.read_words(line()).await?;
    let definition = tool.parts();
    let fields = definition.input_schema.as_ref().and_then(fields);
    Ok(html! {
        p .quiet { a href=(Nav::Tools.path()) { (words.all_tools) } }
        h1 { (foreign(&tool.name)) }
        @if let Some(title) = &definition.title { p { strong { (foreign(title)) } } }
        @if let Some(description) = &tool.description { (foreign_block(description)) }
        (facts(context, &tool))
        p { a href=(address(Nav::Trail.path(), &[("server", &tool.server_id), ("tool", &tool.tool_name)])) { (words.its_calls) } }
        section #try aria-labelledby="call" {
            h2 #call { (words.try_it) }
            (call_form(context, &tool, &argument_fields(context, fields.as_deref())))
            div #answer aria-live="polite" {}
        }
        (annotations(context, &definition))
        (access(context, &tool))
        h2 { (words.definition) }
        @if !tool.changes.is_empty() {
            p { (words.shown_otherwise) }
            ul { @for change in tool.changes.iter().take(20) { li { (foreign(change)) } } }
        }
        @if let Some(schema) = &definition.input_schema { details { summary { (words.input_schema) } (value_view(context, schema)) } }
        @if let Some(schema) = &definition.output_schema { details { summary { (words.output_schema) } (value_view(context, schema)) } }
        details { summary { (words.as_json) } (foreign_block(&pretty(tool.definition.as_str()))) }
        h2 { (words.same_as) }
        (command_box(context, &words.command, &format!("mgp {}", command_line(&line().finish()))))
    })
}

/// Returns the form of a call, which shows the answer below it.
fn call_form(context: &Context, tool: &ToolReport, fields: &Markup) -> Markup {
    let words = &context.texts.tools;
    let may_change = tool.risk_level != "safe";
    html! {
        form .call hx-post=(CALL.path()) hx-target="#answer" hx-swap="innerHTML show:top" hx-disabled-elt="find .main"
            hx-confirm=[may_change.then_some(&words.confirm)] {
            input type="hidden" name="tool" value=(tool.name);
            (fields)
            details {
                summary { (words.options) }
                div .field { label for="as-agent" { (words.as_agent) }
                    input #as-agent type="text" name="agent" value=(context.query.one("agent").unwrap_or_default())
                        autocomplete="off" aria-describedby="as-agent-help";
                    span #as-agent-help .quiet { (words.as_agent_help) } }
                div .field { label for="timeout" { (words.timeout) }
                    input #timeout type="text" inputmode="numeric" name="timeout" value="60" autocomplete="off"; }
                p { input #yes type="checkbox" name="yes" value="1"; label for="yes" { (words.confirm_first) } }
                p { input #provenance type="checkbox" name="provenance" value="1"; label for="provenance" { (words.provenance) } }
            }
            div .buttons {
                (button(context, &CHECK, &words.check, false))
                (button(context, &CALL, &words.call, true))
                span .while-waiting role="status" { (words.waiting) }
            }
        }
    }
}

/// Returns a button of the form. The one that calls the tool sends the form; the other one sends the same fields elsewhere.
fn button(context: &Context, action: &Action, label: &str, sends: bool) -> Markup {
    let refusal = context.refusal(action.role);
    html! {
        @if sends { button .main type="submit" disabled[refusal.is_some()] title=[refusal] { (label) } }
        @else {
            button type="button" hx-post=(action.path()) hx-target="#answer" hx-swap="innerHTML show:top"
                hx-include="closest form" hx-validate="true" hx-confirm="unset" hx-disabled-elt="this"
                disabled[refusal.is_some()] title=[refusal] { (label) }
        }
    }
}

fn pretty(json: &str) -> String {
    let value: Result<serde_json::Value, _> = serde_json::from_str(json);
    value.and_then(|value| serde_json::to_string_pretty(&value)).unwrap_or_else(|_| json.to_owned())
}

#[cfg(test)]
mod tests {
    use crate::{operator::OperatorRole, testing::TestConsole};

    const SHOWN: &str = r##"{"name":"notes__add","server_id":"notes","server_state":"connected","tool_name":"add","description":"<b>Adds</b>",
        "risk_level":"dangerous","risk_reason":"it writes","validators":["sql"],"confirmation":"always","asked":"somebody is asked: it writes",
        "permissions":[{"permission":"memory.write","state":"pending"}],"secrets":"mask","invalid_permissions":[],
        "pinned":{"state":"changed","reason":"since then"},"expectation":{"units":1,"kernels":1,"measured":[{"pid":1,"calls":4,"p50_ms":3,"p95_ms":90}],
        "quota":{"remaining":12,"limit":20,"cost":5,"resets_at":"2026-03-16T00:00:00Z"}},
        "access":[{"agent":"ann","permission":"deny","source":"tool_grant","role":"writers"}],"changes":["a <part>"],
        "definition":{"name":"notes__add","title":"Add","annotations":{"readOnlyHint":false,"destructiveHint":true},"inputSchema":{"type":"object",
        "required":["text","where"],"properties":{"text":{"type":"string","description":"\"><script>alert(1)</script>"},"limit":{"type":"integer","default":7},
        "loud":{"type":"boolean"},"level":{"enum":["low",2]},"tags":{"type":"array","items":{"type":"string"}},"any":{},
        "where":{"type":"object","properties":{"x\"y":{"type":"number","minimum":1}}}}},"outputSchema":{"type":"object"}}}"##;

    #[tokio::test]
    async fn a_tool_shows_its_gates_and_its_form() {
        let console = TestConsole::new(OperatorRole::Admin, &[("tools show", SHOWN)]);
        let (status, page) = console.get("/tools?name=--notes__add&agent=ann").await;
        assert_eq!(status, 200, "{page}");
        assert_eq!(console.ran(), ["tools show --agent=ann -- --notes__add"]);
        for expected in [
            "&lt;b&gt;Adds",
            "Dangerous",
            "memory.write",
            "pending",
            ">Decide</a>",
            "somebody is asked",
            "95 % within 90 ms",
            "12 / 20",
            "since then",
            "/agents?agent=ann",
            ">may not</span>",
            "a rule for the tool",
            "writers",
            "/agents?view=rules&amp;agent=ann&amp;server=notes&amp;tool=add&amp;rule=allow#new-rule",
            "a &lt;part&gt;",
            "May destroy data",
            "/trail?server=notes&amp;tool=add",
            "name=\"text!/text\" rows=\"1\" required",
            "name=\"integer/limit\" value=\"\"",
            "name=\"boolean/loud\"",
            "<option value=\"&quot;low&quot;\">low</option><option value=\"2\">2</option>",
            "name=\"texts/tags\"",
            "name=\"json/any\"",
            "name=\"group!/where\"",
            "name=\"number/where/x&quot;y\"",
            "≥ 1",
            "name=\"arguments\"",
            "hx-confirm=",
            "value=\"notes__add\"",
        ] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
        assert!(!page.contains("<script>alert") && !page.contains("<b>Adds"), "{page}");
    }

    #[tokio::test]
    async fn every_field_of_the_form_has_a_label() {
        let console = TestConsole::new(OperatorRole::Admin, &[("tools show", SHOWN)]);
        let (_, page) = console.get("/tools?name=x").await;
        let ids = |start: &str| {
            page.split(start)
                .skip(1)
                .map(|rest| rest.split('"').next().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        let labels = ids("<label for=\"");
        assert!(
            labels.len() > 8 && labels.iter().all(|id| page.matches(&format!(" id=\"{id}\"")).count() == 1),
            "{labels:?}"
        );
    }

    #[tokio::test]
    async fn a_viewer_sees_the_buttons_and_the_needed_roles() {
        let console = TestConsole::new(OperatorRole::Viewer, &[("tools show", SHOWN)]);
        let (_, page) = console.get("/tools?name=x").await;
        assert!(
            page.contains("This needs the role approver.") && page.contains("This needs the role admin."),
            "{page}"
        );
        assert_eq!(page.matches(" disabled title=").count(), 2);
    }

    #[tokio::test]
    async fn a_tool_without_a_form_takes_its_arguments_as_json() {
        for schema in ["true", "{\"properties\":7}"] {
            let json =
                format!("{{\"name\":\"x\",\"server_id\":\"s\",\"definition\":{{\"inputSchema\":{schema}}}}}");
            let console = TestConsole::new(OperatorRole::Admin, &[("tools show", &json)]);
            let (status, page) = console.get("/tools?name=x").await;
            assert!(status == 200 && page.contains("name=\"arguments\""), "{page}");
        }
    }

    #[tokio::test]
    async fn an_unknown_tool_is_not_found_with_advice() {
        let console = TestConsole::new(OperatorRole::Admin, &[]);
        let (status, page) = console.get("/tools?name=x").await;
        assert!(status == 404 && page.contains("try another"), "{page}");
    }
}
