//! Judges commands: the hosts in the words of network programs.

use super::{
    host::{COMPUTED, Certainty, Finding, SINGLE, UNREADABLE, judge_authority, without_port},
    names::{NameKind, name_kind},
    ports::is_port,
    programs::{CLEAR, Program, TABLE},
};

/// The most words of a text that are read as a command.
const MAX_WORDS: usize = 20_000;

/// Judges a text as commands. `is_command` is true if the text's member is one for commands.
pub(super) fn judge_commands(text: &str, is_command: bool) -> Finding {
    let mut found = Finding::Nothing;
    let lower = text.to_ascii_lowercase();
    let reaches =
        ["curl", "wget", "nc ", "ssh", "ping", "http", "telnet", "nmap", "socat", "rsync", "scp", "dig"]
            .iter()
            .any(|name| lower.contains(name));
    if is_command && reaches && TABLE.this_machine.iter().any(|part| lower.contains(part)) {
        found = COMPUTED;
    }
    let mut left = MAX_WORDS;
    for command in text.split(['\n', ';', '|', '(', '`']).flat_map(|part| part.split("&&")) {
        let words: Vec<String> = shell_words(command, &mut left);
        found = found.max(judge_command(&words, is_command));
        // A word with spaces may be a command itself.
        for word in words.iter().filter(|word| is_command && word.contains(' ')) {
            let inner = word
                .split_once('=')
                .filter(|(name, _)| !name.contains(' '))
                .map_or(word.as_str(), |(_, inner)| inner);
            let inner = shell_words(inner, &mut left);
            if inner.first().is_some_and(|name| CLEAR.contains(&name.as_str())) {
                found = found.max(judge_command(&inner, true));
            }
        }
        let is_setting = !is_command && (3..6).contains(&words.len());
        if is_setting && let Some(at) = words.iter().take(3).position(|word| word == "nc" || word == "ncat") {
            found = found.max(judge_command(&words[at..], true));
        }
        if left == 0 {
            return found.max(UNREADABLE);
        }
    }
    found
}

/// Splits a command into words, without quotes and backslashes.
fn shell_words(command: &str, left: &mut usize) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut escaped = false;
    for c in command.chars() {
        let Some(word) = words.last_mut() else { break };
        match (c, quote) {
            _ if escaped => {
                word.push(c);
                escaped = false;
            }
            ('\\', None) => escaped = true,
            (c, None) if c.is_whitespace() => {
                if !word.is_empty() {
                    if *left == 0 {
                        break;
                    }
                    *left -= 1;
                    words.push(String::new());
                }
            }
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => word.push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn judge_command(words: &[String], is_command: bool) -> Finding {
    let mut at = 0;
    let mut found = Finding::Nothing;
    while let Some(word) = words.get(at) {
        let name = base_name(word);
        let is_assignment = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        });
        let is_prefix = TABLE.prefixes.contains(&name)
            || is_assignment
            || word.starts_with('-') && at > 0
            || at > 0 && word.bytes().all(|b| b.is_ascii_digit());
        if !is_prefix {
            break;
        }
        at += 1;
    }
    let Some(program) = words.get(at).map(|word| base_name(word)) else { return found };
    let rest = &words[at + 1..];
    if let Some(program) = TABLE.programs.iter().find(|known| known.names.contains(&program)) {
        let is_clear = CLEAR.contains(&words[at].as_str()) || words[at] == "ping";
        // In a text that is not declared as a command, only a clear one counts.
        let has_host = rest.iter().any(|word| word.starts_with('-') || word.contains([':', '.', '/']));
        let is_call = is_clear && rest.len() < 7 && (rest.len() < 3 || has_host);
        if is_command || is_call {
            found = found.max(judge_words(program, rest, is_command));
        }
    }
    // A word in capitals before a host and a port is a command of a server, such as `REPLICAOF`.
    let is_order = |word: &str| word.len() > 4 && word.bytes().all(|b| b.is_ascii_uppercase());
    let mut threes = rest.windows(3);
    if is_command
        && threes.any(|three| {
            is_order(&three[0]) && name_kind(&three[1]) == NameKind::Single && is_port(&three[2])
        })
    {
        found = found.max(SINGLE);
    }
    if is_command && TABLE.local_clients.contains(&program) {
        let names_host = rest.iter().any(|word| {
            ["--version", "--help", "-V", "-h", "--host", "-H", "-S"].contains(&word.as_str())
                || word.contains(['$', '.', ':', '@', '='])
                || word.starts_with("-h")
        });
        if !names_host && at == 0 {
            found = found.max(Finding::Possible("a client without a host, which reaches this machine"));
        }
    }
    if is_command
        && let Some(later) = rest.iter().position(|word| CLEAR.contains(&word.as_str()))
        && later + 1 < rest.len()
        && !CLEAR.contains(&program)
        && !["grep", "man", "which", "apt-get", "apt", "brew", "pip", "apk", "yum", "dnf", "echo", "rg"]
            .contains(&program)
        && !rest.iter().take(later).any(|word| word == "install" || word == "add")
    {
        found = found.max(judge_command(&rest[later..], true));
    }
    if is_command || TABLE.clients.contains(&program) {
        found = found.max(judge_options(program, rest));
    }
    found
}

