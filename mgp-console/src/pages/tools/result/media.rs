//! Pictures and sounds, of which only types without scripts are shown.

use crate::page::{Context, foreign};
use maud::{Markup, html};

/// The types of pictures that are shown. SVG is a document with scripts, and is not among them.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// The types of sounds that are played.
const SOUNDS: [&str; 6] = ["audio/wav", "audio/x-wav", "audio/wave", "audio/mpeg", "audio/mp3", "audio/ogg"];
/// The most characters of base64 in a page.
const MAX: usize = 12 * 1024 * 1024;

/// Returns a picture or a sound. One of another type, of a wrong form or of too many bytes is only named.
pub(super) fn media(context: &Context, media_type: &str, base64: &str) -> Markup {
    let words = &context.texts.tools;
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_shown = base64.len() <= MAX && is_base64(base64);
    let bytes = base64.len() / 4 * 3;
    let caption = html! { (foreign(media_type)) " · " (bytes) " " (words.bytes) };
    let known =
        |types: &[&'static str]| types.iter().find(|known| **known == essence).filter(|_| is_shown).copied();
    if let Some(known) = known(&PICTURES) {
        return html! { figure .media {
            img src=(format!("data:{known};base64,{base64}")) alt=(words.picture);
            figcaption .quiet { (caption) }
        } };
    }
    if let Some(known) = known(&SOUNDS) {
        return html! { figure .media {
            audio controls src=(format!("data:{known};base64,{base64}")) aria-label=(words.sound) {}
            figcaption .quiet { (caption) }
        } };
    }
    html! { p .quiet { (words.not_shown) " " (caption) } }
}

fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    text.len() - digits.len() <= 2
        && digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::context;

    fn shown(media_type: &str, base64: &str) -> String {
        media(&context(), media_type, base64).into_string()
    }

    #[test]
    fn pictures_and_sounds_of_plain_types_are_shown() {
        for media_type in PICTURES {
            assert!(shown(media_type, "AAAA").contains(&format!("src=\"data:{media_type};base64,AAAA\"")));
        }
        assert!(shown("Image/PNG; a=\"<b>\"", "AA==").contains("src=\"data:image/png;base64,AA==\""));
        for media_type in SOUNDS {
            assert!(shown(media_type, "AAAA").contains("<audio controls src=\"data:audio/"));
        }
    }

    #[test]
    fn other_types_and_forms_are_only_named() {
        let long = "A".repeat(MAX + 1);
        for (media_type, base64) in [
            ("image/svg+xml", "AAAA"),
            ("text/html", "AAAA"),
            ("image/png,<script>", "AAAA"),
            ("image/pngx", "AAAA"),
            ("image/png", "AA\"onerror=\"x"),
            ("image/png", "A==="),
            ("image/png", "AA AA"),
            ("audio/wav", "%3Csvg"),
            ("image/png", &long),
            ("", ""),
        ] {
            let shown = shown(media_type, base64);
            assert!(!shown.contains("src=") && !shown.contains("<script"), "{media_type}");
        }
    }
}
