//! Holds that texts of servers, agents and hosts stay texts, wherever a page shows them.
//!
//! Each page that a test reads is made again with hostile texts as the strings of the commands' answers. It must have the same elements,
//! the same words of its own and harmless addresses.

use super::{console::FAILED, markup::Markup};
use http::StatusCode;
use maud::html;
use mgp_types::printable::{on_one_line, printable};
use serde_json::Value;
use std::{cmp::Reverse, sync::LazyLock};

/// The texts: scripts, elements, addresses, characters that are not seen, and sentences of the console.
static ATTACKS: LazyLock<Vec<String>> =
    LazyLock::new(|| serde_json::from_str(include_str!("attacks.json")).unwrap());
/// The text of a server that means no harm.
const HARMLESS: &str = "zqharmless";

/// The longest answer in which every text is replaced, in bytes. Tests of long lists have longer ones.
const LONGEST: usize = 20_000;

/// The members of answers that only the gateway writes: times, names of states and kinds, and new keys.
const OWN_MEMBERS: &[&str] = &[
    "access",
    "at",
    "effect",
    "event_type",
    "from",
    "key",
    "level",
    "mode",
    "of",
    "permission",
    "risk",
    "server_state",
    "since",
    "standing",
    "state",
    "status",
    "time",
    "timestamp",
    "until",
];

/// The answers of the commands, by the beginnings of their words.
pub(super) type Answers = Vec<(String, String)>;

/// Asserts that no text in the answers changes a page. `read` returns the page that is made of answers, with its status.
pub(super) async fn assert_texts_stay_texts(
    answers: &Answers,
    expected: StatusCode,
    read: impl AsyncFn(Answers) -> (StatusCode, String),
) {
    let parsed: Vec<_> =
        answers.iter().map(|(command, answer)| (command.as_str(), ParsedAnswer::of(answer))).collect();
    if answers.iter().any(|(_, answer)| answer.len() > LONGEST) {
        return;
    }
    let mut places: Vec<(usize, String)> = Vec::new();
    for (at, (_, answer)) in parsed.iter().enumerate() {
        let mut pointers = Vec::new();
        strings(&answer.json, String::new(), &mut pointers);
        places.extend(pointers.into_iter().map(|pointer| (at, pointer)));
    }
    let with = |places: &[(usize, String)], text: &str| -> Answers {
        let mut parsed = parsed.clone();
        for (at, pointer) in places {
            if let Some(place) = parsed[*at].1.json.pointer_mut(pointer) {
                *place = Value::from(text);
            }
        }
        parsed.into_iter().map(|(command, answer)| (command.to_owned(), answer.text())).collect()
    };
    let mut shown = Vec::new();
    for place in places {
        let (status, page) = read(with(std::slice::from_ref(&place), HARMLESS)).await;
        // Some strings are numbers, times or names that the page looks for.
        if status == expected && page.contains(HARMLESS) && !page.contains("cannot be read") {
            shown.push(place);
        }
    }
    let (_, plain) = read(with(&shown, HARMLESS)).await;
    if shown.is_empty() || !is_markup(&plain) {
        return;
    }
    let harmless = Markup::of(&plain);
    assert!(!harmless.own_words.contains(HARMLESS), "one of {shown:?} is not marked: {}", harmless.own_words);
    assert!(!harmless.instructions.iter().any(|one| one.contains(HARMLESS)), "{:?}", harmless.instructions);
    assert!(harmless.addresses.iter().all(|address| is_of_console(address)), "{:?}", harmless.addresses);
    for attack in ATTACKS.iter() {
        let (_, page) = read(with(&shown, attack)).await;
        assert!(is_markup(&page), "{attack:?} ends the page");
        // Most often nothing but the text differs.
        let others = escaped(attack).iter().fold(page.clone(), |page, text| page.replace(text, HARMLESS));
        if others == plain {
            continue;
        }
        let markup = Markup::of(&page);
        if (&markup.tags, &markup.instructions) != (&harmless.tags, &harmless.instructions) {
            // Words and lines may have elements of their own, whatever they say.
            let (_, page) = read(with(&shown, &likeness(attack))).await;
            let harmless = Markup::of(&page);
            let more: Vec<_> = markup.tags.iter().filter(|tag| !harmless.tags.contains(tag)).collect();
            assert_eq!(more, Vec::<&String>::new(), "{attack:?} adds kinds of elements");
            assert!(markup.tags.len() <= harmless.tags.len(), "{attack:?} adds elements");
            assert_eq!(markup.instructions, harmless.instructions, "{attack:?} changes what htmx does");
        }
        let strange = markup.addresses.iter().find(|address| !is_of_console(address));
        assert_eq!(strange, None, "{attack:?} is an address");
        let hidden = markup.shown.chars().find(|&one| is_hidden(one));
        let before = hidden.and_then(|one| markup.shown.split_once(one)).map(|(before, _)| before);
        assert_eq!(before, None, "{attack:?} is not escaped after this text");
    }
}

