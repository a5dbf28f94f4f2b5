//! §4.4 The harm that a tool does according to its name and the first sentence of its description, for tools without hints.
//!
//! MCP considers a tool without hints destructive. Most are not, so a tool counts only if its text states an effect that cannot be
//! undone: something is destroyed or sent, or others get rights. A word that is also a noun counts only in the position of a verb: first.

use crate::words::words;
use std::fmt;

/// A kind of irreversible harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Destroys,
    Sends,
    Pays,
    Publishes,
    GivesRights,
}

impl Kind {
    /// Returns the harm as the reason for asking.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Destroys => "it destroys something, which does not come back",
            Self::Sends => "it sends something, which cannot be called back",
            Self::Pays => "it pays or orders something",
            Self::Publishes => "it publishes something, which others get at once",
            Self::GivesRights => "it gives rights to others",
        }
    }
}

/// Verbs of harm that are hardly ever used in another sense.
const VERBS: &[(&str, Kind)] = &[
    ("decommission", Kind::Destroys),
    ("del", Kind::Destroys),
    ("delete", Kind::Destroys),
    ("destroy", Kind::Destroys),
    ("discard", Kind::Destroys),
    ("erase", Kind::Destroys),
    ("kill", Kind::Destroys),
    ("obliterate", Kind::Destroys),
    ("overwrite", Kind::Destroys),
    ("prune", Kind::Destroys),
    ("purge", Kind::Destroys),
    ("remove", Kind::Destroys),
    ("rm", Kind::Destroys),
    ("rmdir", Kind::Destroys),
    ("shred", Kind::Destroys),
    ("terminate", Kind::Destroys),
    ("truncate", Kind::Destroys),
    ("uninstall", Kind::Destroys),
    ("unlink", Kind::Destroys),
    ("wipe", Kind::Destroys),
    ("broadcast", Kind::Sends),
    ("reply", Kind::Sends),
    ("resend", Kind::Sends),
    ("send", Kind::Sends),
    ("tweet", Kind::Sends),
    ("buy", Kind::Pays),
    ("donate", Kind::Pays),
    ("pay", Kind::Pays),
    ("purchase", Kind::Pays),
    ("refund", Kind::Pays),
    ("withdraw", Kind::Pays),
    ("publish", Kind::Publishes),
    ("republish", Kind::Publishes),
    ("unpublish", Kind::Publishes),
    ("chmod", Kind::GivesRights),
    ("chown", Kind::GivesRights),
    ("grant", Kind::GivesRights),
    ("impersonate", Kind::GivesRights),
];

/// Verbs of harm that are also nouns, or harmless verbs.
const FIRST_ALONE: &[(&str, Kind)] = &[
    ("cancel", Kind::Destroys),
    ("clear", Kind::Destroys),
    ("drop", Kind::Destroys),
    ("empty", Kind::Destroys),
    ("flush", Kind::Destroys),
    ("reset", Kind::Destroys),
    ("revoke", Kind::Destroys),
    ("trash", Kind::Destroys),
    ("dm", Kind::Sends),
    ("email", Kind::Sends),
    ("forward", Kind::Sends),
    ("mail", Kind::Sends),
    ("message", Kind::Sends),
    ("notify", Kind::Sends),
    ("post", Kind::Sends),
    ("sms", Kind::Sends),
    ("bid", Kind::Pays),
    ("book", Kind::Pays),
    ("charge", Kind::Pays),
    ("order", Kind::Pays),
    ("sell", Kind::Pays),
    ("trade", Kind::Pays),
    ("transfer", Kind::Pays),
    ("deploy", Kind::Publishes),
    ("push", Kind::Publishes),
    ("release", Kind::Publishes),
    ("authorize", Kind::GivesRights),
    ("elevate", Kind::GivesRights),
    ("invite", Kind::GivesRights),
    ("promote", Kind::GivesRights),
    ("share", Kind::GivesRights),
];

/// Verbs of tools that only read. If one comes first, the words after it name what is read.
const READING: &[&str] = &[
    "analyze",
    "ask",
    "browse",
    "calculate",
    "check",
    "compare",
    "compute",
    "count",
    "describe",
    "diff",
    "download",
    "estimate",
    "explain",
    "fetch",
    "find",
    "get",
    "inspect",
    "list",
    "look",
    "lookup",
    "monitor",
    "preview",
    "query",
    "read",
    "retrieve",
    "return",
    "search",
    "show",
    "simulate",
    "summarize",
    "tail",
    "tell",
    "validate",
    "verify",
    "view",
    "watch",
];

