//! JSON on many lines.

/// The deepest indentation, in levels.
const DEEPEST: usize = 40;

/// Returns a JSON text with one member on each line. Numbers, strings and the order of members stay as they are.
pub(super) fn indented(json: &str) -> String {
    let (mut text, mut level, mut in_string, mut escaped) = (String::new(), 0_usize, false, false);
    let mut rest = json.chars().peekable();
    while let Some(c) = rest.next() {
        if in_string {
            text.push(c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            '{' | '[' => {
                text.push(c);
                while rest.next_if(char::is_ascii_whitespace).is_some() {}
                if let Some(end) = rest.next_if(|next| matches!(next, '}' | ']')) {
                    text.push(end);
                } else {
                    level += 1;
                    start_line(&mut text, level);
                }
            }
            '}' | ']' => {
                level = level.saturating_sub(1);
                start_line(&mut text, level);
                text.push(c);
            }
            ',' => {
                text.push(c);
                start_line(&mut text, level);
            }
            ':' => text.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => {
                in_string = c == '"';
                text.push(c);
            }
        }
    }
    text
}

fn start_line(text: &mut String, level: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", level.min(DEEPEST)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_indented_without_a_change_of_its_parts() {
        let json = r#"{"a":1e400, "b" : ["x, {y}: \"z\"", {}, [ ]],"c":{"d":"\\"}}"#;
        let expected = "{\n  \"a\": 1e400,\n  \"b\": [\n    \"x, {y}: \\\"z\\\"\",\n    {},\n    []\n  ],\n  \"c\": {\n    \"d\": \"\\\\\"\n  }\n}";
        assert_eq!(indented(json), expected);
        assert_eq!(indented("\"text\""), "\"text\"");
    }

    #[test]
    fn deep_json_does_not_become_much_longer() {
        let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
        assert!(indented(&deep).len() < 200_000);
    }
}
