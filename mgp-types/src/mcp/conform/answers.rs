//! Mends servers' answers that do not have the shapes of MCP.

use super::{
    answer_shapes::{CONTENTS, Kind, ROLE, block},
    definitions::conform,
    mend::{Conformity, Mend, Mends, Remedy, note, note_surrogates},
    scan,
    shape::{Member, Shape, ShapeCheck},
};
use crate::{
    json::{RawJson, RawObject, slices},
    mcp::{ContentBlock, ProtocolVersion},
};

/// The name and the version of a server that states none.
const UNKNOWN: &str = "unknown";

/// The largest block of content that is shown as text because the host could not read it, in bytes.
const MOST_TOLD: usize = 16 * 1024;

/// The most values of one answer that are shown as text or become messages of their own. An answer with more is refused.
const MOST_REPLACED: usize = 1000;

/// Compares a server's answer to a method with MCP's schema of the host's revision. In answers to methods other than `tools/call`,
/// `tasks/result`, `resources/read`, `prompts/get`, `completion/complete`, `initialize` and `server/discover`, only unpaired surrogates are
/// replaced.
///
/// A valid answer is not parsed: its text is read once, and strings are skipped. No content is dropped silently: a block that the host could
/// not read becomes a text with the block's JSON.
///
/// ```
/// use mgp_types::{json::RawJson, mcp::{ProtocolVersion, conform::{Conformity, conform_answer}}};
///
/// let odd = RawJson::parse(r#"{"content":"sunny","isError":null}"#)?;
/// let Conformity::Mended(answer, mends) = conform_answer("tools/call", ProtocolVersion::V2025_11_25, &odd) else { panic!() };
/// assert_eq!(answer.as_str(), r#"{"content":[{"type":"text","text":"sunny"}]}"#);
/// assert_eq!(mends.0.len(), 3);
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
#[must_use]
pub fn conform_answer(method: &str, version: ProtocolVersion, answer: &RawJson) -> Conformity {
    let whole = answer.without_lone_surrogates();
    let mut mends = Vec::new();
    if whole.is_some() {
        note_surrogates(&mut mends);
    }
    let Some(kind) = Kind::of(method) else {
        return whole.map_or(Conformity::Valid, |whole| Conformity::Mended(whole, Mends(mends)));
    };
    let members = kind.members(version);
    if whole.is_none() && scan::is_valid(members, answer) {
        return Conformity::Valid;
    }
    let answer = whole.as_ref().unwrap_or(answer);
    let Ok(mut object) = RawObject::from_json(answer) else {
        return conform(members, answer, mends);
    };
    let is_readable = match kind {
        Kind::Initialize => {
            check_info(&mut object, &mut mends);
            Some(())
        }
        Kind::Discover => Some(()),
        Kind::Call => {
            check_flag(&mut object, &mut mends);
            check_content(&mut object, block(version), &mut mends)
        }
        Kind::Read => check_contents(&mut object, &mut mends),
        Kind::Prompt => check_messages(&mut object, block(version), &mut mends),
        Kind::Completion => check_values(&mut object, &mut mends),
    };
    match is_readable {
        Some(()) => conform(members, &object.to_json(), mends),
        None => Conformity::Invalid(refusal(members, &object)),
    }
}

/// Returns the reason an answer is refused: none of its required members can be read.
fn refusal(members: &[Member], answer: &RawObject) -> Mend {
    let name = members.iter().find(|member| member.is_required).map_or("", |member| member.name);
    Mend {
        pointer: format!("/{name}"),
        found: answer.get(name).map_or("nothing", RawJson::kind),
        expected: "values in a form that MCP has",
        remedy: Remedy::Withheld,
    }
}

fn replaced(mends: &mut Vec<Mend>, pointer: String, found: &'static str, expected: &'static str) {
    note(mends, Mend { pointer, found, expected, remedy: Remedy::Replaced });
}

/// Adds placeholders for a missing name, version or capabilities of a server.
fn check_info(object: &mut RawObject, mends: &mut Vec<Mend>) {
    if object.get("capabilities").is_none_or(RawJson::is_null) {
        replaced(mends, "/capabilities".to_owned(), "nothing", Shape::AnyObject.expected());
        object.insert("capabilities", RawJson::empty_object());
    }
    let mut info = object.object("serverInfo").unwrap_or_default();
    for name in ["name", "version"] {
        let text = match info.get(name) {
            Some(found) if found.to_text().is_some() => continue,
            Some(found) if found.kind() == "a number" => RawJson::string(found.as_str()),
            _ => RawJson::string(UNKNOWN),
        };
        let kind = info.get(name).map_or("nothing", RawJson::kind);
        replaced(mends, format!("/serverInfo/{name}"), kind, Shape::Text.expected());
        info.insert(name, text);
    }
    object.insert("serverInfo", info.to_json());
}

