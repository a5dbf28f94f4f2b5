//! The searched form of a JSON text.

use std::ops::Range;

/// Reads a valid JSON text, and returns it with the escapes in its strings decoded.
///
/// Everything else stays, including keys, quotes and punctuation, because many rules need a name next to the secret. Base64 of images,
/// audio and resources is blanked, because it is not text.
pub(super) fn plain_text(raw: &[u8]) -> Vec<u8> {
    let mut reading = PlainText { text: Vec::with_capacity(raw.len()) };
    reading.read(raw);
    reading.text
}

/// The positions in a JSON text that the parts of its plain text come from. They are computed again on demand, because most texts
/// contain no secret, and notes on each escape would take more memory than the text.
#[derive(Debug)]
pub(super) struct RawPlaces<'a> {
    raw: &'a [u8],
    /// The part of the plain text that the present character or escape became.
    part: Range<usize>,
    /// The position of that character or escape in the JSON text.
    origin: Range<usize>,
}

impl<'a> RawPlaces<'a> {
    pub(super) const fn of(raw: &'a [u8]) -> Self {
        Self { raw, part: 0..0, origin: 0..0 }
    }

    /// Returns the part of the JSON text that a part of the plain text comes from, which is not empty. Parts are passed in order and do
    /// not overlap.
    pub(super) fn raw(&mut self, range: &Range<usize>) -> Range<usize> {
        let start = self.raw_of(range.start).start;
        start..self.raw_of(range.end.saturating_sub(1)).end
    }

    /// Returns the part of the JSON text that one byte comes from.
    fn raw_of(&mut self, at: usize) -> Range<usize> {
        while self.part.end <= at && self.origin.end < self.raw.len() {
            let rest = &self.raw[self.origin.end..];
            // Backslashes only occur in strings, where each begins an escape.
            let (length, raw_length) = match rest[0] {
                b'\\' => {
                    let (c, raw_length) = unescaped(rest);
                    (c.len_utf8(), raw_length)
                }
                _ => (1, 1),
            };
            self.part = self.part.end..self.part.end + length;
            self.origin = self.origin.end..self.origin.end + raw_length;
        }
        self.origin.clone()
    }
}

/// The plain text of a JSON text so far.
#[derive(Debug)]
struct PlainText {
    text: Vec<u8>,
}

/// The position of a value in an MCP result, if it can lead to base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Messages,
    Content,
    Contents,
    Resource,
    /// `data` of a content block.
    Data,
    /// `blob` of a resource.
    Blob,
    Other,
}

impl Place {
    /// Returns the position of a member. The items of an array have the position of the array.
    fn below(self, key: &[u8]) -> Self {
        match (self, key) {
            // A task has its result below `result`.
            (Self::Root, b"result") => Self::Root,
            (Self::Root | Self::Messages, b"content") => Self::Content,
            (Self::Root, b"contents") => Self::Contents,
            (Self::Root, b"messages") => Self::Messages,
            (Self::Content, b"resource") => Self::Resource,
            (Self::Content, b"data") => Self::Data,
            (Self::Contents | Self::Resource, b"blob") => Self::Blob,
            _ => Self::Other,
        }
    }
}

/// An object or array that is being read.
#[derive(Debug)]
struct Level {
    place: Place,
    is_object: bool,
    /// True if the next string is a key.
    at_key: bool,
    /// The position of the member that is being read.
    member: Place,
    /// True if the member that is being read is `type` of a content block.
    at_type: bool,
    /// True if the content block holds an image or audio.
    is_media: bool,
    data: Option<Range<usize>>,
}

impl PlainText {
    fn read(&mut self, raw: &[u8]) {
        let mut levels: Vec<Level> = Vec::new();
        let mut at = 0;
        while let Some(byte) = raw.get(at) {
            if *byte == b'"' {
                let (string, end) = self.string(raw, at);
                if let Some(level) = levels.last_mut() {
                    self.note(level, string);
                }
                at = end;
                continue;
            }
            self.text.push(*byte);
            at += 1;
            match byte {
                b'{' | b'[' => {
                    let place = match levels.last() {
                        None => Place::Root,
                        Some(level) if level.is_object => level.member,
                        Some(level) => level.place,
                    };
                    levels.push(Level::new(place, *byte == b'{'));
                }
                b'}' | b']' => {
                    if let Some(Level { is_media: true, data: Some(data), .. }) = levels.pop() {
                        self.text[data].fill(b' ');
                    }
                }
                b',' => {
                    if let Some(level) = levels.last_mut() {
                        level.at_key = level.is_object;
                    }
                }
                _ => {}
            }
        }
    }

    /// Copies the string that begins at a quote. Returns its contents in the plain text, and the position after it in the JSON text.
    fn string(&mut self, raw: &[u8], quote: usize) -> (Range<usize>, usize) {
        self.text.push(b'"');
        let (start, mut at) = (self.text.len(), quote + 1);
        loop {
            let plain =
                raw[at..].iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(raw.len() - at);
            self.text.extend_from_slice(&raw[at..at + plain]);
            at += plain;
            if raw.get(at) != Some(&b'\\') {
                break;
            }
            let (c, raw_length) = unescaped(&raw[at..]);
            self.text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            at += raw_length;
        }
        let string = start..self.text.len();
        self.text.push(b'"');
        (string, at + 1)
    }

