//! Arguments with kept data.

use super::{References, content::ContentForm, data::KeptData, name::short_name};
use mgp_transport::long_text::PlacedText;
use mgp_types::{
    call_options::PlacedReference,
    context::Principal,
    error::ErrorCode,
    json::{RawJson, RawObject},
    reference::Checksum,
    rpc::ErrorObject,
};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The maximum size of kept data in the arguments of one call, in bytes.
pub(super) const MAX_SUBSTITUTED: u64 = 15 * 1024 * 1024;

/// The maximum size of data that is inserted through memory although it could bypass it, in bytes.
const IN_MEMORY: u64 = 1024 * 1024;

/// The maximum size of data that a person is shown in full, in bytes of JSON. For longer data, its origin, length and hash are shown.
const SHOWN_WHOLE: usize = 2048;

/// Arguments with kept data.
#[derive(Debug)]
pub(super) struct Arguments {
    /// The arguments for the server.
    pub(super) sent: RawJson,
    /// The arguments shown to people.
    pub(super) shown: RawJson,
    /// The references and their data, for the audit trail.
    pub(super) notes: RawJson,
    /// The long strings with placeholders in the arguments for the server.
    pub(super) texts: Vec<PlacedText>,
}

/// Data to be inserted into arguments.
struct Part {
    placed: PlacedReference,
    kept: Arc<KeptData>,
}

impl References {
    /// Inserts kept data of a principal into arguments. Long strings are left in their spools if `sends_long` allows
    /// it.
    ///
    /// # Errors
    /// Those of [`find`](Self::find); 4004 for a reference without such a part; 4000 for a location that does not exist, and for data that is
    /// too long.
    pub(super) async fn substitute(
        &self,
        owner: &Principal,
        arguments: RawJson,
        refs: Vec<PlacedReference>,
        sends_long: Result<(), &'static str>,
    ) -> Result<Arguments, ErrorObject> {
        let mut parts = Vec::with_capacity(refs.len());
        for placed in refs {
            let kept = self.find(owner, &placed.id).await?;
            parts.push(Part { placed, kept });
        }
        let bytes: u64 = parts.iter().map(|part| part.bytes_in_memory(sends_long.is_ok())).sum();
        if bytes > MAX_SUBSTITUTED {
            let reason = sends_long.err().unwrap_or("only a whole text, or a string in JSON, may be longer");
            return Err(invalid(format!(
                "invalid refs: the data has {bytes} bytes, expected at most {MAX_SUBSTITUTED} in one call: {reason}"
            )));
        }
        let composed =
            tokio::task::spawn_blocking(move || compose(arguments, &parts, sends_long.is_ok())).await;
        composed.map_err(|error| ErrorObject::internal(error.to_string()))?
    }
}

/// Returns the part of a text that an error shows.
fn abridged(text: &str) -> String {
    text.chars().take(64).collect()
}

fn invalid(message: String) -> ErrorObject {
    ErrorCode::InvalidToolArgs.error(message)
}

fn compose(arguments: RawJson, parts: &[Part], sends_long: bool) -> Result<Arguments, ErrorObject> {
    let (mut sent, mut shown, mut notes) = (arguments.clone(), arguments, Vec::with_capacity(parts.len()));
    let mut texts = Vec::new();
    for part in parts {
        let (value, long) = part.value(sends_long)?;
        let at = &part.placed;
        let misplaced = |problem: String| invalid(format!("invalid refs[{:?}]: {problem}", abridged(&at.at)));
        let facts = part.facts(&value, &long)?;
        let short = if long.is_empty() && value.as_bytes().len() <= SHOWN_WHOLE {
            value.clone()
        } else {
            RawObject::from_iter([("reference", facts.to_json())]).to_json()
        };
        sent = at.place.put(&sent, value).map_err(misplaced)?;
        shown = at.place.put(&shown, short).map_err(misplaced)?;
        let mut note = RawObject::from_iter([
            ("at", RawJson::string(&at.at)),
            ("ref_id", RawJson::string(&short_name(&at.id))),
        ]);
        for (key, value) in facts.iter() {
            note.insert_named(key, value.clone());
        }
        notes.push(note);
        texts.extend(long);
    }
    if !sent.is_object() {
        let found = sent.kind();
        return Err(invalid(format!("invalid refs: the arguments become {found}, expected an object")));
    }
    let notes = RawJson::from_value(&notes).unwrap_or_else(|_| RawJson::null());
    Ok(Arguments { sent, shown, notes, texts })
}

