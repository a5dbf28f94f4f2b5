//! A shell script, read as its simple commands.
//!
//! The reader knows the parts of the grammar of POSIX shells and of Bash that are judged. It is exact in what it reads, and reports
//! everything else: a text that no shell reads is an [`Unread::Broken`], and a construct that is not followed is an
//! [`Unread::Unknown`]. It does not recurse, so that deep nesting costs no stack.

mod braces;
mod expansion;
mod heredoc;
mod level;
mod script;
mod word;

pub(super) use script::{Command, MAX_TEXT, Redirect, RedirectKind, Script, Unread};
pub(super) use word::{OPAQUE, Word};

#[cfg(test)]
mod tests;
