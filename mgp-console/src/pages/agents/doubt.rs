//! Names in a new rule that nothing else has.

use super::known::KnownNames;
use crate::{
    actions::{ANYWAY, GRANT},
    page::{Context, Submit, foreign},
};
use maud::{Markup, html};

/// The place of the question in the form.
pub(crate) const RULE_DOUBT: &str = "#rule-doubt";

/// Returns the question whether a rule is made although nothing has its names; `None` if something has them, or if the names cannot be read.
pub(crate) async fn rule_doubt(context: &Context) -> Option<Markup> {
    let words = &context.texts.agents;
    let known = KnownNames::read(context, true).await.ok()?;
    let given = |name| context.query.one(name).unwrap_or_default();
    let (agent, server, tool) = (given("agent"), given("server"), given("tool"));
    let mut unknown = Vec::new();
    if is_unknown(agent, &known.agents) {
        unknown.push((&words.unknown_agent, agent));
    }
    if is_unknown(server, &known.servers) {
        unknown.push((&words.unknown_server, server));
    } else if is_unknown(tool, &known.tools) {
        unknown.push((&words.unknown_tool, tool));
    }
    (!unknown.is_empty()).then(|| {
        html! {
            div .notice role="alert" {
                @for (sentence, name) in &unknown { p { (sentence) " " (foreign(name)) } }
                p { (words.unknown_help) }
                div .buttons { (Submit::new(&GRANT, &words.make_anyway).field(ANYWAY, "1").show(context)) }
            }
        }
    })
}

/// Returns whether a name is not among those of its kind. A pattern is for future names, and without any name there is nothing to compare.
fn is_unknown(name: &str, known: &[String]) -> bool {
    !name.is_empty() && !name.contains('*') && !known.is_empty() && known.iter().all(|known| known != name)
}
