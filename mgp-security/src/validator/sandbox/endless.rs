//! Judges endless work: infinite sources, endless loops, and processes that multiply.

use super::judge::ScriptJudge;
use crate::validator::shell::{Command, OPAQUE, RedirectKind, Word};

/// Devices that never end.
const SOURCES: &[&str] = &["/dev/zero", "/dev/urandom", "/dev/random", "/dev/full"];

/// Programs that pass their input on while they read it.
const STREAMS: &[&str] =
    &["tr", "fold", "base64", "base32", "cut", "sed", "grep", "od", "hexdump", "xxd", "strings", "cat"];

/// The largest number that a program which generates text may get without a question.
const MOST: u64 = 100_000_000;

/// Programs that generate text, or wait, in proportion to a number.
const BY_NUMBER: &[&str] = &[
    "seq",
    "truncate",
    "shuf",
    "factor",
    "printf",
    "head",
    "dd",
    "rand",
    "openssl",
    "fallocate",
    "mkfile",
    "bc",
    "split",
    "sleep",
];

/// Judges the commands of a script together.
pub(super) fn judge(judge: &mut ScriptJudge<'_>, commands: &[Command]) {
    for (at, command) in commands.iter().enumerate() {
        if judge.is_over() {
            return;
        }
        if is_source(command) && !is_bounded(command, &commands[at..]) {
            judge.doubt("a source that never ends");
        }
        if let Some(what) = is_boundless(command) {
            judge.doubt(what);
        }
        if command.looped && command.background {
            judge.doubt("processes that a loop begins and does not wait for");
        }
        if command.looped && command.assignments.iter().any(|(_, value)| doubles(&value.text)) {
            judge.doubt("a text that doubles in a loop");
        }
    }
    loops(judge, commands);
}

/// Returns whether a value is composed of several unknown ones.
fn doubles(value: &str) -> bool {
    value.chars().filter(|c| *c == OPAQUE).count() > 1 && value.chars().all(|c| c == OPAQUE)
}

fn name(command: &Command) -> &str {
    let name = command.words.first().and_then(Word::known).unwrap_or_default();
    name.rsplit('/').next().unwrap_or_default()
}

fn arguments(command: &Command) -> impl Iterator<Item = &str> {
    command.words.iter().skip(1).map(|word| word.text.as_str())
}

fn is_source(command: &Command) -> bool {
    let named = |text: &str| SOURCES.contains(&text.strip_prefix("if=").unwrap_or(text));
    let read = |kind: RedirectKind| kind == RedirectKind::Read;
    let redirected =
        command.redirects.iter().any(|redirect| read(redirect.kind) && named(&redirect.target.text));
    let quiet = command.words.len() == 1 && command.redirects.iter().any(|to| to.target.text == "/dev/null");
    let reads = !["ls", "stat", "test", "[", "file", "echo", "realpath"].contains(&name(command));
    name(command) == "yes" && !quiet && !shows_itself(command)
        || redirected
        || reads && arguments(command).any(named)
}

fn shows_itself(command: &Command) -> bool {
    arguments(command).any(|text| ["--version", "--help"].contains(&text))
}

/// Returns whether a source is cut off: by its reader, or by a later command of its pipeline.
fn is_bounded(command: &Command, behind: &[Command]) -> bool {
    if cuts(command) {
        return true;
    }
    let pipeline = behind[1..].iter().take_while(|next| next.piped);
    for next in pipeline {
        if cuts(next) {
            return true;
        }
        if !STREAMS.contains(&name(next)) || !next.redirects.is_empty() {
            return false;
        }
    }
    false
}

/// Returns whether a command reads only a small number of bytes or lines.
fn cuts(command: &Command) -> bool {
    let count = |option: &str| {
        let mut all = arguments(command);
        while let Some(text) = all.next() {
            if text == option {
                return all.next().and_then(size);
            }
            if let Some(glued) = text.strip_prefix(option).filter(|glued| !glued.is_empty()) {
                return size(glued.trim_start_matches('='));
            }
        }
        None
    };
    let short =
        |options: &[&str]| options.iter().find_map(|option| count(option)).is_some_and(|count| count <= MOST);
    match name(command) {
        "head" => {
            let counted = ["-n", "-c", "--bytes", "--lines"]
                .iter()
                .any(|option| arguments(command).any(|text| text.starts_with(option)));
            !counted || short(&["-n", "-c", "--bytes", "--lines"])
        }
        "od" => short(&["-N", "-An -N"]),
        "xxd" => short(&["-l"]),
        "hexdump" | "hd" => short(&["-n"]),
        "dd" => {
            let value = |key: &str| arguments(command).find_map(|text| text.strip_prefix(key)).map(size);
            let block = value("bs=").unwrap_or(Some(512));
            let blocks = value("count=").flatten();
            block.zip(blocks).is_some_and(|(block, count)| block.saturating_mul(count) <= 20 * MOST)
        }
        "read" => arguments(command).any(|text| text == "-n" || text == "-N"),
        "shuf" => arguments(command).any(|text| text.starts_with("--random-source")),
        _ => false,
    }
}

/// Returns the number of a size. `None` if it is not a plain size.
fn size(text: &str) -> Option<u64> {
    let text = text.trim_matches(['+', '"']);
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match text[digits.len()..].bytes().next().map(|c| c.to_ascii_uppercase()) {
        None | Some(b'C' | b'B') => 1,
        Some(b'K') => 1 << 10,
        Some(b'M') => 1 << 20,
        Some(b'G') => 1 << 30,
        Some(_) => return Some(u64::MAX),
    };
    digits.parse::<u64>().ok().map(|number| number.saturating_mul(unit))
}

