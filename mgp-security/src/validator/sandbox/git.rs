//! Judges `git`.

use super::{
    fetch,
    finding::Finding,
    judge::ScriptJudge,
    options,
    paths::{judge_read, judge_write},
};
use crate::validator::shell::Word;

/// Subcommands that only read, whatever their arguments are.
pub(super) const READS: &[&str] = &[
    "status",
    "log",
    "diff",
    "show",
    "rev-parse",
    "rev-list",
    "describe",
    "blame",
    "annotate",
    "shortlog",
    "ls-files",
    "ls-tree",
    "ls-remote",
    "cat-file",
    "grep",
    "merge-base",
    "name-rev",
    "whatchanged",
    "version",
    "help",
    "range-diff",
    "diff-tree",
    "diff-index",
    "diff-files",
    "check-ignore",
    "check-attr",
    "count-objects",
    "for-each-ref",
    "show-ref",
    "var",
    "verify-commit",
    "verify-tag",
    "cherry",
    "show-branch",
    "archive",
];

/// Subcommands that change, with some arguments, what the folder's history can give back.
const CHANGES: &[&str] = &[
    "branch",
    "tag",
    "add",
    "commit",
    "checkout",
    "switch",
    "restore",
    "merge",
    "cherry-pick",
    "revert",
    "stash",
    "mv",
    "init",
    "fsck",
    "reflog",
    "symbolic-ref",
    "notes",
    "reset",
    "format-patch",
    "apply",
    "am",
    "rebase",
    "remote",
    "worktree",
    "config",
    "rm",
    "submodule",
    "bisect",
    "clean",
    "gc",
    "fetch",
    "pull",
    "clone",
    "push",
];

/// Settings of `-c` that only say how something is shown.
const SETTINGS: &[&str] = &[
    "user.name",
    "user.email",
    "color.ui",
    "color.diff",
    "core.quotepath",
    "core.autocrlf",
    "init.defaultbranch",
    "commit.gpgsign",
    "tag.gpgsign",
    "advice.detachedhead",
    "pull.rebase",
    "log.date",
    "diff.renames",
    "merge.conflictstyle",
    "core.abbrev",
    "push.default",
    "safe.directory",
    "protocol.version",
    "rerere.enabled",
];

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
    if let Some(folder) = folder {
        let path = |word: &Word| word.with_text(format!("{}/{}", folder.text, word.text));
        rest.iter().for_each(|word| judge.note(judge_read(&path(word))));
    }
    let Some(name) = command.known().filter(|name| READS.contains(name) || CHANGES.contains(name)) else {
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
    let unknown = |at: &usize| rest[*at].may_be_option() && rest[*at].known().is_none() && !message(*at);
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
        "reset" => any("--hard --merge"),
        "checkout" | "switch" | "restore" => any("-f --force"),
        "clean" if any("-n --dry-run").is_none() => return judge.doubt("a recursive delete"),
        "rm" => any("-r"),
        "branch" | "tag" => any("-D -d -f --force --delete"),
        "config" => return config(judge, rest),
        "fetch" | "pull" => {
            let elsewhere = rest.iter().any(|word| {
                word.text.contains([':', '/']) && word.text.contains("://") || word.text.contains('@')
            });
            (elsewhere || first.contains(':') || any("-u").is_some()).then_some("another repository")
        }
        "clone" | "ls-remote" => return fetch::hosts(judge, rest),
        "push" => Some("push"),
        "archive" => any("-o --remote --output").or(Some("archive")).filter(|_| any("-l --list").is_none()),
        "submodule" => ["", "status", "summary"].iter().all(|only| *only != first).then_some("submodule"),
        "bisect" => (first == "run").then_some("run"),
        "stash" => ["drop", "clear"].contains(&first).then_some("stash"),
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
        "apply" | "am" | "gc" => Some(name).filter(|_| any("--check --stat").is_none()),
        _ => None,
    };
    if let Some(what) = doubtful {
        judge.note(Some(Finding::doubt(format!(
            "a change of git that may lose or send something (git {name} {what})"
        ))));
    }
}

fn config(judge: &mut ScriptJudge<'_>, rest: &[Word]) {
    let operands = options::operands(rest, "");
    let reads = options::find(rest, "--get --get-all --list -l --get-regexp --show-origin", false).is_some()
        || operands.first().is_some_and(|word| ["get", "list"].contains(&word.text.as_str()));
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
    if runs {
        judge.harm("a setting by which git runs something");
    } else if !SETTINGS.contains(&&*name) {
        judge.doubt("a setting by which git may run something");
    }
}
