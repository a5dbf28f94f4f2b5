//! Reads a text as a script.

use super::{
    braces,
    heredoc::HereDocument,
    level::{Closer, Level, TestPart},
    word::{OPAQUE, Word},
};
use crate::meter;

/// The longest text that is read, in bytes.
pub(in crate::validator) const MAX_TEXT: usize = 64 * 1024;

/// The most commands in a script, including nested ones.
const MAX_COMMANDS: usize = 2_000;

/// The deepest nesting.
const MAX_DEPTH: usize = 32;

/// The reason why a text is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::validator) enum Unread {
    /// No shell reads the text, or shells read it differently.
    Broken(&'static str),
    /// The text contains a construct that is not followed.
    Unknown(&'static str),
}

/// A script: its simple commands, in the order in which they end.
#[derive(Debug, Clone, Default)]
pub(in crate::validator) struct Script {
    /// The commands, including those inside substitutions and blocks.
    pub(in crate::validator) commands: Vec<Command>,
    /// True if a variable's value is evaluated as arithmetic.
    pub(in crate::validator) evaluates: bool,
    /// True if the script uses a variable that is named after a secret.
    pub(in crate::validator) names_secret: bool,
}

/// A simple command.
#[derive(Debug, Clone, Default)]
pub(in crate::validator) struct Command {
    /// The variables that are set, by name.
    pub(in crate::validator) assignments: Vec<(String, Word)>,
    /// The program and its arguments.
    pub(in crate::validator) words: Vec<Word>,
    /// The redirections.
    pub(in crate::validator) redirects: Vec<Redirect>,
    /// True if another command's output is the command's input.
    pub(in crate::validator) piped: bool,
    /// True if the command's output becomes part of another command.
    pub(in crate::validator) captured: bool,
    /// True if the command is in the body of a loop.
    pub(in crate::validator) looped: bool,
    /// True if a loop continues or ends depending on the command's success.
    pub(in crate::validator) condition: bool,
    /// True if the shell does not wait for the command.
    pub(in crate::validator) background: bool,
    /// The text that the command reads as its input, from a here-document or a here-string.
    pub(in crate::validator) input: Option<String>,
}

/// A redirection to or from a file.
#[derive(Debug, Clone)]
pub(in crate::validator) struct Redirect {
    /// The direction.
    pub(in crate::validator) kind: RedirectKind,
    /// The file, or the number of a descriptor.
    pub(in crate::validator) target: Word,
}

/// A kind of redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::validator) enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`, `&>`, `<>`
    Write,
    /// `>&` and `<&`, which copy a descriptor, or write to a file.
    Copy,
    /// `<<<`
    Text,
    /// `<<`, or `<<-` if leading tabs are removed.
    HereDocument {
        /// True for `<<-`.
        indented: bool,
    },
}

impl Script {
    /// Reads a text.
    ///
    /// # Errors
    /// The reason, if the text is not read.
    pub(in crate::validator) fn read(text: &str) -> Result<Self, Unread> {
        if text.len() > MAX_TEXT {
            return Err(Unread::Broken("a text of more than 64 KiB"));
        }
        let (mut script, mut texts) = (Self::default(), vec![(text.to_owned(), false, 0)]);
        while let Some((text, body, depth)) = texts.pop() {
            if depth > MAX_DEPTH {
                return Err(Unread::Broken("substitutions that are nested too deep"));
            }
            let mut reader = Reader::new(&text, body, &mut script.commands);
            reader.inside = depth > 0;
            reader.read()?;
            script.evaluates |= reader.evaluates;
            script.names_secret |= reader.names_secret;
            texts.extend(reader.inner.into_iter().map(|(text, body)| (text, body, depth + 1)));
        }
        Ok(script)
    }
}

