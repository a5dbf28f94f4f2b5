//! The data of a result.

use super::{
    keep_error::KeepError,
    repetition::only_repeats,
    spool_text::{SpoolText, compose},
};
use mgp_store::spool::SpoolWriter;
use mgp_toolindex::tokens::TokenCounter;
use mgp_transport::long_text::{LongText, PlacedText};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::ContentBlock,
};
use std::{io, path::Path, sync::Arc};

/// Data to be kept.
#[derive(Debug, Clone)]
pub(super) struct Content {
    pub(super) form: ContentForm,
    pub(super) mime_type: String,
    data: Data,
    /// The long strings with placeholders in the data.
    texts: Vec<PlacedText>,
    /// True if the long strings of JSON may also be kept separately.
    is_outlined: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Data {
    Text(String),
    Json(RawJson),
}

/// The form in which data is inserted into arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentForm {
    /// As a string.
    Text,
    /// As the JSON value that it is.
    Json,
}

/// The maximum size of JSON that stays in memory without its long strings, in bytes.
const MAX_OUTLINE: usize = 256 * 1024;

/// The MIME types of data whose server names none.
const TEXT: &str = "text/plain";
const JSON: &str = "application/json";

impl Content {
    /// Returns the data of a tool's result: its structured content, else its texts as lines, else its content as it is. Returns `None`
    /// for a failure, and for anything other than a tool's result, such as a task or a question.
    pub(super) fn of(result: &RawObject) -> Option<Self> {
        if result.get("isError").is_some_and(|failed| failed.as_str() == "true") {
            return None;
        }
        if let Some(structured) = structured(result) {
            return Some(Self::json(structured.clone(), JSON));
        }
        let content = result.get("content")?;
        let blocks: Vec<ContentBlock> = content.decode().ok()?;
        let texts: Option<Vec<&str>> = blocks.iter().map(ContentBlock::as_text).collect();
        Some(match texts.filter(|texts| !texts.is_empty()) {
            Some(texts) => Self::text(texts.join("\n"), TEXT),
            None => Self::json(content.clone(), JSON),
        })
    }

    /// Returns all data of a tool's result, with its long strings. The result's content follows the structured content, unless it only
    /// repeats it. Returns `None` in the same cases as [`of`](Self::of).
    pub(super) fn all_of(result: &RawObject, texts: &[PlacedText]) -> Option<Self> {
        let data = Self::of(result)?;
        let all = match (result.get("content"), structured(result)) {
            (Some(content), Some(structured)) if !only_repeats(content, structured, texts) => {
                let members = [("content", content.clone()), ("structuredContent", structured.clone())];
                Self::json(RawObject::from_iter(members).to_json(), JSON)
            }
            _ => data,
        };
        Some(all.with_texts(texts))
    }

    pub(super) fn text(text: String, mime_type: impl Into<String>) -> Self {
        Self::new(ContentForm::Text, Data::Text(text), mime_type.into())
    }

    pub(super) fn json(json: RawJson, mime_type: impl Into<String>) -> Self {
        Self::new(ContentForm::Json, Data::Json(json), mime_type.into())
    }

    fn new(form: ContentForm, data: Data, mime_type: String) -> Self {
        Self { form, mime_type, data, texts: Vec::new(), is_outlined: true }
    }

    pub(super) fn as_str(&self) -> &str {
        match &self.data {
            Data::Text(text) => text,
            Data::Json(json) => json.as_str(),
        }
    }

    /// Sets the long strings of the result. Those without a placeholder in the data are left out.
    pub(super) fn with_texts(mut self, texts: &[PlacedText]) -> Self {
        let stands_in = |placed: &&PlacedText| self.as_str().contains(&*placed.placeholder);
        self.texts = texts.iter().filter(stands_in).cloned().collect();
        self
    }

    /// Returns whether strings of the data are not in memory.
    #[cfg(feature = "http")]
    pub(super) fn is_long(&self) -> bool {
        !self.texts.is_empty()
    }

    /// Returns the number of bytes of the data, before JSON escapes any of them.
    pub(super) fn length(&self) -> u64 {
        self.bytes().len() as u64 + self.length_of_texts()
    }

    fn length_of_texts(&self) -> u64 {
        self.texts.iter().map(|placed| placed.text.length()).sum()
    }

    /// Returns the number of bytes that are kept in addition to the whole data, for texts in JSON that are also kept
    /// separately.
    fn beside(&self) -> u64 {
        if self.has_outline() { self.length_of_texts() } else { 0 }
    }

