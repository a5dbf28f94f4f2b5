//! Judges `git`.

use super::{
    fetch,
    finding::Finding,
    judge::ScriptJudge,
    options,
    paths::{judge_read, judge_write},
};
use crate::validator::{
    shell::Word,
    table::{self, Words},
};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `git.toml`.
pub(super) static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("git.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    pub(super) reads: Words,
    changes: Words,
    settings: Words,
}

/// Judges the arguments of `git`.
pub(super) fn judge(judge: &mut ScriptJudge<'_>, arguments: &[Word]) {
    let (mut at, mut folder) = (0, None);
    while let Some(word) = arguments.get(at).filter(|word| word.text.starts_with('-')) {
        match word.text.as_str() {
            "-c" => {
                if let Some(setting) = arguments.get(at + 1) {
                    judge_setting(judge, &setting.text);
                }
                at += 1;
            }
            "-C" => {
                folder = arguments.get(at + 1);
                at += 1;
            }
            "--no-pager"
            | "--version"
            | "--help"
            | "--no-optional-locks"
            | "--literal-pathspecs"
            | "--bare"
            | "-P"
            | "-v"
            | "-h" => {}
            "--git-dir" | "--work-tree" => {
                judge.doubt("an option of git that names another repository");
                at += 1;
            }
            _ => judge.doubt("an option of git that may run something"),
        }
        at += 1;
    }
    let Some(command) = arguments.get(at) else { return };
    let rest = &arguments[at + 1..];
    judge.runs_git(folder, command.known().is_some_and(|name| TABLE.reads.contains(&name)));
    if let Some(folder) = folder {
        let path = |word: &Word| word.with_text(format!("{}/{}", folder.text, word.text));
        rest.iter().for_each(|word| judge.note(judge_read(&path(word))));
    }
    let Some(name) =
        command.known().filter(|name| TABLE.reads.contains(name) || TABLE.changes.contains(name))
    else {
        let harmful = [
            "filter-branch",
            "daemon",
            "shell",
            "difftool",
            "mergetool",
            "instaweb",
            "send-email",
            "upload-pack",
            "receive-pack",
        ];
        let known = command.known().unwrap_or_default();
        return if harmful.contains(&known) {
            judge.harm("a subcommand of git that runs something");
        } else {
            judge.doubt("a subcommand of git that is not known");
        };
    };
    let any = |list: &'static str| options::find(rest, list, false);
    let message = |at: usize| {
        !rest[at].splits && at > 0 && ["-m", "-am", "--message"].contains(&rest[at - 1].text.as_str())
    };
    let shown = |text: &str| {
        ["--author=", "--since=", "--until=", "--after=", "--before=", "--grep=", "--format=", "--pretty="]
            .iter()
            .any(|start| text.starts_with(start))
    };
    let unknown = |at: &usize| {
        let value = shown(&rest[*at].text) && !rest[*at].splits;
        !value && rest[*at].may_be_option() && rest[*at].known().is_none() && !message(*at)
    };
    if (0..rest.len()).any(|at| unknown(&at)) {
        judge.doubt("an argument that may turn out to be an option");
    }
    if rest.iter().any(|word| word.text.starts_with("ext::") || word.text.starts_with("fd::")) {
        judge.harm("an address by which git runs something");
    }
    if any("--upload-pack --receive-pack --exec --open-files-in-pager --ext-diff --template --textconv")
        .is_some()
    {
        judge.harm("an option of git that runs something");
    }
    for (at, word) in rest.iter().enumerate() {
        let (option, value) =
            word.text.split_once('=').map_or((&*word.text, None), |(o, value)| (o, Some(value)));
        if option.len() > 4 && "--output".starts_with(option) {
            let next = rest.get(at + 1).map(|word| word.text.as_str());
            judge.write(&Word::literal(value.or(next).unwrap_or_default()));
        }
    }
    let first = options::operands(rest, "").first().map_or("", |word| word.text.as_str());
    let doubtful = match name {
        "grep" => any("-O").inspect(|_| judge.harm("an option of git that runs something")),
        "rebase" => any("-x -i --interactive").inspect(|option| {
            if *option == "-x" {
                judge.harm("an option of git that runs something");
            } else {
                judge.doubt("an editor");
            }
        }),
        "reset" => any("--hard --merge --keep"),
        "checkout" | "switch" | "restore" => discards(judge, name, rest),
        "clean" if !only_lists(rest) => return judge.doubt("a recursive delete"),
        "clean" => any("-X").inspect(|_| judge.composes()).filter(|_| false),
        "rm" => any("-r").or_else(|| {
            let broad = |word: &Word| {
                word.text.contains(['*', '?', '['])
                    || word.text.starts_with(':')
                    || word.text.starts_with("--pathspec-from")
            };
            rest.iter().any(broad).then_some("of many files")
        }),
        "mv" => {
            if let [sources @ .., target] = &options::operands(rest, "")[..] {
                judge.write(target);
                let outside = target.text.starts_with(['/', '~']) || target.text.starts_with("..");
                if outside && !sources.is_empty() {
                    judge.doubt("files that leave the project");
                }
            }
            None
        }
        "init" => {
            options::operands(rest, "-b --initial-branch --object-format")
                .iter()
                .for_each(|folder| judge.write(folder));
            None
        }
        "commit" => any("--no-verify").or_else(|| any("-n").filter(|_| rest.iter().any(no_verify))),
        "branch" => any("-d --delete")
            .filter(|_| any("-D -f --force -r").is_some())
            .or_else(|| any("-D -f --force -M -C")),
        "tag" => any("-d -f --force --delete"),
        "config" => return config(judge, rest),
        "fetch" | "pull" => {
            let elsewhere = rest.iter().any(|word| {
                word.text.contains([':', '/']) && word.text.contains("://") || word.text.contains('@')
            });
            let forced = any("-f --force --update-head-ok").is_some()
                || rest
                    .iter()
                    .any(|word| word.text.starts_with('+') || word.text.starts_with("refs/heads/*"));
            let near = rest.iter().any(|word| word.text.starts_with(['/', '~', '.']));
            judge.changes_code_if(name == "pull" && (near || options::operands(rest, "").len() > 1));
            (elsewhere || forced || near || first.contains(':') || any("-u").is_some())
                .then_some("another repository")
        }
        "clone" | "ls-remote" => return fetch::hosts(judge, rest),
        "push" => pushes(rest),
        "archive" => any("-o --remote --output").or(Some("archive")).filter(|_| any("-l --list").is_none()),
        "submodule" => ["", "status", "summary"].iter().all(|only| *only != first).then_some("submodule"),
        "bisect" => (first == "run").then_some("run"),
        "stash" => (["drop", "clear"].contains(&first)
            || first == "show" && any("--include-untracked --only-untracked -u").is_some())
        .then_some("stash"),
        "ls-files" | "status" | "check-ignore" => {
            if name == "check-ignore" || any("-o -i --others --ignored").is_some() {
                judge.composes();
            }
            None
        }
        "remote" => (!["", "-v", "show", "get-url"].contains(&first)).then_some("remote"),
        "worktree" => {
            let folder = options::operands(rest, "-b -B --reason").get(1).copied();
            let harms = folder.and_then(judge_write).filter(|finding| finding.harmful);
            (harms.is_some() || !["list", "add", ""].contains(&first)).then_some("worktree")
        }
        "reflog" => ["expire", "delete"].contains(&first).then_some("reflog"),
        "symbolic-ref" => {
            any("-d").or_else(|| (options::operands(rest, "").len() > 1).then_some("symbolic-ref"))
        }
        "format-patch" => any("-o --output-directory"),
        "apply" | "am" | "gc" => {
            Some(name).filter(|_| any("--check --stat").is_none() || any("--apply").is_some())
        }
        _ => None,
    };
    if let Some(what) = doubtful {
        judge.note(Some(Finding::doubt(format!(
            "a change of git that may lose or send something (git {name} {what})"
        ))));
    }
}

