//! Query languages with stages between pipes, and similar ones: only stages that read pass.

use super::{
    finding::Finding,
    tokens::{Token, tokens},
};
use crate::validator::table::{self, Words};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `pipes.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("pipes.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    stages: Words,
    functions: Words,
    modules: Words,
    marks: Words,
}

const STAGE: Finding = Finding::Doubt("a stage of a query that writes or sends");

/// Commands of Kusto's management that read.
const DOTS: &[&str] = &["show"];

/// Judges a text.
pub(super) fn judge(text: &str) -> Option<Finding> {
    let tokens = tokens(text);
    if text.starts_with(['^', '(']) && text.contains('|') && !text.contains("| ") {
        // A pattern with alternatives.
        return None;
    }
    let piped = tokens.first() == Some(&Token::Mark('|'))
        || tokens.windows(2).any(|pair| pair[0] == Token::Mark('|') && pair[1].is_name());
    let colons = text.contains(':');
    // A command of Kusto's management: a dot, and a verb.
    if let [Token::Mark('.'), Token::Word { text: verb, .. }, rest @ ..] = &tokens[..] {
        let spaced = text.trim_start().starts_with('.') && !text.trim_start().starts_with("./");
        let command = spaced
            && rest.first().is_some_and(|token| token.is_name() || matches!(token, Token::Mark('-' | '(')));
        if command && !DOTS.contains(&verb.as_str()) && text.contains(' ') && !piped_path(text) {
            return Some(STAGE);
        }
    }
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).map_or("", Token::word);
        if *token == Token::Mark('|') && at + 1 < tokens.len() {
            let doubled = at > 0 && tokens[at - 1] == Token::Mark('|');
            let flux = tokens.get(at + 1) == Some(&Token::Mark('>'));
            let stage = if flux { tokens.get(at + 2).map_or("", Token::word) } else { next };
            let member = flux && tokens.get(at + 3) == Some(&Token::Mark('.'));
            let call = tokens.get(at + 2) == Some(&Token::Mark('('));
            let jq = !flux && call && ["map", "to", "r", "set", "add"].contains(&stage);
            if flux
                && (TABLE.functions.contains(&stage)
                    && stage != "rename"
                    && stage != "set"
                    && stage != "drop"
                    || member
                        && tokens.get(at + 4).is_some_and(|token| TABLE.functions.contains(&token.word())))
            {
                return Some(STAGE);
            }
            let is_function = stage == "to" && call;
            if !doubled && !flux && !jq && TABLE.stages.contains(&stage) && !is_function {
                return Some(STAGE);
            }
        }
        // A function in a module: `http.post(`, `db:drop(`, `xdmp:eval(`.
        let called = tokens.get(at + 3) == Some(&Token::Mark('('));
        let module = token.is_name() && matches!(tokens.get(at + 1), Some(Token::Mark('.' | ':')));
        if called && module && (piped || colons) && TABLE.modules.contains(&token.word()) {
            let function = tokens.get(at + 2).map_or("", Token::word);
            if TABLE.functions.contains(&function)
                || !matches!(
                    token.word(),
                    "lookup" | "lookups" | "file" | "db" | "sql" | "monitor" | "influxdb"
                )
            {
                return Some(STAGE);
            }
        }
        if token.word() == "evaluate" && TABLE.functions.contains(&next) {
            return Some(STAGE);
        }
        // `INTO` of InfluxQL and the like, after the selection.
        let import = token.word() == "import"
            && at == 0
            && tokens.get(1) == Some(&Token::Quoted)
            && text.contains("http");
        if import {
            return Some(STAGE);
        }
    }
    // The marks with which Datomic and EdgeDB change something.
    let lower = text.to_ascii_lowercase();
    if lower.trim_start().starts_with('<')
        && ["<delete", "<create", "<alter", "<insert", "<update", "<process", "<batch"]
            .iter()
            .any(|tag| lower.trim_start().starts_with(tag))
        && lower.contains("xmlns")
    {
        return Some(STAGE);
    }
    let lua = ["redis.call(", "redis.pcall("].iter().any(|call| {
        lower.split(call).skip(1).any(|rest| {
            let command = rest
                .trim_start_matches(['\'', '"', ' '])
                .split(['\'', '"', ')', ','])
                .next()
                .unwrap_or_default();
            super::statements::is_protocol_command(command, true) || command.is_empty()
        })
    });
    if lua {
        return Some(STAGE);
    }
    TABLE.marks.iter().any(|mark| lower.contains(mark)).then_some(STAGE)
}

/// Returns whether a text is a filter of jq: a path that begins with a dot, with a pipe or brackets.
fn piped_path(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    first.contains(['[', '|'])
        || text
            .split_whitespace()
            .nth(1)
            .is_some_and(|second| second.starts_with(['|', '=', '/', '+', '-', '*', '>', ',']))
}