/// Words between two actions of a tool.
const JOINING: &[&str] = &["and", "or", "then"];

/// Words that negate what follows.
const NEGATIONS: &[&str] = &["no", "not", "never", "nothing", "without", "cannot", "doesn", "don", "won"];

/// The first words of a sentence, among which its verb is sought.
const FIRST_WORDS: usize = 5;

/// The most bytes of a description that are read.
const MAX_TEXT: usize = 400;

/// The harm that a tool's own text states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Harm {
    kind: Kind,
    verb: &'static str,
    /// The part of the definition that states it.
    place: &'static str,
}

impl Harm {
    /// Returns the harm of a tool according to its name and the first sentence of its description.
    pub(super) fn of(name: &str, description: Option<&str>) -> Option<Self> {
        let sentence = first_words(description.unwrap_or_default());
        let reads = sentence.first().is_some_and(|word| is_among(READING, word));
        in_name(&words(name), reads).or_else(|| in_sentence(&sentence))
    }
}

impl fmt::Display for Harm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "its {} ({:?}) says that {}", self.place, self.verb, self.kind.as_str())
    }
}

/// Searches the words of a name for a verb of harm. `reads` is true if the description begins with a verb of reading.
fn in_name(words: &[String], reads: bool) -> Option<Harm> {
    let first = words.first()?;
    if READING.contains(&first.as_str()) {
        return in_name(behind_join(words)?, false);
    }
    let found = words.iter().find_map(|word| exactly(VERBS, word));
    let found = found.or_else(|| exactly(FIRST_ALONE, first).filter(|_| !reads));
    let &(verb, kind) = found.or_else(|| behind_namespace(words).filter(|_| !reads))?;
    Some(Harm { kind, verb, place: "name" })
}

/// Returns the words after the first one that joins two actions of a tool.
fn behind_join(words: &[String]) -> Option<&[String]> {
    let at = words.iter().position(|word| JOINING.contains(&word.as_str()))?;
    Some(&words[at + 1..])
}

/// Returns the verb in a name such as `db_drop_table`, whose first word is a namespace of a server's tools.
fn behind_namespace(words: &[String]) -> Option<&'static (&'static str, Kind)> {
    let [_, second, ..] = words else { return None };
    let looks = words.iter().any(|word| READING.contains(&word.as_str()));
    exactly(FIRST_ALONE, second).filter(|(_, kind)| *kind == Kind::Destroys && !looks)
}

fn exactly(verbs: &'static [(&'static str, Kind)], word: &str) -> Option<&'static (&'static str, Kind)> {
    verbs.iter().find(|(verb, _)| *verb == word)
}

/// Searches the first words of a sentence for a verb of harm.
fn in_sentence(words: &[String]) -> Option<Harm> {
    for (at, word) in words.iter().enumerate() {
        if NEGATIONS.contains(&word.as_str()) {
            return None;
        }
        if is_among(READING, word) {
            return in_sentence(behind_join(&words[at..])?);
        }
        let any =
            |verbs: &'static [(&'static str, Kind)]| verbs.iter().find(|(verb, _)| is_form_of(word, verb));
        let is_denied = words.get(at + 1).is_some_and(|next| NEGATIONS.contains(&next.as_str()));
        if let Some(&(verb, kind)) = any(VERBS).or_else(|| any(FIRST_ALONE).filter(|_| at == 0)) {
            return (!is_denied).then_some(Harm { kind, verb, place: "description" });
        }
    }
    None
}

/// Returns the first words of the first sentence of a text, in lower case.
fn first_words(text: &str) -> Vec<String> {
    let text = text[..text.floor_char_boundary(MAX_TEXT)].trim_start();
    let sentence = text.split(['.', '!', '?', ';', '\n']).next().unwrap_or_default();
    let words = sentence.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(FIRST_WORDS).map(str::to_lowercase).collect()
}

fn is_among(verbs: &[&str], word: &str) -> bool {
    verbs.iter().any(|verb| is_form_of(word, verb))
}