/// Returns the possible losses by a change of the working folder.
fn discards(judge: &mut ScriptJudge<'_>, name: &str, rest: &[Word]) -> Option<&'static str> {
    let any = |list: &'static str| options::find(rest, list, false);
    let operands = options::operands(rest, "-b -c -s --source");
    let everything = operands.iter().any(|word| [".", ":/", "*", "./"].contains(&word.text.as_str()));
    let earlier = any("-s --source").is_some();
    let creates = any("-b -c --create --orphan").is_some();
    // The files of another state of the repository may run.
    judge.changes_code_if(
        !creates
            && (rest.iter().any(|word| word.text == "--") && operands.len() > 1
                || earlier
                || operands.iter().any(|word| word.text == "FETCH_HEAD")),
    );
    any("-f --force --discard-changes --no-overlay --pathspec-from-file")
        .or_else(|| any("-B").filter(|_| name == "checkout"))
        .or_else(|| any("-C --force-create").filter(|_| name == "switch"))
        .or_else(|| (everything && (earlier || operands.len() > 1)).then_some("of everything"))
}

/// Returns whether `git clean` only lists its removals. The value of an option is not an option.
fn only_lists(rest: &[Word]) -> bool {
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-e" | "--exclude" => {
                words.next();
            }
            "--dry-run" => return true,
            text if text.starts_with('-')
                && !text.starts_with("--")
                && text.split('e').next().is_some_and(|letters| letters.contains('n')) =>
            {
                return true;
            }
            _ => {}
        }
    }
    false
}

