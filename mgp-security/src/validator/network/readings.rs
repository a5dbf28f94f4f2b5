//! The readings of a text: as written, and as programs read it after they decode it once or more.

use icu_normalizer::uts46::Uts46MapperBorrowed;

/// The most encodings that are decoded on top of each other.
const DEPTH: usize = 4;

/// Returns the readings of a text, the text itself first. Every encoding is decoded at most [`DEPTH`] times.
pub(super) fn readings(text: &str) -> Vec<String> {
    let mut all = vec![text.to_owned()];
    let mapped = mapped(text);
    add(&mut all, mapped);
    // A URL parser drops these characters anywhere, so they must not hide a host.
    for at in 0..all.len() {
        let dropped = all[at].chars().filter(|c| !c.is_control()).collect();
        add(&mut all, dropped);
    }
    for _ in 0..DEPTH {
        let Some(last) = all.last() else { break };
        let next = mapped_if_needed(unescaped(last));
        if !add(&mut all, next) {
            break;
        }
    }
    let dropped = all.last().map_or("", String::as_str).chars().filter(|c| !c.is_control()).collect();
    add(&mut all, dropped);
    let joined = joined(all.last().map_or("", String::as_str));
    add(&mut all, joined);
    let decoded = base64_in(text);
    add(&mut all, decoded);
    all
}

fn add(all: &mut Vec<String>, reading: String) -> bool {
    let is_new = !reading.is_empty() && !all.contains(&reading);
    if is_new {
        all.push(reading);
    }
    is_new
}

/// Returns a text as a host's name is mapped (UTS 46): full-width and circled digits become digits, ideographic stops become dots.
fn mapped(text: &str) -> String {
    if text.is_ascii() {
        return String::new();
    }
    Uts46MapperBorrowed::new().map_normalize(text.chars()).collect()
}

fn mapped_if_needed(text: String) -> String {
    if text.is_ascii() { text } else { mapped(&text) }
}

/// Decodes one level of percent signs, escapes with backslashes and the entities of HTML.
fn unescaped(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut read = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &text[at..];
        let escape = match byte {
            b'%' => percent(rest),
            b'\\' => backslash(rest),
            b'&' => entity(rest),
            b'=' => quoted_printable(rest),
            _ => None,
        };
        match escape {
            Some((Symbol::Byte(value), length)) => {
                read.push(value);
                at += length;
            }
            Some((Symbol::Char(c), length)) => {
                read.extend(c.encode_utf8(&mut [0; 4]).bytes());
                at += length;
            }
            None => {
                // The rest must begin at the boundary of a character.
                let length = rest.chars().next().map_or(1, char::len_utf8);
                read.extend(&bytes[at..at + length]);
                at += length;
            }
        }
    }
    String::from_utf8_lossy(&read).into_owned()
}

/// A decoded part of a text.
enum Symbol {
    /// A byte of UTF-8.
    Byte(u8),
    /// A character.
    Char(char),
}

fn number(digits: &str, radix: u32) -> Option<u32> {
    let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    is_number.then(|| u32::from_str_radix(digits, radix).ok())?
}

fn byte_of(digits: Option<&str>) -> Option<u8> {
    number(digits?, 16).and_then(|value| u8::try_from(value).ok())
}

fn percent(rest: &str) -> Option<(Symbol, usize)> {
    if rest.get(1..2).is_some_and(|u| u.eq_ignore_ascii_case("u")) {
        return Some((Symbol::Char(char::from_u32(number(rest.get(2..6)?, 16)?)?), 6));
    }
    byte_of(rest.get(1..3)).map(|byte| (Symbol::Byte(byte), 3))
}

fn quoted_printable(rest: &str) -> Option<(Symbol, usize)> {
    let digits = rest.get(1..3).filter(|digits| !digits.contains(|c: char| c.is_ascii_lowercase()))?;
    byte_of(Some(digits)).filter(u8::is_ascii_graphic).map(|byte| (Symbol::Byte(byte), 3))
}

