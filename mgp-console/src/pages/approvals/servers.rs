//! Servers that agents want.

use super::{arguments::beginning, questions::ServerQuestion, short_id::short};
use crate::{
    actions::{APPROVE, DENY},
    page::{Context, Nav, Part, Submit, element_id, foreign, time},
};
use maud::{Markup, html};

/// Writes the requests.
pub(super) fn servers(context: &Context, questions: &[ServerQuestion]) -> Markup {
    let words = &context.texts.approvals;
    let part = Part::of(context, questions, "servers");
    html! {
        section aria-labelledby="servers" {
            h2 #servers { (words.servers) }
            p .quiet { (words.servers_help) }
            @for question in part.rows { (server(context, question)) }
            (part.links(context, Nav::Approvals.path(), "servers"))
        }
    }
}

fn server(context: &Context, question: &ServerQuestion) -> Markup {
    let words = &context.texts.approvals;
    let id = question.request_id.as_str();
    let own = |name: &str| element_id(name, id);
    let [heading, approve, deny] = ["request", "approve", "deny"].map(own);
    html! {
        article .question data-id=(id) aria-labelledby=(heading) {
            div .head { h3 id=(heading) { (foreign(&question.server_id)) } span .quiet { code { (short(id)) } } }
            dl {
                dt { (words.asked_by) } dd { (foreign(&question.agent_id)) }
                dt { (words.asked_at) } dd { (time(&question.asked_at)) }
                dt { (words.asked_for) } dd { (beginning(context, id, question.asked_for.get())) }
            }
            form {
                input type="hidden" name="id" value=(id);
                div .buttons {
                    (Submit::new(&APPROVE, &words.approve_server).named_by(&approve, &heading).asks(&words.server_question).show(context))
                    (Submit::new(&DENY, &words.deny).named_by(&deny, &heading).show(context))
                }
            }
        }
    }
}