fn base_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name)
}

fn judge_words(program: &Program, words: &[String], is_command: bool) -> Finding {
    let mut found = Finding::Nothing;
    let mut hosts = program.hosts;
    let mut skip = false;
    let mut is_judged = false;
    for word in words {
        if std::mem::take(&mut skip) {
            continue;
        }
        if let Some(option) = word.strip_prefix('-') {
            let is_short = !option.starts_with('-');
            skip = is_short
                && option.chars().next_back().is_some_and(|c| program.values.contains(c))
                && option.len() < 5
                || TABLE.valued.contains(&word.as_str());
            continue;
        }
        if hosts == 0 {
            break;
        }
        let judged = judge_word(word, is_command);
        if let Some(share) = word.strip_prefix("//") {
            found = found.max(judge_authority(share, Certainty::Host).possible());
            continue;
        }
        if program.paths && !word.contains("//") {
            let (host, path) = word.split_once(':').unwrap_or_default();
            if !path.is_empty() && host.len() > 1 {
                found = found.max(judge_authority(host, Certainty::Host).possible());
            }
            continue;
        }
        if word.starts_with(':') && (is_port(&word[1..]) || word.starts_with(":/")) {
            found = found.max(Finding::Possible("a port of this machine"));
        }
        let is_flag = word.bytes().all(|b| b.is_ascii_uppercase())
            || word.starts_with(['>', '<', '+', '&', ':'])
            || word.starts_with("2>");
        if is_flag && word != "LOCALHOST" {
            continue;
        }
        hosts -= 1;
        is_judged = true;
        found = found.max(judged);
    }
    // Options with a value differ between programs: the last word is a host if no other one is.
    match words.last() {
        Some(word) if !is_judged && is_command && !word.starts_with('-') && !word.contains(' ') => {
            found.max(judge_word(word, is_command))
        }
        _ => found,
    }
}

/// Judges a word of a program whose words are hosts.
fn judge_word(word: &str, is_command: bool) -> Finding {
    let word = word.rsplit_once("://").map_or(word, |(_, rest)| rest).trim_start_matches('@');
    let host = word.split('/').next().unwrap_or_default();
    let is_computed = is_command
        && (host.starts_with('$')
            || host.contains("$(")
            || host.contains('{')
            || host.contains('`')
            || host.contains("${")
            || host.contains('['));
    if is_computed || is_command && host.contains('$') {
        return COMPUTED;
    }
    let found = judge_authority(word, Certainty::Host).possible();
    if found.is_found() && !is_unknown_file(word) {
        return found;
    }
    for part in word.split([':', ',', '=', '@']) {
        let found = judge_authority(part, Certainty::Likely).possible();
        if found.is_found() {
            return found;
        }
    }
    Finding::Nothing
}