/// Returns the forms of a text in a page that are harmless wherever [`HARMLESS`] is: in texts, in JSON and in queries of addresses.
fn escaped(text: &str) -> Vec<String> {
    let json = Value::from(text).to_string();
    let shown =
        [text, &json[1..json.len() - 1]].map(|text| [printable(text).into_owned(), on_one_line(text)]);
    let texts = shown.iter().flatten().map(|text| html! { (text) }.into_string());
    let texts = texts.filter(|text| !text.contains(is_hidden));
    let mut forms: Vec<_> =
        texts.chain([form_urlencoded::byte_serialize(text.as_bytes()).collect()]).collect();
    // A longer form may contain a shorter one.
    forms.sort_by_key(|form| Reverse(form.len()));
    forms
}

/// Returns whether an answer is a page, or a part of one.
fn is_markup(answer: &str) -> bool {
    answer.starts_with(['<', '\n'])
}

/// Returns a harmless text that has the length, the spaces and the lines of another one.
fn likeness(text: &str) -> String {
    text.split_inclusive(char::is_whitespace)
        .flat_map(|word| {
            let (letters, space) = word.split_at(word.trim_end().len());
            ["q".repeat(letters.len()), space.to_owned()]
        })
        .collect()
}

/// An answer of a command.
#[derive(Clone)]
struct ParsedAnswer {
    json: Value,
    is_failure: bool,
}

impl ParsedAnswer {
    fn of(answer: &str) -> Self {
        let text = answer.strip_prefix(FAILED).unwrap_or(answer);
        Self { json: serde_json::from_str(text).unwrap_or_default(), is_failure: answer.starts_with(FAILED) }
    }

    fn text(self) -> String {
        let start = if self.is_failure { FAILED } else { "" };
        format!("{start}{}", self.json)
    }
}

/// Appends the pointers of all strings.
fn strings(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::String(_) => {
            let member = at.rsplit('/').find(|name| name.parse::<usize>().is_err()).unwrap_or_default();
            if !member.ends_with("_at") && !OWN_MEMBERS.contains(&member) {
                found.push(at);
            }
        }
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate().take(20) {
                strings(item, format!("{at}/{number}"), found);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                strings(member, format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        _ => {}
    }
}

/// Returns whether a browser shows nothing of a character, or turns what follows.
fn is_hidden(one: char) -> bool {
    let known = matches!(one, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}');
    known || one.is_control() && !matches!(one, '\n' | '\t')
}

/// Returns whether an address is one of the console, or of the project's documents.
fn is_of_console(address: &str) -> bool {
    let is_path = address.starts_with('/') && !address.starts_with("//");
    is_path
        || address.is_empty()
        || address.starts_with(['#', '?'])
        || address.starts_with(env!("CARGO_PKG_REPOSITORY"))
}
