//! The beginnings of statements: a verb, followed by the words that the grammar requires.

use super::tokens::{Token, tokens};

/// The beginning of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// A verb that may read.
    Reads,
    /// A verb that changes something. `fits` is true if the required words follow; `caps` if the verb is written in capitals.
    Changes { fits: bool, caps: bool },
}

/// Verbs that may read.
const READS: &str = "select with values table show describe desc explain pragma from pivot unpivot summarize";

/// Verbs that change something in some language, each with the words that may follow it. `.` is the end of a statement, `#` a number,
/// `'` something in quotes, `*` a name at the end, `=` an assignment to a name. `(` and the like stand for themselves.
const CHANGES: &str = "
insert into overwrite or ignore low_priority delayed high_priority data all first { *values *select *exec *( ' when top data *;
update = extensions *;
delete from data where { # top *where *from *. ' only *limit ( data user [ *;
create or table index view trigger database schema temp temporary unique user role function procedure sequence type extension materialized external global local column domain server foreign policy publication subscription rule aggregate cast operator language tablespace collation conversion event access text statistics transform login stage pipe task stream share warehouse integration network file notification masking row tag secret macro dictionary quota settings profile named model reservation capacity assignment assembly certificate symmetric asymmetric credential endpoint contract queue service message partition fulltext xml cluster directory synonym package profile context library live continuous retention graph constraint search vector snapshot volatile transient iceberg dynamic hybrid secure streaming algorithm definer undo logfile resource spatial if not database replication alert application budget change workload connector analyzer ( / search public group alias keyspace changefeed sink source persistent nonclustered clustered virtual edition columnstore hadoop vector diskgroup proc
drop or table index view trigger database schema temp temporary unique user role function procedure sequence type extension materialized external column domain server foreign policy publication subscription rule aggregate cast operator language tablespace stage pipe task stream share warehouse integration network file notification masking row tag secret macro dictionary quota settings named model measurement series shard continuous retention constraint graph all default silent prepare if owned event login synonym package directory event resource profile context snapshot connector reservation assignment certificate endpoint credential assembly credential application compute search public rollback proc keyspace group cube diskgroup edition source sink stream changefeed feed partition credential
alter table index view trigger database schema user role function procedure sequence type extension materialized column domain server policy publication subscription default system session current event tablespace login authorization aggregate collation large operator text statistics warehouse task pipe stream stage share external organization account network project quota settings profile retention capacity reservation bi_capacity resource service foreign group language rule rename iceberg dynamic package package compute database if instance application streaming live named logfile assembly diskgroup masking failover keyspace proc availability
truncate table * if database all cluster only
grant select insert update delete all execute usage connect create role roles ownership references trigger imported drop alter show any # on current dba impersonate ' @ *to *on
revoke select insert update delete all execute usage connect create role roles ownership references trigger grant drop alter show any on admin
merge into ( *using
replace into table view function *values *(
upsert into { *;
call *( *.
exec * *. immediate ( sp_ ' @
execute * *. immediate task as function block ( ' *( ( alert notebook
do $ ' sleep( sleep
declare @ cursor *cursor *int *variable
begin . transaction work tran try immediate exclusive deferred
commit . work transaction tran prepared
rollback . work to transaction tran prepared
savepoint *
copy *to *from into ( *. < silent graph default
lock table tables in instance *in only *, *
unlock tables instance table *
kill # query connection ' session mutation soft hard stats transaction
vacuum . full analyze freeze verbose into * *into (
reindex . table index database system schema concurrently ( *
analyze . table verbose compress *
cluster . *using verbose
optimize table local no_write_to_binlog *zorder *final *rewrite
attach database partition ' table dictionary if
detach database partition table permanently view dictionary
install plugin component ' *from soname *
uninstall plugin component
load data ' xml csv index model silent into graph < extension *
import database foreign table into schema ' overwrite
export database data model table
backup database log table to all disk into stage
restore database log table from disk headeronly filelistonly
refresh materialized table external *
reset . all master slave replica query session * persist binary
start slave replica group_replication transaction with upgrade database
stop slave replica group_replication database
flush . tables privileges logs hosts status binary local query no_write_to_binlog logs distributed user_resources database
change master replication tracking
purge binary master table index recyclebin user_recyclebin dba_recyclebin tablespace statistics
handler *open *read *close
prepare *from *as transaction
deallocate all prepare *
discard all plans temp sequences
listen *
notify *, *
unlisten * all *
reassign owned
security label
comment on if
checkpoint . # tablespace *
shutdown . immediate with nosave save abort
reconfigure . with
dbcc *( shrinkdatabase
deny select insert update delete all execute connect view control alter on traverse read write match access
bulk insert
waitfor delay time (
writetext *.
updatetext *.
revert . with cookie
raiserror (
xa start begin end prepare commit rollback recover
set @ = global session local role password transaction character names default constraints statistics persist persist_only identity_insert resource authorization variable quota
unset *
use * database role warehouse schema secondary catalog
rename table to user column database dictionary tables quota object
exchange tables dictionaries
move partition part < silent graph
system reload flush drop stop start sync restart restore unfreeze reset enable disable shutdown kill wait stop load unload replicas
undrop table database schema materialized dictionary view notebook tag
put file ' : @
get @ '
remove @
rm @
execute immediate task as
msck repair
repair table
uncache table
cache table lazy
clear cache graph default named all silent
enable trigger role novalidate server alert
disable trigger role alert
audit all session policy create
noaudit all policy session
administer key
flashback table database tablespace cluster
associate statistics
disassociate statistics
explain plan
add jar file files archive { index source < silent
assume role
apply *
batch .
abort transaction session query
cancel job jobs query task #
pause job jobs schedule
resume job jobs schedule
terminate service transaction transactions
alter current
rebalance .
relate * *:
define table field index event namespace database user param function access analyzer
remove table field index event namespace database user param function access
throw '
live select
send on
receive ( top
get conversation
end conversation
patch *
setuser .
use catalog
configure zone
split table
unsplit table
scrub table
purge .
split .
admin check cancel cleanup recover repair flush reload set
detach delete
foreach (
mutation { ( name
nodetach delete
with delete insert
lineno #
readtext *.
pager sh less cat
while # (
if exists true #
modify graph
externaldata (
release *
open symmetric master
clone local instance
binlog '
balance vgroup
quiesce tablespaces database
reorg table index indexes
runstats on
generate symlink_format_manifest
fsck repair
convert to
unload ( ' *to
password *
host touch rm
spool / . off '
archive log
recover table database
force install checkpoint
";

/// Commands of Redis, Memcached, mail and messaging protocols that change something. They count only in capitals, or in a text of one or
/// two words.
const COMMANDS: &str = "set setex setnx psetex getset getdel getex mset msetnx append setrange setbit bitop bitfield incr incrby incrbyfloat decr decrby del unlink expire expireat pexpire pexpireat persist rename renamenx move copy migrate restore dump sort hset hsetnx hmset hincrby hincrbyfloat hdel hexpire lpush rpush lpushx rpushx lpop rpop lmove lmpop blmove blpop brpop blmpop brpoplpush rpoplpush lset linsert ltrim lrem sadd srem smove spop sinterstore sunionstore sdiffstore zadd zincrby zrem zremrangebyrank zremrangebyscore zremrangebylex zpopmin zpopmax zmpop bzmpop bzpopmin bzpopmax zunionstore zinterstore zdiffstore zrangestore geoadd georadius georadiusbymember geosearchstore pfadd pfmerge xadd xdel xtrim xgroup xreadgroup xack xclaim xautoclaim xsetid eval evalsha fcall function script config flushall flushdb slaveof replicaof bgsave save bgrewriteaof shutdown debug failover swapdb cluster acl client latency slowlog monitor subscribe psubscribe publish spublish ssubscribe multi exec discard watch unwatch reset module restore-asking sync psync replconf touch wait pub hello hpersist hpexpire hgetdel hsetex memory stor dele rnfr rnto site appe mkd rmd stou delete expunge uid store flush_all cas prepend deleteall";

/// Words after such a command that make it read.
const TELLS: &[(&str, &str)] = &[
    ("config", "get"),
    ("function", "list stats"),
    ("script", "exists"),
    ("cluster", "info nodes slots shards keyslot myid"),
    ("acl", "list whoami users getuser cat log"),
    ("client", "list info id getname"),
    ("latency", "latest history doctor graph"),
    ("slowlog", "get len"),
    ("memory", "usage stats doctor"),
    ("module", "list"),
    ("debug", ""),
    ("uid", "fetch search"),
];

/// Names of languages and clients that may precede a statement.
const LANGUAGES: &[&str] = &["sql", "bigquery", "sqlite", "psql", "mysql", "cypher"];

/// Returns the beginning of the statement in a text, if the text begins with one.
pub(super) fn start(text: &str) -> Option<Start> {
    let all = tokens(text);
    let at = all.iter().position(|token| !is_before(token))?;
    let named = at > 0 && LANGUAGES.contains(&all[at].word());
    // Magic of notebooks, tags and fences of Markdown name the language first.
    let behind = all[at..].iter().skip(1).position(|token| !is_before(token)).filter(|_| named);
    start_of(&all[at + behind.map_or(0, |behind| behind + 1)..])
}

/// Returns whether a token may precede a statement.
fn is_before(token: &Token) -> bool {
    matches!(
        token,
        Token::Mark(';' | '(' | '{' | '%' | '!' | '|' | '/' | '?' | '=' | '`' | '<' | '>') | Token::Number
    )
}

fn start_of(tokens: &[Token]) -> Option<Start> {
    let Some((Token::Word { text: verb, .. }, behind)) = tokens.split_first() else { return None };
    let runs = |verb: &str, behind: &[Token]| {
        ["profile", "analyze", "analyse"].contains(&verb)
            || verb == "explain"
                && behind.first().is_some_and(|next| ["analyze", "analyse"].contains(&next.word()))
    };
    // A statement that is explained also runs in some languages. More than a few of these words are not a statement.
    let mut explained = behind;
    let mut prefix = verb.as_str();
    for _ in 0..MAX_PREFIXES {
        let Some((next, rest)) = explained.split_first().filter(|_| runs(prefix, explained)) else { break };
        if !runs(next.word(), rest) {
            match plain_start(explained) {
                Some(found @ Start::Changes { fits: true, .. }) => return Some(found),
                _ => break,
            }
        }
        (prefix, explained) = (next.word(), rest);
    }
    plain_start(tokens)
}

/// The most words before an explained statement.
const MAX_PREFIXES: usize = 8;

/// Returns the beginning of a statement that is not explained.
fn plain_start(tokens: &[Token]) -> Option<Start> {
    let Some((Token::Word { text: verb, caps }, behind)) = tokens.split_first() else { return None };
    let named = |line: &&str| line.split_ascii_whitespace().next() == Some(verb);
    let grammar = CHANGES.lines().filter(named).flat_map(|line| line.split_ascii_whitespace().skip(1));
    let mut listed = false;
    for follower in grammar {
        listed = true;
        if follows(follower, behind) {
            return Some(Start::Changes { fits: true, caps: *caps });
        }
    }
    if READS.split(' ').any(|other| other == verb) {
        return Some(Start::Reads);
    }
    listed.then_some(Start::Changes { fits: false, caps: *caps })
}

/// Returns whether a text has the form of statements in capitals: the verb of `start`, followed by another word in capitals, a mark or
/// something in quotes.
pub(super) fn is_formed(text: &str) -> bool {
    let tokens = tokens(text);
    let formed = |token: &Token| match token {
        Token::Word { caps, .. } => *caps,
        Token::Quoted | Token::Number => true,
        Token::Mark(mark) => matches!(mark, '(' | '.' | '@' | '*' | '=' | '[' | '`' | '\''),
    };
    tokens.iter().skip(1).take(3).any(formed)
}

/// Returns whether a text begins with two words in capitals, or is a command for a database client: `\! ls`, `.shell ls`, `:r x`, `@x.sql`.
pub(super) fn is_unknown(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let capital = |word: Option<&str>| {
        word.is_some_and(|word| word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
    };
    let first = words.next().unwrap_or_default();
    let meta = |mark: char, at_least: usize| {
        first.strip_prefix(mark).is_some_and(|name| {
            name.len() >= at_least
                && name.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '_' | '!' | '-'))
        })
    };
    let many = text.split_whitespace().count() > 1;
    let tells = [
        "\\l",
        "\\z",
        "\\s",
        "\\conninfo",
        "\\encoding",
        ".tables",
        ".schema",
        ".indexes",
        ".databases",
        ".show",
        ".dbinfo",
        ".help",
        ".timer",
        ".headers",
        ".mode",
    ];
    let client = (meta('\\', 1)
        || first.starts_with("\\!")
        || many && meta('.', 3) && !text.contains(['[', '|', '=']))
        && !(first.starts_with("\\d")
            || tells.iter().any(|tell| first.trim_end_matches(['+', 'S']) == *tell))
        || many && meta('!', 3);
    let sqlcmd = first.starts_with(":!!")
        || [":r", ":out", ":connect", ":setvar", ":error", ":listvar"].contains(&first) && many;
    let script = first.starts_with('@') && !many && (first.ends_with(".sql") || first.starts_with("@@"));
    let gexec =
        ["\\gexec", "\\watch", "\\gset", "\\g ", "\\copy", "\\o "].iter().any(|meta| text.contains(meta));
    let procedure =
        ["sp_", "xp_", "dbms_"].iter().any(|start| first.to_ascii_lowercase().starts_with(start)) && many;
    capital(Some(first)) && capital(words.next()) || client || sqlcmd || script || gexec || procedure
}

/// Returns whether the tokens after a verb begin as its grammar requires.
fn follows(follower: &str, tokens: &[Token]) -> bool {
    let at = |at: usize| tokens.get(at);
    let ends = |at: usize| tokens.get(at).is_none_or(|token| *token == Token::Mark(';'));
    match follower {
        "." => ends(0),
        "#" => at(0) == Some(&Token::Number),
        "'" => at(0) == Some(&Token::Quoted),
        "=" => assigns(tokens),
        "*" => {
            at(0).is_some_and(Token::is_name) && ends(behind_name(tokens))
                || at(0) == Some(&Token::Mark('*')) && ends(1)
        }
        "*." => at(0).is_some_and(Token::is_name) && at(1) == Some(&Token::Mark('.')),
        _ if follower.starts_with('*') && follower.len() > 1 => {
            let next = behind_name(tokens);
            next > 0 && follows(&follower[1..], &tokens[next.min(tokens.len())..])
        }
        _ => match at(0) {
            Some(Token::Mark(mark)) => follower.strip_prefix(*mark) == Some(""),
            Some(token) => {
                let word = token.word();
                word == follower || follower.ends_with('_') && word.starts_with(follower)
            }
            None => false,
        },
    }
}

/// Returns the position after a dotted name; zero if there is no name.
fn behind_name(tokens: &[Token]) -> usize {
    let mut at = 0;
    while tokens.get(at).is_some_and(Token::is_name) {
        at += 1;
        if tokens.get(at) != Some(&Token::Mark('.')) {
            break;
        }
        at += 1;
    }
    at
}

/// Returns whether tokens contain an assignment after a name: `x = 1`, or `t SET x = 1`.
fn assigns(tokens: &[Token]) -> bool {
    const NEAR: usize = 24;
    let near = &tokens[..tokens.len().min(NEAR)];
    let direct = behind_name(near);
    let is_sign = |at: usize| matches!(near.get(at), Some(Token::Mark('=')));
    let to =
        matches!(near.get(direct), Some(token) if token.word() == "to") && direct == 1 && near.len() == 3;
    if direct > 0 && (is_sign(direct) || to) {
        return true;
    }
    near.iter().enumerate().any(|(at, token)| {
        let rest = near.get(at + 1..).unwrap_or_default();
        let name = behind_name(rest);
        let set = token.word() == "set" && at > 0;
        let signs = matches!(rest.get(name), Some(Token::Mark('=' | '[' | '+' | '(' | ':')));
        let merged = token.word() == "with" && rest.first() == Some(&Token::Mark('{'));
        let shaped = set && rest.first() == Some(&Token::Mark('{'));
        shaped
            || set
                && (name > 0 && signs
                    || rest.first() == Some(&Token::Mark('('))
                    || rest.first() == Some(&Token::Mark('@')))
            || merged
    })
}

/// Returns whether a text is a command of Redis or another protocol that changes something.
pub(super) fn is_protocol_command(text: &str, certain: bool) -> bool {
    let mut words = text.split_ascii_whitespace();
    let Some(first) = words.next() else { return false };
    let verb = first.to_ascii_lowercase();
    let next = words.next().unwrap_or_default().to_ascii_lowercase();
    if TELLS
        .iter()
        .any(|(name, tells)| *name == verb && tells.split(' ').any(|tell| tell == next && !tell.is_empty()))
    {
        return false;
    }
    let caps = first.len() > 2 && !first.contains(|c: char| c.is_ascii_lowercase());
    let listed = COMMANDS.split(' ').any(|command| command == verb);
    let module = first.split_once('.').is_some_and(|(module, call)| {
        caps && (2..=6).contains(&module.len())
            && [
                "ADD",
                "SET",
                "DEL",
                "CREATE",
                "DROP",
                "ALTER",
                "INSERT",
                "RESERVE",
                "INCR",
                "MERGE",
                "CLEAR",
                "TRIM",
                "PUSH",
                "POP",
                "QUERY",
                "EXECUTE",
                "LOADCHUNK",
                "RESET",
                "APPEND",
                "TOGGLE",
                "NUM",
                "STR",
                "ARR",
                "GRAPH",
                "FORGET",
                "CONFIG",
                "DELETE",
                "MADD",
                "INCRBY",
            ]
            .iter()
            .any(|verb| call.contains(verb))
    });
    (listed || module) && (caps || certain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_begins_a_statement_if_the_words_that_its_grammar_demands_follow() {
        for text in [
            "insert into t values (1)",
            "update t set a = 1",
            "delete from t",
            "drop table t",
            "kill 55",
            "call app.purge()",
            "truncate t",
            "/* x */ -- y\n delete from t",
            "\u{feff};; grant select on t to bob",
            "%sql truncate accounts",
            "merge t using s on 1 = 1",
            "explain analyze delete from t",
            "use shop",
            "set @a = 1",
            "do $$ begin end $$",
        ] {
            assert!(matches!(start(text), Some(Start::Changes { fits: true, .. })), "{text}");
        }
        for text in [
            "insert the coin",
            "update dependencies automatically",
            "drop shadow generator",
            "merge conflicts how to",
            "kill bill",
            "call stack exceeded",
            "use effect cleanup",
            "set theory lecture notes",
            "grant writing for beginners",
            "load balancing algorithms",
            "restore old photos",
            "rename a branch",
            "lock screen wallpaper",
            "do you need a visa",
            "execute around pattern",
        ] {
            assert!(matches!(start(text), Some(Start::Changes { fits: false, caps: false })), "{text}");
        }
        assert_eq!(start("how to delete from a list"), None);
        assert_eq!(start("(select 1)"), Some(Start::Reads));
    }

    #[test]
    fn commands_of_protocols_count_in_capitals_unless_they_tell_something() {
        for (text, changes) in [
            ("SET k v", true),
            ("set k v", false),
            ("CONFIG SET a b", true),
            ("CONFIG GET a", false),
            ("GET k", false),
            ("JSON.SET d $ 1", true),
            ("JSON.GET d", false),
        ] {
            assert_eq!(is_protocol_command(text, false), changes, "{text}");
        }
        assert!(is_protocol_command("set k v", true));
    }
}
