//! Commands that are refused.
//!
//! Words come in lower case and without quotes. The position of a word matters only for names that are also ordinary
//! words; for all others, a wrapper in front (`env`, `xargs`, ...) makes no difference.

/// Shells.
const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "dash",
    "ash",
    "ksh",
    "mksh",
    "csh",
    "tcsh",
    "fish",
    "busybox",
    "pwsh",
    "powershell",
    "cmd",
];

/// Interpreters, without their version.
const INTERPRETERS: &[&str] = &[
    "python",
    "pypy",
    "perl",
    "ruby",
    "node",
    "nodejs",
    "deno",
    "bun",
    "php",
    "lua",
    "osascript",
    "awk",
    "gawk",
];

/// Commands that are refused in the position of a command, each with the problem.
const REFUSED: &[(&str, &str)] = &[
    ("sudo", "a change of user"),
    ("su", "a change of user"),
    ("doas", "a change of user"),
    ("pkexec", "a change of user"),
    ("runas", "a change of user"),
    ("eval", "a command that runs other code"),
    ("exec", "a command that runs other code"),
    ("source", "a command that runs other code"),
    (".", "a command that runs other code"),
    ("shutdown", "a system shutdown"),
    ("reboot", "a system shutdown"),
    ("halt", "a system shutdown"),
    ("poweroff", "a system shutdown"),
    ("wipefs", "a disk command"),
    ("shred", "a disk command"),
    ("fdisk", "a disk command"),
    ("parted", "a disk command"),
];

/// Commands that run the command after them.
const WRAPPERS: &[&str] = &[
    "env", "xargs", "nohup", "nice", "ionice", "time", "timeout", "setsid", "stdbuf", "command", "builtin",
    "watch", "strace", "chroot", "unshare", "parallel", "start",
];

/// Devices that do no harm.
const DEVICES: &[&str] = &["null", "zero", "random", "urandom", "stdin", "stdout", "stderr", "tty"];

/// Returns a description of the first refused command among words.
pub(super) fn find(words: &[String]) -> Option<&'static str> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    recursive_delete(&words)
        .or_else(|| refused_command(&words))
        .or_else(|| inline_code(&words))
        .or_else(|| device(&words))
        .or_else(|| drive_format(&words))
        .or_else(|| recursive_change(&words))
        .or_else(|| back_door(&words))
}

/// Returns the problem with the words that a member holds, as if the member's name were the program. A name that is also
/// an ordinary word does not count as a command here.
pub(super) fn find_named(name: &str, words: &[String]) -> Option<&'static str> {
    let name = name.to_lowercase();
    let words: Vec<&str> = [name.as_str()].into_iter().chain(words.iter().map(String::as_str)).collect();
    recursive_delete(&words)
        .or_else(|| inline_code(&words))
        .or_else(|| recursive_change(&words))
        .or_else(|| back_door(&words))
}

/// Returns the name of a program without its path and without `.exe`.
fn program(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name)
}

fn names(words: &[&str], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&program(word)))
}

/// Returns whether a short option is among words, alone or together with others, as in `-xvf`.
fn short(words: &[&str], letter: char) -> bool {
    words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word[1..].contains(letter))
}

/// Returns whether a long option is among words, even if it has a value or is cut short to at least `least` bytes.
fn long(words: &[&str], option: &str, least: usize) -> bool {
    words.iter().any(|word| {
        let name = word.split('=').next().unwrap_or(word);
        name.len() >= least && option.starts_with(name)
    })
}

fn recursive_delete(words: &[&str]) -> Option<&'static str> {
    let everything = |word: &&str| {
        let bare = word.trim_end_matches(['/', '*', '.']);
        (bare.is_empty() && (word.contains('/') || word.contains('*'))) || bare == "~"
    };
    let recursive = short(words, 'r') || long(words, "--recursive", 3);
    let found = (names(words, &["rm", "unlink"]) && (recursive || words.iter().any(everything)))
        || (names(words, &["find", "fd"])
            && words
                .iter()
                .any(|word| word.starts_with("-exec") || word.starts_with("-ok") || *word == "-delete"))
        || (names(words, &["rd", "rmdir", "del", "erase"]) && words.contains(&"/s"))
        || (names(words, &["remove-item", "ri"]) && long(words, "-recurse", 2));
    found.then_some("recursive delete")
}

/// Judges the words in the position of a command: the first, and all words behind it if it is a wrapper.
fn refused_command(words: &[&str]) -> Option<&'static str> {
    let mut names = words.iter().map(|word| program(word));
    let first = names.next()?;
    if WRAPPERS.contains(&first) {
        // The number of words that a wrapper takes for itself is not known, so every word behind it may be a command.
        return names.find_map(judge_command);
    }
    judge_command(first)
}

/// Returns the problem with a command of this name, if there is one.
fn judge_command(name: &str) -> Option<&'static str> {
    let listed = REFUSED.iter().find(|(refused, _)| *refused == name).map(|(_, what)| *what);
    let shell = || SHELLS.contains(&name).then_some("a shell");
    let disk = || name.starts_with("mkfs").then_some("a disk command");
    listed.or_else(shell).or_else(disk)
}

fn inline_code(words: &[&str]) -> Option<&'static str> {
    let interpreter = |word: &&str| {
        let name = program(word).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        INTERPRETERS.contains(&name) || SHELLS.contains(&name)
    };
    let inline = short(words, 'c')
        || short(words, 'e')
        || words.contains(&"/c")
        || long(words, "--eval", 4)
        || long(words, "--execute", 4)
        || long(words, "--print", 4)
        || long(words, "--command", 4)
        || long(words, "-command", 4);
    (words.iter().any(interpreter) && inline).then_some("inline code for an interpreter")
}

fn device(words: &[&str]) -> Option<&'static str> {
    let harmful = |word: &&str| {
        let Some((_, device)) = word.split_once("/dev/") else { return false };
        !DEVICES.contains(&device)
    };
    words.iter().any(harmful).then_some("a device")
}

/// Finds `format` of a drive. The word `format` alone is harmless.
fn drive_format(words: &[&str]) -> Option<&'static str> {
    let is_drive = |word: &&str| matches!(word.trim_end_matches(['\\', '/']).as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic());
    (names(words, &["format", "format.com"]) && words.iter().any(is_drive)).then_some("a disk command")
}

fn recursive_change(words: &[&str]) -> Option<&'static str> {
    let recursive = short(words, 'r') || long(words, "--recursive", 3);
    (names(words, &["chmod", "chown", "chgrp"]) && recursive).then_some("a recursive change of rights")
}

fn back_door(words: &[&str]) -> Option<&'static str> {
    let runs = short(words, 'e')
        || short(words, 'c')
        || long(words, "--exec", 4)
        || long(words, "--sh-exec", 5)
        || words.iter().any(|word| word.contains("exec:") || word.contains("system:"));
    (names(words, &["nc", "ncat", "netcat", "socat"]) && runs).then_some("a back door")
}
