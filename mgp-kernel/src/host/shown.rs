//! Shows the arguments of a call so that a person can judge them.

use mgp_types::json::{RawJson, RawObject};

/// The maximum length of text on one screen, in characters.
const SCREEN: usize = 4000;
/// The maximum length of one string if not everything fits on a screen, in characters; [`COMMAND`] is the limit for a command.
const STRING: usize = 300;
const COMMAND: usize = 2000;
/// The longest run of one character that is written out; a longer run is replaced with a count.
const RUN: usize = 16;

/// The names of members that contain a command or a program.
const COMMANDS: &[&str] = &[
    "bash",
    "cell",
    "cmd",
    "code",
    "command",
    "commandline",
    "commands",
    "exec",
    "expression",
    "input",
    "line",
    "program",
    "python",
    "query",
    "script",
    "shell",
    "source",
    "sql",
    "statement",
];

/// Arguments in the form shown on a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentsText {
    /// The text.
    pub text: String,
    /// True if nothing is left out. Arguments that are not shown in full cannot be approved.
    pub whole: bool,
}

/// Formats arguments for one screen. If not everything fits, commands and short members come first, a long value is cut to its
/// head and tail, and the text states the omissions. Nothing can be pushed out of sight by blanks or by a long text. Characters
/// that a screen would not show as themselves and in their place are escaped.
#[must_use]
pub fn arguments_on_screen(arguments: &RawJson) -> ArgumentsText {
    let whole = Writer { compressed: true, limits: None }.value(arguments, false);
    if whole.text.chars().count() <= SCREEN {
        return whole;
    }
    let writer = Writer { compressed: true, limits: Some((STRING, COMMAND)) };
    let Ok(object) = object(arguments) else {
        let value = writer.value(arguments, false);
        let shown = cut(&value.text, SCREEN);
        return ArgumentsText { whole: value.whole && shown.whole, ..shown };
    };
    let (mut members, mut text, mut all) = (writer.members(&object), String::from("{"), true);
    members.sort_by_key(|(command, member)| (!command, member.text.chars().count()));
    let (mut room, count) = (SCREEN, members.len());
    for (i, (_, member)) in members.into_iter().enumerate() {
        let length = member.text.chars().count();
        if i > 0 {
            text.push(',');
        }
        if length > room {
            let left = count - i;
            text.push_str(&cut(&member.text, room.max(STRING)).text);
            if left > 1 {
                text.push_str(&format!(" … and {} more members", left - 1));
            }
            return ArgumentsText { text, whole: false };
        }
        room -= length;
        all &= member.whole;
        text.push_str(&member.text);
    }
    text.push('}');
    ArgumentsText { text, whole: all }
}

/// Formats arguments in full, one member per line, in their own order.
#[must_use]
pub fn arguments_in_full(arguments: &RawJson) -> String {
    let writer = Writer { compressed: false, limits: None };
    match object(arguments) {
        Ok(object) if !object.is_empty() => {
            let members: Vec<_> =
                writer.members(&object).into_iter().map(|(_, member)| member.text).collect();
            format!("{{\n  {}\n}}", members.join(",\n  "))
        }
        _ => writer.value(arguments, false).text,
    }
}

/// Parses arguments as an object without duplicate keys.
fn object(arguments: &RawJson) -> Result<RawObject, mgp_types::json::JsonError> {
    RawObject::from_json(arguments)
}

/// Writes JSON for a person.
#[derive(Clone, Copy)]
struct Writer {
    /// True if long runs of one character are replaced with a count.
    compressed: bool,
    /// The maximum length of strings, and of strings that contain a command, in characters; `None` for no limit.
    limits: Option<(usize, usize)>,
}

impl Writer {
    fn value(self, json: &RawJson, command: bool) -> ArgumentsText {
        match json.as_bytes().first() {
            Some(b'{') => match RawObject::from_json(json) {
                Ok(object) => {
                    let members = self.members(&object).into_iter().map(|(_, member)| member);
                    joined(members.collect(), '{', '}')
                }
                // The object has a duplicate key: both members are shown.
                Err(_) => self.characters(json.as_str(), "", command),
            },
            Some(b'[') => match json.decode::<Vec<RawJson>>() {
                Ok(items) => joined(items.iter().map(|item| self.value(item, command)).collect(), '[', ']'),
                Err(_) => self.characters(json.as_str(), "", command),
            },
            Some(b'"') => match json.to_text() {
                Some(text) => self.characters(&text, "\"", command),
                None => self.characters(json.as_str(), "", command),
            },
            _ => self.characters(json.as_str(), "", command),
        }
    }

