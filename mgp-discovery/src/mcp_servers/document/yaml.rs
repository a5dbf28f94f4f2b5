//! Edits of YAML: whole lines of a list in the block style are removed and added. Every other form is refused.

use super::{super::Entry, EditError, ListEdit};
use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};
use serde_json::{Map, Value};
use std::ops::Range;

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 64;

/// A part of a text with the lines and columns on which its members begin, from 0 on.
enum Node {
    Scalar(Value),
    Map(Vec<Member>),
    List(Vec<Member>),
}

struct Member {
    /// The key; empty in a list.
    name: String,
    line: usize,
    column: usize,
    node: Node,
}

/// The lines of one server in a list.
struct Block {
    name: String,
    lines: Range<usize>,
    indent: usize,
}

/// A list in a text.
struct List {
    /// The line of the key.
    line: usize,
    blocks: Vec<Block>,
    is_array: bool,
}

/// Returns the content of a text.
pub(super) fn value(text: &str) -> Result<Value, EditError> {
    Ok(parse(text)?.into_value())
}

/// Removes servers from a list, and adds an entry in their place.
pub(super) fn connect(text: &str, edit: &ListEdit, entry: &Entry) -> Result<String, EditError> {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let key = key(edit)?;
    let Some(added) = &edit.added else { return Err(EditError::form("expected an entry to add")) };
    let Some(list) = find(text, key)? else {
        if let Some(last) = lines.last_mut().filter(|last| !last.ends_with('\n')) {
            last.push_str(newline);
        }
        lines.push(format!("{key}:{newline}"));
        lines.extend(rendered(added, entry, is_list_of_names(entry, added, key), 2, newline));
        return Ok(lines.concat());
    };
    let indent = list.blocks.first().map_or(2, |block| block.indent);
    if list.blocks.is_empty() {
        empty_key(&mut lines[list.line], key, newline)?;
    }
    let is_gone = |block: &Block| edit.removed.contains(&block.name) || block.name == *added;
    let first = list.blocks.iter().find(|block| is_gone(block)).map(|block| block.lines.start);
    let place = first.or(list.blocks.last().map(|block| block.lines.end)).unwrap_or(list.line + 1);
    for run in runs(&list.blocks, is_gone).into_iter().rev() {
        lines.drain(run);
    }
    if let Some(before) = place.checked_sub(1).and_then(|before| lines.get_mut(before))
        && !before.ends_with('\n')
    {
        before.push_str(newline);
    }
    let is_array = if list.blocks.is_empty() { is_list_of_names(entry, added, key) } else { list.is_array };
    lines.splice(place..place, rendered(added, entry, is_array, indent, newline));
    Ok(lines.concat())
}

/// Removes the added entry from a list, and puts the lines of the original text in its place.
pub(super) fn disconnect(original: &str, current: &str, edit: &ListEdit) -> Result<String, EditError> {
    let key = key(edit)?;
    let old_lines: Vec<&str> = original.split_inclusive('\n').collect();
    let old = find(original, key)?;
    let mut lines: Vec<String> = current.split_inclusive('\n').map(str::to_owned).collect();
    let newline = if current.contains("\r\n") { "\r\n" } else { "\n" };
    let old_blocks = old.as_ref().map_or(&[][..], |list| &list.blocks);
    let indent = old_blocks.first().map_or(2, |block| block.indent);
    let mut back: Vec<String> = Vec::new();
    for run in runs(old_blocks, |block| edit.removed.contains(&block.name)) {
        back.extend(old_lines[run].iter().map(|line| {
            let end = if line.ends_with('\n') { "" } else { newline };
            format!("{line}{end}")
        }));
    }
    let Some(list) = find(current, key)? else {
        if !back.is_empty() {
            if let Some(last) = lines.last_mut().filter(|last| !last.ends_with('\n')) {
                last.push_str(newline);
            }
            lines.push(format!("{key}:{newline}"));
            lines.extend(back);
        }
        return Ok(lines.concat());
    };
    if list.blocks.is_empty() && !back.is_empty() {
        empty_key(&mut lines[list.line], key, newline)?;
    }
    let own = list.blocks.iter().find(|block| Some(&block.name) == edit.added.as_ref());
    let others = list.blocks.iter().find(|block| Some(&block.name) != edit.added.as_ref());
    if let Some(other) = others.filter(|other| other.indent != indent && !back.is_empty()) {
        let columns = other.indent;
        return Err(EditError::form(format!(
            "the servers of {key} now begin in column {}: put those back by hand that its backup has",
            columns + 1
        )));
    }
    let place = match own {
        Some(own) => own.lines.clone(),
        None => {
            let end = list.blocks.last().map_or(list.line + 1, |block| block.lines.end);
            end..end
        }
    };
    let is_empty = others.is_none() && back.is_empty();
    if let Some(before) = place.start.checked_sub(1).and_then(|before| lines.get_mut(before))
        && !before.ends_with('\n')
    {
        before.push_str(newline);
    }
    lines.splice(place, back);
    if is_empty {
        match old {
            Some(old) if old.blocks.is_empty() => lines[list.line] = old_lines[old.line].to_owned(),
            Some(_) => {}
            None => drop(lines.remove(list.line)),
        }
    }
    Ok(lines.concat())
}