    /// Returns the number of bytes for storing the data, without JSON escapes.
    pub(super) fn room(&self) -> u64 {
        self.length().saturating_add(self.beside())
    }

    /// Returns the number of files in addition to the whole data.
    pub(super) fn files_beside(&self) -> usize {
        if self.has_outline() { self.texts.len() } else { 0 }
    }

    /// Stores only the whole data, in one file.
    pub(super) fn keep_only_whole(&mut self) {
        self.is_outlined = false;
    }

    fn has_outline(&self) -> bool {
        self.is_outlined
            && self.form == ContentForm::Json
            && !self.texts.is_empty()
            && self.bytes().len() <= MAX_OUTLINE
    }

    /// Writes the data into a spool. `grow` is called with the number of needed bytes before they are written.
    ///
    /// # Errors
    /// The errors of `grow`, and [`KeepError::Write`].
    pub(super) fn keep(
        self,
        folder: Option<&Path>,
        grow: &mut dyn FnMut(u64) -> Result<(), KeepError>,
    ) -> Result<StoredContent, KeepError> {
        if let (Data::Text(text), [placed]) = (&self.data, &self.texts[..])
            && **text == *placed.placeholder
        {
            return Ok(StoredContent { whole: placed.text.clone(), outline: None });
        }
        let mut writer = SpoolWriter::create(folder)?;
        let (mut needed, mut refused) = (self.beside(), None);
        let composed = self.parts(&mut |part| {
            needed += part.len() as u64;
            grow(needed).map_err(|error| {
                refused = Some(error);
                io::Error::other("no room")
            })?;
            writer.write(part)
        });
        refused.map_or(Ok(()), Err)?;
        composed?;
        let whole = Arc::new(SpoolText::new(writer.finish()?));
        let has_outline = self.has_outline();
        let outline = match self.data {
            Data::Json(json) if has_outline => Some(KeptOutline::new(&json, self.texts)?),
            _ => None,
        };
        Ok(StoredContent { whole, outline })
    }

    /// Passes the data to a function in parts, with its long strings.
    fn parts(&self, write: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        compose(self.as_str(), &self.texts, self.form == ContentForm::Json, write)
    }

    /// Returns the start of the data, up to a number of bytes.
    pub(super) fn start(&self, most: usize) -> String {
        let mut start = Vec::new();
        // The function ends early with its own error.
        let _ = self.parts(&mut |part| {
            start.extend_from_slice(&part[..part.len().min(most - start.len())]);
            if start.len() < most { Ok(()) } else { Err(io::Error::other("enough")) }
        });
        let length = match std::str::from_utf8(&start) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        start.truncate(length);
        String::from_utf8(start).unwrap_or_default()
    }

    /// Returns whether the data exceeds a number of tokens.
    pub(super) fn has_more_tokens(&self, counter: &dyn TokenCounter, most: u64) -> bool {
        let mut tokens = 0;
        let counted = self.parts(&mut |part| {
            tokens += counter.count(&String::from_utf8_lossy(part));
            if tokens <= most { Ok(()) } else { Err(io::Error::other("enough")) }
        });
        counted.is_err()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.as_str().as_bytes()
    }
}

/// Data in spools.
pub(super) struct StoredContent {
    pub(super) whole: Arc<dyn LongText>,
    pub(super) outline: Option<KeptOutline>,
}

/// Short JSON whose long strings are also in separate spools, so that a part can be read without reading the whole.
#[derive(Debug)]
pub(super) struct KeptOutline {
    /// The JSON with a placeholder for each long string.
    pub(super) json: RawJson,
    pub(super) texts: Vec<PlacedText>,
}

impl KeptOutline {
    /// Assigns each long string an unguessable placeholder.
    fn new(json: &RawJson, texts: Vec<PlacedText>) -> io::Result<Self> {
        let mut outline = json.to_string();
        let mut renamed = Vec::with_capacity(texts.len());
        for PlacedText { placeholder, text } in texts {
            let fresh = fresh_placeholder();
            outline = outline.replace(&format!("\"{placeholder}\""), &format!("\"{fresh}\""));
            renamed.push(PlacedText { placeholder: fresh, text });
        }
        let json = RawJson::parse(outline).map_err(io::Error::other)?;
        Ok(Self { json, texts: renamed })
    }
}

fn structured(result: &RawObject) -> Option<&RawJson> {
    result.get("structuredContent").filter(|value| !value.is_null())
}

