//! Regular expressions as hosts compile them: those of ECMAScript with the flag `u`, which refuses unknown escapes.

use std::{iter::Peekable, str::Chars};

/// Characters that are literal only after a backslash.
const SYNTAX: &str = "^$\\.*+?()[]{}|/";

/// General categories of Unicode in `\p{...}`. Other names are not known here.
const CATEGORIES: [&str; 13] = ["L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "N", "Nd", "P", "S", "Z", "Zs"];

/// The most groups that are nested, or have names.
const MOST_GROUPS: usize = 100;

/// Returns whether every host can certainly compile a regular expression. Back references and rare forms are rejected.
pub(super) fn is_pattern(pattern: &str) -> bool {
    Reader { rest: pattern.chars().peekable() }.read().is_some()
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
}

/// A member of a class.
enum Atom {
    One(u32),
    Many,
}

impl Reader<'_> {
    fn take(&mut self, expected: char) -> bool {
        self.rest.next_if_eq(&expected).is_some()
    }

    fn read(&mut self) -> Option<()> {
        // Whether each open group can be repeated.
        let mut groups = Vec::new();
        let mut names: Vec<String> = Vec::new();
        let mut is_repeatable = false;
        while let Some(one) = self.rest.next() {
            is_repeatable = match one {
                '^' | '$' | '|' => false,
                '(' => {
                    groups.push(self.group(&mut names)?);
                    if groups.len() > MOST_GROUPS {
                        return None;
                    }
                    false
                }
                ')' => groups.pop()?,
                '[' => {
                    self.class()?;
                    true
                }
                '\\' if self.rest.next_if(|one| matches!(one, 'b' | 'B')).is_some() => false,
                '\\' => {
                    self.escape(false)?;
                    true
                }
                '*' | '+' | '?' | '{' if is_repeatable => {
                    if one == '{' {
                        self.count()?;
                    }
                    self.take('?');
                    false
                }
                '*' | '+' | '?' | '{' | '}' | ']' => return None,
                _ => true,
            };
        }
        groups.is_empty().then_some(())
    }

    /// Reads the start of a group after its parenthesis. Returns whether the group can be repeated.
    fn group(&mut self, names: &mut Vec<String>) -> Option<bool> {
        if !self.take('?') {
            return Some(true);
        }
        match self.rest.next()? {
            ':' => Some(true),
            '=' | '!' => Some(false),
            '<' if self.rest.next_if(|one| matches!(one, '=' | '!')).is_some() => Some(false),
            '<' => {
                let mut name = String::new();
                while let Some(one) = self.rest.next_if(|one| one.is_ascii_alphanumeric() || *one == '_') {
                    name.push(one);
                }
                let is_name = name.starts_with(|first: char| !first.is_ascii_digit());
                if !is_name || names.contains(&name) || names.len() > MOST_GROUPS || !self.take('>') {
                    return None;
                }
                names.push(name);
                Some(true)
            }
            _ => None,
        }
    }

    /// Reads a count after its brace.
    fn count(&mut self) -> Option<()> {
        let least = self.digits()?;
        if self.take(',') && self.rest.peek() != Some(&'}') && self.digits()? < least {
            return None;
        }
        self.take('}').then_some(())
    }

    fn digits(&mut self) -> Option<u32> {
        let mut digits = String::new();
        while let Some(digit) = self.rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        digits.parse().ok()
    }

    /// Reads a class after its bracket.
    fn class(&mut self) -> Option<()> {
        self.take('^');
        loop {
            let first = match self.rest.next()? {
                ']' => return Some(()),
                one => self.atom(one)?,
            };
            if !self.take('-') {
                continue;
            }
            match (first, self.rest.next()?) {
                // A hyphen at the end is literal.
                (_, ']') => return Some(()),
                (Atom::One(first), last) => match self.atom(last)? {
                    Atom::One(last) if first <= last => {}
                    _ => return None,
                },
                (Atom::Many, _) => return None,
            }
        }
    }

    fn atom(&mut self, one: char) -> Option<Atom> {
        if one == '\\' { self.escape(true) } else { Some(Atom::One(u32::from(one))) }
    }

    /// Reads an escape after its backslash.
    fn escape(&mut self, is_in_class: bool) -> Option<Atom> {
        let one = self.rest.next()?;
        Some(match one {
            'd' | 'D' | 'w' | 'W' | 's' | 'S' => Atom::Many,
            't' => Atom::One(0x09),
            'n' => Atom::One(0x0a),
            'v' => Atom::One(0x0b),
            'f' => Atom::One(0x0c),
            'r' => Atom::One(0x0d),
            'b' if is_in_class => Atom::One(0x08),
            '-' if is_in_class => Atom::One(u32::from(one)),
            '0' if !self.rest.peek().is_some_and(char::is_ascii_digit) => Atom::One(0),
            'x' => Atom::One(self.hex(2)?),
            'u' if self.take('{') => {
                let mut code = self.hex(1)?;
                while !self.take('}') {
                    code = code * 16 + self.hex(1)?;
                    if code > u32::from(char::MAX) {
                        return None;
                    }
                }
                Atom::One(code)
            }
            // Halves of a pair mean one character together.
            'u' => Atom::One(self.hex(4).filter(|code| char::from_u32(*code).is_some())?),
            'p' | 'P' if self.take('{') => {
                let mut name = String::new();
                while let Some(letter) = self.rest.next_if(char::is_ascii_alphabetic) {
                    name.push(letter);
                }
                if !self.take('}') || !CATEGORIES.contains(&name.as_str()) {
                    return None;
                }
                Atom::Many
            }
            one if SYNTAX.contains(one) => Atom::One(u32::from(one)),
            _ => return None,
        })
    }

    fn hex(&mut self, length: usize) -> Option<u32> {
        let mut value = 0;
        for _ in 0..length {
            value = value * 16 + self.rest.next()?.to_digit(16)?;
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_that_hosts_refuse_is_invalid() {
        for pattern in [
            "",
            "^[a-z_][-a-z0-9._]*$",
            r"^\d{4}-\d{2}-\d{2}$",
            r"^https?://[^\s/$.?#].[^\s]*$",
            r"(?:a|b)+?|(?<year>\d{1,})(?=x)(?<!y)\bz",
            r"[\w.+-]+@[\w-]+\.[\w.-]+",
            r"[\]\\\-[]\u0041\x41\u{1F600}\p{Lu}\0\/",
            "é{2,3}",
            "[]",
        ] {
            assert!(is_pattern(pattern), "{pattern}");
        }
        for other in [
            r"(?i)^[a-z]+$",
            r"^\d{3}\-\d{4}$",
            "^{.*}$",
            r"\Aa\Z",
            "(?P<n>x)",
            "[",
            "]",
            "a{",
            "}",
            "(",
            ")",
            "*",
            "a**",
            "a++",
            "(?=a)*",
            "^*",
            "a{3,2}",
            "a{,2}",
            "[z-a]",
            r"[\w-z]",
            r"[a-\d]",
            r"\1",
            r"\00",
            r"\u{110000}",
            r"\u{}",
            r"\p{Script}",
            r"\_",
            r"\",
            "(?<n>a)(?<n>b)",
            "(?<1>a)",
            "(?>a)",
        ] {
            assert!(!is_pattern(other), "{other}");
        }
    }
}
