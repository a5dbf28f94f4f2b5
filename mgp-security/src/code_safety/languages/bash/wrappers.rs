//! Programs that run another program: the arguments that name that program, and the variables that they set for it.

use super::{command::Command, walk::Walk, words::OPAQUE};

/// The arguments of a wrapper that come before the program that it runs.
#[derive(Debug, Clone, Copy)]
struct Arguments {
    /// The letters of the options that take a value, attached or in the next word.
    valued: &'static str,
    /// The letters of the options that take a value only if it is attached.
    attached: &'static str,
    /// The names of the options that take a value, without dashes.
    names: &'static [&'static str],
    /// The number of operands.
    operands: usize,
}

/// Returns the arguments of a program that takes only options.
const fn valued(valued: &'static str, names: &'static [&'static str]) -> Arguments {
    Arguments { valued, attached: "", names, operands: 0 }
}

/// Returns the arguments that a program takes, by its manual.
fn arguments_of(program: &str) -> Arguments {
    let program = program.strip_prefix('g').filter(|name| GNU.contains(name)).unwrap_or(program);
    match program {
        "xargs" => Arguments {
            attached: "eil",
            ..valued(
                "adEILnPs",
                &["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"],
            )
        },
        "nice" => valued("n", &["adjustment"]),
        "timeout" => Arguments { operands: 1, ..valued("sk", &["signal", "kill-after"]) },
        "stdbuf" => valued("ioe", &["input", "output", "error"]),
        "env" => valued("uCSa", &["unset", "chdir", "split-string", "argv0"]),
        "ionice" => valued("cnpPu", &["class", "classdata", "pid", "pgid", "uid"]),
        "chrt" => {
            Arguments { operands: 1, ..valued("TPDp", &["sched-runtime", "sched-period", "sched-deadline"]) }
        }
        "taskset" => Arguments { operands: 1, ..valued("", &[]) },
        "exec" => valued("a", &[]),
        "time" => valued("fo", &["format", "output"]),
        "sudo" => valued(
            "CcDghpRrTtUu",
            &[
                "close-from",
                "login-class",
                "chdir",
                "group",
                "host",
                "prompt",
                "chroot",
                "role",
                "command-timeout",
                "type",
                "other-user",
                "user",
            ],
        ),
        "doas" => valued("Cu", &[]),
        "gosu" => Arguments { operands: 1, ..valued("", &[]) },
        "watch" => valued("nqs", &["interval", "equexit", "shotsdir"]),
        "parallel" | "sem" => valued("jaSINnCd", &["jobs", "arg-file", "sshlogin", "max-args", "colsep"]),
        "flock" => Arguments { operands: 1, ..valued("wE", &["timeout", "wait", "conflict-exit-code"]) },
        "choom" => valued("np", &["adjust", "pid"]),
        "numactl" => valued("imNClpP", &["interleave", "membind", "cpunodebind", "physcpubind", "preferred"]),
        "faketime" => Arguments { operands: 1, ..valued("p", &["date-prog"]) },
        "sshpass" => valued("pfdP", &[]),
        "cpulimit" => valued("lpeP", &["limit", "pid", "exe", "path"]),
        "proxychains" | "proxychains4" => valued("f", &[]),
        "ssh-agent" => valued("aEOPt", &[]),
        "xvfb-run" => {
            valued("efnps", &["error-file", "auth-file", "server-num", "xauth-protocol", "server-args"])
        }
        _ => valued("", &[]),
    }
}

/// The programs that are also installed with a `g` before their names.
const GNU: [&str; 6] = ["xargs", "nice", "timeout", "stdbuf", "env", "time"];

/// Returns the program that a wrapper runs, with its arguments.
pub(super) fn wrapped(walk: &mut Walk<'_>, command: Command) -> Vec<String> {
    let Command { at, program, arguments } = command;
    if runs_nothing(walk, at, &program, &arguments) {
        return Vec::new();
    }
    let takes = arguments_of(&program);
    let sets = |word: &str| program.ends_with("env") && word.contains('=') && !word.starts_with('-');
    let (mut operands, mut ended, mut marker) = (takes.operands, false, None);
    let mut rest = arguments.into_iter().peekable();
    loop {
        let is_before = rest.peek().is_some_and(|word| {
            let is_option = !ended && word.starts_with('-') && (word.len() > 1 || program.ends_with("env"));
            is_option || sets(word) || operands > 0 || is_number(word) && program != "command"
        });
        let Some(word) = rest.next_if(|_| is_before) else { break };
        if !ended && word.starts_with('-') {
            ended = word == "--";
            if word.contains(OPAQUE) || changes_place(&program, &word) {
                walk.undecided(at, &format!("an option of '{program}' that may change what runs, or where"));
            }
            let value = if takes_next(takes, &word) { rest.next() } else { None };
            marker = marker.or_else(|| replaced(&program, &word, value.as_deref()));
            if let Some(name) = slot_variable(&program, &word, value) {
                walk.set(at, &name);
            }
        } else if sets(&word) {
            walk.set(at, word.split('=').next().unwrap_or_default());
        } else {
            if word.contains(OPAQUE) {
                walk.undecided(at, &format!("an argument of '{program}' that may be several"));
            }
            operands = operands.saturating_sub(1);
        }
    }
    let mut words: Vec<String> = rest.collect();
    if let Some(marker) = marker {
        // Each word that contains the marker changes when the program runs.
        words.iter_mut().filter(|word| word.contains(&marker)).for_each(|word| *word = OPAQUE.to_string());
    }
    if program.ends_with("xargs") && !words.is_empty() {
        words.push(OPAQUE.to_string());
    }
    words
}

/// Returns whether a command runs no other program: `command -v` only looks one up, and `jobs` runs one only with `-x`.
fn runs_nothing(walk: &mut Walk<'_>, at: usize, program: &str, arguments: &[String]) -> bool {
    let mut options = arguments.iter().take_while(|word| word.starts_with(['-', OPAQUE]) && *word != "--");
    let has = |word: &String, letters: &[char]| word.starts_with('-') && word.contains(letters);
    match program {
        "command" => options.any(|word| has(word, &['v', 'V'])),
        "jobs" => {
            if arguments.first().is_some_and(|word| word.starts_with(OPAQUE)) {
                walk.undecided(at, "an argument of 'jobs' that may be an option");
            }
            !options.any(|word| has(word, &['x']))
        }
        _ => false,
    }
}

/// Returns whether an option gives a program another folder, another name, or a file to write.
fn changes_place(program: &str, option: &str) -> bool {
    let (letters, names): (&[char], &[&str]) = match program.trim_start_matches('g') {
        "env" => (&['C', 'a'], &["chdir", "argv0"]),
        "exec" => (&['a'], &[]),
        "time" => (&['o'], &["output"]),
        _ => return false,
    };
    match option.strip_prefix("--") {
        Some(name) => {
            let name = name.split('=').next().unwrap_or_default();
            !name.is_empty() && names.iter().any(|known| known.starts_with(name))
        }
        None => option.contains(letters),
    }
}

/// Returns the marker that `xargs` replaces with its input.
fn replaced(program: &str, option: &str, value: Option<&str>) -> Option<String> {
    if !program.ends_with("xargs") {
        return None;
    }
    if let Some(name) = option.strip_prefix("--") {
        let (name, attached) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
        let is_replace = name.len() > 1 && "replace".starts_with(name);
        return is_replace.then(|| attached.unwrap_or("{}").to_owned());
    }
    let at = option.find(['I', 'i'])?;
    let attached = Some(&option[at + 1..]).filter(|text| !text.is_empty());
    let marker = if option[at..].starts_with('I') { attached.or(value) } else { attached.or(Some("{}")) };
    marker.filter(|marker| !marker.is_empty()).map(str::to_owned)
}

fn is_number(word: &str) -> bool {
    let digits = word.trim_end_matches(['s', 'm', 'h', 'd']);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// Returns whether the next word is the value of an option. A long name may be abbreviated.
fn takes_next(takes: Arguments, option: &str) -> bool {
    if let Some(name) = option.strip_prefix("--") {
        return !name.is_empty() && takes.names.iter().any(|known| known.starts_with(name));
    }
    let ends = |letter: &char| takes.valued.contains(*letter) || takes.attached.contains(*letter);
    let mut letters = option.chars().skip(1);
    let found = letters.find(ends);
    found.is_some_and(|letter| takes.valued.contains(letter)) && letters.next().is_none()
}

/// Returns the variable that `xargs` sets for the programs that it runs.
fn slot_variable(program: &str, option: &str, value: Option<String>) -> Option<String> {
    let (name, attached) = match option.strip_prefix("--")?.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (option.strip_prefix("--")?, value),
    };
    let is_slot = program.ends_with("xargs") && !name.is_empty() && "process-slot-var".starts_with(name);
    attached.filter(|_| is_slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_take_the_next_word_as_documented() {
        for (program, options) in [
            ("xargs", ["-I", "-rn", "-0I", "--max-a", "--process-slot-var"]),
            ("gtimeout", ["-s", "-vk", "--sig", "--kill-after", "--k"]),
            ("env", ["-u", "-iu", "--unset", "--ch", "-C"]),
            ("sudo", ["-u", "-Eu", "--user", "--gr", "-nD"]),
        ] {
            let takes = arguments_of(program);
            assert!(options.iter().all(|option| takes_next(takes, option)), "{program}");
        }
        for option in ["-I{}", "-in", "-r", "--", "--max-args=1", "--null", "-l"] {
            assert!(!takes_next(arguments_of("xargs"), option), "{option}");
        }
    }
}