    /// Writes members, each with whether it contains a command.
    fn members(self, object: &RawObject) -> Vec<(bool, ArgumentsText)> {
        let member = |(key, value): (&str, &RawJson)| {
            let name: String =
                key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
            let (key, command) = (self.characters(key, "\"", false), COMMANDS.contains(&&*name));
            let value = self.value(value, command);
            let text = format!("{}:{}", key.text, value.text);
            (command, ArgumentsText { text, whole: key.whole && value.whole })
        };
        object.iter().map(member).collect()
    }

    /// Writes a text between two quotes, or bare.
    fn characters(self, text: &str, quote: &str, command: bool) -> ArgumentsText {
        let limit = self.limits.map(|(string, of_command)| if command { of_command } else { string });
        let shown = match limit {
            None => ArgumentsText { text: self.units(text).map(|(unit, _)| unit).collect(), whole: true },
            Some(limit) => self.ends(text, limit),
        };
        ArgumentsText { text: format!("{quote}{}{quote}", shown.text), whole: shown.whole }
    }

    /// Writes the head and the tail of a text that exceeds the limit.
    fn ends(self, text: &str, limit: usize) -> ArgumentsText {
        let units: Vec<_> = self.units(text).collect();
        let length = |unit: &(String, usize)| unit.0.chars().count();
        if units.iter().map(length).sum::<usize>() <= limit {
            return ArgumentsText { text: units.into_iter().map(|(unit, _)| unit).collect(), whole: true };
        }
        let fitting = |units: &mut dyn Iterator<Item = &(String, usize)>, limit: usize| {
            let mut room = limit;
            units
                .take_while(|unit| {
                    let fits = length(unit) <= room;
                    room = room.saturating_sub(length(unit));
                    fits
                })
                .count()
        };
        let tail = fitting(&mut units.iter().rev(), limit / 2);
        let head = fitting(&mut units[..units.len() - tail].iter(), limit - limit / 2);
        let text = |part: &[(String, usize)]| part.iter().map(|(unit, _)| unit.as_str()).collect::<String>();
        let hidden: usize = units[head..units.len() - tail].iter().map(|(_, count)| count).sum();
        let (head, tail) = (text(&units[..head]), text(&units[units.len() - tail..]));
        ArgumentsText { text: format!("{head}… {hidden} more characters …{tail}"), whole: hidden == 0 }
    }

    /// Returns the characters of a text as written, each with the number of characters that it stands for.
    fn units(self, text: &str) -> impl Iterator<Item = (String, usize)> {
        let mut rest = text.chars().peekable();
        std::iter::from_fn(move || {
            let c = rest.next()?;
            let mut unit = String::new();
            push(&mut unit, c);
            if !self.compressed {
                return Some((unit, 1));
            }
            let mut count = 1;
            while rest.next_if_eq(&c).is_some() {
                count += 1;
            }
            // A bare `…` always marks an omission, so one in the text is escaped.
            let unit = if count > RUN { format!("{unit}…({count} times)") } else { unit.repeat(count) };
            Some((unit, count))
        })
    }
}

fn joined(parts: Vec<ArgumentsText>, open: char, close: char) -> ArgumentsText {
    let whole = parts.iter().all(|part| part.whole);
    let text: Vec<_> = parts.into_iter().map(|part| part.text).collect();
    ArgumentsText { text: format!("{open}{}{close}", text.join(",")), whole }
}

/// Cuts an already written text to its head and tail.
fn cut(text: &str, limit: usize) -> ArgumentsText {
    let length = text.chars().count();
    if length <= limit {
        return ArgumentsText { text: text.to_owned(), whole: true };
    }
    let (head, tail) = (limit - limit / 2, limit / 2);
    let part = |skip: usize, take: usize| text.chars().skip(skip).take(take).collect::<String>();
    let (first, last) = (part(0, head), part(length - tail, tail));
    ArgumentsText {
        text: format!("{first}… {} more characters …{last}", length - head - tail), whole: false
    }
}

/// Adds a character, with an escape where a screen would not show it as itself.
fn push(text: &mut String, c: char) {
    match c {
        '"' | '\\' => text.extend(['\\', c]),
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        _ if c.is_ascii_graphic() || c == ' ' => text.push(c),
        _ if c.is_alphanumeric() && !is_blank(c) && !runs_leftwards(c) => text.push(c),
        _ => text.extend(c.escape_unicode()),
    }
}

/// Returns whether a letter is invisible.
fn is_blank(c: char) -> bool {
    matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
}