/// Returns an unguessable placeholder.
pub(super) fn fresh_placeholder() -> Arc<str> {
    format!("mgp-long-text-{}", uuid::Uuid::new_v4().simple()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(result: &str) -> Option<(ContentForm, String)> {
        let content = Content::of(&RawObject::parse(result.to_owned()).unwrap())?;
        Some((content.form, content.as_str().to_owned()))
    }

    #[test]
    fn texts_become_one_text_and_other_content_stays_json() {
        let text = |text: &str| Some((ContentForm::Text, text.to_owned()));
        let json = |text: &str| Some((ContentForm::Json, text.to_owned()));
        let a = r#"{"type":"text","text":"a\n"}"#;
        assert_eq!(of(&format!(r#"{{"content":[{a}]}}"#)), text("a\n"));
        assert_eq!(of(&format!(r#"{{"content":[{a},{a}]}}"#)), text("a\n\na\n"));
        assert_eq!(
            of(&format!(r#"{{"content":[{a}],"structuredContent":{{"n":1e400}}}}"#)),
            json(r#"{"n":1e400}"#)
        );
        let picture = r#"{"type":"image","data":"AA==","mimeType":"image/png"}"#;
        assert_eq!(of(&format!(r#"{{"content":[{a},{picture}]}}"#)), json(&format!("[{a},{picture}]")));
        assert_eq!(of(r#"{"content":[]}"#), json("[]"));
    }

    #[test]
    fn structured_content_is_kept_with_content_that_differs() {
        let all_of = |result: &str| {
            let content = Content::all_of(&RawObject::parse(result.to_owned()).unwrap(), &[])?;
            Some(content.as_str().to_owned())
        };
        let (value, text) = (r#"{"n":[1,"a"]}"#, r#"{"type":"text","text":"{ \"n\": [1, \"\\u0061\"] }"}"#);
        let other = r#"{"type":"text","text":"other"}"#;
        let picture = r#"{"type":"image","data":"AA==","mimeType":"image/png"}"#;
        for content in ["[]", &format!("[{text}]"), &format!("[{text},{text}]")] {
            let result = format!(r#"{{"content":{content},"structuredContent":{value}}}"#);
            assert_eq!(all_of(&result).as_deref(), Some(value), "{content}");
        }
        for content in [format!("[{other}]"), format!("[{text},{other}]"), format!("[{text},{picture}]")] {
            let result = format!(r#"{{"content":{content},"structuredContent":{value}}}"#);
            assert_eq!(all_of(&result), Some(result));
        }
        assert_eq!(all_of(&format!(r#"{{"structuredContent":{value}}}"#)).as_deref(), Some(value));
        assert_eq!(all_of(&format!(r#"{{"content":[{other}]}}"#)).as_deref(), Some("other"));
        assert_eq!(
            all_of(&format!(r#"{{"content":[{other}],"structuredContent":{value},"isError":true}}"#)),
            None
        );
    }

    #[test]
    fn failures_and_other_responses_without_results_are_not_kept() {
        assert_eq!(of(r#"{"content":[{"type":"text","text":"a"}],"isError":true}"#), None);
        assert_eq!(of(r#"{"task":{"taskId":"1"}}"#), None);
        assert_eq!(of(r#"{"resultType":"input_required","inputRequests":{}}"#), None);
    }

    #[test]
    fn json_is_kept_without_its_long_strings_if_the_rest_is_short() {
        for (rest, is_short) in [(1000, true), (300 * 1024, false)] {
            let mut writer = SpoolWriter::create(None).unwrap();
            writer.write("\n".repeat(500).as_bytes()).unwrap();
            let text = Arc::new(SpoolText::new(writer.finish().unwrap()));
            let texts = [PlacedText { placeholder: "placed".into(), text }];
            let json = format!(r#"{{"a":"placed","b":"{}"}}"#, "x".repeat(rest));
            let content = Content::json(RawJson::parse(json.clone()).unwrap(), JSON).with_texts(&texts);
            let mut needed = 0;
            let mut grow = |bytes| {
                needed = bytes;
                Ok(())
            };
            let start = content.start(10);
            let kept = content.keep(None, &mut grow).unwrap();
            // Each line break has two bytes in JSON.
            let whole = (json.len() - "placed".len() + 1000) as u64;
            assert_eq!((start.as_str(), kept.whole.length()), (r#"{"a":"\n\n"#, whole));
            assert_eq!((kept.outline.is_some(), needed), (is_short, whole + if is_short { 500 } else { 0 }));
        }
    }
}
