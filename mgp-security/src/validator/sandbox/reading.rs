//! Judges the changes by commands, for callers that may only read.

use super::{
    check::judged,
    finding::Finding,
    git, grammars,
    judge::{Run, ScriptJudge},
    options,
    places::{Form, is_command, places},
    programs::{Kind, Program, Special},
    traits::Traits,
};
use crate::validator::{
    Input, Leaf,
    rejection::shown,
    shell::{RedirectKind, Word},
    table::{self, Words},
};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `reading.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("reading.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    english: Words,
    tells: Words,
    writing_options: Words,
    changing_actions: Words,
}

/// The findings about the commands of a call, as sentences.
#[derive(Debug, Default)]
pub(in crate::validator) struct Changes {
    /// The commands that change something.
    pub(in crate::validator) harm: Vec<String>,
    /// The commands that may change something.
    pub(in crate::validator) doubt: Vec<String>,
}

/// Judges the commands in members that are named after commands. Parts for which `is_other` returns true are left out.
pub(in crate::validator) fn changes(input: &Input<'_>, is_other: impl Fn(&Leaf) -> bool) -> Changes {
    let mut changes = Changes::default();
    for place in places(input.leaves, input.profile) {
        let is_word = !place.certain && !place.leaf.text.contains(char::is_whitespace);
        let variable = matches!(place.command, Form::Variable(..));
        let may_be_command = variable || !is_word && is_command(place.leaf);
        if !may_be_command || is_other(place.leaf) {
            continue;
        }
        let (mut findings, traits) = judged(&place, input, &[], true);
        findings.extend(traits.findings());
        for finding in findings {
            let said = format!("{} in {}: {:?}", finding.what, place.leaf.place(), shown(&place.leaf.text));
            match (finding.harmful, place.certain) {
                (true, true) => changes.harm.push(said),
                (true, false) | (false, true) => changes.doubt.push(said),
                (false, false) => {}
            }
        }
    }
    changes
}

/// Returns whether a text, run by a shell, may change something. If it is not certainly a command, only known programs count.
pub(in crate::validator) fn changes_something(text: &str, input: &Input<'_>, certain: bool) -> bool {
    let judge = ScriptJudge::new(input).reading(true);
    has_findings(if certain { judge.judge_text(text) } else { judge.judge_prose(text) })
}

/// Returns whether a program with its arguments may change something.
pub(in crate::validator) fn words_change_something(words: Vec<String>, input: &Input<'_>) -> bool {
    let words = words.into_iter().map(Word::literal).collect();
    has_findings(ScriptJudge::new(input).reading(true).judge_words(words))
}

fn has_findings((findings, traits): (Vec<Finding>, Traits)) -> bool {
    !findings.is_empty() || !traits.findings().is_empty()
}

/// Returns whether the table contains a program.
pub(in crate::validator) fn is_program(name: &str) -> bool {
    Program::named(name).is_some()
}

/// Returns whether a name is that of a program with subcommands, and not an English word.
pub(in crate::validator) fn is_tool(name: &str) -> bool {
    let builds = |program: &Program| {
        matches!(
            program.kind,
            Kind::Verbs { .. } | Kind::Builds | Kind::Special(Special::Git | Special::Fetch)
        )
    };
    !TABLE.english.contains(&name) && Program::named(name).is_some_and(builds)
}

impl ScriptJudge<'_> {
    /// Returns whether a subcommand of a build program only prints information.
    pub(super) fn only_tells(&self, verb: &str, arguments: &[Word]) -> bool {
        let bare = !["version", "env"].contains(&verb)
            || arguments.len() == 1
            || verb == "env"
                && arguments
                    .iter()
                    .skip(1)
                    .all(|word| !word.text.starts_with('-') && !word.text.contains('='));
        let writes = arguments.iter().any(|word| {
            TABLE.writing_options.contains(&word.text.as_str())
                || ["--log=", "-mod=", "--output="].iter().any(|start| word.text.starts_with(start))
        });
        self.reading && TABLE.tells.contains(&verb) && bare && !writes
    }

    /// Judges the changes by a program. The files that it writes are judged where they are found.
    pub(super) fn judge_changes(&mut self, program: &Program, name: &str, run: &Run) {
        const WRITES: &str = "a program that changes files";
        let arguments = &run.words[1..];
        let first = options::operands(arguments, "").first().map_or("", |word| word.text.as_str());
        let any = |list: &'static str| options::find(arguments, list, false).is_some();
        let long = |list: &[&str]| {
            let named = |word: &Word| list.contains(&word.text.split('=').next().unwrap_or_default());
            arguments.iter().any(named)
        };
        match program.kind {
            Kind::Special(Special::Remove | Special::Chmod) => self.harm(WRITES),
            Kind::Special(Special::Kill) if !any("-l -0") => self.harm("the end of a process"),
            Kind::Special(Special::Find) if arguments.iter().any(|word| word.text == "-delete") => {
                self.harm(WRITES);
            }
            Kind::Special(Special::Git) => self.git_changes(arguments),
            Kind::Special(Special::Fetch) => self.fetch_changes(name, arguments),
            Kind::Writes if ["uniq", "xxd", "tee"].contains(&name) => {}
            Kind::Writes if name == "mktemp" && any("-u --dry-run") => {}
            Kind::Writes => {
                let prints = any("-c --stdout --to-stdout -l --list -t --test");
                let compresses = name.contains("zip") || name.contains("xz") || name.contains("zst");
                if !(prints && (compresses || name == "lz4") && name != "zip") {
                    self.harm(WRITES);
                }
            }
            _ => {}
        }
        if let Some(false) = grammars::only_reads(name, arguments) {
            self.note(Some(Finding::doubt(format!("an option of {name} that may do more than read"))));
        }
        let may_write = match name {
            "openssl" => {
                long(&["-CAcreateserial", "-CAserial", "-out", "-keyout", "-outdir", "-sess_out", "-req"])
            }
            "docker" | "docker-compose" | "podman" => {
                long(&["--output", "-o", "--lock-image-digests"])
                    && arguments.iter().any(|word| word.text == "config")
            }
            "kubectl" | "oc" => arguments.iter().any(|word| {
                ["--output-directory", "--profile-output", "--profile", "--cache-dir"]
                    .iter()
                    .any(|option| word.text.starts_with(option))
            }),
            "pip" | "pip3" => arguments
                .iter()
                .any(|word| word.text.starts_with("--log") || word.text.starts_with("--report")),
            "zstd" | "lz4" | "xz" | "gzip" | "bzip2" => self.compresses(name, arguments),
            "perl" | "ruby" | "php" | "lua" | "node" | "python" | "python2" | "python3"
                if run.piped || run.input.is_some() =>
            {
                options::operands(arguments, "").is_empty() && !arguments.iter().any(|word| word.text == "-m")
            }
            "awk" | "gawk" | "mawk" | "sed" | "gsed" => {
                arguments.iter().any(|word| word.text.contains("\\\n"))
            }
            "python" | "python3" => {
                arguments.iter().all(|word| word.text.starts_with('-'))
                    && run.redirects.iter().any(|redirect| redirect.kind == RedirectKind::Read)
                    && !arguments.iter().any(|word| word.text == "-m" || word.text == "-c")
            }
            "terraform" | "tofu" => {
                first == "fmt"
                    && !arguments
                        .iter()
                        .any(|word| ["-check", "--check", "-check=true"].contains(&word.text.as_str()))
                    || first == "providers" && options::operands(arguments, "").len() > 1
            }
            "info" => any("-o --output --dribble"),
            "ptx" => any("-G --traditional"),
            "base64" | "base32" => any("-o --output"),
            "journalctl" => long(&["--cursor-file"]),
            "file" => any("-C --compile"),
            "dasel" => ["put", "delete"].contains(&first),
            "yq" => any("-s --split-exp"),
            "bat" | "batcat" => first == "cache",
            "helm" => long(&["--output-dir"]),
            _ => false,
        };
        if may_write {
            self.note(Some(Finding::doubt(format!("a use of {name} that may write a file"))));
        }
    }

    /// Returns whether a compressing program may write a file, by options that take a value.
    fn compresses(&self, name: &str, arguments: &[Word]) -> bool {
        let letters = if name == "zstd" { "oDTMB" } else { "SFTMC" };
        let parsed = options::parsed(
            arguments,
            letters,
            "--suffix --format --threads --output-dir-flat --output-dir-mirror",
        );
        let has = |list: &[&str]| parsed.iter().any(|argument| list.contains(&argument.option.as_str()));
        !has(&[
            "-c",
            "--stdout",
            "--to-stdout",
            "-l",
            "--list",
            "-t",
            "--test",
            "--version",
            "--help",
            "-V",
            "-h",
        ]) || has(&["-o", "-S", "--suffix", "--output-dir-flat", "--output-dir-mirror"])
    }

    fn git_changes(&mut self, arguments: &[Word]) {
        let valued = "-c -C --git-dir --work-tree --namespace";
        let operands = options::operands(arguments, valued);
        let Some(verb) = operands.first().copied() else { return };
        let at = arguments.iter().position(|word| std::ptr::eq(word, verb)).unwrap_or_default();
        let behind = &arguments[at + 1..];
        let rest = options::operands(behind, "");
        let first = rest.first().map_or("", |word| word.text.as_str());
        let has = |list: &'static str| options::find(behind, list, false).is_some();
        let reads = match verb.text.as_str() {
            "branch" => {
                let lists = "-l --list -a --all -r --remotes --contains --no-contains --merged --no-merged \
                             --points-at --show-current --format --sort";
                let changes = "-d -D -m -M -c -C -f -u --delete --move --copy --force --set-upstream-to \
                               --unset-upstream --edit-description --track";
                let named = !rest.is_empty()
                    && !has(
                        "-l --list -a --all -r --remotes --contains --no-contains --merged --no-merged --points-at --show-current",
                    );
                (rest.is_empty() || has(lists)) && !has(changes) && !named
            }
            "tag" => {
                let lists =
                    "-l --list --contains --no-contains --merged --no-merged --points-at --sort --format";
                let options = options::parsed(
                    behind,
                    "nmFu",
                    "--sort --format --contains --no-contains --merged --no-merged --points-at --message --file --local-user",
                );
                let listing = options.iter().any(|argument| {
                    [
                        "-l",
                        "--list",
                        "--contains",
                        "--no-contains",
                        "--merged",
                        "--no-merged",
                        "--points-at",
                        "-n",
                    ]
                    .contains(&argument.option.as_str())
                });
                let named = options.iter().any(|argument| argument.option.is_empty()) && !listing;
                (rest.is_empty() || has(lists))
                    && !named
                    && !has(
                        "-d --delete -f --force -s -u --sign --local-user -m --message -a --annotate -F --file",
                    )
            }
            "stash" => ["list", "show"].contains(&first),
            "remote" => ["", "show", "get-url"].contains(&first),
            "config" => {
                let lists =
                    "-l --list --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool";
                has(lists) && !has("--add --unset --unset-all --replace-all -e --edit")
                    || ["get", "list"].contains(&first)
                    || rest.len() == 1
                        && !["edit", "set", "unset"].contains(&first)
                        && !has("-e --edit --unset --unset-all --remove-section")
            }
            "reflog" => {
                ["", "show", "exists", "list"].contains(&first)
                    || !["expire", "delete", "drop", "write"].contains(&first)
            }
            "worktree" => first == "list",
            "submodule" => ["", "status", "summary"].contains(&first),
            "notes" => ["", "list", "show"].contains(&first),
            "symbolic-ref" => rest.len() == 1 && !has("-d --delete"),
            "bisect" => ["log", "view", "visualize"].contains(&first),
            "apply" => {
                has("--check --stat --numstat --summary")
                    && !has("--apply --build-fake-ancestor --index --cached --3way")
            }
            "archive" => {
                !behind.iter().any(|word| word.text.starts_with("-o") || word.text.starts_with("--o"))
            }
            "fsck" => !has("--lost-found"),
            "format-patch" => has("--stdout"),
            verb => git::TABLE.reads.contains(&verb),
        };
        if !reads {
            self.harm("a subcommand of git that changes something");
        }
    }

    /// Judges the options of `curl` and `wget` as these programs read them.
    fn fetch_changes(&mut self, name: &str, arguments: &[Word]) {
        const METHOD: &str = "an HTTP method that writes";
        let wget = name == "wget";
        let (letters, names) = if wget { (WGET_LETTERS, WGET_NAMES) } else { (CURL_LETTERS, CURL_NAMES) };
        let parsed = options::parsed(arguments, letters, names);
        let has = |list: &[&str]| parsed.iter().any(|argument| list.contains(&argument.option.as_str()));
        let value = |list: &[&str]| {
            parsed
                .iter()
                .rev()
                .find(|argument| list.contains(&argument.option.as_str()))
                .map(|argument| argument.value.as_str())
        };
        let method = value(if wget { &["--method"] } else { &["-X", "--request"] });
        let reads = |method: &str| {
            ["GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT", "SEARCH", "TRACE"]
                .contains(&method.trim_matches(['"', '\'']))
        };
        if method.is_some_and(|method| !reads(method)) {
            return self.harm(METHOD);
        }
        let asks = |argument: &options::Argument| {
            argument.option.is_empty()
                || argument.option.starts_with("--data")
                || argument.option == "-d"
                || argument.option == "--url"
        };
        if parsed.iter().filter(|argument| asks(argument)).any(|argument| asks_for_change(&argument.value)) {
            self.doubt("an address that asks for a change");
        }
        if wget {
            let prints = value(&["-O", "--output-document"])
                .is_some_and(|file| ["-", "/dev/stdout", "/dev/null"].contains(&file));
            if has(&["--post-data", "--post-file", "--body-data", "--body-file"]) && method.is_none() {
                self.harm(METHOD);
            } else if !has(&["--spider", "--version", "--help", "-V", "-h"]) && !prints {
                self.harm("a file that is written");
            }
            return;
        }
        if has(&["-O", "-J", "--remote-name", "--remote-name-all", "--remote-header-name"]) {
            self.harm("a file that is written");
        }
        let written = [
            "--etag-save",
            "--dump-header",
            "-D",
            "--cookie-jar",
            "-c",
            "--trace",
            "--trace-ascii",
            "--stderr",
            "--hsts",
            "--alt-svc",
            "--libcurl",
            "--output-dir",
            "--create-dirs",
        ];
        let sinks = ["-", "/dev/null", "/dev/stdout", "/dev/stderr"];
        if parsed.iter().any(|argument| {
            written.contains(&argument.option.as_str()) && !sinks.contains(&argument.value.as_str())
        }) {
            self.doubt("a file that may be written");
        }
        if has(&["-T", "--upload-file", "-F", "--form", "--form-string"]) {
            return self.harm(METHOD);
        }
        let sends = has(&[
            "-d",
            "--data",
            "--data-raw",
            "--data-binary",
            "--data-ascii",
            "--data-urlencode",
            "--json",
        ]);
        if sends && !has(&["-G", "--get"]) && method.is_none() {
            self.harm(METHOD);
        }
    }
}

/// The options of `curl` with a value.
const CURL_LETTERS: &str = "AbcCdDeEFhHKmoPQrtTuUwxXyYzJ";
const CURL_NAMES: &str = "--request --data --data-raw --data-binary --data-ascii --data-urlencode --json --form --form-string --upload-file --output --header --user-agent --referer --cookie --cookie-jar --user --proxy --proxy-user --max-time --connect-timeout --retry --retry-delay --retry-max-time --write-out --url --range --cert --key --cacert --capath --resolve --connect-to --interface --limit-rate --dump-header --etag-save --etag-compare --config --time-cond --max-redirs --ciphers --stderr --trace --trace-ascii --hsts --alt-svc --libcurl --output-dir --oauth2-bearer --noproxy --unix-socket --max-filesize --speed-limit --speed-time --quote --mail-from --mail-rcpt --aws-sigv4 --variable --expand-url --expand-data --url-query --pinnedpubkey --dns-servers --local-port --keepalive-time --tls-max --proto --proto-default --proto-redir --socks5 --socks5-hostname --request-target --create-file-mode";

/// The options of `wget` with a value.
const WGET_LETTERS: &str = "eoaiBtOTwQPUlARDIX";
const WGET_NAMES: &str = "--execute --output-file --append-output --input-file --base --config --tries --output-document --timeout --wait --quota --directory-prefix --user-agent --level --accept --reject --domains --method --header --post-data --post-file --body-data --body-file --user --password --referer --limit-rate --load-cookies --save-cookies --http-user --http-password --max-redirect --warc-file";

/// Returns whether an address or its data requests a change: by an action, or by a statement.
fn asks_for_change(address: &str) -> bool {
    let query = address.split_once('?').map_or(address, |(_, query)| query);
    query.split('&').filter_map(|pair| pair.split_once('=')).any(|(name, value)| {
        let value = value.to_ascii_lowercase();
        let first =
            value.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).next().unwrap_or_default();
        let longer = value.contains(['+', ' ', '%']);
        let action =
            ["action", "command", "cmd", "op", "operation"].contains(&name.to_ascii_lowercase().as_str());
        let statement = ["query", "q", "sql", "stmt"].contains(&name.to_ascii_lowercase().as_str()) && longer;
        (action || statement)
            && TABLE
                .changing_actions
                .iter()
                .any(|change| first == *change || action && first.starts_with(change))
    })
}