/// Returns whether a word is a file's name by its extension, or a path.
fn is_unknown_file(word: &str) -> bool {
    let name = without_port(word.split('/').next().unwrap_or_default());
    word.starts_with(['/', '.', '~'])
        || (name_kind(name) == NameKind::Unknown
            && !word.contains([':', '@'])
            && !super::names::is_known_private(name)
            && name.rsplit('.').next().is_some_and(|end| {
                end.len() <= 5 && !["corp", "svc", "lan", "home", "local"].contains(&end) && word == name
            }))
}

/// Judges the values of options for hosts.
pub(super) fn judge_options(program: &str, words: &[String]) -> Finding {
    let mut found = Finding::Nothing;
    for (at, word) in words.iter().enumerate() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) if option.starts_with("--") => (option, value),
            _ => (word.as_str(), words.get(at + 1).map_or("", String::as_str)),
        };
        let is_capital = option.as_bytes().get(1).is_some_and(u8::is_ascii_uppercase) && option.len() > 3;
        let is_short = ["-n", "-a", "-s", "-c", "-L"].contains(&option);
        let counts = TABLE.host_options.contains(&option)
            && (!is_short
                || ["logger", "cypher-shell", "torsocks", "frpc", "iperf3", "smbclient", "net"]
                    .contains(&program))
            && (option.starts_with("--")
                || is_capital
                || option == "-remsh"
                || TABLE.clients.contains(&program)
                || TABLE.programs.iter().any(|known| known.names.contains(&program)));
        let special = option == "-b" && ["kcat", "kafkacat"].contains(&program)
            || option == "-H"
                && ["rabbitmqadmin", "lpr", "lp", "lpstat", "ldapsearch", "docker"].contains(&program);
        let counts = counts || special;
        let is_user = option == "-u" && !value.contains("://")
            || option == "-i" && program != "ansible"
            || option == "-W"
            || option == "-h" && program == "docker";
        if counts && !is_user && !value.starts_with('-') {
            let host = value.rsplit("://").next().unwrap_or_default();
            let judged = judge_authority(host, Certainty::Host).possible();
            let is_flag = option == "-h" && !TABLE.clients.contains(&program);
            if judged.is_found() && !is_flag && !is_unknown_file(host) {
                found = found.max(judged);
            }
            if host.starts_with('$') {
                found = found.max(COMPUTED);
            }
        }
        let prefixed = ["/node:", "/v:", "/server:", "-r:", "-cn:", "/s:"]
            .iter()
            .find_map(|option| word.strip_prefix(option));
        if let Some(value) = prefixed {
            found = found.max(judge_authority(value, Certainty::Host).possible());
        }
        if word == "sqlcmd" || program == "sqlcmd" && word == "." {
            found = found.max(Finding::Possible("a server of this machine"));
        }
        // A short option with its value in one word.
        if let Some(value) =
            word.strip_prefix("-h").or_else(|| word.strip_prefix("-x")).or_else(|| word.strip_prefix("-S"))
            && TABLE.clients.contains(&program) | (program == "curl")
            && !value.is_empty()
            && word.len() > 3
        {
            found = found.max(judge_authority(value, Certainty::Host).possible());
        }
    }
    if program == "git" || program == "cvs" || program == "svn" {
        let single = words.iter().any(|word| {
            word.split_once(':').is_some_and(|(host, path)| {
                path.contains('/')
                    && !path.starts_with('/')
                    && name_kind(host.rsplit('@').next().unwrap_or_default()) == NameKind::Single
                    && host.contains('@')
            })
        });
        if single {
            found = found.max(SINGLE);
        }
    }
    found
}