/// Reads an `isError` that states true or false in another form.
fn check_flag(object: &mut RawObject, mends: &mut Vec<Mend>) {
    let Some(found) = object.get("isError").filter(|found| !matches!(found.as_bytes(), b"true" | b"false"))
    else {
        return;
    };
    let is_error = match found.as_bytes() {
        b"1" => true,
        b"0" => false,
        _ => match found.to_text().map(|text| text.to_ascii_lowercase()).as_deref() {
            Some("true") => true,
            Some("false") => false,
            _ => return,
        },
    };
    replaced(mends, "/isError".to_owned(), found.kind(), Shape::Flag.expected());
    object.insert("isError", is_error.into());
}

/// Converts the content of a call's result to a list of blocks. Returns `None` if there are too many values to show as text.
fn check_content(object: &mut RawObject, block: Shape, mends: &mut Vec<Mend>) -> Option<()> {
    let found = object.get("content").filter(|found| !found.is_null());
    let Some(found) = found.cloned() else {
        let kind = object.get("content").map_or("nothing", RawJson::kind);
        replaced(mends, "/content".to_owned(), kind, "an array");
        // Hosts that read only the content get the same data.
        let data = object.get("structuredContent").filter(|data| !data.is_null());
        let blocks: Vec<_> = data.map(|data| text_block(data.as_str())).into_iter().collect();
        object.insert("content", RawJson::array(&blocks));
        return Some(());
    };
    if let Some(blocks) = blocks(&found, block, "/content", mends).ok()? {
        object.insert("content", RawJson::array(&blocks));
    }
    Some(())
}

/// There are too many values to show as text.
struct TooMany;

/// Converts content that is not a list of blocks.
fn blocks(
    found: &RawJson,
    block: Shape,
    pointer: &str,
    mends: &mut Vec<Mend>,
) -> Result<Option<Vec<RawJson>>, TooMany> {
    let (items, is_list) = match slices::items(found.bytes()) {
        Some(items) => (items, true),
        None => (vec![found.clone()], false),
    };
    if !is_list {
        replaced(mends, pointer.to_owned(), found.kind(), "an array");
    }
    let (mut blocks, mut told) = (Vec::with_capacity(items.len()), 0);
    for (index, item) in items.into_iter().enumerate() {
        let place = if is_list { format!("{pointer}/{index}") } else { pointer.to_owned() };
        match block.check(&item, &place, &mut Vec::new()) {
            ShapeCheck::Valid | ShapeCheck::Changed(_) => blocks.push(item),
            ShapeCheck::Invalid => {
                told += 1;
                if told > MOST_REPLACED {
                    return Err(TooMany);
                }
                replaced(mends, place, item.kind(), block.expected());
                blocks.push(told_as_text(&item));
            }
        }
    }
    Ok((told > 0 || !is_list).then_some(blocks))
}

/// Makes a block of text.
fn text_block(text: &str) -> RawJson {
    // A struct of strings always serializes.
    RawJson::from_value(&ContentBlock::text(text)).unwrap_or_else(|_| RawJson::empty_object())
}

/// Converts a value to a block of text: a string unchanged, a text block by its member `text`, anything else as JSON.
fn told_as_text(value: &RawJson) -> RawJson {
    if let Some(text) = value.to_text() {
        return text_block(&text);
    }
    let of_text = RawObject::from_json(value)
        .ok()
        .filter(|block| block.text("type").as_deref() == Some("text"))
        .map(|block| block.get("text").cloned().unwrap_or_else(RawJson::null));
    match of_text {
        Some(text) if text.is_null() => text_block(""),
        Some(text) => text_block(&text.to_text().unwrap_or_else(|| told(&text))),
        None => text_block(&told(value)),
    }
}

/// Returns the JSON of a value, or its size if it is long.
fn told(value: &RawJson) -> String {
    match value.as_bytes().len() {
        length if length > MOST_TOLD => {
            format!("[{length} bytes of content in a form that MCP does not have]")
        }
        _ => value.as_str().to_owned(),
    }
}

/// Converts the contents of a resource to a list whose texts are strings. Returns `None` if there are contents and none of them can be read.
fn check_contents(object: &mut RawObject, mends: &mut Vec<Mend>) -> Option<()> {
    let found = object.get("contents")?.clone();
    let items = match slices::items(found.bytes()) {
        Some(items) => items,
        None if found.is_object() => {
            replaced(mends, "/contents".to_owned(), found.kind(), "an array");
            vec![found]
        }
        None => return None,
    };
    let (mut is_any_readable, is_empty) = (false, items.is_empty());
    let mut contents = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        let item = with_text(&item, index, mends).unwrap_or(item);
        is_any_readable |= !matches!(CONTENTS.check(&item, "", &mut Vec::new()), ShapeCheck::Invalid);
        contents.push(item);
    }
    object.insert("contents", RawJson::array(&contents));
    (is_empty || is_any_readable).then_some(())
}