/// Returns whether a word is a verb, or its form on `-s` or `-ing`.
fn is_form_of(word: &str, verb: &str) -> bool {
    let Some(rest) = word.strip_prefix(verb) else {
        let Some(stem) = verb.strip_suffix(['e', 'y']) else { return false };
        return matches!(
            (word.strip_prefix(stem), verb.ends_with('e')),
            (Some("ing"), true) | (Some("ies"), false)
        );
    };
    // The last letter is doubled in `dropping`.
    let doubled = rest.strip_prefix(|c: char| verb.ends_with(c)).unwrap_or(rest);
    matches!(rest, "" | "s" | "es" | "ing") || doubled == "ing"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &str, description: &str) -> Option<String> {
        Harm::of(name, Some(description)).map(|harm| harm.to_string())
    }

    #[test]
    fn irreversible_actions_in_name_or_description_are_harm() {
        for (name, description) in [
            ("delete_issue", ""),
            ("deleteIssue", "Handles an issue"),
            ("issues-delete", "Issues"),
            ("github.delete_repo", ""),
            ("kubectl_delete", "Resources of a cluster"),
            ("gmail_send", ""),
            ("slack_reply_to_thread", ""),
            ("create_refund", ""),
            ("post_message", "Posts a message to a channel"),
            ("slack_post_message", "Post a new message to a Slack channel"),
            ("git_push", "Push the commits of a branch"),
            ("x", "Deletes an issue for good."),
            ("x", "Permanently deletes a file"),
            ("x", "This tool removes users. Reads nothing"),
            ("x", "Update or delete a label"),
            ("x", "Dropping a table"),
            ("x", "A tool for erasing disks"),
            ("x", "Pays an invoice"),
            ("x", "Replies to a thread"),
            ("x", "Publishes a package"),
            ("x", "Grants a role to a user"),
            ("x", "Share a document with a person"),
            ("x", "Book a table"),
            ("read_and_delete_message", ""),
            ("findThenRemoveUser", ""),
            ("x", "Reads and deletes a message"),
            ("db_drop_table", ""),
            ("redis_flush", ""),
            ("cache_flush_all", ""),
            ("cancel_order", ""),
            ("reset_database", ""),
            ("revokeToken", ""),
            ("notify_team", ""),
        ] {
            assert!(said(name, description).is_some(), "{name}: {description}");
        }
    }

    #[test]
    fn looking_keeping_and_naming_are_not_harm() {
        for (name, description) in [
            ("list_deleted_items", "Lists what was deleted"),
            ("get_delete_history", ""),
            ("search_posts", "Search posts"),
            ("post_count", "Count the posts of a user"),
            ("API-post-search", "Search by title"),
            ("order_status", "Shows the status of an order"),
            ("book_search", "Finds books"),
            ("undelete_file", "Brings a file back"),
            ("git_commit", "Records changes to the repository"),
            ("create_issue", "Creates an issue. Use delete_issue to remove it"),
            ("write_file", "Create a new file or completely overwrite an existing file"),
            ("create_release_draft", "Create a draft of a release"),
            ("browser_drag", "Perform drag and drop between two elements"),
            ("add_note", "Adds a note without deleting others"),
            ("x", "Does not delete anything"),
            ("x", "Lists, and sends nothing"),
            ("search_and_list", "Searches and lists"),
            ("db_drop_list", "Lists drops"),
            ("text_order_lines", "Sorts lines"),
            ("payments", "Payments of a customer"),
            ("x", ""),
            ("", ""),
        ] {
            assert_eq!(said(name, description), None, "{name}: {description}");
        }
    }

    #[test]
    fn the_reason_names_the_verb_and_its_position() {
        assert_eq!(
            said("delete_issue", "").unwrap(),
            r#"its name ("delete") says that it destroys something, which does not come back"#
        );
        assert_eq!(
            said("x", "Sends a mail").unwrap(),
            r#"its description ("send") says that it sends something, which cannot be called back"#
        );
    }

    #[test]
    fn a_verb_is_in_one_list_and_long_descriptions_are_cut() {
        let mut all: Vec<_> = VERBS.iter().chain(FIRST_ALONE).map(|(verb, _)| *verb).collect();
        all.extend(READING);
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert_eq!(said("x", &format!("{}deletes", "é ".repeat(10_000))), None);
    }
}
