//! Errors of a configuration file, with their places.

use super::path::KeyPath;
use miette::{Diagnostic, NamedSource, SourceSpan};
use std::{fmt, io, ops::Range, path::PathBuf, sync::Arc};
use thiserror::Error;

/// The error of a configuration file that cannot be used.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("failed to read {path}")]
    #[diagnostic(code(mgp::config::read))]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is larger than any real configuration.
    #[error("{path} holds {size} bytes: expected at most {limit}")]
    #[diagnostic(code(mgp::config::size))]
    TooLarge {
        /// The path of the file.
        path: PathBuf,
        /// The size of the file, in bytes.
        size: u64,
        /// The largest size that is read, in bytes.
        limit: u64,
    },
    /// The file is not UTF-8 text.
    #[error("{path} is not UTF-8 text: the first invalid byte is at {offset}")]
    #[diagnostic(code(mgp::config::utf8))]
    NotText {
        /// The path of the file.
        path: PathBuf,
        /// The number of bytes before the first one that is not text.
        offset: usize,
    },
    /// The text has mistakes.
    #[error("{path}:{}{}", Problems(problems), if *is_checked { "" } else { UNCHECKED })]
    #[diagnostic(code(mgp::config::invalid))]
    Invalid {
        /// The path of the file.
        path: PathBuf,
        /// The problems, each with its place.
        #[related]
        problems: Vec<Problem>,
        /// False if these problems prevent the check of the rest of the file.
        is_checked: bool,
    },
}

impl ConfigError {
    /// Returns the error without the first problem, for programs that print all [`problems`](Self::problems) below it.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::Invalid { path, problems, is_checked } => {
                let rest = if *is_checked { "" } else { UNCHECKED };
                format!("{} has {}{rest}", path.display(), problem_count(problems.len()))
            }
            other => other.to_string(),
        }
    }

    /// Replaces the text that is shown around the problems, such as by one without secrets. The new text must have the length and the
    /// lines of the old one, because the places of the problems stay.
    #[must_use]
    pub fn map_text(mut self, map: impl FnOnce(&str) -> String) -> Self {
        if let Self::Invalid { path, problems, .. } = &mut self
            && let Some(first) = problems.first()
        {
            let text = map(first.source_text.inner());
            let text = Arc::new(NamedSource::new(path.display().to_string(), text));
            problems.iter_mut().for_each(|problem| problem.source_text = Arc::clone(&text));
        }
        self
    }

    /// Returns the problems in the text; empty if the text could not be read.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        match self {
            Self::Invalid { problems, .. } => problems,
            _ => &[],
        }
    }
}

/// A problem in a configuration file.
#[derive(Error)]
#[error("{}{message}", Prefix(path))]
pub struct Problem {
    path: KeyPath,
    message: String,
    help: Option<String>,
    span: Range<usize>,
    line: usize,
    column: usize,
    source_text: Arc<NamedSource<String>>,
}

impl Problem {
    pub(crate) fn new(found: Finding, span: Range<usize>, source_text: &Arc<NamedSource<String>>) -> Self {
        let (line, column) = position(source_text.inner(), span.start);
        let Finding { path, message, help, .. } = found;
        Self { path, message, help, span, line, column, source_text: Arc::clone(source_text) }
    }

    /// Returns the path of the invalid value.
    #[must_use]
    pub fn path(&self) -> &KeyPath {
        &self.path
    }

    /// Returns the line, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the column in characters, from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    /// Returns the place in the text, in bytes.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns advice on how to solve the problem, if any.
    #[must_use]
    pub fn advice(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl fmt::Debug for Problem {
    // The text of the file may contain secrets, so it is not shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Problem")
            .field("message", &self.to_string())
            .field("help", &self.help)
            .field("line", &self.line)
            .field("column", &self.column)
            .finish_non_exhaustive()
    }
}

impl Diagnostic for Problem {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as _)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(&*self.source_text)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let span = SourceSpan::from((self.span.start, self.span.len()));
        Some(Box::new(std::iter::once(miette::LabeledSpan::new_with_span(Some("here".to_owned()), span))))
    }
}

/// A problem at a path, before its place in the text is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) path: KeyPath,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// True if the problem is the presence of the key, regardless of its value.
    pub(crate) of_key: bool,
}

impl Finding {
    pub(crate) fn new(path: KeyPath, message: impl Into<String>) -> Self {
        Self { path, message: message.into(), help: None, of_key: false }
    }

    /// Creates a finding about a key, regardless of its value.
    pub(crate) fn of_key(path: KeyPath, message: impl Into<String>) -> Self {
        Self { of_key: true, ..Self::new(path, message) }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Returns the line and column of a byte, both from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

struct Prefix<'a>(&'a KeyPath);

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self.0 == KeyPath::root() { Ok(()) } else { write!(f, "{}: ", self.0) }
    }
}

/// The end of the sentence about a file whose values were not checked.
const UNCHECKED: &str = ", and the rest is checked after that";

fn problem_count(count: usize) -> String {
    if count == 1 { "one problem".to_owned() } else { format!("{count} problems") }
}

/// The first problem with its place, and the number of the others.
struct Problems<'a>(&'a [Problem]);

impl fmt::Display for Problems<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.0.first() else { return f.write_str(" no problem") };
        write!(f, "{}:{}: {first}", first.line, first.column)?;
        if let Some(help) = &first.help {
            write!(f, " ({help})")?;
        }
        match self.0.len() {
            1 => Ok(()),
            2 => f.write_str("; and one more problem"),
            count => write!(f, "; and {} more problems", count - 1),
        }
    }
}
