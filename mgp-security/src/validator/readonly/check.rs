//! The validator itself, which judges every string, number and name in the arguments.

use super::{
    commands,
    encoded::inside,
    finding::Finding,
    graphql, http, kinds, modes, mongo, names, pipes, sql,
    statements::{is_protocol_command, start},
    tokens::LONGEST,
};
use crate::{
    meter,
    validator::{Input, Leaf, LeafKind, Validator, Verdict, Violation, rejection::shown, sandbox},
};
use mgp_types::tool_security::SqlDialect;
use std::collections::{BTreeMap, BTreeSet};

/// The validator `readonly`.
///
/// The tool must be known to be read-only: its metadata or MCP hints state so, and nothing denies it. No argument may request a write: a
/// statement of a query language that changes something, an HTTP method other than `GET`, `HEAD` and `OPTIONS`, a file mode that writes, or
/// a shell command that changes something, which is judged as by `sandbox`.
#[derive(Debug, Clone, Copy)]
pub struct ReadOnly;

impl Validator for ReadOnly {
    fn name(&self) -> &str {
        "readonly"
    }

    fn check(&self, input: &Input<'_>) -> Verdict {
        const REASON: &str = "only reading is allowed";
        if !input.profile.reads_only {
            let why = "the tool is not declared read-only: expected readOnlyHint, or risk_level safe without side_effects";
            return Verdict::Refuse(Violation::new(REASON, vec![why.to_owned()]));
        }
        let (mut wrong, mut doubt) = (Vec::new(), Vec::new());
        let dialect = input.profile.readonly.dialect;
        let facts = Facts::of(input);
        let mut seen = BTreeSet::new();
        for leaf in input.leaves {
            if let Err(late) = input.in_time() {
                return Verdict::Refuse(late);
            }
            let is_first = leaf.kind == LeafKind::Name && seen.insert(&leaf.pointer);
            let finding = facts.judge(leaf, is_first, input);
            let say = |what: &str| format!("{what} in {}: {:?}", leaf.place(), shown(&leaf.text));
            match finding {
                Some(Finding::Harm(what)) => wrong.push(say(what)),
                Some(Finding::Doubt(what)) => doubt.push(say(what)),
                None => {}
            }
        }
        let arrays = commands::judge_arrays(input);
        if let Err(late) = input.in_time() {
            return Verdict::Refuse(late);
        }
        for (place, finding) in arrays {
            match finding {
                Finding::Harm(what) => wrong.push(format!("{what} in {place}")),
                Finding::Doubt(what) => doubt.push(format!("{what} in {place}")),
            }
        }
        for whole in joined_statements(input.leaves) {
            if let Some(Finding::Harm(what) | Finding::Doubt(what)) = sql::judge(&whole, dialect) {
                doubt.push(format!("{what} in {}, joined", whole.place()));
            }
        }
        let commands = sandbox::changes(input, |leaf| is_statement(leaf, dialect));
        wrong.extend(commands.harm);
        if !wrong.is_empty() {
            return Verdict::Refuse(Violation::new(REASON, wrong));
        }
        doubt.extend(commands.doubt);
        if doubt.is_empty() {
            return Verdict::Pass;
        }
        Verdict::Ask(Violation::new("it is unknown whether the call only reads", doubt))
    }
}

/// Returns whether a string in a member for commands is a statement that only reads, and contains nothing that a shell would run.
fn is_statement(leaf: &Leaf, dialect: Option<SqlDialect>) -> bool {
    let plain = !leaf.text.contains(['`', '$', '|', '&', '>', '\\', ';', '\n'])
        || leaf.text.trim_end().ends_with(';')
            && !leaf
                .text
                .trim_end()
                .trim_end_matches(';')
                .contains([';', '`', '$', '|', '&', '>', '\\', '\n']);
    plain && sql::only_reads(leaf, dialect)
}