/// Returns the lines of the chosen servers; neighbours are one range, with the comments between them.
fn runs(blocks: &[Block], is_chosen: impl Fn(&Block) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut was_chosen = false;
    for block in blocks {
        match runs.last_mut().filter(|_| was_chosen) {
            Some(run) if is_chosen(block) => run.end = block.lines.end,
            _ if is_chosen(block) => runs.push(block.lines.clone()),
            _ => {}
        }
        was_chosen = is_chosen(block);
    }
    runs
}

fn key(edit: &ListEdit) -> Result<&str, EditError> {
    match edit.path.as_slice() {
        [key] => Ok(key),
        path => Err(EditError::form(format!("{}: expected a member at the top of the file", path.join(".")))),
    }
}

/// Returns whether a new list is an array: the entry then has its name inside, and the list is not a map like that of Goose.
fn is_list_of_names(entry: &Entry, name: &str, key: &str) -> bool {
    key == "mcpServers" && entry.iter().any(|(key, value)| *key == "name" && value == name)
}

/// Returns the lines of an entry.
fn rendered(name: &str, entry: &Entry, is_array: bool, indent: usize, newline: &str) -> Vec<String> {
    let space = " ".repeat(indent);
    let mut lines = Vec::new();
    if !is_array {
        lines.push(format!("{space}{name}:{newline}"));
    }
    for (at, (key, value)) in entry.iter().enumerate() {
        let mark = if is_array && at == 0 { "- " } else { "  " };
        // JSON is YAML.
        let value = match value.as_str() {
            Some(word) if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()) => {
                word.to_owned()
            }
            _ => value.to_string(),
        };
        lines.push(format!("{space}{mark}{key}: {value}{newline}"));
    }
    lines
}

/// Removes an empty list in the flow style after its key.
fn empty_key(line: &mut String, key: &str, newline: &str) -> Result<(), EditError> {
    let rest = line.trim_start_matches(key).trim_start().trim_start_matches(':').trim();
    let rest =
        ["[]", "{}", "~", "null"].iter().find_map(|empty| rest.strip_prefix(empty)).unwrap_or(rest).trim();
    if !rest.is_empty() && !rest.starts_with('#') {
        return Err(EditError::form(format!("{key}: expected servers on lines of their own")));
    }
    let space = if rest.is_empty() { "" } else { " " };
    *line = format!("{key}:{space}{rest}{newline}");
    Ok(())
}

/// Returns the list under a key at the top of a text.
fn find(text: &str, key: &str) -> Result<Option<List>, EditError> {
    let Node::Map(top) = parse(text)? else { return Ok(None) };
    let lines: Vec<&str> = text.lines().collect();
    let Some(at) = top.iter().position(|member| member.name == key) else {
        let is_plain =
            top.iter().all(|member| member.column == 0) && !lines.iter().any(|line| line.starts_with("..."));
        let reason = "expected keys at the beginning of lines, and no end mark";
        return if is_plain { Ok(None) } else { Err(EditError::form(reason)) };
    };
    let member = &top[at];
    let (members, is_array) = match &member.node {
        Node::Map(members) => (members, false),
        Node::List(members) => (members, true),
        Node::Scalar(_) => (&Vec::new(), false),
    };
    let flow = || EditError::form(format!("{key}: expected each server on lines of its own"));
    if member.column != 0 {
        return Err(flow());
    }
    let mut starts = Vec::new();
    for server in members {
        let before = |line: usize| lines.get(line).map_or("", |line| *line);
        let (mut line, mut indent) = (server.line, server.column);
        if is_array {
            let prefix = |line: usize, end: usize| before(line).get(..end).unwrap_or_default().to_owned();
            let mut lead = prefix(line, indent);
            while lead.trim().is_empty() && line > member.line + 1 {
                line -= 1;
                lead = before(line).to_owned();
            }
            indent = lead.find('-').filter(|_| lead.trim() == "-").ok_or_else(flow)?;
        } else if !before(line).get(..indent).is_some_and(|lead| lead.bytes().all(|byte| byte == b' ')) {
            return Err(flow());
        }
        if line <= member.line {
            return Err(flow());
        }
        let name = match (&server.node, is_array) {
            (Node::Map(keys), true) => keys.iter().find(|key| key.name == "name"),
            _ => None,
        };
        let name = name.map_or_else(
            || server.name.clone(),
            |name| match &name.node {
                Node::Scalar(Value::String(name)) => name.clone(),
                _ => String::new(),
            },
        );
        starts.push((name, line, indent));
    }
    let end = top.get(at + 1).map_or(lines.len(), |next| next.line);
    let blocks = starts.iter().enumerate().map(|(number, (name, line, indent))| {
        let mut end = starts.get(number + 1).map_or(end, |next| next.1);
        // Comments before the next server or key belong to it.
        while end > line + 1 {
            let last = lines[end - 1];
            let is_outside = last.len() - last.trim_start().len() <= *indent;
            let text = last.trim();
            if text.is_empty() || (is_outside && (text.starts_with('#') || text == "..." || text == "---")) {
                end -= 1;
            } else {
                break;
            }
        }
        Block { name: name.clone(), lines: *line..end, indent: *indent }
    });
    Ok(Some(List { line: member.line, blocks: blocks.collect(), is_array }))
}

