//! A level of nesting: the text itself, a substitution or a subshell.

use super::{
    braces,
    script::{Command, RedirectKind, Unread},
    word::{OPAQUE, Word},
};
use std::mem;

/// The end of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closer {
    /// The end of the text.
    End,
    /// A closing parenthesis.
    Parenthesis,
}

/// A part of a test between `[[`, `&&`, `||` and `]]`, which shells without tests read as a command.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TestPart {
    /// True after an operator.
    pub(super) follows: bool,
    /// The number of words so far.
    pub(super) words: usize,
    /// True if the first word is an unquoted variable.
    pub(super) bare: bool,
    /// True if the test contains a parenthesis, so that other shells reject it.
    pub(super) grouped: bool,
}

impl TestPart {
    /// Takes the next word.
    ///
    /// # Errors
    /// If another shell may run it.
    fn add(&mut self, word: &Word) -> Result<(), Unread> {
        const OPERATORS: &[&str] =
            &["==", "=", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"];
        let unknown = Err(Unread::Unknown("a test that other shells read as commands"));
        if !self.follows || self.grouped || (word.text == "!" && self.words == 0) {
            return Ok(());
        }
        match self.words {
            0 if !(word.text.is_empty() || word.text.starts_with(['-', OPAQUE])) => return unknown,
            0 => self.bare = word.splits,
            1 if self.bare && !OPERATORS.contains(&word.text.as_str()) => return unknown,
            _ => {}
        }
        self.words += 1;
        Ok(())
    }
}

/// A level of nesting, with the command that is being read in it.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) closer: Closer,
    /// True for a subshell, which is a command and not a part of a word.
    pub(super) statement: bool,
    /// True for the body of a here-document, in which quotes have no meaning.
    pub(super) body: bool,
    pub(super) in_quotes: bool,
    pub(super) command: Command,
    pub(super) word: Option<Word>,
    pub(super) redirect: Option<RedirectKind>,
    /// True if a command precedes the next operator.
    pub(super) complete: bool,
    /// True if the last operator requires another command.
    pub(super) needs_next: bool,
    /// True if the next command reads another one's output.
    pub(super) piped: bool,
    /// True between `[[` and `]]`.
    pub(super) testing: bool,
    /// True if something in the test may change.
    pub(super) varies: bool,
    /// The part of a test that is being read.
    pub(super) part: TestPart,
    /// True in the first line of a `for` loop.
    pub(super) looping: bool,
    /// The number of loops of which the condition is being read.
    pub(super) conditions: usize,
    /// The open blocks: the words that end them.
    pub(super) blocks: Vec<&'static str>,
}

impl Level {
    pub(super) fn new(closer: Closer, piped: bool) -> Self {
        Self {
            closer,
            piped,
            statement: false,
            body: false,
            in_quotes: false,
            command: Command::default(),
            word: None,
            redirect: None,
            complete: false,
            needs_next: false,
            testing: false,
            varies: false,
            part: TestPart::default(),
            looping: false,
            conditions: 0,
            blocks: Vec::new(),
        }
    }

    /// Checks that nothing is open at the end of the level.
    pub(super) fn finish(&self) -> Result<(), Unread> {
        if self.needs_next && !self.complete {
            return Err(Unread::Broken("an operator without a command"));
        }
        if !self.blocks.is_empty() {
            return Err(Unread::Broken("a command that does not end"));
        }
        Ok(())
    }

    /// Ends the command, and returns it if there is one.
    pub(super) fn end_command(&mut self) -> Result<Option<Command>, Unread> {
        if self.redirect.is_some() || self.testing {
            return Err(Unread::Broken("a command that does not end"));
        }
        let mut command = mem::take(&mut self.command);
        let looping = mem::take(&mut self.looping);
        let empty = command.words.is_empty()
            && command.assignments.is_empty()
            && command.redirects.is_empty()
            && command.input.is_none();
        if empty {
            return Ok(None);
        }
        let piped = mem::take(&mut self.piped);
        self.complete = true;
        if let Some(variable) = command.words.first_mut().filter(|_| looping) {
            // The values are judged as arguments of a command that does nothing.
            let name = mem::replace(variable, Word::literal(":")).text;
            command.assignments.push((name, Word::literal("value")));
        }
        Ok(Some(Command { piped, ..command }))
    }

    /// Adds a word to the command.
    pub(super) fn add(&mut self, mut word: Word) -> Result<(), Unread> {
        if self.testing {
            self.part.add(&word)?;
            if word.assigned.is_some_and(|end| word.text[..end].contains(|c: char| c.is_ascii_uppercase())) {
                return Err(Unread::Unknown("an assignment in a test"));
            }
            self.varies |= word.known().is_none() || word.text.starts_with('-');
            if word.text == "]]" && !word.quoted {
                if self.conditions > 0 && !self.varies {
                    return Err(Unread::Unknown("a loop whose test does not change"));
                }
                self.testing = false;
                self.complete = true;
            }
            return Ok(());
        }
        if self.command.words.is_empty() {
            if !self.looping && !word.quoted && self.command.assignments.is_empty() && self.reserved(&word)? {
                return Ok(());
            }
            if let Some(length) = word.assigned.filter(|_| !self.looping) {
                let value = word.text.split_off(length);
                let value = value.trim_start_matches('+').strip_prefix('=').unwrap_or_default();
                let value = Word { text: braces::closed(value.to_owned()), ..word.clone() };
                self.command.assignments.push((word.text, value));
                return Ok(());
            }
        }
        self.command.words.extend(braces::expand(&word)?);
        Ok(())
    }

    /// Takes a reserved word. Returns false for any other word.
    fn reserved(&mut self, word: &Word) -> Result<bool, Unread> {
        let opened = match braces::closed(word.text.clone()).as_str() {
            "if" => "fi",
            "while" | "until" => {
                self.conditions += 1;
                "done"
            }
            "for" => {
                self.looping = true;
                "done"
            }
            "{" => "}",
            "then" | "elif" | "else" => return self.inside("fi"),
            "do" => {
                self.conditions = self.conditions.saturating_sub(1);
                return self.inside("done");
            }
            closing @ ("fi" | "done" | "}") => {
                if self.blocks.pop() != Some(closing) {
                    return Err(Unread::Broken("a block that was not opened"));
                }
                self.complete = true;
                return Ok(true);
            }
            "!" | "time" => return Ok(true),
            "[[" => {
                self.testing = true;
                self.varies = false;
                self.part = TestPart::default();
                return Ok(true);
            }
            "case" | "select" | "esac" => return Err(Unread::Unknown("a case statement")),
            "function" => return Err(Unread::Unknown("a function")),
            "coproc" => return Err(Unread::Unknown("a coprocess")),
            _ => return Ok(false),
        };
        self.blocks.push(opened);
        self.complete = false;
        Ok(true)
    }

    fn inside(&mut self, block: &'static str) -> Result<bool, Unread> {
        if self.blocks.last() != Some(&block) {
            return Err(Unread::Broken("a block that was not opened"));
        }
        self.complete = false;
        Ok(true)
    }
}