/// Returns the arrays of texts in members for queries, each as one text: some servers join them.
fn joined_statements(leaves: &[Leaf]) -> Vec<Leaf> {
    const LONGEST: usize = 16 * 1024;
    let mut arrays: BTreeMap<&str, String> = BTreeMap::new();
    for leaf in leaves
        .iter()
        .filter(|leaf| leaf.kind == LeafKind::Text && (kinds::is_query(leaf) || kinds::is_sql(leaf)))
    {
        let Some((array, item)) = leaf.pointer.rsplit_once('/') else { continue };
        let text = arrays.entry(array).or_default();
        if !item.is_empty()
            && item.bytes().all(|b| b.is_ascii_digit())
            && text.len() + leaf.text.len() < LONGEST
        {
            text.push_str(&leaf.text);
            text.push('\n');
        }
    }
    let several = |(array, text): (&str, String)| {
        (text.lines().count() > 1
            && !text.contains(';')
            && text.lines().filter(|line| start(line).is_some()).count() == 1
            && !array.ends_with("ies"))
        .then(|| Leaf::new(array, text))
    };
    arrays.into_iter().filter_map(several).collect()
}

/// Facts about all arguments that the judgement of each part depends on.
struct Facts {
    /// True if a string is a network address.
    address: bool,
    /// True if members name the method of a request, and the method only reads.
    gets: bool,
    /// True if a member names a file.
    file: bool,
    /// True if a member states that another is a command of Redis.
    redis: bool,
    root: mongo::Root,
    /// The pointers of the objects.
    objects: BTreeSet<String>,
}

impl Facts {
    fn of(input: &Input<'_>) -> Self {
        let texts = || input.leaves.iter().filter(|leaf| leaf.kind == LeafKind::Text);
        let redis = |leaf: &Leaf| {
            let (key, text) = (leaf.key().to_ascii_lowercase(), leaf.text.to_ascii_lowercase());
            key.contains("redis")
                || ["redis", "valkey", "keydb", "redis-cli", "memcached", "zookeeper", "imap", "ftp", "nats"]
                    .contains(&text.as_str())
        };
        Self {
            address: texts().any(http::is_address),
            gets: texts().any(http::is_method)
                && texts().filter(|leaf| http::is_method(leaf)).all(http::gets),
            file: texts().any(modes::is_file),
            redis: texts().any(redis),
            root: mongo::Root::of(input.leaves),
            objects: input
                .leaves
                .iter()
                .filter(|leaf| leaf.kind == LeafKind::Name)
                .map(|leaf| leaf.pointer.clone())
                .collect(),
        }
    }

    fn judge(&self, leaf: &Leaf, is_first: bool, input: &Input<'_>) -> Option<Finding> {
        match leaf.kind {
            LeafKind::Number => modes::judge(leaf, self.file),
            LeafKind::Name => {
                let name = mongo::judge_name(leaf, is_first, &self.root)
                    .or_else(|| http::judge_name(leaf))
                    .or_else(|| names::judge_member(leaf))
                    .or_else(|| self.holder(leaf));
                if leaf.is_plain_name() { name } else { name.or_else(|| self.text(leaf, input)) }
            }
            LeafKind::Text => {
                self.text(leaf, input).or_else(|| inside(leaf, |inner| self.text(inner, input)))
            }
        }
    }

    /// Judges a string, or a name that is more than a word.
    fn text(&self, leaf: &Leaf, input: &Input<'_>) -> Option<Finding> {
        meter::count(leaf.text.len());
        if leaf.text.len() > LONGEST && !kinds::is_prose(leaf) {
            return Some(sql::judge_long(leaf));
        }
        let mut findings = [None; 8];
        findings[0] = sql::judge(leaf, input.profile.readonly.dialect);
        if let Some(Finding::Harm(_)) = findings[0] {
            return findings[0];
        }
        findings[1] = graphql::judge(leaf);
        findings[2] =
            http::judge(leaf, self.address).or_else(|| self.gets.then(|| http::judge_path(leaf)).flatten());
        findings[3] = modes::judge(leaf, self.file);
        if !kinds::is_prose(leaf) {
            // The name of a path does not matter if the method only reads.
            let is_read = self.gets && leaf.text.starts_with('/') && http::is_address(leaf);
            let name = if is_read { None } else { names::judge(leaf) };
            findings[4] = name.or_else(|| names::judge_code(leaf));
            let stated = !kinds::is_search(leaf) || leaf.text.contains('|');
            findings[5] = stated.then(|| pipes::judge(&leaf.text)).flatten();
            findings[6] = self.protocol(leaf);
        }
        findings[7] = commands::judge(leaf, input);
        let found = || findings.iter().copied().flatten();
        found().find(|finding| matches!(finding, Finding::Harm(_))).or_else(|| found().next())
    }

