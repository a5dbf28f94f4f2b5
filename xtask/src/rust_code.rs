//! Rust source with its comments, its literals or its tests blanked out: enough of a lexer for rules on text.
//!
//! Blanked text becomes spaces, so that offsets and lines stay those of the file.

use std::ops::Range;

/// The attributes of items for tests, up to the first difference.
const TEST_ATTRIBUTES: [&[u8]; 2] = [b"#[cfg(test)]", b"#[cfg(all(test"];

/// A part of a source that is not code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NonCode {
    /// A comment, without the line break at its end.
    Comment(Range<usize>),
    /// A string or a character, with its quotes.
    Literal(Range<usize>),
}

/// One source text in two forms, both as long as the file.
#[derive(Clone, Debug)]
pub(crate) struct RustCode {
    /// The source without comments.
    pub(crate) text: String,
    /// The source without comments and without the insides of string and character literals.
    pub(crate) bare: String,
}

impl RustCode {
    pub(crate) fn parse(source: &str) -> Self {
        let mut text = source.as_bytes().to_vec();
        let mut bare = text.clone();
        for part in non_code(source) {
            let (NonCode::Comment(range) | NonCode::Literal(range)) = &part;
            blank(&mut bare, range);
            if let NonCode::Comment(range) = &part {
                blank(&mut text, range);
            }
        }
        Self { text: utf8(text), bare: utf8(bare) }
    }

    /// Blanks the items under `#[cfg(test)]`.
    pub(crate) fn without_tests(self) -> Self {
        let items = self.test_items();
        let mut text = self.text.into_bytes();
        let mut bare = self.bare.into_bytes();
        for item in &items {
            blank(&mut text, item);
            blank(&mut bare, item);
        }
        Self { text: utf8(text), bare: utf8(bare) }
    }

    /// Returns the items under `#[cfg(test)]`, in order.
    pub(crate) fn test_items(&self) -> Vec<Range<usize>> {
        let bare = self.bare.as_bytes();
        let mut items: Vec<Range<usize>> = Vec::new();
        loop {
            let from = items.last().map_or(0, |item| item.end);
            let rest = bare.get(from..).unwrap_or_default();
            let next = TEST_ATTRIBUTES.iter().filter_map(|attribute| find(rest, attribute)).min();
            let Some(start) = next.map(|start| from + start) else { return items };
            items.push(start..item_end(bare, start).max(start + 1));
        }
    }
}

/// Returns the comments and the literals of a source, in order.
pub(crate) fn non_code(source: &str) -> Vec<NonCode> {
    let bytes = source.as_bytes();
    let (mut parts, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        if let Some(end) = comment_end(bytes, at) {
            parts.push(NonCode::Comment(at..end));
            at = end;
        } else if let Some(end) = literal_end(bytes, at) {
            parts.push(NonCode::Literal(at..end));
            at = end;
        } else {
            at += 1;
        }
    }
    parts
}

/// Returns the positions of a word in the text, but not as a part of a longer name.
pub(crate) fn find_word<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let joins = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let starts_a_name = joins(word.as_bytes().first());
    let ends_a_name = joins(word.as_bytes().last());
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = at.checked_sub(1).and_then(|before| text.as_bytes().get(before));
        let after = text.as_bytes().get(at + word.len());
        !(starts_a_name && joins(before) || ends_a_name && joins(after))
    })
}

fn comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    if rest.starts_with(b"//") {
        return Some(rest.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length));
    }
    if !rest.starts_with(b"/*") {
        return None;
    }
    let mut depth = 0_usize;
    let mut end = at;
    while end < bytes.len() {
        match bytes.get(end..end + 2) {
            Some(b"/*") => depth += 1,
            Some(b"*/") => depth -= 1,
            _ => {
                end += 1;
                continue;
            }
        }
        end += 2;
        if depth == 0 {
            break;
        }
    }
    Some(end)
}

fn literal_end(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => Some(closing(bytes, at + 1, b'"')),
        b'r' if !is_inside_a_name(bytes, at) => {
            let hashes = bytes.get(at + 1..)?.iter().take_while(|byte| **byte == b'#').count();
            let open = at + 1 + hashes;
            if bytes.get(open) != Some(&b'"') {
                return None;
            }
            let close: Vec<u8> = [b'"'].into_iter().chain(std::iter::repeat_n(b'#', hashes)).collect();
            Some(
                find(bytes.get(open + 1..)?, &close)
                    .map_or(bytes.len(), |length| open + 1 + length + close.len()),
            )
        }
        b'\'' => {
            let next = *bytes.get(at + 1)?;
            let width = match next {
                b'\\' => return Some(closing(bytes, at + 1, b'\'')),
                0..=0x7f => 1,
                0xc0..=0xdf => 2,
                0xe0..=0xef => 3,
                _ => 4,
            };
            // Otherwise it is a lifetime.
            (bytes.get(at + 1 + width) == Some(&b'\'')).then_some(at + 2 + width)
        }
        _ => None,
    }
}