impl Node {
    fn into_value(self) -> Value {
        match self {
            Self::Scalar(value) => value,
            Self::Map(members) => {
                let members = members.into_iter().map(|member| (member.name, member.node.into_value()));
                Value::Object(members.collect::<Map<_, _>>())
            }
            Self::List(members) => {
                Value::Array(members.into_iter().map(|member| member.node.into_value()).collect())
            }
        }
    }
}

/// A reader of one document.
struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
}

fn parse(text: &str) -> Result<Node, EditError> {
    let mut reader = Reader { parser: Parser::new_from_str(text) };
    loop {
        match reader.next()? {
            (Event::StreamStart | Event::DocumentStart(_) | Event::Nothing, _) => {}
            (Event::StreamEnd, _) => return Ok(Node::Scalar(Value::Null)),
            (event, span) => {
                let node = reader.node(event, span, 0)?;
                loop {
                    match reader.next()? {
                        (Event::StreamEnd, _) => return Ok(node),
                        (Event::DocumentStart(_), span) => {
                            let reason = "expected one document: it has a second one";
                            return Err(EditError::syntax(span.start.line(), reason));
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), EditError> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(EditError::syntax(error.marker().line(), error.info())),
            None => Err(EditError::form("the text ends too early")),
        }
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, EditError> {
        let line = span.start.line();
        if depth > MAX_DEPTH {
            return Err(EditError::syntax(line, format!("expected at most {MAX_DEPTH} levels")));
        }
        match event {
            Event::Scalar(text, style, _, _) => {
                let is_plain = matches!(style, ScalarStyle::Plain);
                Ok(Node::Scalar(if is_plain { plain(&text) } else { Value::String(text.into_owned()) }))
            }
            Event::MappingStart(..) => {
                let mut members: Vec<Member> = Vec::new();
                loop {
                    let (key, span) = self.next()?;
                    let name = match key {
                        Event::MappingEnd => return Ok(Node::Map(members)),
                        Event::Scalar(name, ..) => name.into_owned(),
                        _ => return Err(EditError::syntax(span.start.line(), "expected a text as the key")),
                    };
                    if members.iter().any(|member| member.name == name) {
                        let reason = format!("{name:?} is there twice: remove one of them");
                        return Err(EditError::syntax(span.start.line(), reason));
                    }
                    let (event, value_span) = self.next()?;
                    let node = self.node(event, value_span, depth + 1)?;
                    members.push(Member {
                        name,
                        line: span.start.line() - 1,
                        column: span.start.col(),
                        node,
                    });
                }
            }
            Event::SequenceStart(..) => {
                let mut members = Vec::new();
                loop {
                    let (event, span) = self.next()?;
                    if matches!(event, Event::SequenceEnd) {
                        return Ok(Node::List(members));
                    }
                    let node = self.node(event, span, depth + 1)?;
                    members.push(Member {
                        name: String::new(),
                        line: span.start.line() - 1,
                        column: span.start.col(),
                        node,
                    });
                }
            }
            Event::Alias(_) => {
                Err(EditError::syntax(line, "an alias is not read here: write the value itself"))
            }
            _ => Err(EditError::syntax(line, "expected a value")),
        }
    }
}

/// Returns the value of a text without quotes.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        text => {
            let is_number = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
            let integer = text.parse::<i64>().ok().map(Value::from);
            let number =
                integer.or_else(|| Some(Value::from(text.parse::<f64>().ok().filter(|n| n.is_finite())?)));
            number.filter(|_| is_number).unwrap_or_else(|| Value::from(text))
        }
    }
}
