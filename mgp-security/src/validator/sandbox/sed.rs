//! Judges `sed`.

use super::{judge::ScriptJudge, options, paths::judge_read};
use crate::validator::shell::{OPAQUE, Word};

/// The effect of a script of `sed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    None,
    /// Reads or writes a file that the script names.
    File,
    /// Runs a command.
    Runs,
    /// Is not known.
    Unknown,
}

/// Judges the arguments of `sed`.
pub(super) fn judge(judge: &mut ScriptJudge<'_>, arguments: &[Word]) {
    let (mut scripts, mut files, mut in_place) = (Vec::new(), Vec::new(), false);
    let mut rest = arguments.iter().peekable();
    let mut options_end = false;
    let mut options_first = None;
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if options_end || !text.starts_with('-') || text == "-" {
            if word.splits {
                judge.doubt("an argument that may turn out to be an option");
            }
            files.push(word);
        } else if text == "--" {
            options_end = true;
        } else if let Some(script) = text.strip_prefix("--expression=") {
            scripts.push(script);
        } else if text.starts_with("--") {
            let name = text.split('=').next().unwrap_or_default();
            let plain = [
                "--quiet",
                "--silent",
                "--regexp-extended",
                "--separate",
                "--null-data",
                "--posix",
                "--debug",
                "--version",
                "--help",
                "--sandbox",
                "--unbuffered",
            ];
            if name.len() > 3 && "--in-place".starts_with(name) {
                in_place = true;
            } else if !plain.contains(&name) {
                judge.doubt("an option of sed that is not known");
            }
        } else {
            for (at, letter) in text.char_indices().skip(1) {
                match letter {
                    'n' | 'E' | 'r' | 's' | 'u' | 'z' => continue,
                    'i' => {
                        in_place = true;
                        if text[at + 1..].contains(['/', '*']) {
                            judge.doubt("copies in another folder");
                        }
                    }
                    'e' => {
                        options_first.get_or_insert(files.len());
                        let glued = &text[at + 1..];
                        scripts.extend(
                            (!glued.is_empty())
                                .then_some(glued)
                                .or_else(|| rest.next().map(|word| word.text.as_str())),
                        );
                    }
                    _ => judge.doubt("an option of sed that is not known"),
                }
                break;
            }
            // The suffix of BSD's -i is a separate word.
            if in_place && rest.peek().is_some_and(|word| word.text.is_empty()) {
                rest.next();
            }
        }
    }
    if scripts.is_empty() && !files.is_empty() {
        scripts.push(&files.remove(0).text);
    }
    if options_first.is_some_and(|before| before > 0) {
        judge.doubt("a script of sed that other versions read in another way");
    }
    for script in scripts {
        if in_place && ["d", "D", "1,$d"].contains(&script.trim()) {
            judge.doubt("files that are emptied");
        }
        match effect(script) {
            Effect::None => {}
            Effect::File => judge.doubt("a script of sed that reads or writes a file"),
            Effect::Runs => judge.harm("a script of sed that runs a command"),
            Effect::Unknown => judge.doubt("a script of sed that is not followed"),
        }
    }
    for file in files {
        if in_place { judge.write(file) } else { judge.note(judge_read(file)) }
    }
    if options::find(arguments, "--file", false).is_some() {
        judge.doubt("a script in a file");
    }
}

/// Returns the effect of a script. Commands are read individually, with the text that belongs to each.
fn effect(script: &str) -> Effect {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ';' | '{' | '}'));
        let Some(after) = address(rest) else { return Effect::Unknown };
        rest = after;
        let Some(command) = rest.chars().next() else { return Effect::None };
        if command == OPAQUE {
            return Effect::Unknown;
        }
        rest = &rest[command.len_utf8()..];
        match command {
            's' | 'y' => {
                let Some(delimiter) = rest
                    .chars()
                    .next()
                    .filter(|c| !c.is_alphanumeric() && !matches!(*c, '\n' | '\\' | OPAQUE))
                else {
                    return Effect::Unknown;
                };
                rest = &rest[delimiter.len_utf8()..];
                for _ in 0..2 {
                    let Some(after) = until(rest, delimiter) else { return Effect::Unknown };
                    rest = after;
                }
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
                let flags = &rest[..end];
                if flags.contains('e') {
                    return Effect::Runs;
                }
                if flags.contains('w') {
                    return Effect::File;
                }
                if !flags.chars().all(|c| "gpiImM".contains(c) || c.is_ascii_digit()) {
                    return Effect::Unknown;
                }
                rest = &rest[end..];
            }
            'p' | 'd' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | '=' | 'P' | 'z' | 'F' => {}
            'q' | 'Q' | 'l' => rest = rest.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit()),
            ':' | 'b' | 't' | 'T' | '#' => {
                rest = rest
                    .find(['\n', ';'])
                    .filter(|_| command != '#')
                    .or_else(|| rest.find('\n'))
                    .map_or("", |end| &rest[end..]);
            }
            'a' | 'i' | 'c' => {
                // The text ends at a line break without a backslash before it.
                let Some(end) = line_end(rest) else { return Effect::None };
                rest = &rest[end..];
            }
            'r' | 'R' | 'w' | 'W' => return Effect::File,
            'e' => return Effect::Runs,
            _ => return Effect::Unknown,
        }
        let next = rest.trim_start_matches([' ', '\t']);
        if !next.is_empty() && !next.starts_with([';', '\n', '}', '#']) {
            return Effect::Unknown;
        }
        rest = next;
    }
}

/// Returns the text after an address, or `None` if the address is unknown.
fn address(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| {
            c.is_ascii_digit() || matches!(c, '$' | ',' | '~' | '+' | '!' | ' ' | '\t')
        });
        if let Some(inside) = rest.strip_prefix('/') {
            rest = until(inside, '/')?.trim_start_matches(['I', 'M']);
        } else if let Some(inside) = rest.strip_prefix('\\') {
            let delimiter = inside.chars().next().filter(|c| !matches!(*c, '\n' | '\\' | OPAQUE))?;
            rest = until(&inside[delimiter.len_utf8()..], delimiter)?.trim_start_matches(['I', 'M']);
        } else {
            return Some(rest.trim_start_matches('{').trim_start());
        }
    }
}

/// Returns the text after the next delimiter that no backslash escapes. For some versions, a delimiter in brackets ends the text, so it is
/// refused.
fn until(text: &str, delimiter: char) -> Option<&str> {
    let (mut escaped, mut in_brackets) = (false, None);
    for (at, c) in text.char_indices() {
        match c {
            OPAQUE => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == delimiter && in_brackets.is_some() => return None,
            c if c == delimiter => return Some(&text[at + c.len_utf8()..]),
            '[' if in_brackets.is_none() => in_brackets = Some(at),
            ']' if in_brackets.is_some_and(|open| at > open + 1) => in_brackets = None,
            _ => {}
        }
    }
    None
}

fn line_end(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let end = from + text[from..].find('\n')?;
        if !text[..end].ends_with('\\') {
            return Some(end);
        }
        from = end + 1;
    }
}
