//! The check of the trail, and its answer.

use crate::{
    actions::VERIFY,
    page::{Context, foreign, foreign_block},
    texts::number,
};
use maud::{Markup, html};
use serde::Deserialize;

/// The most trails of an answer.
const MAX_TRAILS: usize = 50;

/// The answer of `mgp audit verify`, for one trail or for all of a database.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Verification {
    trail: Option<String>,
    intact: bool,
    events: u64,
    unchained: u64,
    head: Option<String>,
    shortened: Option<String>,
    problem_count: u64,
    problems: Vec<String>,
    first_fault: Option<String>,
    trails: Vec<Self>,
}

/// Returns the form that checks the trail.
pub(super) fn verify_form(context: &Context) -> Markup {
    let words = &context.texts.trail;
    let refusal = context.refusal(VERIFY.role);
    html! {
        form .verify hx-post=(VERIFY.path()) hx-target="#verified" hx-disabled-elt="find button" {
            p { (words.verify_help) }
            div .field { label for="head" { (words.head) }
                input #head type="text" name="head" autocomplete="off" spellcheck="false" aria-describedby="head-help";
                span #head-help .quiet { (words.head_help) } }
            div .buttons { button type="submit" disabled[refusal.is_some()] title=[refusal] { (words.verify) } }
        }
        div #verified aria-live="polite" {}
    }
}

/// Returns the answer of the check.
pub(crate) fn verify_answer(context: &Context, json: &str) -> Markup {
    let words = &context.texts.trail;
    let Ok(found) = serde_json::from_str::<Verification>(json) else { return foreign_block(json) };
    let count = number(found.events, &words.event_one, &words.event_many);
    html! {
        @if found.intact {
            p { span .state data-state="SUCCESS" { (words.intact) } " " (count) }
        } @else {
            p { span .state data-state="FAILURE" { (number(found.problem_count, &words.problem_one, &words.problem_many)) } " " (count) }
        }
        (one(context, &found))
        @for trail in found.trails.iter().take(MAX_TRAILS) {
            @if let Some(id) = &trail.trail { h3 { (words.trail) " " (foreign(id)) } }
            (one(context, trail))
        }
    }
}

fn one(context: &Context, found: &Verification) -> Markup {
    let words = &context.texts.trail;
    html! {
        dl .facts {
            @if let Some(head) = &found.head { dt { (words.head) } dd { code { (foreign(head)) } } }
            @if let Some(shortened) = &found.shortened { dt { (words.shortened) } dd { (foreign(shortened)) } }
            @if found.unchained > 0 { dt { (words.unchained) } dd { (found.unchained) } }
            @if let Some(fault) = &found.first_fault { dt { (words.first_fault) } dd { (foreign(fault)) } }
        }
        @if !found.problems.is_empty() { ul { @for problem in found.problems.iter().take(20) { li { (foreign(problem)) } } } }
    }
}

#[cfg(test)]
mod tests {
    use crate::{operator::OperatorRole, testing::TestConsole};

    #[tokio::test]
    async fn an_intact_trail_has_a_head_to_keep() {
        let json = r#"{"intact":true,"events":4,"unchained":2,"head":"4:c757","shortened":null,"problem_count":0,"problems":[]}"#;
        let console = TestConsole::new(OperatorRole::Approver, &[("audit verify", json)]);
        let (status, page) = console.post("/do/verify-trail", "head=3%3Aab").await;
        assert_eq!(status, 200, "{page}");
        assert_eq!(console.ran(), ["audit verify --head=3:ab"]);
        for expected in ["as it was stored", "4 events", "4:c757"] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
    }

    #[tokio::test]
    async fn each_trail_of_a_database_has_its_problems() {
        let json = r#"{"intact":false,"events":9,"problem_count":1,"trails":[{"trail":"t1","intact":true,"events":4,"problems":[]},
            {"trail":"t2","intact":false,"events":5,"problem_count":1,"problems":["event 3 was <changed>"],"first_fault":"at 3"}]}"#;
        let console = TestConsole::new(OperatorRole::Admin, &[("audit verify", json)]);
        let (_, page) = console.post("/do/verify-trail", "head=").await;
        assert_eq!(console.ran(), ["audit verify"]);
        for expected in ["1 problem", "t1", "t2", "event 3 was &lt;changed&gt;", "at 3"] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
    }

    #[tokio::test]
    async fn a_viewer_starts_no_check() {
        let console = TestConsole::new(OperatorRole::Viewer, &[("audit", r#"{"events":[]}"#)]);
        let (status, _) = console.post("/do/verify-trail", "").await;
        assert_eq!(status, 403);
        assert!(console.ran().is_empty());
        let (_, page) = console.get("/trail").await;
        assert!(page.contains("disabled") && page.contains("This needs the role approver."), "{page}");
    }
}
