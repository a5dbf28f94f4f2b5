//! The replacement of secrets in a JSON text.

use std::ops::Range;

/// A secret in a JSON text: its position in the text, and its rule.
pub(super) type RawSecret = (Range<usize>, &'static str);

/// Replaces the secrets in a JSON text, which are sorted and do not overlap. The text stays JSON: in strings a secret is replaced by
/// `[secret: RULE]`, a number by a string of that form, and the punctuation between the parts of a secret stays.
pub(super) fn mask(raw: &[u8], secrets: &[RawSecret]) -> Vec<u8> {
    let mut masked = MaskWriter { raw, secrets, out: Vec::with_capacity(raw.len()), keys: 0 };
    let mut at = 0;
    while let Some(byte) = raw.get(at) {
        let end = match byte {
            b'"' => string_end(raw, at),
            b'-' | b'0'..=b'9' => number_end(raw, at),
            _ => at + 1,
        };
        match byte {
            b'"' => masked.string(at..end),
            b'-' | b'0'..=b'9' => masked.number(at..end),
            byte => masked.out.push(*byte),
        }
        at = end;
    }
    masked.out
}

struct MaskWriter<'a> {
    raw: &'a [u8],
    /// The secrets that do not end before the present position.
    secrets: &'a [RawSecret],
    out: Vec<u8>,
    /// The number of keys in which a secret was replaced.
    keys: usize,
}

impl<'a> MaskWriter<'a> {
    /// Returns the secrets that overlap a range. Ranges are passed in order.
    fn within(&mut self, range: &Range<usize>) -> &'a [RawSecret] {
        let over = self.secrets.iter().take_while(|(secret, _)| secret.end <= range.start).count();
        self.secrets = &self.secrets[over..];
        let count = self.secrets.iter().take_while(|(secret, _)| secret.start < range.end).count();
        &self.secrets[..count]
    }

    fn string(&mut self, string: Range<usize>) {
        let inside = string.start + 1..string.end - 1;
        let secrets = self.within(&inside);
        if secrets.is_empty() {
            return self.out.extend_from_slice(&self.raw[string]);
        }
        let next = self.raw[string.end..].iter().find(|byte| !byte.is_ascii_whitespace());
        // Two secrets as keys of one object must not become the same key.
        self.keys += usize::from(next == Some(&b':'));
        let number =
            if next == Some(&b':') && self.keys > 1 { format!(" {}", self.keys) } else { String::new() };
        self.out.push(b'"');
        let mut at = inside.start;
        for (secret, rule) in secrets {
            self.out.extend_from_slice(&self.raw[at..secret.start.max(at)]);
            self.out.extend_from_slice(format!("[secret: {rule}{number}]").as_bytes());
            at = secret.end.min(inside.end);
        }
        self.out.extend_from_slice(&self.raw[at..string.end]);
    }

    fn number(&mut self, number: Range<usize>) {
        match self.within(&number).first() {
            None => self.out.extend_from_slice(&self.raw[number]),
            Some((_, rule)) => self.out.extend_from_slice(format!("\"[secret: {rule}]\"").as_bytes()),
        }
    }
}

/// Returns the position after the string that begins at a quote.
fn string_end(raw: &[u8], quote: usize) -> usize {
    let mut at = quote + 1;
    while let Some(byte) = raw.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    raw.len()
}

/// Returns the position after the number that begins at a position.
fn number_end(raw: &[u8], start: usize) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
    start + raw[start..].iter().take_while(|byte| is_part(byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Masks what stands between `<` and `>`.
    fn masked(marked: &str) -> String {
        let (mut raw, mut secrets, mut start) = (Vec::new(), Vec::new(), 0);
        for byte in marked.bytes() {
            match byte {
                b'<' => start = raw.len(),
                b'>' => secrets.push((start..raw.len(), "r")),
                byte => raw.push(byte),
            }
        }
        let out = String::from_utf8(mask(&raw, &secrets)).unwrap();
        assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{out}");
        out
    }

    #[test]
    fn a_masked_text_is_json_and_differs_only_in_secrets() {
        for (marked, text) in [
            (r#"{"a": "<x>", "b":[1 ,2]}"#, r#"{"a": "[secret: r]", "b":[1 ,2]}"#),
            (r#"["a<b>c<d>e","\"<f>\""]"#, r#"["a[secret: r]c[secret: r]e","\"[secret: r]\""]"#),
            (r#"{"<a>":1,"<b>":2}"#, r#"{"[secret: r]":1,"[secret: r 2]":2}"#),
            (r#"{"a":<12>3,"b":-4.5e+6}"#, r#"{"a":"[secret: r]","b":-4.5e+6}"#),
            (r#"["a<b","c","d>e"]"#, r#"["a[secret: r]","[secret: r]","[secret: r]e"]"#),
            (
                r#"["a<b",1,true,{"c":"d>e"}]"#,
                r#"["a[secret: r]","[secret: r]",true,{"[secret: r]":"[secret: r]e"}]"#,
            ),
            (r#"["\\<a>","\\"]"#, r#"["\\[secret: r]","\\"]"#),
            ("[]", "[]"),
        ] {
            assert_eq!(masked(marked), text, "{marked}");
        }
    }
}
