//! All tools that an agent may call, a part at a time.

use super::{
    agents::Agents,
    filter::{RISKS, ToolFilter, filter_form, risk_mark},
    report::ToolList,
};
use crate::{
    command_line::Words,
    commands::CommandError,
    form::{address, link},
    page::{Context, Nav, foreign, links, start, waiting_tools},
    texts::number,
};
use futures_util::future::join;
use maud::{Markup, html};

/// The number of tools of a part.
const PART: usize = 100;
/// The most sentences on tools that are not shown.
const MAX_REASONS: usize = 20;

pub(super) async fn list(context: &Context, filter: &ToolFilter<'_>) -> Result<Markup, CommandError> {
    let words = &context.texts.tools;
    let from = start(context, "from");
    let command = Words::of(&["tools", "list"])
        .option("agent", filter.agent)
        .option("server", filter.server)
        .option("risk-max", filter.risk.filter(|risk| RISKS.contains(risk)))
        .option("skip", Some(&from.to_string()))
        .option("most", Some(&PART.to_string()));
    let (list, agents) = join(context.read_words::<ToolList>(command), Agents::read(context)).await;
    let list = list?;
    let default = filter.agent.is_none().then_some(list.agent.as_str());
    let shown = list.tools.len();
    let from = from.min(list.fitting);
    let count = number(list.fitting as u64, &words.count_one, &words.count_many);
    let (before_name, after_name) = count.split_once("{name}").unwrap_or((&count, ""));
    Ok(html! {
        h1 { (words.title) }
        (filter_form(context, filter, (&agents, default), list.servers.iter().map(String::as_str)))
        p .quiet { (before_name) (foreign(&list.agent)) (after_name) }
        (remarks(context, &list))
        @if list.available == 0 {
            div .empty {
                p { strong { (words.none) } " " (words.none_help) }
                (agents.links(context, &list.agent))
                p {
                    a href=(address(Nav::Agents.path(), &[("view", "rules"), ("agent", &list.agent)])) { (words.make_rule) } " · "
                    a href=(link(Nav::Servers.path(), "view", "add")) { (context.texts.servers.add) }
                }
            }
        } @else if list.tools.is_empty() {
            p .empty { strong { (words.none_fit) } " " (words.none_fit_help) }
        } @else {
            (tool_table(context, &list))
            (links(context, (Nav::Tools.path(), "from"), (from, shown, list.fitting), PART))
        }
    })
}

fn tool_table(context: &Context, list: &ToolList) -> Markup {
    let words = &context.texts.tools;
    html! {
        div .scroll tabindex="0" role="region" aria-label=(words.title) { table {
            thead { tr {
                th scope="col" { (words.tool) } th scope="col" { (words.server) }
                th scope="col" { (words.risk) } th scope="col" { (words.description) }
            } }
            tbody { @for tool in &list.tools { tr {
                th scope="row" { (tool_link(context, &tool.name))
                    @if list.suspect.contains(&tool.name) { " " span .state data-state="dangerous" { (words.suspect) } }
                    @if list.changed.contains(&tool.name) { " " span .state data-state="moderate" { (words.changed) } } }
                td { a href=(link(Nav::Servers.path(), "id", &tool.server_id)) { (foreign(&tool.server_id)) } }
                td { (risk_mark(context, &tool.risk_level)) }
                td .brief { (foreign(tool.description.as_deref().unwrap_or_default())) }
            } } }
        } }
    }
}

/// Returns the way to a tool, with the agent that is kept.
pub(super) fn tool_link(context: &Context, name: &str) -> Markup {
    let to = address(
        Nav::Tools.path(),
        &[("agent", context.query.one("agent").unwrap_or_default()), ("name", name)],
    );
    html! { a href=(to) { (foreign(name)) } }
}

