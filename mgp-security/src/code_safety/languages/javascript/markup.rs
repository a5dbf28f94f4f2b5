//! JSX, and comments that compilers read.

use super::{modules::module_name, strings::decoded, walk::Walk};
use crate::{
    code_safety::{capability::Capability, finding::Kind, languages::value::Value},
    meter,
};

/// The elements that load or run something, or change what other elements load.
const ACTIVE: [&str; 12] = [
    "script",
    "iframe",
    "frame",
    "fencedframe",
    "portal",
    "object",
    "embed",
    "applet",
    "base",
    "meta",
    "link",
    "style",
];

/// The attributes that hold HTML.
const HTML: [&str; 5] = ["dangerouslysetinnerhtml", "innerhtml", "outerhtml", "v-html", "srcdoc"];

/// The attributes that hold an address.
const ADDRESSES: [&str; 13] = [
    "href",
    "xlinkhref",
    "xlink:href",
    "src",
    "srcset",
    "imagesrcset",
    "action",
    "formaction",
    "poster",
    "ping",
    "background",
    "manifest",
    "codebase",
];

impl Walk<'_> {
    /// Adds an element that loads or runs something.
    pub(super) fn element(&mut self, at: usize) {
        let Some(name) = self.tree.field(at, "name") else { return };
        let local = self.tree.text(name).rsplit(':').next().unwrap_or_default();
        let mut names = vec![local.to_ascii_lowercase()];
        for value in self.values.of(name) {
            if let Value::Text(text) = value {
                names.push(text.to_ascii_lowercase());
            }
        }
        for name in names.iter().filter(|name| ACTIVE.contains(&name.as_str())) {
            self.add(at, Kind::Does(Capability::Runtime, format!("'<{name}>'")));
        }
    }

    /// Adds an object's property that sets an attribute of an element and contains HTML, code as an address, or a style.
    pub(super) fn property(&mut self, pair: usize) {
        let field = |name: &str| self.tree.field(pair, name);
        let keys = field("key").and_then(|key| self.values.keys(key)).unwrap_or_default();
        let is_code = || {
            let texts = field("value").and_then(|value| self.values.texts_of(value));
            texts.is_some_and(|texts| texts.iter().any(|text| is_code(&address(text))))
        };
        if let Some(value) = field("value") {
            self.style(value);
        }
        for key in keys.iter().map(|key| key.to_ascii_lowercase()) {
            if HTML.contains(&key.as_str()) {
                self.add(pair, Kind::Does(Capability::Introspection, format!("'{key}'")));
            } else if ADDRESSES.contains(&key.as_str()) && is_code() {
                self.add(pair, Kind::Does(Capability::Eval, format!("'{key}' with code")));
            }
        }
    }

    /// Adds an attribute that contains code, HTML or the address of another host.
    pub(super) fn attribute(&mut self, at: usize) {
        let tree = self.tree;
        let mut parts = tree.named_children(at);
        let (Some(name), value) = (parts.next(), parts.next()) else { return };
        let name = tree.text(name).to_ascii_lowercase();
        let Some(value) = value else { return };
        if HTML.contains(&name.as_str()) {
            self.add(at, Kind::Does(Capability::Introspection, format!("'{name}'")));
        }
        let inner = match tree.kind(value) {
            "jsx_expression" => tree.named_children(value).next(),
            _ => Some(value),
        };
        let Some(inner) = inner else { return };
        let texts: Option<Vec<String>> =
            self.values.texts_of(inner).map(|texts| texts.into_iter().map(str::to_owned).collect());
        if ADDRESSES.contains(&name.as_str()) {
            match &texts {
                Some(texts) => texts.iter().for_each(|text| self.address(at, text)),
                None => self.undecided(at, &format!("'{name}' with an address that is computed")),
            }
        }
        let holds_code = texts.iter().flatten().any(|text| is_code(&address(text)));
        let element = tree.field(tree.parent(at), "name").map(|name| tree.text(name)).unwrap_or_default();
        let is_of_html = element.starts_with(|c: char| c.is_ascii_lowercase());
        if holds_code || is_of_html && name.starts_with("on") && texts.is_some() {
            self.add(at, Kind::Does(Capability::Eval, format!("'{name}' with a text")));
        }
        if name == "style" {
            self.style(inner);
        }
    }

    /// Adds the text of a style that loads something.
    fn style(&mut self, at: usize) {
        let text = self.tree.text(at);
        if !matches!(self.tree.kind(at), "string" | "template_string") {
            return;
        }
        meter::count(text.len());
        if decoded(text).to_ascii_lowercase().contains("url(") {
            self.add(at, Kind::Does(Capability::Network, "a style with an address".to_owned()));
        }
    }

    /// Adds an address that is code, or that of another host.
    fn address(&mut self, at: usize, text: &str) {
        let address = address(text);
        let scheme = address.split_once(':').map(|(scheme, _)| scheme);
        let is_elsewhere = match scheme.filter(|scheme| !scheme.contains(['/', '?', '#'])) {
            Some("mailto" | "tel" | "javascript") => false,
            Some("data") => !address.starts_with("data:image/"),
            Some(_) => true,
            None => address.contains("//"),
        };
        // Readers of JSX decode the entities of HTML.
        if address.split_once('&').is_some_and(|(_, after)| after.contains(';')) {
            self.undecided(at, "an address with entities");
        } else if is_elsewhere {
            self.add(at, Kind::Does(Capability::Network, "an address of another host".to_owned()));
        }
    }

    /// Adds the names and modules that a comment declares for compilers.
    pub(super) fn comment(&mut self, at: usize) {
        let text = self.tree.text(at);
        meter::count(text.len());
        let mut words = text.split(|c: char| c.is_whitespace() || c == '*').filter(|word| !word.is_empty());
        while let Some(word) = words.next() {
            match word.trim_start_matches('/') {
                "@jsxImportSource" => {
                    let module = module_name(words.next().unwrap_or_default());
                    self.import(at, module);
                }
                "@jsx" | "@jsxFrag" => {
                    let name = words.next().unwrap_or_default();
                    self.pragma(at, name);
                }
                _ => {}
            }
        }
        let is_directive = text.starts_with("///") && (text.contains("<reference") || text.contains("<amd-"));
        let path = text.split_once("path").map(|(_, after)| after.trim_start_matches([' ', '\t', '=']));
        if let Some(path) = path.filter(|_| is_directive) {
            let path = path.trim_start_matches(['"', '\'']).split(['"', '\'']).next().unwrap_or_default();
            self.import(at, module_name(path));
        }
    }

    /// Adds the function that JSX calls.
    fn pragma(&mut self, at: usize, name: &str) {
        let root = name.split('.').next().unwrap_or_default();
        let bound = self.values.bindings().names.contains_key(root);
        let is_builder = matches!(name, "h" | "jsx" | "Fragment" | "React.createElement" | "React.Fragment");
        if !(bound && is_builder) {
            self.undecided(at, &format!("'{name}', which JSX calls"));
        }
        if !bound {
            self.add(at, Kind::Use(name.to_owned()));
        }
    }
}

/// Returns an address as browsers read it.
fn address(text: &str) -> String {
    meter::count(text.len());
    let visible = text.chars().filter(|c| !c.is_whitespace() && !c.is_control());
    visible.map(|c| if c == '\\' { '/' } else { c.to_ascii_lowercase() }).collect()
}

/// Returns whether an address is code that does something.
fn is_code(address: &str) -> bool {
    let code = address.strip_prefix("javascript:").map(|code| code.trim_end_matches(';'));
    address.starts_with("vbscript:") || code.is_some_and(|code| !matches!(code, "" | "void(0)" | "void0"))
}
