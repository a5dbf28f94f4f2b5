//! Commands in members that are not named after commands.

use super::{finding::Finding, kinds};
use crate::{
    validator::{Input, Leaf, LeafKind, sandbox},
    words::joined,
};
use std::collections::BTreeMap;

const MAY_CHANGE: Finding = Finding::Doubt("a possible command that changes something");

/// Commands that change files, for members that contain a single word of a command.
const WRITING: &[&str] = &[
    "rm", "rmdir", "mv", "cp", "dd", "tee", "touch", "mkdir", "ln", "chmod", "chown", "truncate", "install",
    "patch", "rsync", "unlink", "shred", "del", "erase", "rd", "move", "copy",
];

/// Members for the name of a program.
const PROGRAMS: &[&str] = &[
    "tool",
    "bin",
    "binary",
    "program",
    "executable",
    "exe",
    "app",
    "utility",
    "interpreter",
    "command",
    "cmd",
];

/// Judges a string.
pub(super) fn judge(leaf: &Leaf, input: &Input<'_>) -> Option<Finding> {
    let text = leaf.text.as_str();
    let item = leaf.pointer.rsplit('/').next().is_some_and(|part| part.bytes().all(|b| b.is_ascii_digit()));
    if joined(leaf.key()) == "args"
        && (!item || !text.trim().contains(' ') || text.contains('>') || looks_like(text.trim(), false))
        && runs_a_write(text)
    {
        return Some(Finding::Harm("a command that writes"));
    }
    let holds_commands = crate::words::words(leaf.key()).iter().any(|word| {
        ["dockerfile", "crontab", "ansible", "playbook", "makefile", "procfile"].contains(&word.as_str())
    });
    if holds_commands && text.contains(' ')
        || leaf.key() == "signal" && text.to_ascii_uppercase().starts_with("SIG")
    {
        return Some(MAY_CHANGE);
    }
    let script = trimmed_script(text);
    if sandbox::is_command(leaf) || kinds::is_prose(leaf) && !script || kinds::is_search(leaf) {
        return None;
    }
    let trimmed = text.trim();
    if appended(trimmed) && !kinds::is_stated(leaf) && !kinds::is_sql(leaf) {
        return Some(MAY_CHANGE);
    }
    if kinds::is_sql(leaf)
        || kinds::is_stated(leaf)
            && matches!(super::statements::start(trimmed), Some(super::statements::Start::Reads))
    {
        return None;
    }
    if substitutes(trimmed) && !trimmed.starts_with('{') || is_option(leaf, trimmed) {
        return Some(MAY_CHANGE);
    }
    let magic = ["#!", "!", "%%", "%sx", "$ ", "sudo "].iter().find_map(|mark| trimmed.strip_prefix(mark));
    if let Some(rest) = magic.filter(|rest| !rest.is_empty() && !rest.starts_with(['=', '('])) {
        let script = if trimmed.starts_with("#!") || trimmed.starts_with("%%") {
            rest.split_once('\n').map_or("", |(_, script)| script)
        } else {
            rest
        };
        return changes(script, input, true).then_some(MAY_CHANGE);
    }
    let certain = kinds::is_command(leaf);
    if !(certain || looks_like(trimmed, kinds::is_query(leaf))) {
        return None;
    }
    changes(trimmed, input, certain).then_some(MAY_CHANGE)
}

/// Returns whether a text begins like a script, with the name of its interpreter.
fn trimmed_script(text: &str) -> bool {
    text.trim_start().starts_with("#!/")
}

/// Returns whether a text appends a command to that of another member, or options that make a program write or run something.
fn appended(text: &str) -> bool {
    const LONGEST: usize = 300;
    if text.len() > LONGEST {
        return false;
    }
    let runs = |part: &str| {
        let mut words = part.split_whitespace();
        let first = words.next().unwrap_or_default();
        (WRITING.contains(&first) || sandbox::is_tool(first)) && words.next().is_some()
    };
    let parts =
        text.split([';', '|', '\n']).skip(1).any(|part| runs(part.trim_start_matches(['!', '%', ' ', '|'])));
    let options = [" --output=", " --output ", " sh -c ", " bash -c ", " --upload-pack", " --exec="]
        .iter()
        .any(|option| text.contains(option));
    let redirects = text.starts_with("> ")
        && text.split_whitespace().nth(1).is_some_and(|file| file.starts_with('/') || file.contains('.'));
    parts || options || redirects && text.split_whitespace().count() == 2
}

/// Returns whether a text, run by a shell, may change something. If it is not certainly a command, only known programs count.
fn changes(text: &str, input: &Input<'_>, certain: bool) -> bool {
    let text = text.trim_end_matches(['\r', '\n']);
    sandbox::changes_something(text, input, certain)
}

/// Returns whether a shell would run something inside a text.
fn substitutes(text: &str) -> bool {
    let inside = text.find("$(").map(|at| &text[at + 2..]).or_else(|| {
        let (_, rest) = text.split_once('`')?;
        rest.split_once('`').map(|(inside, _)| inside)
    });
    let program = inside.and_then(|inside| inside.split([' ', ')', '`']).next());
    program.is_some_and(|program| sandbox::is_program(program.rsplit('/').next().unwrap_or_default()))
}

/// Returns whether a string in another member is an option that makes a program write or run something.
fn is_option(leaf: &Leaf, text: &str) -> bool {
    let Some(name) = text.strip_prefix('-') else { return false };
    let options = [
        "-output",
        "-exec",
        "oProxyCommand",
        "-upload-pack",
        "-receive-pack",
        "-open-files-in-pager",
        "-to-command",
        "-checkpoint-action",
        "-use-compress-program",
        "-ext-diff",
        "-in-place",
        "-delete",
        "-post-file",
        "-config",
    ];
    options.iter().any(|option| {
        name.starts_with(option)
            || name.starts_with(option.trim_start_matches('-'))
                && text.len() > 3
                && name.len() == option.len() - 1
    }) && joined(leaf.key()) != "pattern"
}

