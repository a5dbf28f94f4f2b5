//! Judges what commands change, for callers that may only read.

use super::{
    check::judged,
    finding::Finding,
    git,
    judge::{Run, ScriptJudge},
    options,
    places::{is_command, places},
    programs::{Kind, Program, Special},
};
use crate::validator::{Input, Leaf, rejection::shown, shell::Word};

/// The findings about the commands of a call, as sentences.
#[derive(Debug, Default)]
pub(in crate::validator) struct Changes {
    /// The commands that change something.
    pub(in crate::validator) harm: Vec<String>,
    /// The commands of which that is not known.
    pub(in crate::validator) doubt: Vec<String>,
}

/// Judges the commands in members that are named after commands. Those that `is_other` says to be something else are left out.
pub(in crate::validator) fn changes(input: &Input<'_>, is_other: impl Fn(&Leaf) -> bool) -> Changes {
    let mut changes = Changes::default();
    for place in places(input.leaves, input.profile) {
        let is_word = !place.certain && !place.leaf.text.contains(char::is_whitespace);
        if is_word || !is_command(place.leaf) || is_other(place.leaf) {
            continue;
        }
        let (mut findings, traits) = judged(&place, input, None, true);
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

/// Subcommands of programs that build which only tell something.
const TELLS: &[&str] = &[
    "--version",
    "version",
    "list",
    "ls",
    "ll",
    "tree",
    "show",
    "view",
    "info",
    "outdated",
    "why",
    "explain",
    "help",
    "root",
    "bin",
    "prefix",
    "search",
    "metadata",
];

/// Methods of HTTP that write.
const METHODS: &[&str] = &["POST", "PUT", "PATCH", "DELETE", "CONNECT"];

impl ScriptJudge<'_> {
    /// Returns whether a subcommand of a program that builds only tells something.
    pub(super) fn only_tells(&self, verb: &str) -> bool {
        self.reading && TELLS.contains(&verb)
    }

    /// Judges what a program changes. The files that it writes are judged where they are found.
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
        let may_write = match name {
            "terraform" | "tofu" => first == "fmt" && !long(&["-check", "--check"]),
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
                (rest.is_empty() || has(lists)) && !has(changes)
            }
            "tag" => {
                let lists =
                    "-l --list --contains --no-contains --merged --no-merged --points-at --sort --format";
                (rest.is_empty() || has(lists)) && !has("-d --delete -f --force -s -u --sign --local-user")
            }
            "stash" => ["list", "show"].contains(&first),
            "remote" => ["", "show", "get-url"].contains(&first),
            "config" => {
                let lists =
                    "-l --list --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool";
                has(lists) && !has("--add --unset --unset-all --replace-all -e --edit")
                    || ["get", "list"].contains(&first)
                    || rest.len() == 1 && !has("-e --edit --unset --unset-all --remove-section")
            }
            "reflog" => {
                ["", "show", "exists", "list"].contains(&first) || !["expire", "delete"].contains(&first)
            }
            "worktree" => first == "list",
            "submodule" => ["", "status", "summary"].contains(&first),
            "notes" => ["", "list", "show"].contains(&first),
            "symbolic-ref" => rest.len() == 1 && !has("-d --delete"),
            "bisect" => ["log", "view", "visualize"].contains(&first),
            "apply" => has("--check --stat --numstat --summary"),
            "fsck" => !has("--lost-found"),
            "format-patch" => has("--stdout"),
            verb => git::READS.contains(&verb),
        };
        if !reads {
            self.harm("a subcommand of git that changes something");
        }
    }

    fn fetch_changes(&mut self, name: &str, arguments: &[Word]) {
        const METHOD: &str = "an HTTP method that writes";
        // The letters of an option up to the first that takes the rest of the word.
        let cluster = |letter: char| {
            let plain = |word: &Word| {
                let text = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
                let letters = text.unwrap_or_default();
                let end = letters.find(|c| "oHXdmwAebcDFurxTKyYzCEPQtU".contains(c));
                letters[..end.map_or(letters.len(), |end| end + 1)].contains(letter)
            };
            arguments.iter().any(plain)
        };
        let has = |list: &'static str| options::find(arguments, list, false).is_some();
        let method = |at: usize| {
            let text = arguments[at].text.as_str();
            let next = || arguments.get(at + 1).map_or("", |word| word.text.as_str());
            let glued = ["--request=", "--method=", "-X"].iter().find_map(|start| text.strip_prefix(start));
            match text {
                "-X" | "--request" | "--method" => next().to_ascii_uppercase(),
                _ => glued.unwrap_or_default().to_ascii_uppercase(),
            }
        };
        if (0..arguments.len()).any(|at| METHODS.contains(&method(at).trim_matches(['"', '\'']))) {
            return self.harm(METHOD);
        }
        if name == "wget" {
            let prints = |at: usize| {
                let text = arguments[at].text.as_str();
                let next = arguments.get(at + 1).map_or("", |word| word.text.as_str());
                text.ends_with("O-")
                    || text == "--output-document=-"
                    || ((text == "--output-document" || text.starts_with('-') && text.ends_with('O'))
                        && next == "-")
            };
            if has("--post-data --post-file --body-data --body-file") {
                self.harm(METHOD);
            } else if !has("--spider --version --help") && !(0..arguments.len()).any(prints) {
                self.harm("a file that is written");
            }
            return;
        }
        if cluster('O') || cluster('J') || has("--remote-name --remote-name-all --remote-header-name") {
            self.harm("a file that is written");
        }
        let sends = ['T', 'd', 'F'].into_iter().any(cluster)
            || has(
                "--data --data-raw --data-binary --data-ascii --data-urlencode --json --form --form-string \
                    --upload-file",
            );
        if sends && !(cluster('G') || has("--get")) {
            self.harm(METHOD);
        }
    }
}

/// Returns whether a word names a place to which writing changes nothing.
pub(super) fn is_sink(word: &Word) -> bool {
    ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"].contains(&word.text.as_str())
        || word.text.strip_prefix("/dev/fd/").is_some_and(|fd| fd.bytes().all(|b| b.is_ascii_digit()))
}
