//! Graph query languages: Cypher, SPARQL, Gremlin and AQL.

use super::{
    finding::Finding,
    tokens::{Token, tokens},
};
use crate::validator::table::{self, Words};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `graph.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("graph.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    clauses: Words,
    procedures: Words,
    functions: Words,
    steps: Words,
}

const WRITES: Finding = Finding::Harm("a clause that changes a graph");
const UNKNOWN: Finding = Finding::Doubt("a procedure that may do more than read");

/// A verdict on a text in one of these languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Graph {
    /// The text is in one of these languages, and only reads.
    Reads,
    /// The text is in one of these languages, and may do more.
    Found(Finding),
}

/// Judges a text, if it is in one of these languages.
pub(super) fn judge(text: &str) -> Option<Graph> {
    let tokens = tokens(text);
    if let Some(finding) = gremlin(text, &tokens) {
        return Some(finding);
    }
    if is_sparql(&tokens, text) {
        return Some(sparql(text));
    }
    if is_loop(&tokens) {
        let writes = |token: &Token| {
            matches!(
                token.word(),
                "insert"
                    | "update"
                    | "replace"
                    | "remove"
                    | "upsert"
                    | "delete"
                    | "truncate"
                    | "drop"
                    | "merge"
            )
        };
        let called = |at: usize| matches!(tokens.get(at + 1), Some(Token::Mark('(' | ':')));
        let found = tokens
            .iter()
            .enumerate()
            .any(|(at, token)| writes(token) && !called(at) && !is_part(&tokens, at));
        return Some(if found { Graph::Found(WRITES) } else { Graph::Reads });
    }
    is_cypher(&tokens).then(|| cypher(&tokens))
}

/// Returns whether a word is part of a longer name, or of a label or a type.
fn is_part(tokens: &[Token], at: usize) -> bool {
    at > 0 && matches!(tokens[at - 1], Token::Mark('.' | ':' | '$' | '|' | '@'))
}

fn is_cypher(tokens: &[Token]) -> bool {
    let mut tokens = tokens;
    while let Some((Token::Mark('{' | '(' | ';'), rest)) = tokens.split_first() {
        tokens = rest;
    }
    // A query that is only explained does not run.
    if tokens.first().is_some_and(|token| token.word() == "explain")
        && tokens.get(1).is_some_and(|token| {
            ["match", "create", "merge", "optional", "unwind", "with"].contains(&token.word())
        })
        && !tokens.contains(&Token::Mark(';'))
    {
        return false;
    }
    if let [Token::Word { text, .. }, rest @ ..] = tokens
        && ["explain", "profile", "cypher"].contains(&text.as_str())
    {
        let at = rest.iter().position(|token| {
            ["match", "optional", "unwind", "call", "return", "create", "merge", "with"]
                .contains(&token.word())
        });
        tokens = &rest[at.unwrap_or(0)..];
    }
    let has = |word: &str| tokens.iter().any(|token| token.word() == word);
    let next = tokens.get(1);
    let node = matches!(next, Some(Token::Mark('(')));
    match tokens.first().map_or("", Token::word) {
        "match" => {
            node || next.is_some_and(Token::is_name) && matches!(tokens.get(2), Some(Token::Mark('=' | '(')))
                || matches!(next, Some(token) if ["shortest", "any", "all"].contains(&token.word()))
        }
        "optional" => next.is_some_and(|token| token.word() == "match"),
        "unwind" => has("as"),
        "create" | "merge" | "insert" => {
            let opens = |at: usize| matches!(tokens.get(at), Some(Token::Mark(':' | '{')));
            let ends = |at: usize| {
                tokens.get(at) == Some(&Token::Mark(')'))
                    && tokens.get(at + 1).is_none_or(|next| {
                        matches!(next, Token::Mark('-' | '<' | ',' | ';'))
                            || ["return", "set", "on"].contains(&next.word())
                    })
            };
            let named = tokens.get(2).is_some_and(Token::is_name) && (opens(3) || ends(3));
            node && (opens(2) || ends(2) || named)
        }
        "call" => {
            next.is_some_and(Token::is_name)
                && matches!(tokens.get(2), Some(Token::Mark('.')))
                && matches!(
                    next.map_or("", Token::word),
                    "db" | "dbms" | "apoc" | "gds" | "algo" | "tx" | "n10s" | "jwt"
                )
                || matches!(next, Some(Token::Mark('{')))
                || node && tokens.contains(&Token::Mark('{'))
        }
        "foreach" => node,
        "with" => {
            !has("select") && (has("return") || has("match") || has("create") && node) && !has("function")
        }
        "return" => {
            next.is_some() && !tokens.contains(&Token::Mark(';')) && tokens.contains(&Token::Mark('('))
        }
        "load" => next.is_some_and(|token| token.word() == "csv"),
        "use" => (has("match") || has("call")) && !tokens.contains(&Token::Mark(';')),
        _ => false,
    }
}

fn cypher(tokens: &[Token]) -> Graph {
    let mut answer = Graph::Reads;
    for (at, token) in tokens.iter().enumerate() {
        let word = token.word();
        if word.is_empty() || is_part(tokens, at) && !matches!(word, "create" | "set") {
            continue;
        }
        let next = tokens.get(at + 1);
        // A key of a map, or a name in the result.
        let named = matches!(next, Some(Token::Mark(':' | ',' | '.' | '=')))
            || at > 0 && matches!(tokens[at - 1].word(), "as");
        let is_operator = ["start", "stop"].contains(&word) && at > 0;
        if TABLE.clauses.contains(&word) && !named && !is_part(tokens, at) && !is_operator {
            return Graph::Found(WRITES);
        }
        let Some(name) = dotted(tokens, at) else { continue };
        let called = at > 0 && tokens[at - 1].word() == "call";
        let reads = TABLE.procedures.iter().any(|procedure| {
            name.starts_with(procedure)
                && (procedure.ends_with('.')
                    || name.len() == procedure.len()
                    || !name[procedure.len()..].starts_with('.'))
        }) || name.starts_with("gds.")
            && [".stream", ".stats", ".estimate"].iter().any(|end| name.ends_with(end));
        let module = name.strip_prefix("apoc.").map(|rest| rest.split('.').next().unwrap_or_default());
        let computes = module.is_none_or(|module| TABLE.functions.contains(&module));
        if called && !reads || !called && !computes {
            answer = Graph::Found(UNKNOWN);
        }
    }
    answer
}

/// Returns a dotted name, in lower case, if one begins at a position and is called, or follows `call`.
fn dotted(tokens: &[Token], at: usize) -> Option<String> {
    let called = at > 0 && tokens[at - 1].word() == "call";
    let mut name = tokens[at].word().to_owned();
    let mut end = at + 1;
    while let (Some(Token::Mark('.')), Some(part)) = (tokens.get(end), tokens.get(end + 1)) {
        if !part.is_name() || end > at + 12 {
            break;
        }
        name.push('.');
        name.push_str(if part.word().is_empty() { "?" } else { part.word() });
        end += 2;
    }
    let opens = tokens.get(end) == Some(&Token::Mark('('));
    let subquery = called && end == at + 1 && opens;
    ((called || opens && name.contains('.')) && !subquery || called && end == at + 1 && !opens)
        .then_some(name)
}

fn is_sparql(tokens: &[Token], text: &str) -> bool {
    let first = tokens.first().map_or("", Token::word);
    let variable = || text.contains('?') && text.contains('{') || text.contains('<') && text.contains('{');
    match first {
        "prefix" | "base" => text.contains('<'),
        "construct" | "ask" => text.contains('{'),
        "describe" => matches!(tokens.get(1), Some(Token::Mark('<' | '?'))),
        "select" => variable() && tokens.contains(&Token::Mark('?')) && tokens.contains(&Token::Mark('{')),
        "with" | "add" | "modify" => {
            matches!(tokens.get(1), Some(Token::Mark('<')))
                || tokens.get(1).is_some_and(|token| token.word() == "graph") && text.contains('{')
        }
        "insert" | "delete" => tokens.iter().take(4).any(|token| *token == Token::Mark('{')),
        "define" => tokens.contains(&Token::Mark('{')),
        _ => false,
    }
}

/// The longest address in angle brackets, in characters.
const LONGEST_ADDRESS: usize = 500;

fn sparql(text: &str) -> Graph {
    // Addresses in angle brackets, and names with a prefix, are not words.
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        plain.push_str(&rest[..at]);
        let near = rest[at..].char_indices().take(LONGEST_ADDRESS);
        let end =
            near.into_iter().find(|(_, c)| *c == '>' || c.is_whitespace() || *c == '"').map(|(end, _)| end);
        match end.filter(|end| rest.as_bytes()[at..].get(*end) == Some(&b'>')) {
            Some(end) => {
                plain.push_str(" '' ");
                rest = &rest[at + end + 1..];
            }
            None => {
                plain.push(' ');
                rest = &rest[at + 1..];
            }
        }
    }
    plain.push_str(rest);
    let tokens = tokens(&plain);
    let named = |at: usize| {
        is_part(&tokens, at) && tokens[at - 1] != Token::Mark('.')
            || matches!(tokens.get(at + 1), Some(Token::Mark(':')))
            || at > 0 && tokens[at - 1] == Token::Mark('?')
    };
    let updates = ["insert", "delete", "load", "clear", "drop", "create", "copy", "move", "add", "into"];
    if tokens.iter().enumerate().any(|(at, token)| updates.contains(&token.word()) && !named(at)) {
        return Graph::Found(WRITES);
    }
    if tokens.iter().enumerate().any(|(at, token)| token.word() == "service" && !named(at))
        && !plain.contains("wikibase:label")
    {
        return Graph::Found(Finding::Doubt("a query that another host runs"));
    }
    Graph::Reads
}

fn gremlin(text: &str, tokens: &[Token]) -> Option<Graph> {
    let calls = |name: &str| {
        tokens
            .windows(3)
            .any(|part| part[0] == Token::Mark('.') && part[1].word() == name && part[2] == Token::Mark('('))
    };
    let source = tokens.first().is_some_and(|token| ["g", "graph"].contains(&token.word()))
        && tokens.get(1) == Some(&Token::Mark('.'));
    if !(source || (calls("v") || calls("e")) && text.contains("g.")) {
        return None;
    }
    let closure = tokens.windows(2).any(|pair| pair[0].is_name() && pair[1] == Token::Mark('{'));
    let runs = tokens.iter().enumerate().any(|(at, token)| {
        TABLE.steps.contains(&token.word()) && tokens.get(at + 1) == Some(&Token::Mark('('))
    });
    let several = text.contains(';')
        || tokens.iter().any(|token| {
            *token == Token::Mark(';')
                || ["new", "system", "runtime", "import", "class", "def"].contains(&token.word())
        });
    Some(if runs || closure || several { Graph::Found(WRITES.doubted()) } else { Graph::Reads })
}

fn is_loop(tokens: &[Token]) -> bool {
    let at = tokens.iter().take(40).position(|token| token.word() == "for");
    at.is_some_and(|at| {
        tokens.get(at + 1).is_some_and(Token::is_name)
            && tokens.iter().skip(at + 2).take(4).any(|token| token.word() == "in")
    }) && matches!(tokens.first().map_or("", Token::word), "for" | "let" | "with" | "explain")
        || tokens.len() > 3
            && ["insert", "update", "remove", "replace", "upsert"].contains(&tokens[0].word())
            && tokens[1] == Token::Mark('{')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_and_procedures_that_change_a_graph_are_found() {
        for text in [
            "MATCH (n) SET n.a = 1",
            "CREATE (a)-[:KNOWS]->(b)",
            "MATCH (n) DETACH DELETE n",
            "CALL apoc.cypher.runWrite('x', {}) YIELD value RETURN value",
            "MATCH (n) RETURN apoc.load.json('x')",
            "PREFIX ex: <http://example.org/> INSERT DATA { ex:a ex:b ex:c }",
            "g.V().drop()",
            "FOR u IN users REMOVE u IN users",
        ] {
            assert!(matches!(judge(text), Some(Graph::Found(_))), "{text}");
        }
        for text in [
            "MATCH (n:Task) WHERE n.title = 'SET up; DELETE' RETURN n",
            "MATCH (a)-[:DELETE]->(b) RETURN a.set AS `create`",
            "CALL db.labels()",
            "CALL gds.pageRank.stream('g') YIELD nodeId RETURN nodeId",
            "PREFIX ex: <http://example.org/drop/> SELECT ?s WHERE { ?s ex:delete ?o }",
            "g.V().hasLabel('drop').count()",
            "FOR u IN users FILTER u.status == 'REMOVE' RETURN u",
        ] {
            assert_eq!(judge(text), Some(Graph::Reads), "{text}");
        }
        assert_eq!(judge("match report Basel Zurich"), None);
    }
}