/// Returns whether a letter belongs to a script that is written from right to left. Among other letters, it would change the
/// visible order of the text.
fn runs_leftwards(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> ArgumentsText {
        arguments_on_screen(&RawJson::parse(text.to_owned()).unwrap())
    }

    fn all(text: &str) -> String {
        let shown = show(text);
        assert!(shown.whole, "{}", shown.text);
        shown.text
    }

    #[test]
    fn the_decisive_part_of_a_long_command_is_shown() {
        let padded = format!(r#"{{"command":"echo {}; rm -rf /"}}"#, "x".repeat(400));
        assert_eq!(all(&padded), r#"{"command":"echo x…(400 times); rm -rf /"}"#);
        let words = "a1 ".repeat(200);
        assert!(all(&format!(r#"{{"command":"echo {words}; rm -rf /"}}"#)).ends_with(r#"; rm -rf /"}"#));
        let many: Vec<_> = (0..2000).map(|i| format!("\"option{i}\":\"on\"")).collect();
        let crowd = show(&format!("{{{},\"cmd\":\"rm -rf /\"}}", many.join(",")));
        assert!(!crowd.whole && crowd.text.contains("more members"), "{}", crowd.text);
        assert!(crowd.text.contains(r#""cmd":"rm -rf /""#), "{}", crowd.text);
    }

    #[test]
    fn a_text_that_does_not_fit_shows_its_head_and_tail() {
        let long: String = (0..3000).map(|i| format!("{i},")).collect();
        let shown = show(&format!(r#"{{"content":"{long}","path":"/x"}}"#));
        assert!(!shown.whole);
        assert!(shown.text.starts_with(r#"{"path":"/x","content":"0,1,2,"#), "{}", shown.text);
        assert!(shown.text.ends_with(r#",2998,2999,"}"#), "{}", shown.text);
        assert!(shown.text.contains("more characters …"), "{}", shown.text);
        assert!(shown.text.chars().count() < 400, "{}", shown.text);
        let command = show(&format!(r#"{{"command":"{long}","content":"{long}"}}"#));
        assert!(command.text.chars().count() > COMMAND, "more of a command is shown");
        let list = show(&format!(r#"["{long}"]"#));
        assert!(!list.whole && list.text.ends_with(r#",2998,2999,"]"#), "{}", list.text);
        let items: Vec<_> = (0..2000).map(|i| format!("\"item {i}\"")).collect();
        let items = show(&format!("[{}]", items.join(",")));
        assert!(!items.whole && items.text.ends_with(r#","item 1999"]"#), "{}", items.text);
        let key = show(&format!(r#"{{"{long}":1}}"#));
        assert!(!key.whole && key.text.ends_with(r#",2998,2999,":1}"#), "{}", key.text);
        let deep = show(&format!(r#"{{"a":{{"b":[{{"c":"{long}"}}]}}}}"#));
        assert!(!deep.whole && deep.text.ends_with(r#",2998,2999,"}]}}"#), "{}", deep.text);
        let twice = show(&format!(r#"{{"a":"{long}","a":1}}"#));
        assert!(!twice.whole && twice.text.chars().count() <= SCREEN + 50, "{}", twice.text);
    }

    #[test]
    fn no_text_is_pushed_out_of_sight_or_disguised() {
        let hidden = format!(r#"{{"path":"ok",{}"command":"rm -rf ~"}}"#, " \n".repeat(2000));
        assert_eq!(all(&hidden), r#"{"path":"ok","command":"rm -rf ~"}"#);
        assert_eq!(all("{\"a\":\"x\u{202e}y \\\" z\"}"), "{\"a\":\"x\\u{202e}y \\\" z\"}");
        assert_eq!(all("{\"a\":\"\u{3164}\u{5d0}é文\"}"), "{\"a\":\"\\u{3164}\\u{5d0}é文\"}");
        assert_eq!(all(r#"{"a":"\u0072m\n…"}"#), r#"{"a":"rm\n\u{2026}"}"#);
        let blanks = format!(r#"{{"path":"ok{}","command":"rm -rf ~"}}"#, " ".repeat(1950));
        assert_eq!(all(&blanks), r#"{"path":"ok …(1950 times)","command":"rm -rf ~"}"#);
        assert_eq!(all(r#"{"a":"b\\","c":"\"d"}"#), r#"{"a":"b\\","c":"\"d"}"#);
        assert_eq!(all(r#"{"a":1,"a":"2"}"#), r#"{\"a\":1,\"a\":\"2\"}"#);
        assert_eq!(all("{}"), "{}");
    }

    #[test]
    fn a_text_is_shown_whole_on_request() {
        let long = "x".repeat(10_000);
        let arguments = RawJson::parse(format!("{{\"b\":\"{long}\u{202e}\",\"a\":[1, 2]}}")).unwrap();
        let expected = format!("{{\n  \"b\":\"{long}\\u{{202e}}\",\n  \"a\":[1,2]\n}}");
        assert_eq!(arguments_in_full(&arguments), expected);
        assert_eq!(arguments_in_full(&RawJson::empty_object()), "{}");
    }
}