impl Part {
    /// Returns whether the data bypasses memory, as a whole text.
    fn is_long_text(&self, sends_long: bool) -> bool {
        sends_long
            && self.kept.form == ContentForm::Text
            && self.placed.part.is_whole()
            && self.kept.spool.length() > IN_MEMORY
    }

    /// Returns the size of the data that is loaded into memory, in bytes.
    fn bytes_in_memory(&self, sends_long: bool) -> u64 {
        match &self.kept.outline {
            _ if self.is_long_text(sends_long) => 0,
            Some(outline) if sends_long => outline.json.as_bytes().len() as u64,
            _ => self.kept.spool.length(),
        }
    }

    /// Returns the data in the form for arguments, and its long strings that stay in their spools.
    fn value(&self, sends_long: bool) -> Result<(RawJson, Vec<PlacedText>), ErrorObject> {
        let is_whole = self.placed.part.is_whole();
        if self.is_long_text(sends_long) {
            let (placeholder, text) = (self.kept.placeholder.clone(), self.kept.spool.clone());
            return Ok((RawJson::string(&placeholder), vec![PlacedText { placeholder, text }]));
        }
        if let Some(outline) = self.kept.outline.as_ref().filter(|_| sends_long) {
            let value = self.placed.part.get(&outline.json).ok_or_else(|| self.no_part())?;
            let stands_in = |placed: &&PlacedText| value.as_str().contains(&*placed.placeholder);
            let texts = outline.texts.iter().filter(stands_in).cloned().collect();
            return Ok((value, texts));
        }
        let text = self.kept.text()?;
        if self.kept.form == ContentForm::Text && is_whole {
            return Ok((RawJson::string(&text), Vec::new()));
        }
        // Many servers return their JSON as a text.
        let value = RawJson::parse(text).ok();
        let part = value.and_then(|value| if is_whole { Some(value) } else { self.placed.part.get(&value) });
        part.map(|part| (part, Vec::new())).ok_or_else(|| self.no_part())
    }

    fn no_part(&self) -> ErrorObject {
        let (id, mime_type) = (short_name(&self.placed.id), &self.kept.reference.mime_type);
        ErrorCode::ResourceNotFound.error(format!(
            "reference {id:?} has no such part: expected a JSON pointer to a value in its data, which is {mime_type}"
        ))
    }

    /// Returns the facts that a person is shown instead of the data.
    fn facts(&self, value: &RawJson, texts: &[PlacedText]) -> Result<RawObject, ErrorObject> {
        let reference = &self.kept.reference;
        let is_whole = self.placed.part.is_whole();
        let (bytes, hash) = if is_whole {
            (self.kept.spool.length(), *self.kept.spool.sha256())
        } else {
            let (mut bytes, mut hash) = (0, Sha256::new());
            let hashed = super::spool_text::compose(value.as_str(), texts, true, &mut |part| {
                bytes += part.len() as u64;
                hash.update(part);
                Ok(())
            });
            hashed.map_err(|error| broken(&error))?;
            (bytes, hash.finalize().into())
        };
        Ok(RawObject::from_iter([
            ("origin_server", RawJson::string(&reference.origin_server)),
            ("mime_type", RawJson::string(&reference.mime_type)),
            ("size_bytes", RawJson::from_value(&bytes).unwrap_or_else(|_| RawJson::null())),
            ("sha256", RawJson::string(&Checksum::sha256(&hash).value)),
        ]))
    }
}

fn broken(error: &dyn std::fmt::Display) -> ErrorObject {
    ErrorObject::internal(format!("a kept result cannot be read: {error}"))
}

impl KeptData {
    /// Reads the whole data.
    fn text(&self) -> Result<String, ErrorObject> {
        let length = usize::try_from(self.spool.length()).map_err(|error| broken(&error))?;
        let bytes = self.spool.read(0, length).map_err(|error| broken(&error))?;
        String::from_utf8(bytes).map_err(|error| broken(&error))
    }
}
