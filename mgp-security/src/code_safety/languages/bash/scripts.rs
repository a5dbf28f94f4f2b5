//! Programs of AWK and scripts of sed: whether they run or write something.

use crate::code_safety::capability::Capability;

/// Returns the blocked capability that a program of AWK may use.
pub(super) fn awk(program: &str) -> Option<Capability> {
    let squeezed: String = program.chars().filter(|c| !c.is_whitespace()).collect();
    let has = |text: &str| squeezed.contains(text);
    if has("system(") || has("|getline") || has("|\"") || has("|&") || has("@") {
        return Some(Capability::Eval);
    }
    // A pipe runs a command, and so may a bar in a regular expression that is read as a pipe.
    let words = ["system", "getline", "ENVIRON"];
    let pipes = squeezed.replace("||", "").contains('|');
    let is_regex = squeezed.matches('/').count() >= 2 && !has("print");
    if words.iter().any(|word| has(word)) || pipes && !is_regex {
        return Some(Capability::Introspection);
    }
    let bare = without_texts(program);
    let writes = bare.split("print").skip(1).any(|rest| statement(rest).contains('>'));
    writes.then_some(Capability::WriteAnywhere)
}

/// Returns a program of AWK with empty strings, and with continued lines joined.
fn without_texts(program: &str) -> String {
    let mut result = String::with_capacity(program.len());
    let mut is_text = false;
    let mut chars = program.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '"' => is_text = !is_text,
            _ if is_text => {}
            '\n' if result.trim_end_matches([' ', '\t']).ends_with([',', '{', '&', '|']) => result.push(' '),
            c => result.push(c),
        }
    }
    result
}

/// Returns the rest of a `print` up to the end of its statement. A semicolon or brace between slashes may be part of a pattern, and ends
/// nothing.
fn statement(rest: &str) -> &str {
    let mut slashes = 0;
    let end = rest.find(|c| {
        slashes += usize::from(c == '/');
        matches!(c, ';' | '}' | '\n') && (slashes % 2 == 0 || c == '\n')
    });
    &rest[..end.unwrap_or(rest.len())]
}

/// Returns the blocked capability that a script of sed may use. Unknown commands may do anything.
pub(super) fn sed(script: &str) -> Option<Capability> {
    let unknown = Some(Capability::Introspection);
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '{', '}', '!']);
        let Some(behind) = without_address(rest) else { return unknown };
        rest = behind.trim_start_matches([' ', '\t', '!']);
        let command = rest.chars().next()?;
        rest = &rest[command.len_utf8()..];
        let behind_line = rest.split_once('\n').map_or("", |(_, next)| next);
        match command {
            '{' | '}' | ';' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z'
            | 'l' | 'F' => {}
            'q' | 'Q' => rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' '),
            'b' | 't' | 'T' | ':' => rest = rest.trim_start_matches(|c| !matches!(c, ';' | '\n' | '}')),
            'a' | 'i' | 'c' | '#' | 'r' | 'R' => rest = behind_line,
            's' | 'y' => {
                let Some(after) = without_parts(rest) else { return unknown };
                let end = after.find([' ', '\t', ';', '}', '\n']).unwrap_or(after.len());
                let flags = &after[..end];
                if flags.contains('e') {
                    return Some(Capability::Eval);
                }
                if flags.contains('w') {
                    return Some(Capability::WriteAnywhere);
                }
                if !flags.chars().all(|c| "gpiIM0123456789".contains(c)) {
                    return unknown;
                }
                rest = &after[end..];
            }
            'e' => return Some(Capability::Eval),
            'w' | 'W' => return Some(Capability::WriteAnywhere),
            _ => return unknown,
        }
    }
}

/// Returns the text after the address of a command, if the address ends.
fn without_address(mut rest: &str) -> Option<&str> {
    loop {
        rest = match rest.chars().next() {
            Some(c) if c.is_ascii_digit() || matches!(c, '$' | ',' | '~' | '+' | ' ') => &rest[1..],
            Some('/') => until(&rest[1..], '/')?.trim_start_matches(['I', 'M']),
            Some('\\') => {
                let separator = rest[1..].chars().next()?;
                until(&rest[1 + separator.len_utf8()..], separator)?.trim_start_matches(['I', 'M'])
            }
            _ => return Some(rest),
        };
    }
}

/// Returns the text after both parts of a substitution.
fn without_parts(rest: &str) -> Option<&str> {
    let separator = rest.chars().next().filter(|c| !c.is_alphanumeric() && *c != '\\')?;
    let rest = until(&rest[separator.len_utf8()..], separator)?;
    until(rest, separator)
}

/// Returns the text after the next separator that has no backslash before it.
fn until(text: &str, separator: char) -> Option<&str> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == separator && !escaped {
            return Some(&text[at + c.len_utf8()..]);
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn awk_programs_that_run_or_write_are_found() {
        for program in
            ["{print $1}", "$3 > 10 {n++} END {print n}", "/a|b/", "NR==1 || NR==3", "{print \"a;\"}"]
        {
            assert_eq!(awk(program), None, "{program}");
        }
        assert_eq!(awk("BEGIN{system (\"id\")}"), Some(Capability::Eval));
        assert_eq!(awk("{\"id\" | getline x}"), Some(Capability::Eval));
        assert_eq!(awk("{print | \"sh\"}"), Some(Capability::Eval));
        assert_eq!(awk("{print | c}"), Some(Capability::Introspection));
        assert_eq!(awk("{f=\"system\"; @f(\"id\")}"), Some(Capability::Eval));
        assert_eq!(awk("{print > \"/x\"}"), Some(Capability::WriteAnywhere));
    }

    #[test]
    fn sed_scripts_that_run_or_write_are_found() {
        for script in [
            "s/a/b/g",
            "1,3d",
            "/x/!p;$d",
            "s|/|_|",
            r"s/\//e/2",
            "/a/,/b/{s/x/y/;p}",
            "y/abc/xyz/",
            "$!N;P;D",
            "2q",
        ] {
            assert_eq!(sed(script), None, "{script}");
        }
        for script in [
            "b x;e id",
            "r f\ne id",
            ":a;e",
            "1e id",
            "e",
            "s/a/id/e",
            "s/a/b/ge",
            "/x/e",
            "p;e",
            r"\,a,e",
            "1!e",
        ] {
            assert_eq!(sed(script), Some(Capability::Eval), "{script}");
        }
        assert_eq!(sed("w /x"), Some(Capability::WriteAnywhere));
        assert_eq!(sed("s/a/b/w /x"), Some(Capability::WriteAnywhere));
        for script in ["s/a/b", "s/a/b/k", "/[/]/p", "\\", "/a", "s/a/b/g/p", "k"] {
            assert_eq!(sed(script), Some(Capability::Introspection), "{script}");
        }
    }
}
