//! Judges `awk`.

use super::{judge::ScriptJudge, paths::judge_read};
use crate::validator::shell::{OPAQUE, Word};

/// Judges the arguments of `awk`.
pub(super) fn judge(judge: &mut ScriptJudge<'_>, arguments: &[Word]) {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        match text {
            "-F" | "-v" => {
                rest.next();
            }
            "--" => {}
            "--version" | "--help" | "-V" => return,
            _ if text.starts_with("-F") || text.starts_with("-v") => {}
            _ if text.starts_with('-') && text.len() > 1 => {
                return judge.doubt("an option of awk that is not known");
            }
            _ => {
                program(judge, word);
                return rest.for_each(|file| judge.note(judge_read(file)));
            }
        }
    }
}

fn program(judge: &mut ScriptJudge<'_>, word: &Word) {
    let text = word.text.as_str();
    if runs(text) {
        return judge.harm("a program of awk that runs a command");
    }
    if text.contains(OPAQUE) || text.contains("getline") || text.contains("ENVIRON") || text.contains("ARGV")
    {
        return judge.doubt("a program of awk that is not followed");
    }
    let Some(code) = without_literals(text) else {
        return judge.doubt("a program of awk that is not followed");
    };
    if code.replace("||", "").contains('|') {
        return judge.harm("a program of awk that runs a command");
    }
    if code.contains('@') {
        return judge.doubt("a program of awk that is not followed");
    }
    let prints = |statement: &str| statement.find("print").is_some_and(|at| statement[at..].contains('>'));
    if code.split([';', '}', '\n']).any(prints) {
        judge.doubt("a program of awk that writes a file");
    }
}

/// Returns whether a program calls `system`.
fn runs(text: &str) -> bool {
    let mut parts = text.split("system");
    parts.next();
    parts.any(|behind| behind.trim_start_matches([' ', '\t', '\\', '\n']).starts_with('('))
}

/// Returns a program without its strings and regular expressions, or `None` if one does not end.
fn without_literals(text: &str) -> Option<String> {
    let (mut code, mut rest, mut before) = (String::new(), text, '(');
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let expression = c == '/' && "(,{};!~&|\n".contains(before);
        if c == '/'
            && before == ')'
            && rest.split(['/', '\n']).next().is_some_and(|part| part.contains(['#', '"']))
        {
            return None;
        }
        if c == '"' || expression {
            let mut escaped = false;
            let end = rest.find(|inside: char| {
                let ends = inside == c && !escaped;
                escaped = inside == '\\' && !escaped;
                ends
            })?;
            if expression
                && rest[..end].contains(['\n', '['])
                && rest[..end].contains('[') != rest[..end].contains(']')
            {
                return None;
            }
            rest = &rest[end + 1..];
            code.push('x');
            before = 'x';
            continue;
        }
        if c == '#' {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        }
        code.push(c);
        if !matches!(c, ' ' | '\t') {
            before = c;
        }
    }
    Some(code)
}