/// Returns whether a text looks like a command: a known program, followed by options, paths, operators or only a few plain words.
fn looks_like(text: &str, searched: bool) -> bool {
    let mut words = text.split_whitespace();
    let Some(first) = words.next() else { return false };
    let name = first.rsplit('/').next().unwrap_or_default();
    let rest: Vec<&str> = words.take(200).collect();
    let lower = !first.contains(|c: char| c.is_ascii_uppercase());
    if !lower || !sandbox::is_program(name) || rest.is_empty() {
        return false;
    }
    let formed = rest.iter().any(|word| {
        word.starts_with('-') && word.len() > 1 && !word.starts_with("- ")
            || word.starts_with(['/', '~', '>', '$', '*'])
            || [";", "&&", "||", "|", "&"].contains(word)
            || word.ends_with(';')
    }) || rest.iter().any(|word| word.contains('.') && !word.ends_with('.') && rest.len() <= 3);
    let terse =
        rest.len() <= 2 && !ENGLISH.split(' ').any(|word| word == name) && !text.contains(['?', '\'', ',']);
    let single = rest.len() == 1 && rest[0].len() <= 2;
    let tool = sandbox::is_tool(name)
        && rest.len() <= 6
        && rest[0].chars().all(|c| c.is_ascii_lowercase() || c == '-')
        && !text.contains(['?', ',', '!'])
        && !ENGLISH.split(' ').any(|word| word == name);
    formed || !searched && (terse || single || tool)
}

/// Programs whose names are English words.
const ENGLISH: &str = "let find make cut join sort touch install split move copy test time date file last more less most head tail host who patch kill watch screen go just dart swift flutter swift enable history type exec command local export trap source shift read test expr look factor cal locale help tree script expect entry link format mount at batch reg links set clear reset seed strings top nice sleep yes info man column paste fold print true false wait jobs alias complete umask bind hash jest next turbo cypress playwright black coverage helm terraform brew docker rollup parallel finger free users groups groups id dig ping delta return break continue times up ant sum as install cc ld view ed ex pico vi unlink compress node python ruby perl lua php composer gem rake gradle bazel cargo zip";

/// Judges programs with arguments in other members: an array whose first item is a program, a program in the member next to the
/// arguments, or a program as the name of their member.
pub(super) fn judge_arrays(input: &Input<'_>) -> Vec<(String, Finding)> {
    let texts = || input.leaves.iter().filter(|leaf| leaf.kind == LeafKind::Text);
    let mut arrays: BTreeMap<&str, Vec<&Leaf>> = BTreeMap::new();
    for leaf in texts() {
        let Some((array, item)) = leaf.pointer.rsplit_once('/') else { continue };
        if !item.is_empty() && item.bytes().all(|b| b.is_ascii_digit()) {
            arrays.entry(array).or_default().push(leaf);
        } else {
            arrays.entry(leaf.pointer.as_str()).or_default().push(leaf);
        }
    }
    let mut programs: BTreeMap<&str, &str> = BTreeMap::new();
    for leaf in texts() {
        if let Some((parent, name)) = leaf.pointer.rsplit_once('/')
            && PROGRAMS.contains(&joined(name).as_str())
            && !leaf.text.contains(char::is_whitespace)
        {
            programs.entry(parent).or_insert(&leaf.text);
        }
    }
    let mut found = Vec::new();
    for (array, items) in arrays {
        // The caller notices that the time limit has passed, and refuses the call.
        if input.in_time().is_err() {
            break;
        }
        let Some((parent, name)) = array.rsplit_once('/') else { continue };
        let first = items[0];
        if kinds::is_prose(first) || kinds::is_search(first) {
            continue;
        }
        let is_array = first.pointer != array;
        let words = || items.iter().map(|leaf| leaf.text.clone());
        let split = || items.iter().flat_map(|leaf| leaf.text.split_whitespace()).map(str::to_owned);
        let arguments = [
            "args",
            "arguments",
            "params",
            "parameters",
            "options",
            "flags",
            "argv",
            "argument",
            "subcommand",
        ]
        .contains(&joined(name).as_str());
        let beside = programs.get(parent).filter(|_| arguments);
        let command: Vec<String> = match beside {
            Some(program) => std::iter::once((*program).to_owned()).chain(words()).collect(),
            None if is_array
                && arguments
                && sandbox::is_program(first.text.rsplit('/').next().unwrap_or_default()) =>
            {
                words().collect()
            }
            None if !is_array
                && sandbox::is_program(&name.to_ascii_lowercase())
                && first.text.starts_with('-')
                && first.text.contains(' ') =>
            {
                std::iter::once(name.to_ascii_lowercase()).chain(split()).collect()
            }
            None if sandbox::is_tool(&name.to_ascii_lowercase()) => {
                std::iter::once(name.to_ascii_lowercase()).chain(split()).collect()
            }
            None => continue,
        };
        if sandbox::words_change_something(command, input) {
            found.push((format!("{}", first.place()), MAY_CHANGE));
        }
    }
    found
}

fn runs_a_write(text: &str) -> bool {
    text.contains('>')
        || text
            .split(|c: char| c.is_whitespace() || ";|&()`".contains(c))
            .map(|word| word.trim_matches(['"', '\'', '\\']).rsplit('/').next().unwrap_or_default())
            .any(|word| WRITING.contains(&word))
}