/// Replaces a `text` that is not a string with its JSON. Many servers send parsed JSON there.
fn with_text(contents: &RawJson, index: usize, mends: &mut Vec<Mend>) -> Option<RawJson> {
    let mut contents = RawObject::from_json(contents).ok()?;
    let text = contents.get("text").filter(|text| text.to_text().is_none() && !text.is_null())?.clone();
    replaced(mends, format!("/contents/{index}/text"), text.kind(), Shape::Text.expected());
    contents.insert("text", RawJson::string(text.as_str()));
    Some(contents.to_json())
}

/// Converts the messages of a prompt to a list, each with a role and one block of content.
fn check_messages(object: &mut RawObject, block: Shape, mends: &mut Vec<Mend>) -> Option<()> {
    let found = object.get("messages")?.clone();
    let items = match slices::items(found.bytes()) {
        Some(items) => items,
        None if found.is_object() || found.to_text().is_some() => {
            replaced(mends, "/messages".to_owned(), found.kind(), "an array");
            vec![found]
        }
        None => return None,
    };
    let (mut messages, mut changed) = (Vec::with_capacity(items.len()), 0);
    for (index, item) in items.into_iter().enumerate() {
        let place = format!("/messages/{index}");
        let mut message = RawObject::from_json(&item).unwrap_or_else(|_| {
            replaced(mends, place.clone(), item.kind(), "an object");
            [("content", told_as_text(&item))].into_iter().collect()
        });
        let role = message.get("role").cloned();
        if role
            .as_ref()
            .is_none_or(|role| matches!(ROLE.check(role, "", &mut Vec::new()), ShapeCheck::Invalid))
        {
            let kind = role.as_ref().map_or("nothing", RawJson::kind);
            replaced(mends, format!("{place}/role"), kind, ROLE.expected());
            message.insert("role", RawJson::string("user"));
            changed += 1;
        }
        let content = message.get("content").cloned().unwrap_or_else(RawJson::null);
        let place = format!("{place}/content");
        // Content is one block here. A list becomes one message of the same role for each block.
        if let Some(list) = slices::items(content.bytes()) {
            replaced(mends, place.clone(), content.kind(), "an object");
            changed += list.len();
            if changed > MOST_REPLACED {
                return None;
            }
            let role = message.get("role").cloned().unwrap_or_else(|| RawJson::string("user"));
            for one in blocks(&content, block, &place, mends).ok()?.unwrap_or(list) {
                message.insert("content", one);
                messages.push(message.to_json());
                // Only the first message keeps the other members, which can be as long as the answer.
                message = [("role", role.clone())].into_iter().collect();
            }
            continue;
        }
        if matches!(block.check(&content, "", &mut Vec::new()), ShapeCheck::Invalid) {
            replaced(mends, place, content.kind(), block.expected());
            let text = if content.is_null() { text_block("") } else { told_as_text(&content) };
            message.insert("content", text);
            changed += 1;
        }
        messages.push(message.to_json());
        if changed > MOST_REPLACED {
            return None;
        }
    }
    object.insert("messages", RawJson::array(&messages));
    Some(())
}

/// Converts the values of a completion to a list of strings.
fn check_values(object: &mut RawObject, mends: &mut Vec<Mend>) -> Option<()> {
    let mut completion = object.object("completion")?;
    let values = completion.get("values").filter(|values| !values.is_null());
    match values.map(|values| slices::items(values.bytes())) {
        None => {
            let kind = completion.get("values").map_or("nothing", RawJson::kind);
            replaced(mends, "/completion/values".to_owned(), kind, "an array");
            completion.insert("values", RawJson::array(&[]));
        }
        Some(Some(items)) => {
            let is_number = |item: &RawJson| item.kind() == "a number";
            if let Some(index) = items.iter().position(is_number) {
                replaced(mends, format!("/completion/values/{index}"), "a number", Shape::Text.expected());
                let texts = items
                    .iter()
                    .map(|item| if is_number(item) { RawJson::string(item.as_str()) } else { item.clone() });
                completion.insert("values", RawJson::array(&texts.collect::<Vec<_>>()));
            }
        }
        Some(None) => return None,
    }
    object.insert("completion", completion.to_json());
    Some(())
}
