//! The form that approves calls like one.

use super::{questions::CallQuestion, suggestion::suggestion};
use crate::{
    actions::{APPROVE, PREVIEW},
    page::{Context, Submit, action_form, element_id, foreign, sentence, term_fields},
};
use maud::{Markup, html};

/// Writes the form, folded. A decision that was taken already is replaced by the new one.
pub(super) fn pattern(context: &Context, question: &CallQuestion, is_decided: bool) -> Markup {
    let words = &context.texts.approvals;
    let own = |name: &str| element_id(name, &question.request_id);
    let [like, help, place] = ["like", "like-help", "preview"].map(own);
    let suggested = suggestion(question.arguments.get()).unwrap_or_default();
    let choices = [
        ("session", words.term_session.as_str()),
        ("midnight", &words.term_midnight),
        ("1h", &words.term_1h),
        ("8h", &words.term_8h),
        ("7d", &words.term_7d),
        ("always", &words.term_always),
    ];
    let fields = html! {
        input type="hidden" name="id" value=(question.request_id);
        @if is_decided { input type="hidden" name="again" value="1"; }
        p { label for=(like) { (words.like) }
            textarea id=(like) name="like" rows="2" required spellcheck="false" aria-describedby=(help) { (suggested) } }
        p .quiet id=(help) { (sentence(&words.like_help)) }
        (term_fields(context, own, &choices, "8h"))
    };
    let preview = Submit::new(&PREVIEW, &words.preview).answers_in(&place).show(context);
    html! {
        details .more {
            summary { (words.pattern) " " (foreign(&question.agent_id)) }
            (action_form(context, (&APPROVE, &words.approve_pattern), None, &fields, &preview))
            div id=(place) aria-live="polite" {}
        }
    }
}
