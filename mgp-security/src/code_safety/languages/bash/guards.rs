//! Places at which the grammar and the shell may read a text in different ways.

use super::walk::Walk;
use crate::code_safety::{capability::Capability, finding::Kind};

/// A comment begins only at the beginning of a word. Inside one, the shell goes on reading where the grammar sees a comment.
pub(super) fn comment(walk: &mut Walk<'_>, at: usize) {
    let begins = walk.tree.before(at).is_none_or(|c| c.is_whitespace() || ";&|()".contains(c));
    let text = walk.tree.text(at);
    if !begins || text.contains('`') && is_in_backquotes(walk, at) {
        walk.add(at, Kind::Does(Capability::Eval, "'#' inside a word".to_owned()));
    }
}

/// Returns whether a node stands in a command between backquotes.
fn is_in_backquotes(walk: &Walk<'_>, at: usize) -> bool {
    let tree = walk.tree;
    let mut above = at;
    while above != tree.parent(above) {
        above = tree.parent(above);
        if tree.kind(above) == "command_substitution" && tree.text(above).starts_with('`') {
            return true;
        }
    }
    false
}

/// Bash removes some backslashes of a command between backquotes before it reads the command, which the grammar does not do.
pub(super) fn backquotes(walk: &mut Walk<'_>, at: usize) {
    let tree = walk.tree;
    let Some(text) = tree.text(at).strip_prefix('`').and_then(|text| text.strip_suffix('`')) else { return };
    let is_quoted = tree.kind(tree.parent(at)) == "string";
    let is_taken = |c: char| matches!(c, '`' | '\\' | '$') || c == '"' && is_quoted;
    let mut inner = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        inner.push(chars.next_if(|next| c == '\\' && is_taken(*next)).unwrap_or(c));
    }
    if inner != text && tree.copies(&inner) {
        walk.nested.push((inner, tree.place(at)));
    }
}

/// Bash removes a backslash with its line break before it reads what follows a dollar, which the grammar does not do.
pub(super) fn joined_lines(walk: &mut Walk<'_>, at: usize) {
    let text = walk.tree.text(at);
    if ["$", "${", "$(", "<", ">"].iter().any(|begin| text.contains(&format!("{begin}\\\n"))) {
        walk.add(
            at,
            Kind::Does(Capability::Eval, "a substitution that is cut in two by a line break".to_owned()),
        );
    }
}

/// The lines of a here-document are text until its mark, which the grammar may find at another line.
pub(super) fn here_document(walk: &mut Walk<'_>, at: usize) {
    let tree = walk.tree;
    let child = |kind: &str| tree.children(at).find(|child| tree.kind(*child) == kind);
    let Some(start) = child("heredoc_start") else { return };
    let mark = tree.text(start);
    let bare = mark.trim_matches(['\'', '"']);
    let is_plain = !bare.is_empty() && bare.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    let body = child("heredoc_body").map(|body| tree.text(body)).unwrap_or_default();
    // A line that ends with a backslash continues in the next one, unless the mark is quoted.
    let joined = if mark == bare { body.replace("\\\n", "") } else { body.to_owned() };
    let ends_early = joined.lines().any(|line| line.trim_start_matches('\t') == bare);
    // Words after the mark belong to the command.
    let is_split = tree.children(at).any(|child| tree.items[child].field == "argument");
    if is_split || !is_plain || ends_early || child("heredoc_end").is_none() {
        walk.add(at, Kind::Does(Capability::Eval, "a here-document with an unclear end".to_owned()));
    }
}

/// A line ends a command, although the grammar may go on reading.
pub(super) fn command(walk: &mut Walk<'_>, at: usize) {
    let tree = walk.tree;
    let children: Vec<usize> = tree.children(at).collect();
    let is_test = tree.kind(at) == "test_command";
    let gaps = children.windows(2).map(|pair| tree.between(pair[0], pair[1]));
    let is_unclear = match is_test {
        true => {
            !tree.text(at).starts_with("[[")
                && !tree.text(at).starts_with("((")
                && has_bare(tree.text(at), "\n")
        }
        false => gaps.into_iter().any(|gap| has_bare(gap, "\n") || gap.replace("\\\n", "").contains('\\')),
    };
    if is_unclear {
        walk.add(at, Kind::Does(Capability::Eval, "a command with an unclear end".to_owned()));
    }
}

/// Returns whether one of some characters occurs in a text without a backslash before it.
fn has_bare(text: &str, wanted: &str) -> bool {
    let mut escaped = false;
    text.chars().any(|c| {
        let is_bare = wanted.contains(c) && !escaped;
        escaped = c == '\\' && !escaped;
        is_bare
    })
}

/// A text that the grammar reads as one token may not contain a substitution, and a word may not contain the end of one.
pub(super) fn leaf(walk: &mut Walk<'_>, at: usize) {
    let tree = walk.tree;
    let text = tree.text(at);
    if tree.kind(at) == "word" && has_bare(text, " \t\n;&|<>()") {
        walk.add(at, Kind::Does(Capability::Eval, "a word with an unclear end".to_owned()));
    }
    let is_quoted = match tree.kind(at) {
        "raw_string" | "ansi_c_string" => true,
        "heredoc_content" | "heredoc_body" => {
            let parent = tree.parent(at);
            let document = if tree.kind(parent) == "heredoc_body" { tree.parent(parent) } else { parent };
            let mut children = tree.children(document);
            let start = children.find(|child| tree.kind(*child) == "heredoc_start");
            start.is_some_and(|start| tree.text(start).starts_with(['\'', '"']))
        }
        "comment" => return,
        _ => false,
    };
    if !is_quoted && substitutes(text) {
        walk.add(at, Kind::Does(Capability::Eval, "a substitution inside a word".to_owned()));
    }
    // The value of such a text would be run where a number is expected.
    if is_quoted
        && text.find('[').is_some_and(|from| text[from..].contains("$(") || text[from..].contains('`'))
    {
        walk.undecided(at, "a text that is code where a number is expected");
    }
}

/// Returns whether a text contains an unescaped substitution.
fn substitutes(text: &str) -> bool {
    let mut escaped = false;
    let mut last = ' ';
    for c in text.chars() {
        let begins = c == '`' || last == '$' && matches!(c, '(' | '{');
        if begins && !escaped {
            return true;
        }
        if c == '\\' && !escaped {
            escaped = true;
            last = ' ';
            continue;
        }
        last = if escaped { ' ' } else { c };
        escaped = false;
    }
    false
}

/// Quotes inside a quoted expansion are read in different ways.
pub(super) fn quotes(walk: &mut Walk<'_>, at: usize) {
    let tree = walk.tree;
    let (mut above, mut expands) = (tree.parent(at), false);
    while above != tree.parent(above) {
        match tree.kind(above) {
            "expansion" => expands = true,
            "command_substitution" | "process_substitution" => return,
            "string" | "heredoc_body" if expands => {
                return walk.undecided(at, "quotes inside an expansion that is quoted");
            }
            _ => {}
        }
        above = tree.parent(above);
    }
}
