//! The parts of a page that a hostile text could change.

use html5gum::{Token, Tokenizer};

/// The attributes whose values are addresses that a browser follows.
const ADDRESSES: &[&str] =
    &["href", "src", "action", "formaction", "data-stream", "data-page", "hx-get", "hx-post", "sse-connect"];
/// The attributes whose values a person perceives.
const SHOWN: &[&str] = &["title", "alt", "aria-label", "placeholder", "hx-confirm"];
/// The attributes whose values are data of requests.
const DATA: &[&str] = &["hx-vals", "hx-headers"];
/// The classes of elements for texts of others.
const FOREIGN: &[&str] = &["foreign", "difference"];
/// The elements that have no end.
const VOID: &[&str] = &["area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"];
/// The elements in which somebody else's text cannot be taken for a word of the console.
const FIELDS: &[&str] = &["textarea", "option", "code", "title"];

/// The parts of a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Markup {
    /// The tags with the names of their attributes.
    pub(super) tags: Vec<String>,
    /// The addresses that a browser follows.
    pub(super) addresses: Vec<String>,
    /// The instructions of htmx.
    pub(super) instructions: Vec<String>,
    /// The texts that a person perceives.
    pub(super) shown: String,
    /// The texts outside of elements for foreign texts.
    pub(super) own_words: String,
}

impl Markup {
    /// Reads a page as a browser does.
    pub(super) fn of(page: &str) -> Self {
        let mut markup = Self::default();
        let mut open: Vec<(String, bool)> = Vec::new();
        for token in Tokenizer::new(page).flatten() {
            match token {
                Token::StartTag(tag) => {
                    let name = String::from_utf8_lossy(&tag.name).into_owned();
                    let mut shown = name.clone();
                    let mut foreign = open.last().is_some_and(|(_, foreign)| *foreign);
                    for (attribute, value) in &tag.attributes {
                        let attribute = String::from_utf8_lossy(attribute);
                        let value = String::from_utf8_lossy(value).into_owned();
                        foreign |=
                            attribute == "class" && value.split(' ').any(|class| FOREIGN.contains(&class));
                        if ADDRESSES.contains(&attribute.as_ref()) {
                            markup.addresses.push(value);
                        } else if SHOWN.contains(&attribute.as_ref()) {
                            markup.shown.push_str(&value);
                        } else if attribute.starts_with("hx-")
                            && !DATA.contains(&attribute.as_ref())
                            && !is_selector(&value)
                        {
                            markup.instructions.push(value);
                        }
                        shown.push(' ');
                        shown.push_str(&attribute);
                    }
                    markup.tags.push(kind(&shown).to_owned());
                    if !VOID.contains(&name.as_str()) && !tag.self_closing {
                        foreign |= FIELDS.contains(&name.as_str());
                        open.push((name, foreign));
                    }
                }
                Token::EndTag(tag) => {
                    let name = String::from_utf8_lossy(&tag.name).into_owned();
                    markup.tags.push(format!("/{}", kind(&name)));
                    if let Some(at) = open.iter().rposition(|(one, _)| *one == name) {
                        open.truncate(at);
                    }
                }
                Token::String(text) => {
                    let text = String::from_utf8_lossy(&text);
                    if !open.last().is_some_and(|(_, foreign)| *foreign) {
                        markup.own_words.push_str(&text);
                    }
                    if !open.last().is_some_and(|(name, _)| name == "textarea" || name == "option") {
                        markup.shown.push_str(&text);
                    }
                }
                Token::Comment(_) => markup.tags.push("!--".to_owned()),
                _ => {}
            }
        }
        // Lists may be sorted by texts of others.
        markup.tags.sort_unstable();
        markup.instructions.sort_unstable();
        markup
    }
}

/// Returns the kind of an element, which is the same for all lines of a difference: the first character of a line says which it is.
fn kind(tag: &str) -> &str {
    match tag {
        "ins" | "del" => "span",
        tag => tag,
    }
}

/// Returns whether a value can only name elements.
fn is_selector(value: &str) -> bool {
    value.chars().all(|one| one.is_ascii_alphanumeric() || "#.-_, ".contains(one))
}

#[test]
fn a_page_has_tags_addresses_and_words_of_its_own() {
    let page = r#"<p>Tool <bdi class="foreign">&lt;b&gt;</bdi> of <a href="/x" title="t" hx-on="a()">x</a><br>!</p><!-- c -->"#;
    let markup = Markup::of(page);
    assert_eq!(markup.tags, ["!--", "/a", "/bdi", "/p", "a href hx-on title", "bdi class", "br", "p"]);
    assert_eq!(markup.addresses, ["/x"]);
    assert_eq!(markup.instructions, ["a()"]);
    assert_eq!((markup.own_words.as_str(), markup.shown.as_str()), ("Tool  of x!", "Tool <b> of tx!"));
}
