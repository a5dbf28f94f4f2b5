//! Bounds of a search.

use super::{
    super::{
        MAX_SEARCHED, SearchError, SecretPolicy, find_secrets,
        rule_set::{OVERLAP, PIECE},
    },
    rig::{details, masked, ok, text_result, through, token},
};
use mgp_types::audit::AuditResult;

/// Returns a text of this length without keywords.
fn filler(length: usize) -> String {
    "dolor\n".chars().cycle().take(length).collect()
}

#[tokio::test]
async fn a_text_too_long_to_search_is_withheld() {
    let sent = text_result(&filler(MAX_SEARCHED));
    let (reply, sink) = through(SecretPolicy::Mask, "tools/call", ok(&sent)).await;
    let error = reply.as_error().unwrap();
    for part in ["\"srv\"", "16777216", "servers[].mgp.results.secrets = \"warn\""] {
        assert!(error.message.contains(part), "{}", error.message);
    }
    assert_eq!(details(&sink)[0]["action"], "withheld");
    assert!(details(&sink)[0]["reason"].as_str().unwrap().contains("16777216"));
    assert_eq!(sink.events()[0].result, AuditResult::Blocked);

    let (reply, sink) = through(SecretPolicy::Warn, "tools/call", ok(&sent)).await;
    assert_eq!(reply.result().unwrap().as_str(), sent);
    assert_eq!(details(&sink)[0]["action"], "left");
    assert!(details(&sink)[0]["reason"].is_string());
}

#[tokio::test]
async fn a_long_text_is_masked_wherever_the_secret_is() {
    let length = PIECE + 2 * OVERLAP;
    for at in [0, PIECE - OVERLAP - 20, PIECE - OVERLAP, PIECE - 20, length - token().len()] {
        let (before, after) = (filler(at), filler(length - at - token().len()));
        let text = format!("{before}{}{after}", token());
        let found = find_secrets(&text).unwrap();
        assert_eq!(found.len(), 1, "at {at}");
        assert_eq!(found[0].range, at..at + token().len());
    }
    let text = format!("{}{}", filler(length), token());
    let expected = text_result(&text.replace(&token(), "[secret: github-pat]"));
    assert!(masked(&text_result(&text)).await == expected, "searched on another thread");
}

#[test]
fn a_cut_does_not_turn_part_of_a_word_into_a_word() {
    let id = format!("AKI{}", "AQZ3PTM5LWY7XRN4K");
    assert_eq!(find_secrets(&id).unwrap().len(), 1);
    for cut_at in ["start", "end"] {
        let text = match cut_at {
            "start" => format!("{}{id} {}", "x".repeat(PIECE - OVERLAP), filler(2 * OVERLAP)),
            _ => format!("{}\n{id}{}", filler(PIECE - id.len() - 1), "x".repeat(OVERLAP)),
        };
        assert_eq!(find_secrets(&text), Ok(Vec::new()), "{cut_at}");
    }
}

#[test]
fn a_multibyte_text_is_cut_between_characters() {
    let found = find_secrets(&format!("é{}é", token()));
    assert_eq!(found.unwrap()[0].range, 2..2 + token().len());
}

#[test]
fn the_search_ends_at_its_time_limit() {
    let rules = super::super::rule_set::RuleSet::get().unwrap();
    let found = rules.find(token().as_bytes(), std::time::Instant::now());
    assert_eq!(found, Err(SearchError::Timeout));
}