/// The state of reading one text.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    /// The open substitutions and subshells; the first is the text itself.
    pub(super) levels: Vec<Level>,
    pub(super) documents: Vec<HereDocument>,
    /// Nested texts, each with whether it is the body of a here-document.
    pub(super) inner: Vec<(String, bool)>,
    pub(super) evaluates: bool,
    pub(super) names_secret: bool,
    /// True if the text is a substitution, or the body of a here-document.
    inside: bool,
    commands: &'a mut Vec<Command>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, body: bool, commands: &'a mut Vec<Command>) -> Self {
        let top = Level { body, in_quotes: body, ..Level::new(Closer::End, false) };
        Self {
            text,
            at: 0,
            levels: vec![top],
            documents: Vec::new(),
            inner: Vec::new(),
            evaluates: false,
            names_secret: false,
            inside: false,
            commands,
        }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// Skips a text if it is next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.text[self.at..].starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        meter::count(1);
        self.at += next.len_utf8();
        Some(next)
    }

    pub(super) fn level(&mut self) -> Result<&mut Level, Unread> {
        self.levels.last_mut().ok_or(Unread::Broken("an unmatched parenthesis"))
    }

    /// Returns the word that is being read, or begins one.
    pub(super) fn word(&mut self) -> Result<&mut Word, Unread> {
        Ok(self.level()?.word.get_or_insert_default())
    }

    fn read(&mut self) -> Result<(), Unread> {
        while let Some(next) = self.next() {
            match next {
                '\n' | '\t' => {}
                '\r' => return Err(Unread::Unknown("a carriage return")),
                c if c.is_control() => return Err(Unread::Broken("a control character")),
                _ => {}
            }
            if self.level()?.in_quotes { self.quoted(next)? } else { self.plain(next)? }
        }
        if self.levels.len() != 1 {
            return Err(Unread::Broken("a parenthesis that does not close"));
        }
        if self.level()?.body {
            return Ok(());
        }
        if self.level()?.in_quotes {
            return Err(Unread::Broken("quotes that do not close"));
        }
        self.end_command()?;
        if !self.documents.is_empty() {
            return Err(Unread::Broken("a here-document that does not end"));
        }
        self.level()?.finish()
    }

    /// Reads a character inside double quotes, or in the body of a here-document.
    fn quoted(&mut self, next: char) -> Result<(), Unread> {
        match next {
            '"' if !self.level()?.body => self.level()?.in_quotes = false,
            '\\' => match self.next() {
                Some('\n') => {}
                Some(c @ ('$' | '`' | '"' | '\\')) => self.word()?.text.push(c),
                Some(c) if c.is_control() && c != '\t' => return Err(Unread::Broken("a control character")),
                Some(c) => self.word()?.text.extend(['\\', c]),
                None => self.word()?.text.push('\\'),
            },
            '$' => self.dollar()?,
            '`' => self.back_quote()?,
            c => self.word()?.text.push(c),
        }
        Ok(())
    }

    /// Reads a character outside quotes.
    fn plain(&mut self, next: char) -> Result<(), Unread> {
        let closes = |word: &Word| word.text == "]]" && !word.quoted;
        let level = self.level()?;
        if level.testing && ";&|)<>\n".contains(next) && level.word.as_ref().is_some_and(closes) {
            self.end_word()?;
        }
        let testing = self.level()?.testing;
        match next {
            '\'' => {
                let rest = &self.text[self.at..];
                let end = rest.find('\'').ok_or(Unread::Broken("quotes that do not close"))?;
                let text = &rest[..end];
                if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
                    return Err(Unread::Broken("a control character"));
                }
                self.at += end + 1;
                let word = self.word()?;
                word.quoted = true;
                word.text.push_str(text);
            }
            '"' => {
                self.word()?.quoted = true;
                self.level()?.in_quotes = true;
            }
            '\\' => match self.next() {
                Some('\n') => {}
                Some(c) if !c.is_control() || c == '\t' => {
                    let word = self.word()?;
                    word.quoted = true;
                    word.text.push(c);
                }
                _ => return Err(Unread::Broken("a backslash at the end")),
            },
            '$' => self.dollar()?,
            '`' => self.back_quote()?,
            ' ' | '\t' => self.end_word()?,
            '\n' => self.new_line()?,
            '#' if self.level()?.word.is_none() => {
                let rest = &self.text[self.at..];
                self.at += rest.find('\n').unwrap_or(rest.len());
            }
            '<' | '>' if testing && self.peek() == Some('(') => {
                return Err(Unread::Unknown("a substitution in a test"));
            }
            '(' if testing => {
                self.level()?.part.grouped = true;
                self.word()?.text.push(next);
            }
            '&' | '|' | '<' | '>' if testing && !self.level()?.part.grouped => {
                self.end_word()?;
                if matches!(next, '<' | '>') || self.next() != Some(next) {
                    return Err(Unread::Unknown("a test that other shells read as commands"));
                }
                self.level()?.part = TestPart { follows: true, ..TestPart::default() };
            }
            ')' | '<' | '>' | '&' | '|' if testing => self.word()?.text.push(next),
            ';' if testing => return Err(Unread::Broken("a test that does not close")),
            ';' if self.peek() == Some(';') => return Err(Unread::Unknown("a case statement")),
            ';' => self.separator(false, false)?,
            '&' if self.eat("&") => self.separator(true, false)?,
            '&' if self.eat(">") => {
                self.eat(">");
                self.redirect(RedirectKind::Write)?;
            }
            '&' => {
                self.separator(false, false)?;
                if let Some(command) = self.commands.last_mut() {
                    command.background = true;
                }
            }
            '|' if self.eat("|") => self.separator(true, false)?,
            '|' => {
                self.eat("&");
                self.separator(true, true)?;
            }
            '<' => self.input()?,
            '>' => self.output()?,
            '(' => self.open()?,
            ')' => self.close()?,
            '*' | '?' | '[' => {
                let word = self.word()?;
                word.pattern = true;
                word.text.push(next);
            }
            '{' | '}' | ',' => braces::push(self.word()?, next),
            '=' => {
                let word = self.word()?;
                let name = word.text.strip_suffix('+').unwrap_or(&word.text);
                if word.assigned.is_none() && !word.quoted && is_name(name) {
                    word.assigned = Some(name.len());
                }
                word.text.push('=');
            }
            c if c.is_whitespace() => return Err(Unread::Unknown("white space that is not a blank")),
            c => self.word()?.text.push(c),
        }
        Ok(())
    }

    fn input(&mut self) -> Result<(), Unread> {
        if self.eat("(") {
            return self.push_level(Level::new(Closer::Parenthesis, false));
        }
        let kind = if self.eat("<<") {
            RedirectKind::Text
        } else if self.eat("<") {
            RedirectKind::HereDocument { indented: self.eat("-") }
        } else if self.eat("&") {
            RedirectKind::Copy
        } else if self.eat(">") {
            RedirectKind::Write
        } else {
            RedirectKind::Read
        };
        self.redirect(kind)
    }

    fn output(&mut self) -> Result<(), Unread> {
        if self.eat("(") {
            return self.push_level(Level::new(Closer::Parenthesis, true));
        }
        if self.eat("&") {
            return self.redirect(RedirectKind::Copy);
        }
        let _ = self.eat(">") || self.eat("|");
        self.redirect(RedirectKind::Write)
    }

    /// Begins a redirection. A number directly before it is a descriptor.
    fn redirect(&mut self, kind: RedirectKind) -> Result<(), Unread> {
        let level = self.level()?;
        let number = |word: &Word| !word.quoted && word.text.bytes().all(|b| b.is_ascii_digit());
        if level.word.as_ref().is_some_and(number) {
            level.word = None;
        }
        let named = |word: &Word| !word.quoted && braces::is_closed(&word.text);
        if level.word.as_ref().is_some_and(named) {
            return Err(Unread::Unknown("a descriptor whose number becomes a variable"));
        }
        self.end_word()?;
        let level = self.level()?;
        if level.redirect.replace(kind).is_some() {
            return Err(Unread::Broken("a redirection without a file"));
        }
        Ok(())
    }

    /// Opens a subshell, where a command can begin.
    fn open(&mut self) -> Result<(), Unread> {
        let level = self.level()?;
        if level.word.is_some() || level.redirect.is_some() || !level.command.words.is_empty() {
            return Err(Unread::Unknown("a function, an array or a pattern with parentheses"));
        }
        if self.eat("(") {
            return Err(Unread::Unknown("an arithmetic command"));
        }
        let piped = self.level()?.piped;
        self.push_level(Level { statement: true, ..Level::new(Closer::Parenthesis, piped) })
    }

    fn close(&mut self) -> Result<(), Unread> {
        self.end_command()?;
        let Some(level) = self.levels.pop_if(|level| level.closer == Closer::Parenthesis) else {
            return Err(Unread::Broken("an unmatched parenthesis"));
        };
        level.finish()?;
        if level.statement {
            self.level()?.complete = true;
            return Ok(());
        }
        let in_quotes = self.level()?.in_quotes;
        self.word()?.push_opaque(in_quotes);
        Ok(())
    }

    /// Begins to read the text inside a parenthesis.
    pub(super) fn push_level(&mut self, level: Level) -> Result<(), Unread> {
        if self.levels.len() >= MAX_DEPTH {
            return Err(Unread::Broken("substitutions that are nested too deep"));
        }
        if !self.documents.is_empty() {
            return Err(Unread::Unknown("a substitution behind a here-document"));
        }
        self.levels.push(level);
        Ok(())
    }

    fn new_line(&mut self) -> Result<(), Unread> {
        self.end_word()?;
        if self.level()?.testing {
            return Err(Unread::Unknown("a test on several lines"));
        }
        let read = self.documents_here()?;
        let level = self.level()?;
        if let (Some(text), Some(input)) = (read, &mut level.command.input) {
            *input = text;
        }
        self.end_command()
    }

    /// Ends a command at an operator, which requires a command before it, and another one after it if `needs_next` is true.
    fn separator(&mut self, needs_next: bool, piped: bool) -> Result<(), Unread> {
        self.end_command()?;
        let level = self.level()?;
        if !level.complete {
            return Err(Unread::Broken("an operator without a command"));
        }
        level.complete = false;
        level.needs_next = needs_next;
        level.piped = piped;
        Ok(())
    }

    fn end_command(&mut self) -> Result<(), Unread> {
        self.end_word()?;
        let level = self.level()?;
        if let Some(mut command) = level.end_command()? {
            let substitution = |level: &Level| level.closer == Closer::Parenthesis && !level.statement;
            command.captured = self.inside || self.levels.iter().any(substitution);
            command.looped = self.levels.iter().any(|level| level.blocks.contains(&"done"));
            command.condition = self.levels.iter().any(|level| level.conditions > 0);
            self.commands.push(command);
        }
        if self.commands.len() > MAX_COMMANDS {
            return Err(Unread::Broken("too many commands"));
        }
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), Unread> {
        let level = self.level()?;
        let Some(word) = level.word.take() else { return Ok(()) };
        if let Some(kind) = level.redirect.take() {
            return match kind {
                RedirectKind::HereDocument { indented } => {
                    // Until the body is read.
                    level.command.input = Some(OPAQUE.into());
                    let document = HereDocument::new(word, indented)?;
                    self.documents.push(document);
                    Ok(())
                }
                RedirectKind::Text => {
                    level.command.input = Some(braces::closed(word.text));
                    Ok(())
                }
                kind => {
                    let [target] = <[Word; 1]>::try_from(braces::expand(&word)?)
                        .map_err(|_| Unread::Broken("a redirection to several files"))?;
                    level.command.redirects.push(Redirect { kind, target });
                    Ok(())
                }
            };
        }
        // An operand is evaluated as arithmetic, and an index in it may run a command.
        let compares = ["-v", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"].contains(&word.text.as_str());
        if level.testing && compares {
            self.evaluate()?;
        }
        self.level()?.add(word)
    }
}

/// Returns whether a text is the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
