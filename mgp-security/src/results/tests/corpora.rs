//! Corpora: texts with secrets, of which none may pass, and everyday texts, of which none may be changed.

use super::rig::{masked, text_result};
use serde_json::{Value, json};
use std::{fs, path::Path};

/// A text of a corpus, with its headline.
struct Entry {
    headline: String,
    text: String,
}

/// Returns the texts of a folder. Each begins with a line `=== HEADLINE`.
fn corpus(folder: &str) -> Vec<Entry> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/results").join(folder);
    let mut entries = Vec::new();
    for file in fs::read_dir(folder).unwrap() {
        let all = fs::read_to_string(file.unwrap().path()).unwrap();
        entries.extend(all.split("\n=== ").skip(1).map(|entry| {
            let (headline, text) = entry.split_once('\n').unwrap();
            Entry { headline: headline.to_owned(), text: text.trim_end().replace("<+>", "") }
        }));
    }
    entries
}

/// Returns the text with a mask for each secret, which is between `«` and `»`. The rules are used in order, the last one for
/// all further secrets.
fn expected(entry: &Entry) -> String {
    let (rules, _) = entry.headline.split_once(':').unwrap();
    let mut rules = rules.split(',').peekable();
    let mut parts = entry.text.split('«');
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        let rule = if rules.peek().is_some() { rules.next() } else { None };
        let rule = rule.unwrap_or_else(|| entry.headline.split([':', ',']).next().unwrap());
        out.push_str(&format!("[secret: {rule}]{}", part.split_once('»').unwrap().1));
    }
    out
}

/// Returns the text of the first content block.
fn text_of(result: &str) -> String {
    let result: Value = serde_json::from_str(result).unwrap();
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_secret_in_the_corpus_and_nothing_else_is_masked() {
    let entries = corpus("secrets");
    assert!(entries.len() >= 60, "{}", entries.len());
    let mut wrong = Vec::new();
    for entry in &entries {
        let plain = entry.text.replace(['«', '»'], "");
        let result = masked(&text_result(&plain)).await;
        let (found, expected) = (text_of(&result), expected(entry));
        if found != expected {
            wrong.push(format!("{}\nexpected {expected}\n   found {found}", entry.headline));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), entries.len(), wrong.join("\n\n"));
}

#[tokio::test]
async fn a_secret_in_the_corpus_is_masked_in_structured_content_too() {
    for entry in corpus("secrets") {
        let plain = entry.text.replace(['«', '»'], "");
        let structured: Value = serde_json::from_str(&plain).unwrap_or_else(|_| json!({"lines": plain}));
        let result = masked(&json!({"content": [], "structuredContent": structured}).to_string()).await;
        for secret in entry.text.split('«').skip(1) {
            let secret = json!(secret.split_once('»').unwrap().0).to_string();
            assert!(!result.contains(secret.trim_matches('"')), "{}: {result}", entry.headline);
        }
    }
}

#[tokio::test]
async fn no_harmless_text_in_the_corpus_is_changed() {
    let entries = corpus("harmless");
    assert!(entries.len() >= 100, "{}", entries.len());
    let mut changed = Vec::new();
    for Entry { headline, text } in &entries {
        let mut results = vec![text_result(text)];
        if let Ok(structured) = serde_json::from_str::<Value>(text) {
            results.push(json!({"content": [], "structuredContent": structured}).to_string());
        }
        for result in results {
            let found = masked(&result).await;
            if found != result {
                changed.push(format!("{headline}: {found}"));
            }
        }
    }
    assert!(changed.is_empty(), "{} of {}:\n{}", changed.len(), entries.len(), changed.join("\n\n"));
}