fn backslash(rest: &str) -> Option<(Symbol, usize)> {
    let braced = |from: usize| {
        let end = rest.get(from..)?.char_indices().take(9).find(|(_, c)| *c == '}')?.0;
        Some((Symbol::Char(char::from_u32(number(rest.get(from..from + end)?, 16)?)?), from + end + 1))
    };
    let fixed = |digits: usize| {
        let value = number(rest.get(2..2 + digits)?, 16)?;
        Some((Symbol::Char(char::from_u32(value)?), 2 + digits))
    };
    match rest.as_bytes().get(1)? {
        b'u' if rest.as_bytes().get(2) == Some(&b'{') => braced(3),
        b'x' if rest.as_bytes().get(2) == Some(&b'{') => braced(3),
        b'u' => fixed(4),
        b'U' => fixed(8),
        b'x' => fixed(2),
        b'/' => Some((Symbol::Char('/'), 2)),
        b'"' => Some((Symbol::Char('"'), 2)),
        b'\'' => Some((Symbol::Char('\''), 2)),
        b'0'..=b'7' if rest.get(1..4).is_some_and(|digits| number(digits, 8).is_some()) => {
            let value = number(rest.get(1..4)?, 8)?;
            Some((Symbol::Byte(u8::try_from(value).ok()?), 4))
        }
        // The escapes of CSS have up to six digits and may be followed by a space; those of JavaScript in octal are shorter.
        b'0'..=b'9' | b'a'..=b'f' => {
            let digits = rest[1..].bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
            let radix =
                if digits == 2 && rest[1..3].bytes().all(|b| (b'4'..=b'7').contains(&b)) { 8 } else { 16 };
            let c = char::from_u32(number(rest.get(1..=digits)?, radix)?).filter(char::is_ascii_graphic)?;
            let space = usize::from(rest[1 + digits..].starts_with(' '));
            (digits > 1).then_some((Symbol::Char(c), 1 + digits + space))
        }
        _ => None,
    }
}

/// The entities of HTML for characters of URLs.
const ENTITIES: &[(&str, char)] = &[
    ("colon", ':'),
    ("sol", '/'),
    ("bsol", '\\'),
    ("period", '.'),
    ("commat", '@'),
    ("num", '#'),
    ("quest", '?'),
    ("lbrack", '['),
    ("lsqb", '['),
    ("rsqb", ']'),
    ("rbrack", ']'),
    ("percnt", '%'),
    ("amp", '&'),
    ("quot", '"'),
    ("apos", '\''),
    ("lt", '<'),
    ("gt", '>'),
    ("equals", '='),
    ("Tab", '\u{200b}'),
    ("NewLine", '\u{200b}'),
    ("ZeroWidthSpace", '\u{200b}'),
    ("shy", '\u{ad}'),
];

fn entity(rest: &str) -> Option<(Symbol, usize)> {
    if let Some(number_sign) = rest.strip_prefix("&#") {
        let (radix, prefix) = if number_sign.starts_with(['x', 'X']) { (16, 3) } else { (10, 2) };
        let digits =
            rest.get(prefix..)?.bytes().take(10).take_while(|b| char::from(*b).is_digit(radix)).count();
        let c = char::from_u32(number(rest.get(prefix..prefix + digits)?, radix)?)?;
        let end = prefix + digits;
        return Some((Symbol::Char(c), end + usize::from(rest.as_bytes().get(end) == Some(&b';'))));
    }
    ENTITIES.iter().find_map(|(name, c)| {
        let behind = rest[1..].strip_prefix(name)?.strip_prefix(';');
        behind.map(|_| (Symbol::Char(*c), name.len() + 2))
    })
}

/// Returns code with its string literals concatenated, and without the marks of templates around literals.
fn joined(text: &str) -> String {
    const JOINTS: &[&str] = &[
        "\"+\"", "'+'", "\"&\"", "\".\"", "'.'", "'..'", "\"..\"", "\"||\"", "'||'", "\"\"", "''", "${'",
        "'}", "${\"", "\"}", "`+`",
    ];
    let joined = text.replace(" + ", "+").replace(" & ", "&").replace(" || ", "||").replace(" . ", ".");
    if !JOINTS.iter().any(|joint| joined.contains(joint)) {
        return String::new();
    }
    JOINTS.iter().fold(joined, |text, joint| text.replace(joint, ""))
}

/// Returns the decoded base64 or hexadecimal digits in a text, if they contain the start of a URL, a host and a port, or a list of pairs.
fn base64_in(text: &str) -> String {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_');
    let mut decoded = String::new();
    let whole = text.split(|c: char| !part(c));
    // A slash is a digit of base64, but also ends a part of a path.
    let parts = whole.clone().filter(|token| token.contains('/')).flat_map(|token| token.split('/'));
    for token in whole.chain(parts).filter(|token| token.len() >= 10) {
        let bytes = base64_bytes(token);
        let bytes = if token.bytes().all(|b| b.is_ascii_hexdigit()) { hex_bytes(token) } else { bytes };
        let is_text =
            bytes.len() > 5 && bytes.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace());
        if is_text && let Ok(plain) = String::from_utf8(bytes) {
            decoded.push_str(&plain);
            decoded.push('\n');
        }
    }
    decoded
}

fn hex_bytes(token: &str) -> Vec<u8> {
    (0..token.len() / 2).filter_map(|at| byte_of(token.get(2 * at..2 * at + 2))).collect()
}

fn base64_bytes(token: &str) -> Vec<u8> {
    let (mut bytes, mut bits, mut held) = (Vec::with_capacity(token.len()), 0u32, 0u32);
    for byte in token.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return Vec::new(),
        };
        bits = (bits << 6 | u32::from(value)) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xff) as u8);
        }
    }
    bytes
}
