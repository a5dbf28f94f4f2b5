//! The tools that fit a search, as a model finds them.

use super::{
    agents::Agents,
    filter::{RISKS, ToolFilter, filter_form, risk_mark},
    list::tool_link,
    report::{FoundTool, MatchReasons, SearchReport},
};
use crate::{
    command_line::{Words, command_line},
    commands::CommandError,
    form::link,
    page::{Context, Nav, command_box, foreign},
    texts::number,
};
use futures_util::future::join;
use maud::{Markup, html};

/// The most tools that the command returns.
const MOST: &str = "50";

pub(super) async fn search(
    context: &Context,
    filter: &ToolFilter<'_>,
    text: &str,
) -> Result<Markup, CommandError> {
    let words = &context.texts.tools;
    let risk = filter.risk.filter(|risk| RISKS.contains(risk));
    let line = || {
        Words::of(&["tools", "search"])
            .option("agent", filter.agent)
            .option("limit", Some(MOST))
            .option("server", filter.server)
            .option("risk-max", risk)
            .value(text)
    };
    let (report, agents) = join(context.read_words::<SearchReport>(line()), Agents::read(context)).await;
    let report = report?;
    let none = MatchReasons::default();
    let reasons = report.why.iter().chain(std::iter::repeat(&none));
    let found: Vec<_> = report.tools.iter().zip(reasons).collect();
    Ok(html! {
        h1 { (words.title) }
        (filter_form(context, filter, (&agents, None), report.tools.iter().map(|tool| tool.server_id.as_str())))
        p .quiet { (summary(context, &report, found.len())) }
        (remarks(context, &report))
        @if found.is_empty() {
            p .empty { strong { (words.none_found) } " " (words.none_found_help) }
        } @else { (found_table(context, &found)) }
        h2 { (words.same_as) }
        (command_box(context, &words.command, &format!("mgp {}", command_line(&line().finish()))))
    })
}

fn summary(context: &Context, report: &SearchReport, count: usize) -> String {
    let words = &context.texts.tools;
    let how = match report.search_strategy.as_str() {
        "keyword" => &words.by_words,
        "category" => &words.by_category,
        _ => &words.by_meaning,
    };
    let found = number(count as u64, &words.found_one, &words.found_many);
    words
        .searched
        .replace("{name}", &found)
        .replace("{n}", &report.total_available.to_string())
        .replace("{how}", how)
        + &words.took.replace("{n}", &report.query_time_ms.to_string())
}

fn remarks(context: &Context, report: &SearchReport) -> Markup {
    let words = &context.texts.tools;
    html! {
        @if let Some(notes) = &report.notes {
            @for hint in notes.hints.iter().take(5) { p { (foreign(hint)) } }
            @if let Some(above) = &notes.above_risk {
                p { (number(above.tools, &words.above_one, &words.above_many)) " "
                    a href=(context.query.with(Nav::Tools.path(), "risk", None)) { (words.above_show) } }
            }
        }
    }
}

fn found_table(context: &Context, found: &[(&FoundTool, &MatchReasons)]) -> Markup {
    let words = &context.texts.tools;
    html! {
        div .scroll tabindex="0" role="region" aria-label=(words.title) { table {
            thead { tr {
                th scope="col" { (words.tool) } th scope="col" { (words.server) } th scope="col" { (words.risk) }
                th scope="col" .number { (words.score) } th scope="col" { (words.why) } th scope="col" { (words.description) }
            } }
            tbody { @for (tool, why) in found { tr {
                th scope="row" { (tool_link(context, &tool.name)) }
                td { a href=(link(Nav::Servers.path(), "id", &tool.server_id)) { (foreign(&tool.server_id)) } }
                td { (risk_mark(context, tool.risk())) }
                td .number { (format!("{:.2}", tool.relevance_score)) }
                td { (reasons(context, why)) }
                td .brief { (foreign(tool.description.as_deref().unwrap_or_default())) }
            } } }
        } }
    }
}

fn reasons(context: &Context, why: &MatchReasons) -> Markup {
    let words = &context.texts.tools;
    html! {
        ul .plain {
            @if !why.fields.is_empty() {
                li { (words.words_in.replace("{n}", &format!("{:.1}", why.words))) " "
                    @for (n, field) in why.fields.iter().enumerate() { @if n > 0 { ", " } (foreign(field)) } }
            } @else if why.words > 0.0 { li { (words.like_name.replace("{n}", &format!("{:.1}", why.words))) } }
            @if let Some(meaning) = why.meaning { li { (words.meaning.replace("{n}", &format!("{meaning:.2}"))) } }
            @if why.deprecated { li { (words.deprecated) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{operator::OperatorRole, testing::TestConsole};

    const FOUND: &str = r#"{"tools":[{"name":"add_note","server_id":"notes","description":"<i>Adds</i>","relevance_score":0.873,
        "inputSchema":{"type":"object"},"security":{"risk_level":"safe","effective_risk_level":"moderate"}},
        {"name":"look","server_id":"web","relevance_score":0.1,"inputSchema":{}}],
        "total_available":12,"search_strategy":"semantic","query_time_ms":3,"_mgp":{"hints":["Try fewer words"],
        "above_risk":{"tools":2,"lowest_risk_level":"dangerous","text":"x"}},
        "why":[{"fields":["name","description"],"words":7.25,"meaning":0.61,"deprecated":false},{"fields":[],"words":0.5,"deprecated":true}]}"#;

    #[tokio::test]
    async fn a_search_shows_scores_and_reasons() {
        let console = TestConsole::new(OperatorRole::Viewer, &[("tools search", FOUND)]);
        let (status, page) = console.get("/tools?q=--add+a+note&risk=moderate").await;
        assert_eq!(status, 200, "{page}");
        assert_eq!(
            console.ran(),
            ["access list", "tools search --limit=50 --risk-max=moderate -- --add a note"]
        );
        for expected in [
            "0.87",
            "words 7.2 in",
            "meaning 0.61",
            "deprecated",
            "a name like it 0.5",
            "&lt;i&gt;Adds",
            "Moderate",
            "Try fewer words",
            "2 more",
            "2 of 12 tools",
            "mgp tools search --limit=50 --risk-max=moderate -- &#39;--add a note&#39;",
        ] {
            assert!(
                page.contains(expected) || page.contains(&expected.replace("&#39;", "'")),
                "{expected}: {page}"
            );
        }
    }

    #[tokio::test]
    async fn the_filter_of_a_server_is_an_option_of_the_command() {
        let console = TestConsole::new(OperatorRole::Viewer, &[("tools search", FOUND)]);
        let (_, page) = console.get("/tools?q=note&server=--web").await;
        assert_eq!(console.ran(), ["access list", "tools search --limit=50 --server=--web -- note"]);
        assert!(page.contains("mgp tools search --limit=50 --server=--web -- note"), "{page}");
    }

    #[tokio::test]
    async fn a_search_without_a_match_says_what_to_do_next() {
        let none =
            r#"{"tools":[],"total_available":12,"search_strategy":"keyword","query_time_ms":1,"why":[]}"#;
        let console = TestConsole::new(OperatorRole::Viewer, &[("tools search", none)]);
        let (_, page) = console.get("/tools?q=xyzzy").await;
        assert!(page.contains("class=\"empty\"") && page.contains("No tool fits"), "{page}");
    }
}