/// Returns whether a cluster of options of `git commit` contains the one that skips the hooks.
fn no_verify(word: &Word) -> bool {
    let letters = word.text.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
    letters.split(['m', 'F', 'C', 'c', 't', 'S', 'u']).next().is_some_and(|letters| letters.contains('n'))
}

/// Returns the effect of a push on others: it is harmless if it adds to its own branch at a remote that is known by name.
fn pushes(rest: &[Word]) -> Option<&'static str> {
    const SHARED: &[&str] =
        &["main", "master", "release", "production", "prod", "develop", "trunk", "stable", "gh-pages"];
    let plain = [
        "-u",
        "--set-upstream",
        "-v",
        "--verbose",
        "-q",
        "--quiet",
        "--progress",
        "--dry-run",
        "-n",
        "--porcelain",
    ];
    if rest.iter().any(|word| {
        word.known().is_none() || word.text.starts_with('-') && !plain.contains(&word.text.as_str())
    }) {
        return Some("push");
    }
    let operands = options::operands(rest, "");
    let named = |text: &str| {
        text.chars().all(|c| c.is_alphanumeric() || "_-./#".contains(c)) && !text.starts_with(['.', '/', '-'])
    };
    let shared = |branch: &str| {
        let branch = branch.trim_start_matches("refs/").trim_start_matches("heads/");
        SHARED
            .iter()
            .any(|name| branch == *name || branch.starts_with("release/") || branch.starts_with("release-"))
    };
    match &operands[..] {
        [] => None,
        [remote] => (!is_remote(&remote.text)).then_some("push"),
        [remote, branches @ ..] => {
            let fine = is_remote(&remote.text)
                && branches.iter().all(|branch| named(&branch.text) && !shared(&branch.text));
            (!fine).then_some("push")
        }
    }
}

/// Returns whether a text is the name of a remote, not an address.
fn is_remote(text: &str) -> bool {
    ["origin", "upstream", "fork"].contains(&text)
}

fn config(judge: &mut ScriptJudge<'_>, rest: &[Word]) {
    let operands = options::operands(rest, "");
    let reads = options::find(rest, "--get --get-all --list -l --get-regexp --show-origin", false).is_some()
        || operands.first().is_some_and(|word| ["get", "list"].contains(&word.text.as_str()));
    let secret = |word: &Word| {
        ["extraheader", "credential", "token", "password"]
            .iter()
            .any(|part| word.text.to_ascii_lowercase().contains(part))
    };
    if operands.iter().any(|word| secret(word)) {
        judge.doubt("a setting that may hold a secret");
    }
    if options::find(rest, "-f --file", false).is_some() {
        judge.doubt("a file of settings");
    }
    if reads || operands.len() < 2 {
        return;
    }
    if options::find(rest, "--global --system --file -f -e --edit --worktree", false).is_some() {
        judge.doubt("a change of git's settings");
    }
    judge_setting(judge, &format!("{}={}", operands[0].text, operands[1].text));
}

fn judge_setting(judge: &mut ScriptJudge<'_>, setting: &str) {
    let name = setting.split('=').next().unwrap_or_default().to_ascii_lowercase();
    let runs = setting.contains('!')
        || ["core.sshcommand", "core.pager", "core.fsmonitor", "core.hookspath", "diff.external"]
            .contains(&&*name);
    let anybody = name == "safe.directory" && setting.ends_with('*');
    if anybody {
        judge.doubt("a setting by which git trusts every folder");
    }
    if runs {
        judge.harm("a setting by which git runs something");
    } else if !TABLE.settings.contains(&&*name) {
        judge.doubt("a setting by which git may run something");
    }
}
