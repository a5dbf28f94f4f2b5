//! Parts of words that a shell replaces: variables, substitutions, arithmetic.

use super::{
    level::{Closer, Level},
    script::{Reader, Unread},
    word::Word,
};

/// Operators of `${name...}` whose operand is only text.
const OPERATORS: &[char] = &[':', '-', '+', '=', '?', '#', '%', '/', ',', '^'];

impl Reader<'_> {
    /// Reads the text after a `$`.
    pub(super) fn dollar(&mut self) -> Result<(), Unread> {
        let in_quotes = self.level()?.in_quotes;
        match self.peek() {
            Some('(') if self.text[self.at..].starts_with("((") => self.arithmetic(),
            Some('(') => {
                self.at += 1;
                // The word continues after the substitution.
                self.word()?;
                self.push_level(Level::new(Closer::Parenthesis, false))
            }
            Some('{') => self.parameter(in_quotes),
            Some('[') => Err(Unread::Unknown("arithmetic in brackets")),
            Some('\'') if !in_quotes => {
                self.at += 1;
                self.escapes()
            }
            // A text in another language.
            Some('"') if !in_quotes => Ok(()),
            Some('?' | '#' | '$' | '!') => {
                self.at += 1;
                self.word()?.text.push('0');
                Ok(())
            }
            Some('@' | '*' | '-' | '0'..='9') => {
                self.at += 1;
                self.word()?.push_opaque(in_quotes);
                Ok(())
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let rest = &self.text[self.at..];
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                let name = &rest[..end];
                self.at += end;
                self.variable(name, in_quotes)
            }
            _ => {
                self.word()?.text.push('$');
                Ok(())
            }
        }
    }

    /// Notes the name of a variable that the script uses.
    fn variable_name(&mut self, name: &str) {
        const SECRETS: &[&str] = &["TOKEN", "SECRET", "PASSWORD", "API_KEY", "PRIVATE_KEY", "CREDENTIAL"];
        self.names_secret |= SECRETS.iter().any(|part| name.contains(part));
    }

    fn variable(&mut self, name: &str, in_quotes: bool) -> Result<(), Unread> {
        self.variable_name(name);
        let word = self.word()?;
        if name == "HOME" && word.text.is_empty() {
            word.text.push('~');
        } else {
            word.push_opaque(in_quotes);
        }
        Ok(())
    }

    /// Reads `${...}`.
    fn parameter(&mut self, in_quotes: bool) -> Result<(), Unread> {
        let rest = &self.text[self.at + 1..];
        let unknown = Unread::Unknown("an expansion of a variable that is not followed");
        let end = rest.find('}').ok_or(Unread::Broken("a brace that does not close"))?;
        let inside = &rest[..end];
        if inside.contains(['$', '`', '\'', '"', '\\', '{', '(', '[', '@', '\n', '<', '>']) {
            return Err(unknown);
        }
        self.at += 1 + end + 1;
        let bare = inside.strip_prefix('#').unwrap_or(inside);
        let length = bare.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(bare.len());
        let (name, operator) = bare.split_at(length);
        if name.is_empty() || !(operator.is_empty() || operator.starts_with(OPERATORS)) {
            return Err(unknown);
        }
        let offset = operator.strip_prefix(':').is_some_and(|rest| !rest.starts_with(['-', '=', '?', '+']));
        if offset && operator.contains('=') {
            return Err(unknown);
        }
        let set = operator.strip_prefix(":=").or_else(|| operator.strip_prefix('='));
        if let Some(value) = set.filter(|_| bare.len() == inside.len()) {
            let assignment = (name.to_owned(), Word::literal(value));
            self.level()?.command.assignments.push(assignment);
        }
        self.variable_name(name);
        let name = if operator.is_empty() && bare.len() == inside.len() { name } else { "" };
        self.variable(name, in_quotes)
    }

    /// Reads `$((...))`, which may only contain numbers, names and operators.
    fn arithmetic(&mut self) -> Result<(), Unread> {
        let rest = &self.text[self.at + 2..];
        let unknown = Unread::Unknown("arithmetic that is not followed");
        let plain = |c: char| c.is_ascii_alphanumeric() || " _+-*/%<>=!&|^~?:,.".contains(c);
        let end = rest.find(|c: char| !plain(c)).ok_or(unknown)?;
        if !rest[end..].starts_with("))") {
            return Err(unknown);
        }
        if sets_upper(&rest[..end]) {
            return Err(unknown);
        }
        self.at += 2 + end + 2;
        if rest[..end].contains(|c: char| c.is_ascii_alphabetic() || c == '_') {
            self.evaluate()?;
        }
        self.word()?.text.push('0');
        Ok(())
    }

    /// Notes that a variable's value is evaluated as arithmetic: an index in it may run a command.
    pub(super) fn evaluate(&mut self) -> Result<(), Unread> {
        let index = |(at, _): (usize, &str)| {
            self.text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '"' | '\\'))
        };
        if self.text.match_indices('[').any(index) {
            return Err(Unread::Unknown("arithmetic that is not followed"));
        }
        self.evaluates = true;
        Ok(())
    }

    /// Reads a substitution in back quotes, which is judged separately.
    pub(super) fn back_quote(&mut self) -> Result<(), Unread> {
        let in_quotes = self.level()?.in_quotes;
        let mut inside = String::new();
        loop {
            match self.next() {
                Some('`') => break,
                Some('\\') => match self.next() {
                    Some(c @ ('`' | '\\' | '$')) => inside.push(c),
                    Some('"') if in_quotes => return Err(Unread::Unknown("quotes inside others")),
                    Some(c) => inside.extend(['\\', c]),
                    None => return Err(Unread::Broken("quotes that do not close")),
                },
                Some(c) => inside.push(c),
                None => return Err(Unread::Broken("quotes that do not close")),
            }
        }
        self.inner.push((inside, false));
        self.word()?.push_opaque(in_quotes);
        Ok(())
    }

    /// Reads `$'...'`.
    fn escapes(&mut self) -> Result<(), Unread> {
        let unknown = Unread::Unknown("an escape that is not followed");
        let mut text = String::new();
        loop {
            let c = self.next().ok_or(Unread::Broken("quotes that do not close"))?;
            match c {
                '\'' => break,
                '\\' => text.push(match self.next().ok_or(unknown)? {
                    'n' => '\n',
                    't' => '\t',
                    // Shells without this form end the text at any quote, so an escaped quote is not followed.
                    c @ ('\\' | '"' | '?') => c,
                    'x' => self.code(16, 2)?,
                    'u' => self.code(16, 4)?,
                    '0'..='7' => {
                        self.at -= 1;
                        self.code(8, 3)?
                    }
                    _ => return Err(unknown),
                }),
                '\n' | '\t' => text.push(c),
                c if c.is_control() => return Err(Unread::Broken("a control character")),
                c => text.push(c),
            }
        }
        let word = self.word()?;
        word.quoted = true;
        word.text.push_str(&text);
        Ok(())
    }

    /// Reads a character by its number.
    fn code(&mut self, radix: u32, most: usize) -> Result<char, Unread> {
        let unknown = Unread::Unknown("an escape that is not followed");
        let rest = &self.text[self.at..];
        let digits: String = rest.chars().take(most).take_while(|c| c.is_digit(radix)).collect();
        self.at += digits.len();
        let code = u32::from_str_radix(&digits, radix).map_err(|_| unknown)?;
        // Bytes of other characters may join, and control characters have no use in scripts.
        char::from_u32(code)
            .filter(|c| !c.is_control() && (c.is_ascii() || radix == 16 && most > 2))
            .ok_or(unknown)
    }
}

/// Returns whether arithmetic sets a variable in upper case: programs may read it.
fn sets_upper(text: &str) -> bool {
    let upper = |before: &str| {
        let before = before.trim_end_matches(|c: char| " +-*/%&|^".contains(c));
        let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        name.contains(|c: char| c.is_ascii_uppercase())
    };
    let bytes = text.as_bytes();
    text.match_indices('=').any(|(at, _)| {
        let compares = at > 0 && b"=!<>".contains(&bytes[at - 1]) || bytes.get(at + 1) == Some(&b'=');
        !compares && upper(&text[..at])
    })
}