/// Returns the reason if a command's own arguments make its work unbounded.
fn is_boundless(command: &Command) -> Option<&'static str> {
    let name = name(command);
    let any = |test: &dyn Fn(&str) -> bool| arguments(command).any(test);
    let input = command.input.as_deref().unwrap_or_default();
    let large = |text: &str| {
        let digits = |part: &str| part.len() > 7 && part.bytes().all(|b| b.is_ascii_digit());
        let exponent = text.contains(['e', 'E'])
            && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'e' | b'E' | b'+' | b'.'));
        text.split(|c: char| !c.is_ascii_digit()).any(digits)
            || text == "inf"
            || text == "infinity"
            || exponent && text.len() > 2
    };
    let huge = |text: &str| {
        let amount = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        amount.bytes().last().is_some_and(|unit| b"MGTPEZYdD".contains(&unit))
            && size(amount).is_some_and(|size| size > 20 * MOST)
    };
    if BY_NUMBER.contains(&name)
        && (any(&large) || (name != "printf" && name != "dd" && any(&huge)) || large(input.trim()))
    {
        return Some("an excessive number");
    }
    let boundless = match name {
        "bc" => input.contains("while") || input.contains("for") || input.matches('^').count() > 1,
        "shuf" => {
            any(&|text| text.starts_with("-r") || text == "--repeat")
                && !any(&|text| text.starts_with("-n") || text.contains("count"))
        }
        "tail" => any(&|text| text == "-f" || text == "-F") && any(&|text| text.starts_with("/dev/")),
        "ping" | "ping6" => any(&|text| text == "-f" || text.starts_with("-i0") || text.starts_with("0.")),
        "netstat" => any(&|text| text == "-c" || text == "--continuous"),
        "top" => {
            any(&|text| text == "-b")
                && !any(&|text| text.starts_with("-n") || text.ends_with("n1") || text == "1")
        }
        "xargs" | "gxargs" => {
            any(&|text| ["-P0", "--max-procs=0"].contains(&text))
                || command.words.windows(2).any(|pair| {
                    ["-P", "--max-procs"].contains(&&*pair[0].text)
                        && (pair[1].text == "0" || pair[1].text.len() > 2)
                })
        }
        "jq" | "gojq" => {
            let makes = ["repeat(", "range(", "def ", "until(", "while(", "limit("];
            any(&|text| {
                makes.iter().any(|part| text.contains(part))
                    && (text.contains("repeat(")
                        || text.contains("1e")
                        || text.contains("def ")
                        || text.contains("reduce"))
            })
        }
        "awk" | "gawk" | "mawk" => any(&|text| {
            let code: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            code.contains("while(1") || code.contains("for(;;") || calls_itself(&code) || code.contains("do{")
        }),
        "sed" | "gsed" => any(&|text| {
            let Some(label) = text.strip_prefix(':').and_then(|rest| rest.split([';', '\n', ' ']).next())
            else {
                return false;
            };
            let jumps = [format!(";b{label}"), ";ba".to_owned(), format!(";t{label}")];
            !label.is_empty() && !text.contains('N') && jumps.iter().any(|jump| text.contains(jump.as_str()))
        }),
        "curl" => {
            any(&|text| text.len() > 4 && text.bytes().all(|b| b.is_ascii_digit()))
                && any(&|text| text == "--retry")
        }
        _ => false,
    };
    let itself = |word: &Word| {
        let writes = |kind: RedirectKind| kind == RedirectKind::Write;
        command.redirects.iter().any(|to| writes(to.kind) && to.target.text == word.text)
            || name == "tee"
                && command
                    .redirects
                    .iter()
                    .any(|from| from.kind == RedirectKind::Read && from.target.text == word.text)
    };
    let feeds = !["echo", "printf", "test", "["].contains(&name)
        && command.words.iter().skip(1).any(|word| !word.text.starts_with("/dev/") && itself(word));
    (boundless || feeds).then_some("work without end")
}

/// Returns whether a function of awk, in code without blanks, is called more often than a program without recursion requires.
fn calls_itself(code: &str) -> bool {
    code.split("function").skip(1).any(|behind| {
        let name = behind.split('(').next().unwrap_or_default();
        let body = behind.split_once(')').map_or("", |(_, body)| body);
        !name.is_empty() && body.matches(&format!("{name}(")).count() > 1
    })
}

/// Judges the loops of a script: each one needs a condition that can change, and a command that changes it or waits.
fn loops(judge: &mut ScriptJudge<'_>, commands: &[Command]) {
    let conditions: Vec<&Command> = commands.iter().filter(|command| command.condition).collect();
    if conditions.is_empty() {
        return;
    }
    let body = || commands.iter().filter(|command| command.looped && !command.condition);
    let reads = |command: &&&Command| {
        name(command) == "read" && !arguments(command).any(|text| text.starts_with("-t"))
    };
    if conditions.iter().all(|command| reads(&command)) {
        return;
    }
    let waits = |command: &Command| {
        !command.background
            && (name(command) == "sleep"
                && arguments(command).all(|text| !text.trim_matches(['0', '.']).is_empty() || text.len() > 3)
                || ["break", "exit", "return"].contains(&name(command))
                || name(command) == "wait")
    };
    let steps = |command: &Command| {
        command.words.is_empty() && command.assignments.iter().any(|(_, value)| !doubles(&value.text))
    };
    let shifts = |command: &Command| name(command) == "shift" || reads(&&command);
    let tests = conditions.iter().any(|command| {
        ["[", "test"].contains(&name(command)) && command.words.iter().any(|word| word.known().is_none())
    });
    if !(body().any(waits)
        || conditions.iter().any(|command| waits(command))
        || tests && body().any(|command| steps(command) || shifts(command)))
    {
        judge.doubt("a loop that does not end");
    }
}