    /// Notes a string of an object or array, and blanks it if it is base64 of a resource.
    fn note(&mut self, level: &mut Level, string: Range<usize>) {
        let text = &self.text[string.clone()];
        if !level.is_object {
            // The items of arrays are never base64.
        } else if level.at_key {
            level.member = level.place.below(text);
            level.at_type = level.place == Place::Content && text == b"type";
            level.at_key = false;
        } else if level.at_type {
            level.is_media = matches!(text, b"image" | b"audio");
        } else if level.member == Place::Blob && is_base64(text) {
            self.text[string].fill(b' ');
        } else if level.member == Place::Data && is_base64(text) {
            level.data = Some(string);
        }
    }
}

impl Level {
    const fn new(place: Place, is_object: bool) -> Self {
        Self {
            place,
            is_object,
            at_key: is_object,
            member: Place::Other,
            at_type: false,
            is_media: false,
            data: None,
        }
    }
}

fn is_base64(text: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'='))
}

/// Returns the character of an escape, and the length of the escape. Half of a pair becomes the replacement character.
fn unescaped(raw: &[u8]) -> (char, usize) {
    let plain = match raw.get(1) {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unescaped_unicode(raw),
        Some(other) => char::from(*other),
        None => return (char::REPLACEMENT_CHARACTER, raw.len()),
    };
    (plain, 2)
}

fn unescaped_unicode(raw: &[u8]) -> (char, usize) {
    let unit = |at: usize| {
        let digits = raw.get(at..at + 6)?.strip_prefix(br"\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let units = [unit(0), unit(6)];
    match char::decode_utf16(units.into_iter().map_while(|unit| unit)).next() {
        Some(Ok(c)) => (c, 6 * c.len_utf16()),
        _ => (char::REPLACEMENT_CHARACTER, raw.len().min(6)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: &str) -> String {
        assert!(mgp_types::json::RawJson::parse(raw.to_owned()).is_ok(), "{raw}");
        String::from_utf8(plain_text(raw.as_bytes())).unwrap()
    }

    #[test]
    fn strings_are_unescaped_and_the_rest_is_unchanged() {
        for (raw, text) in [
            ("{}", "{}"),
            (r#"{"a":[1, 2.5e3,"b"]}"#, r#"{"a":[1, 2.5e3,"b"]}"#),
            (r#""a\nb\t\"c\"\\d\/e""#, "\"a\nb\t\"c\"\\d/e\""),
            (r#""\u0041\u00e9\ud83d\ude00""#, "\"A\u{e9}\u{1f600}\""),
            (r#""\ud83dx\ude00""#, "\"\u{fffd}x\u{fffd}\""),
            (r#"["\"",{"\\":"é"}]"#, "[\"\"\",{\"\\\":\"é\"}]"),
        ] {
            assert_eq!(read(raw), text);
        }
    }

    #[test]
    fn every_part_is_located_in_the_json_text() {
        let raw = r#"{"k\/":"x\u0041y\ud83d\ude00z\n"}"#;
        let reading = read(raw);
        for (part, original) in [
            ("k/", r"k\/"),
            ("A", r"\u0041"),
            ("xAy", r"x\u0041y"),
            ("y\u{1f600}z", r"y\ud83d\ude00z"),
            ("\n", r"\n"),
            (r#""}"#, r#""}"#),
        ] {
            let at = reading.find(part).unwrap();
            let place = RawPlaces::of(raw.as_bytes()).raw(&(at..at + part.len()));
            assert_eq!(&raw[place], original, "{part:?}");
        }
        // A part of a character leads to the whole of it.
        let face = reading.find('\u{1f600}').unwrap();
        let mut places = RawPlaces::of(raw.as_bytes());
        assert_eq!(&raw[places.raw(&(face + 1..face + 2))], r"\ud83d\ude00");
        assert_eq!(&raw[places.raw(&(face + 2..face + 5))], r"\ud83d\ude00z", "the same one again");
        assert_eq!(&raw[places.raw(&(face + 5..face + 6))], r"\n");
    }

    #[test]
    fn only_base64_of_media_and_resources_is_blanked() {
        for raw in [
            r#"{"content":[{"type":"image","data":"QUJD","mimeType":"image/png"}]}"#,
            r#"{"content":[{"data":"QUJD","mimeType":"audio/wav","type":"audio"}]}"#,
            r#"{"content":[{"type":"resource","resource":{"uri":"a:b","blob":"QUJD"}}]}"#,
            r#"{"contents":[{"uri":"a:b","blob":"QUJD"}]}"#,
            r#"{"messages":[{"role":"user","content":{"type":"image","data":"QUJD"}}]}"#,
            r#"{"messages":[{"content":{"type":"resource","resource":{"blob":"QUJD"}}}]}"#,
            r#"{"taskId":"1","result":{"content":[{"type":"image","data":"QUJD"}]}}"#,
        ] {
            assert_eq!(read(raw), raw.replace("QUJD", "    "), "{raw}");
        }
        for raw in [
            r#"{"content":[{"type":"text","data":"QUJD"}]}"#,
            r#"{"content":[{"type":"image","data":"QU JD"}]}"#,
            r#"{"content":[{"type":"image","text":"QUJD"}]}"#,
            r#"{"content":[{"type":"image"},{"type":"text","data":"QUJD"}]}"#,
            r#"{"structuredContent":{"content":[{"type":"image","data":"QUJD"}]}}"#,
            r#"{"structuredContent":{"blob":"QUJD"}}"#,
            r#"{"contents":[{"blob":["QUJD"],"text":"QUJD"}]}"#,
            r#"{"data":"QUJD"}"#,
        ] {
            assert_eq!(read(raw), raw, "{raw}");
        }
    }
}
