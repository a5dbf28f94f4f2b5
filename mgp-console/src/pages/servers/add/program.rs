//! A program whose name has a space, which most often is a program with its arguments.

use crate::page::Context;
use maud::{Markup, html};

/// Returns what to do about a program with a space: a button splits it into a program and its arguments. A script does that in the form above.
pub(super) fn space_notice(context: &Context, program: &str) -> Markup {
    let words = &context.texts.add_server;
    let parts = split(program);
    html! {
        @if parts.len() > 1 {
            div .notice {
                p { strong { (words.space) } " " (words.space_help) }
                div .buttons {
                    button type="button" data-split=(serde_json::Value::from(parts)) { (words.split) }
                }
            }
        }
    }
}

/// Splits a command line at its spaces, as a shell does: quotes hold a part together.
fn split(line: &str) -> Vec<String> {
    let (mut parts, mut part, mut quote) = (Vec::new(), None::<String>, None);
    for one in line.chars() {
        match quote {
            Some(open) if one == open => quote = None,
            None if one == '"' || one == '\'' => {
                quote = Some(one);
                part.get_or_insert_default();
            }
            None if one.is_whitespace() => parts.extend(part.take()),
            _ => part.get_or_insert_default().push(one),
        }
    }
    parts.extend(part);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::context;

    #[test]
    fn a_command_line_is_split_at_its_spaces() {
        for (line, parts) in [
            ("python3 /srv/a.py", vec!["python3", "/srv/a.py"]),
            (" uvx  notes ", vec!["uvx", "notes"]),
            ("sh -c 'a b' \"\"", vec!["sh", "-c", "a b", ""]),
            ("'/opt/my server'", vec!["/opt/my server"]),
            ("python3", vec!["python3"]),
            ("", vec![]),
        ] {
            assert_eq!(split(line), parts, "{line}");
        }
    }

    #[test]
    fn only_a_program_with_a_space_is_explained() {
        let shown = space_notice(&context(), "python3 <b>.py").into_string();
        assert!(shown.contains("data-split=\"[&quot;python3&quot;,&quot;&lt;b&gt;.py&quot;]\""), "{shown}");
        assert_eq!(space_notice(&context(), "python3").into_string(), "");
    }
}