    /// Judges the name of a member for inserted, updated or deleted data.
    fn holder(&self, leaf: &Leaf) -> Option<Finding> {
        const VERBS: &[&str] = &[
            "insert", "update", "delete", "create", "remove", "upsert", "put", "replace", "drop", "rename",
            "item", "add",
        ];
        let name = leaf.text.to_ascii_lowercase();
        let lists = ["filter", "where", "query", "aggs", "must", "match"]
            .iter()
            .any(|part| leaf.pointer.to_ascii_lowercase().contains(part));
        let holds = self.objects.contains(&format!("{}/{}", leaf.pointer, leaf.text));
        (VERBS.contains(&name.as_str()) && holds && !lists)
            .then_some(Finding::Doubt("a member that holds a change"))
    }

    /// Judges a string that may be a command of Redis or another protocol.
    fn protocol(&self, leaf: &Leaf) -> Option<Finding> {
        const COMMAND: Finding = Finding::Doubt("a command of a protocol that changes something");
        if kinds::is_search(leaf) && !self.redis {
            return None;
        }
        let redis = leaf.key().to_ascii_lowercase().contains("redis");
        let first = leaf.pointer.ends_with("/0")
            || !leaf.pointer.rsplit('/').next().is_some_and(|item| item.bytes().all(|b| b.is_ascii_digit()));
        let encoded = leaf.text.starts_with('*') && leaf.text.contains("\r\n$");
        let nested = leaf
            .pointer
            .rsplit('/')
            .nth(1)
            .is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
            && leaf.pointer.ends_with("/0");
        if leaf.key() == "gremlin" && !leaf.text.trim_start().starts_with('g') {
            return Some(Finding::Doubt("code that a graph database runs"));
        }
        let protocol =
            ["memcached", "zookeeper", "etcd", "stomp", "smtp", "imap", "ami", "nats", "ftp", "amqp", "mqtt"]
                .contains(&leaf.key().to_ascii_lowercase().as_str());
        const READS: &[&str] = &[
            "get",
            "gets",
            "ls",
            "stat",
            "stats",
            "list",
            "fetch",
            "search",
            "select",
            "noop",
            "capability",
            "info",
            "ping",
            "retr",
            "nlst",
            "size",
            "pwd",
            "version",
            "examine",
            "lsub",
            "getall",
            "status",
            "help",
            "sub",
        ];
        let known = leaf
            .text
            .split_whitespace()
            .take(2)
            .any(|word| READS.contains(&word.to_ascii_lowercase().as_str()));
        if protocol && !known && !leaf.text.is_empty()
            || leaf.text.contains("\r\n") && is_protocol_command(&leaf.text, true)
            || nested && is_protocol_command(&leaf.text, false)
        {
            return Some(COMMAND);
        }
        if kinds::is_query(leaf) && !leaf.text.trim().contains(' ') && is_protocol_command(&leaf.text, false)
        {
            return Some(COMMAND);
        }
        let lines = || {
            leaf.text.lines().map(str::trim).any(|line| {
                is_protocol_command(line, self.redis && (redis || first))
                    && (line.contains(' ') || self.redis || kinds::is_command(leaf) || leaf.key() == "input")
            })
        };
        (encoded || first && lines()).then_some(COMMAND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{ConfiguredTool, ToolFacts, assess};
    use mgp_types::{
        context::{RiskLevel, TrustLevel},
        json::RawJson,
        mcp::{Tool, ToolAnnotations},
        tool_security::{ReadonlySettings, SecurityMetadata},
    };

    fn check(reads_only: bool, pointer: &str, text: &str) -> Verdict {
        let annotations = Some(ToolAnnotations { read_only_hint: Some(reads_only), ..Default::default() });
        let tool = Tool { annotations, ..Tool::new("t", RawJson::empty_object()) };
        let profile = assess(&ToolFacts::new(&tool, TrustLevel::Trusted, &[], &ConfiguredTool::default()));
        ReadOnly.check(&Input::new(&[Leaf::new(pointer, text)], &profile))
    }

    #[test]
    fn a_tool_not_known_to_be_read_only_is_refused() {
        assert_ne!(check(false, "/path", "x"), Verdict::Pass);
        assert_eq!(check(true, "/path", "x"), Verdict::Pass);
    }

    #[test]
    fn a_query_of_a_read_only_tool_passes_at_moderate_risk() {
        let annotations = Some(ToolAnnotations { read_only_hint: Some(true), ..Default::default() });
        let security = Some(SecurityMetadata::new(RiskLevel::Moderate));
        let tool = Tool { annotations, security, ..Tool::new("t", RawJson::empty_object()) };
        let profile = assess(&ToolFacts::new(&tool, TrustLevel::Standard, &[], &ConfiguredTool::default()));
        let check = |sql| ReadOnly.check(&Input::new(&[Leaf::new("/sql", sql)], &profile));
        assert_eq!(check("select 1"), Verdict::Pass);
        assert!(matches!(check("drop table t"), Verdict::Refuse(_)));
    }

    #[test]
    fn reading_passes() {
        for (pointer, text) in [
            ("/sql", "SELECT * FROM t WHERE name = 'update'"),
            ("/query", "how to delete a branch"),
            ("/text", "please update the page and drop me a line"),
            ("/method", "get"),
            ("/mode", "rb"),
            ("/command", "grep -n rmx src/main.rs"),
            ("/text", "cp is a command"),
        ] {
            assert_eq!(check(true, pointer, text), Verdict::Pass, "{pointer} {text}");
        }
    }

    #[test]
    fn only_a_configured_dialect_judges_a_statement() {
        let profile = |dialect| {
            let annotations = Some(ToolAnnotations { read_only_hint: Some(true), ..Default::default() });
            let tool = Tool { annotations, ..Tool::new("t", RawJson::empty_object()) };
            let readonly = ReadonlySettings { dialect };
            let configured = ConfiguredTool { readonly, ..ConfiguredTool::default() };
            assess(&ToolFacts::new(&tool, TrustLevel::Trusted, &[], &configured))
        };
        let text = "SELECT 'a\\'; DROP TABLE t; --'";
        for (dialect, passes) in
            [(None, false), (Some(SqlDialect::MySql), true), (Some(SqlDialect::Postgres), false)]
        {
            let (leaves, profile) = ([Leaf::new("/sql", text)], profile(dialect));
            assert_eq!(
                ReadOnly.check(&Input::new(&leaves, &profile)) == Verdict::Pass,
                passes,
                "{dialect:?}"
            );
        }
        // What is not read in it, and begins as a write, is one.
        let (leaves, profile) = ([Leaf::new("/sql", "DROP TABLE ((")], profile(Some(SqlDialect::MySql)));
        assert!(matches!(ReadOnly.check(&Input::new(&leaves, &profile)), Verdict::Refuse(_)));
    }

    #[test]
    fn arguments_that_write_are_refused() {
        for (pointer, text) in [
            ("/sql", "UPDATE t SET a = 1"),
            ("/sql", "  /* x */ -- y\n delete from t"),
            ("/sql", "select 1; drop table t"),
            ("/sql", "select 1;vacuum"),
            ("/sql", "explain analyze update t set a=1"),
            ("/query", "with x as (select 1) insert into t select * from x"),
            ("/text", "DROP TABLE users"),
            ("/method", "Post"),
            ("/requests/0/http_method", "DELETE"),
            ("/mode", "w+"),
            ("/open_mode", "a"),
            ("/command", "ls; /bin/rm x"),
            ("/cmd", "echo x > y"),
            ("/args/0", "touch"),
        ] {
            assert_ne!(check(true, pointer, text), Verdict::Pass, "{pointer} {text}");
        }
    }
}