/// Returns `true` inside a name: `for"..."` is not a raw string; `br"..."` is one.
fn is_inside_a_name(bytes: &[u8], at: usize) -> bool {
    let is_name = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let Some(before) = at.checked_sub(1) else { return false };
    let is_prefix =
        matches!(bytes.get(before), Some(b'b' | b'c')) && !before.checked_sub(1).is_some_and(is_name);
    is_name(before) && !is_prefix
}

fn closing(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    while let Some(byte) = bytes.get(at) {
        at += if *byte == b'\\' { 2 } else { 1 };
        if *byte == quote {
            break;
        }
    }
    at.min(bytes.len())
}

/// Returns the end of the item whose attribute starts here: its `;`, or the brace that closes its body.
fn item_end(bare: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in bare.iter().enumerate().skip(start) {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            // The end of the block around the item.
            b'}' if depth == 0 => return at,
            b'}' if depth == 1 => return at + 1,
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    bare.len()
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn blank(bytes: &mut [u8], range: &Range<usize>) {
    let inside = bytes.iter_mut().take(range.end).skip(range.start);
    for byte in inside.filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

fn utf8(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_and_literals_are_blanked_and_lifetimes_are_not() {
        let source =
            "a /* b /* c */ d */ e // f\n\"g \\\" h\" i 'j' '\\'' k<'l> r#\"m \" n\"# o b\"p\" for\"q\"";
        let code = RustCode::parse(source);
        assert_eq!(words(&code.bare), "a e i k<'l> o b for");
        assert_eq!(words(&code.text), "a e \"g \\\" h\" i 'j' '\\'' k<'l> r#\"m \" n\"# o b\"p\" for\"q\"");
        assert_eq!(code.bare.len(), source.len());
    }

    #[test]
    fn comments_and_literals_are_named_in_order() {
        let source = "a // b\n\"c // d\" /* e */ f";
        let (comment, literal) = (NonCode::Comment, NonCode::Literal);
        assert_eq!(non_code(source), [comment(2..6), literal(7..15), comment(16..23)]);
    }

    #[test]
    fn a_comment_sign_in_a_string_is_not_a_comment() {
        assert_eq!(words(&RustCode::parse("a(\"http://b\"); c").bare), "a( ); c");
        assert_eq!(words(&RustCode::parse("a(\"http://b\"); c").text), "a(\"http://b\"); c");
    }

    #[test]
    fn characters_of_any_width_are_literals() {
        assert_eq!(words(&RustCode::parse("a'\"'b'é'c'→'d'🙂'e&'f g").bare), "a b c d e&'f g");
    }

    #[test]
    fn prefixes_of_raw_strings_are_told_apart_from_names() {
        assert_eq!(words(&RustCode::parse("br\"\\\" a xbr#\"b\"# cr##\"\"# \"## d").bare), "b a xbr# # c d");
    }

    #[test]
    fn an_unclosed_comment_or_literal_ends_with_the_file() {
        for source in ["a /* b /* c */", "a \"b", "a r#\"b\"", "a \"b\\"] {
            let code = RustCode::parse(source);
            assert_eq!((words(&code.bare), code.bare.len()), ("a".to_owned(), source.len()), "{source}");
        }
    }

    #[test]
    fn items_for_tests_are_blanked_to_their_end() {
        let source = "a; #[cfg(test)] mod t { fn x() { \"}\" } } b; #[cfg(test)] use c; d;";
        assert_eq!(words(&RustCode::parse(source).without_tests().text), "a; b; d;");
        let several = "#[cfg(all(test, unix))] mod t { #[cfg(test)] fn u() {} } a; #[cfg(test)] use c;";
        assert_eq!(words(&RustCode::parse(several).without_tests().text), "a;");
    }

    #[test]
    fn a_word_is_not_found_inside_another() {
        assert_eq!(find_word("CallToolParams CallTool", "CallTool").collect::<Vec<_>>(), [15]);
        assert_eq!(find_word("xbytes::a bytes::b", "bytes::").collect::<Vec<_>>(), [10]);
    }
}