/// Returns the reasons why other tools are not in the list.
fn remarks(context: &Context, list: &ToolList) -> Markup {
    let words = &context.texts.tools;
    let count = list.waiting.len() + list.closed.len() + list.not_connected.len();
    html! {
        @if count > 0 {
            details .remarks {
                summary { (number(count as u64, &words.hidden_one, &words.hidden_many)) }
                ul {
                    @for waiting in list.waiting.iter().take(MAX_REASONS) {
                        li { (waiting_tools(context, waiting)) }
                    }
                    @for closed in list.closed.iter().take(MAX_REASONS) {
                        li { a href=(link(Nav::Servers.path(), "id", &closed.server_id)) { (foreign(&closed.server_id)) } " " (foreign(&closed.reason)) }
                    }
                    @for server in list.not_connected.iter().take(MAX_REASONS) { li { (words.not_connected) " " (foreign(server)) } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{operator::OperatorRole, testing::TestConsole};

    fn tool(name: &str, server: &str, risk: &str) -> String {
        format!(
            r#"{{"name":"{name}","server_id":"{server}","risk_level":"{risk}","description":"<b>Bold</b>"}}"#
        )
    }

    fn listed(tools: &[String], more: &str) -> String {
        let (count, tools) = (tools.len(), tools.join(","));
        format!(
            r#"{{"agent":"local","tools":[{tools}],"fitting":{count},"available":{count},"servers":["notes","web"]{more}}}"#
        )
    }

    #[tokio::test]
    async fn the_list_shows_what_the_command_prints() {
        let more = r#","waiting":[{"server_id":"notes","tools":1,"permissions":[]}],"closed":[{"server_id":"git","tools":2,"reason":"its definition changed"}],
            "changed":["b"],"suspect":["a"],"not_connected":["web (stopped)"],"undecided_permissions":1"#;
        let json = listed(&[tool("a", "notes", "safe"), tool("b", "web", "dangerous")], more);
        let console = TestConsole::new(OperatorRole::Viewer, &[("tools list", &json)]);
        let (status, page) = console.get("/tools?agent=--ann").await;
        assert_eq!(status, 200, "{page}");
        assert_eq!(console.ran(), ["access list", "tools list --agent=--ann --skip=0 --most=100"]);
        for expected in [
            "2 tools",
            "&lt;b&gt;Bold",
            "Suspicious",
            "Changed",
            "its definition changed",
            "web (stopped)",
            "/tools?agent=--ann&amp;name=a",
        ] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
        assert!(!page.contains("<b>Bold"));
    }

    #[tokio::test]
    async fn filters_and_parts_are_options_of_the_command() {
        let console = TestConsole::new(OperatorRole::Viewer, &[("tools list", "{}")]);
        for (query, options) in [
            ("?server=notes", "--server=notes --skip=0"),
            ("?risk=moderate&from=200", "--risk-max=moderate --skip=200"),
            ("?risk=--none", "--skip=0"),
        ] {
            console.get(&format!("/tools{query}")).await;
            let expected = format!("tools list {options} --most=100");
            assert_eq!(console.ran(), ["access list", &expected]);
        }
        let none = r#"{"agent":"local","available":3,"servers":["notes"]}"#;
        let console = TestConsole::new(OperatorRole::Viewer, &[("tools list", none)]);
        let (_, page) = console.get("/tools?server=nothing").await;
        assert!(page.contains("No tool fits") && page.contains("value=\"notes\""), "{page}");
    }

    #[tokio::test]
    async fn ten_thousand_tools_are_shown_in_parts() {
        let tools: Vec<_> = (0..100).map(|n| tool(&format!("t{n}"), "notes", "safe")).collect();
        let part = format!(r#"{{"tools":[{}],"fitting":10000,"available":10000}}"#, tools.join(","));
        let console = TestConsole::new(OperatorRole::Viewer, &[("tools list", &part)]);
        let (_, first) = console.get("/tools?risk=safe").await;
        assert!(first.contains("name=t99\"") && first.contains("10000 tools"), "{first}");
        assert!(first.contains("/tools?risk=safe&amp;from=100") && first.len() < 200_000, "{}", first.len());
        let (_, last) = console.get("/tools?from=9900").await;
        assert!(last.contains("from=9800") && !last.contains("from=10000"), "{last}");
        let (status, beyond) = console.get("/tools?from=99999999999").await;
        assert!(status == 200 && beyond.contains("<h1>"));
    }

    #[tokio::test]
    async fn an_empty_list_says_what_to_do_next() {
        let console = TestConsole::new(OperatorRole::Viewer, &[("tools list", &listed(&[], ""))]);
        let (_, page) = console.get("/tools").await;
        assert!(page.contains("class=\"empty\"") && page.contains("/agents?view=rules"), "{page}");
    }

    #[tokio::test]
    async fn an_agent_is_chosen_among_those_with_rules() {
        let rules = r#"{"entries": [{"agent_id": "coder", "server_id": "git", "permission": "allow"},
            {"agent_id": "<b>codr", "server_id": "git", "permission": "deny"}, {"agent_id": "*", "server_id": "git", "permission": "allow"}],
            "by_roles": [{"agent_id": "writer", "role": "r", "server_id": "notes", "permission": "allow"}]}"#;
        let console = TestConsole::new(
            OperatorRole::Viewer,
            &[("tools list", &listed(&[], "")), ("access list", rules)],
        );
        let (_, page) = console.get("/tools").await;
        // The list of the default agent is empty: it leads to agents that may use something.
        for expected in [
            "/tools?agent=coder\"",
            "/tools?agent=writer\"",
            ">local (default)</option>",
            "&lt;b&gt;codr</option>",
        ] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
        assert!(!page.contains("/tools?agent=%3Cb%3Ecodr") && !page.contains("value=\"*\""), "{page}");
        let (_, page) = console.get("/tools?agent=unknown").await;
        assert!(page.contains("<option value=\"unknown\" selected>unknown</option>"), "{page}");
    }
}
