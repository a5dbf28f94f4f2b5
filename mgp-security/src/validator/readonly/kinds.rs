//! Kinds of members, by their names.

use crate::{
    validator::Leaf,
    words::{joined, words},
};

/// Names of members for an SQL text.
const SQL: &[&str] = &[
    "sql",
    "sqlquery",
    "statement",
    "statements",
    "stmt",
    "stmts",
    "rawsql",
    "sqltext",
    "sqlstatement",
    "sqlstatements",
    "commandtext",
    "presql",
    "postsql",
    "initsql",
    "querysql",
    "sqlstring",
    "nativequery",
    "onconnect",
];

/// Names of members for a query, or words to search for.
const QUERY: &[&str] = &["query", "queries", "querytext", "querystring", "rawquery"];

/// Names of members for prose.
const PROSE: &[&str] = &[
    "title",
    "description",
    "summary",
    "comment",
    "comments",
    "text",
    "thought",
    "message",
    "label",
    "labels",
    "note",
    "notes",
    "subject",
    "headline",
    "instructions",
    "answer",
    "question",
    "prompt",
    "transcript",
    "utterance",
    "review",
    "reason",
    "explanation",
    "purpose",
    "nlquery",
    "goal",
    "album",
    "artist",
    "game",
    "page",
    "topic",
    "topics",
    "caption",
    "context",
    "abstract",
    "feedback",
    "sentence",
    "paragraph",
    "company",
    "justification",
];

/// Names of members for words or a pattern to search for.
const SEARCH: &[&str] = &[
    "q",
    "search",
    "searchquery",
    "searchterm",
    "keyword",
    "keywords",
    "term",
    "terms",
    "word",
    "words",
    "pattern",
    "regex",
    "regexp",
    "glob",
    "needle",
    "phrase",
    "find",
    "contains",
    "symbol",
    "identifier",
];

/// Names of members for a piece of an SQL query.
const PIECES: &[&str] = &[
    "where",
    "whereclause",
    "filter",
    "filters",
    "having",
    "orderby",
    "groupby",
    "sort",
    "limit",
    "offset",
    "fields",
    "columns",
    "select",
    "from",
    "table",
    "tables",
    "tablename",
    "join",
    "joins",
    "with",
    "hint",
    "hints",
    "condition",
    "conditions",
    "predicate",
    "schema",
    "view",
    "expr",
    "expression",
    "values",
    "params",
    "set",
    "column",
    "suffix",
    "prefix",
];

/// Words in the names of members for commands.
const COMMANDS: &[&str] = &[
    "shell",
    "cmd",
    "command",
    "commands",
    "exec",
    "script",
    "cli",
    "entrypoint",
    "bash",
    "zsh",
    "sh",
    "terminal",
    "job",
    "task",
    "tasks",
    "steps",
    "hook",
    "system",
    "cell",
    "run",
    "process",
    "spawn",
    "console",
    "subprocess",
    "invoke",
    "argv",
    "cmdline",
    "tty",
    "stdin",
    "program",
    "binary",
];

/// Words in the names of members for an operation.
const OPERATIONS: &[&str] = &[
    "op",
    "ops",
    "operation",
    "operations",
    "action",
    "method",
    "fn",
    "func",
    "function",
    "procedure",
    "proc",
    "verb",
    "api",
    "call",
    "rpc",
    "endpoint",
    "grpc",
    "soapaction",
    "command",
    "cmd",
    "request",
    "act",
    "intent",
    "instruction",
    "apiname",
    "route",
    "modbus",
    "opname",
    "subcommand",
    "tool",
    "toolname",
];

fn is_among(leaf: &Leaf, names: &[&str]) -> bool {
    names.contains(&joined(leaf.key()).as_str())
}

fn has_word(leaf: &Leaf, names: &[&str]) -> bool {
    is_among(leaf, names) || words(leaf.key()).iter().any(|word| names.contains(&word.as_str()))
}

/// Returns whether a string is in a member for SQL.
pub(super) fn is_sql(leaf: &Leaf) -> bool {
    let last =
        leaf.pointer.rsplit('/').find(|part| !part.is_empty() && !part.bytes().all(|b| b.is_ascii_digit()));
    is_among(leaf, SQL)
        || words(leaf.key()).iter().any(|word| word == "sql" || word == "sqls") && last.is_some()
        || ["text", "query", "statement", "statementText"].contains(&leaf.key())
            && leaf.pointer.to_ascii_lowercase().contains("/sql/")
}

/// Returns whether a member is named after a query or a statement, whatever other words are in its name.
pub(super) fn is_stated(leaf: &Leaf) -> bool {
    has_word(
        leaf,
        &[
            "query",
            "queries",
            "statement",
            "statements",
            "stmt",
            "sqls",
            "raw",
            "querystring",
            "cypher",
            "gql",
            "aql",
            "gremlin",
            "sparql",
            "soql",
            "edgeql",
            "mdx",
            "apex",
        ],
    )
}

/// Returns whether a string is in a member for a query, or for words to search for.
pub(super) fn is_query(leaf: &Leaf) -> bool {
    is_among(leaf, QUERY)
}

/// Returns whether a string is in a member for prose.
pub(super) fn is_prose(leaf: &Leaf) -> bool {
    is_among(leaf, PROSE) && !is_sql(leaf)
}

/// Returns whether a string is in a member for words or a pattern to search for.
pub(super) fn is_search(leaf: &Leaf) -> bool {
    is_among(leaf, SEARCH)
}

/// Returns whether a string is in a member for a piece of an SQL query.
pub(super) fn is_piece(leaf: &Leaf) -> bool {
    is_among(leaf, PIECES)
}

/// Returns whether the name of a string's member has a word for commands.
pub(super) fn is_command(leaf: &Leaf) -> bool {
    has_word(leaf, COMMANDS)
        && !has_word(leaf, &["redis", "mongo", "sql", "name", "type", "id", "ftp", "imap", "at", "count"])
}

/// Returns whether the name of a string's member has a word for operations.
pub(super) fn is_operation(leaf: &Leaf) -> bool {
    has_word(leaf, OPERATIONS)
}

/// Returns whether a member is for a statement in another language than SQL, and never for words to search for.
pub(super) fn is_stated_only(leaf: &Leaf) -> bool {
    is_stated(leaf) && !is_query(leaf)
}
