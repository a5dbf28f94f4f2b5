//! Tests of recommendations.

use super::requests::{LocalRegistry, listed, registry};
use crate::public_registry::Recommender;
use mgp_types::tool_index::MatchConfidence;
use serde_json::json;

const DESIGN: &str = "/api/v0.1/servers?search=design";
const NOTES: &str = "/api/v0.1/servers?search=notes";

#[tokio::test]
async fn servers_are_recommended_for_the_words_of_a_capability_and_asked_for_once() {
    let page = json!({"servers": [
        {"server": {"name": "x/design-mockup", "description": "Draws"}},
        {"server": {"name": "x/figures", "description": "Makes a mockup of a design"}},
        {"server": {"name": "x/other", "description": "A mockup of something else"}},
    ], "metadata": {}});
    let local = LocalRegistry::with([(DESIGN, 200, page)]);
    let recommender = Recommender::new([registry(&local)]);
    for _ in 0..2 {
        let found = recommender.recommend(&["Design_Mockup".into(), "--".into()]).await;
        let shown: Vec<_> = found
            .iter()
            .map(|found| (&*found.capability, &*found.server_name, found.match_confidence))
            .collect();
        assert_eq!(
            shown,
            [
                ("Design_Mockup", "x/design-mockup", Some(MatchConfidence::High)),
                ("Design_Mockup", "x/figures", Some(MatchConfidence::Medium)),
            ]
        );
        assert_eq!(found[0].registry_url.as_deref(), Some("http://127.0.0.1/api/"));
    }
    assert_eq!(local.asked().len(), 1, "{:?}", local.asked());
}

#[tokio::test]
async fn a_registry_that_fails_recommends_nothing_and_is_asked_again() {
    let local = LocalRegistry::with([(NOTES, 500, json!({}))]);
    let recommender = Recommender::new([registry(&local)]);
    for round in 1..=2 {
        assert_eq!(recommender.recommend(&["notes".into()]).await, []);
        assert_eq!(local.asked().len(), round);
    }
}

#[tokio::test]
async fn the_second_registry_answers_where_the_first_has_nothing() {
    let (first, second) = (
        LocalRegistry::with([(NOTES, 200, listed(&[], None))]),
        LocalRegistry::with([(NOTES, 200, listed(&["y/notes"], None))]),
    );
    let found = Recommender::new([registry(&first), registry(&second)]).recommend(&["notes".into()]).await;
    assert_eq!((found.len(), &*found[0].server_name), (1, "y/notes"));
}

#[tokio::test]
async fn what_leaves_the_machine_is_bounded() {
    let local = LocalRegistry::with([]);
    let capability = format!("{} a b c d", "secret".repeat(20));
    let many: Vec<_> = (0..9).map(|n| format!("{capability}{n}")).collect();
    Recommender::new([registry(&local)]).recommend(&many[..1]).await;
    let asked = local.asked();
    assert!(!asked.is_empty() && asked.iter().all(|asked| asked.len() < 120), "{asked:?}");
}
