//! Tests of the reader of shell scripts.

use super::*;
use crate::meter::steps_of;

/// Returns the words of each command, with `?` for unknown parts.
fn read(text: &str) -> Result<Vec<String>, Unread> {
    let shown = |command: &Command| {
        let words: Vec<String> = command.words.iter().map(|word| word.text.replace(OPAQUE, "?")).collect();
        let set = command
            .assignments
            .iter()
            .map(|(name, value)| format!("{name}={} ", value.text.replace(OPAQUE, "?")));
        let to = command.redirects.iter().map(|redirect| format!(" >{}", redirect.target.text));
        let input = command.input.as_ref().map(|input| format!(" <{input:?}")).unwrap_or_default();
        format!("{}{}{}{input}", set.collect::<String>(), words.join("|"), to.collect::<String>())
    };
    Ok(Script::read(text)?.commands.iter().map(shown).collect())
}

#[track_caller]
fn check(text: &str, commands: &[&str]) {
    assert_eq!(
        read(text).as_deref(),
        Ok(&commands.iter().map(ToString::to_string).collect::<Vec<_>>()[..]),
        "{text}"
    );
}

#[test]
fn words_are_read_without_their_quotes() {
    check(r#"r\m -r'f' "a b" $'\x41\n'"#, &["rm|-rf|a b|A\n"]);
    check("a\\\nb c", &["ab|c"]);
    check(r#"echo "\$x \" \a" '\'"#, &[r#"echo|$x " \a|\"#]);
    check("echo a#b \"c\"#d # e", &["echo|a#b|c#d"]);
    check("{a,b}{c,d}x", &["acx|adx|bcx|bdx"]);
    check("echo {a} a{1..3} '{a,b}' \"$HOME/x\" ${HOME} ~", &["echo|{a}|a?|{a,b}|~/x|~|~"]);
    check("echo $1x \"$@\" $-", &["echo|?x|?|?"]);
    check("echo ]]a }{a,b}", &["echo|]]a|}a|}b"]);
    check("echo {a}{b,c}{d}x", &["echo|{a}b{d}x|{a}c{d}x"]);
    check("echo $x \"${y:-z}\" $? $((1+2)) 5$", &["echo|?|?|0|0|5$"]);
}

#[test]
fn commands_are_found_in_any_position() {
    check("a; b && c || d | e & f", &["a", "b", "c", "d", "e", "f"]);
    check("echo $(a \"$(b)\" `c`)", &["b", "a|?|?", "echo|?", "c"]);
    check("if a; then b; elif c; then d; else e; fi", &["a", "b", "c", "d", "e"]);
    check("for x in 1 2; do a $x; done | b", &["x=value :|in|1|2", "a|?", "b"]);
    check("while a; do b; done < f", &["a", "b", " >f"]);
    check("(a; b) > f; { c; }", &["a", "b", " >f", "c"]);
    check("[[ $(a) == b && -f c ]] && d", &["a", "d"]);
    check("a <(b) >(c)", &["b", "c", "a|?|?"]);
    check("x=1 y=$z a b=c", &["x=1 y=? a|b=c"]);
}

#[test]
fn redirections_and_documents_belong_to_their_command() {
    check("a > f 2>&1 <g", &["a >f >1 >g"]);
    check("a &> f", &["a >f"]);
    check("a <<< b", &["a <\"b\""]);
    check("a <<'E' > f\n$(b)\nE\nc", &["a >f <\"$(b)\\n\"", "c"]);
    check("a <<E\n$(b)\nE", &["a <\"$(b)\\n\"", "b"]);
    check("sh <<E | b\nc\nE", &["sh <\"\\0\"", "b"]);
}

#[test]
fn a_text_that_no_shell_can_read_is_broken() {
    for text in [
        "'a",
        "\"a",
        "`a",
        "$(a",
        "a)",
        "(a",
        "a &&",
        "| a",
        "a &&& b",
        "fi",
        "if a; then b",
        "a >",
        "<<E\nb",
        "a\\",
        "a\u{7}",
        "[[ a",
    ] {
        assert!(matches!(read(text), Err(Unread::Broken(_))), "{text}: {:?}", read(text));
    }
    assert!(matches!(read(&"$(".repeat(100)), Err(Unread::Broken(_))));
    assert!(matches!(read(&"a;".repeat(40_000)), Err(Unread::Broken(_))));
    assert!(matches!(read(&"a;".repeat(5_000)), Err(Unread::Broken(_))));
}

#[test]
fn an_unsupported_construct_is_unknown() {
    for text in [
        "f() { a; }",
        "{a,b{c,d}}",
        "{a{b}}",
        "case a in a) b;; esac",
        "((a))",
        "a=(b)",
        "${!a}",
        "$[1]",
        "a\rb",
        "a\u{a0}b",
        "$((a[$(b)]))",
        "[[ a || b c ]]",
        "[[ a | b ]]",
        "[[ -f <(a) ]]",
        "[[ a > b ]]",
        "x='a[b]'; [[ $x -eq 1 ]]",
        r"echo $'a\'b'",
        "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
    ] {
        assert!(matches!(read(text), Err(Unread::Unknown(_))), "{text}: {:?}", read(text));
    }
}

#[test]
fn literal_braces_are_read_once_per_word() {
    for text in [
        format!("ls {}{}", "}".repeat(60_000), "{a,b}".repeat(5)),
        format!("ls {}", "{a}".repeat(20_000)),
        format!("ls {}{}", "{a}".repeat(20_000), "{a,b}".repeat(5)),
    ] {
        let (script, steps) = steps_of(|| read(&text));
        assert!(script.is_ok(), "{script:?}");
        assert!(steps <= 256 * text.len() as u64, "{steps} steps for {} bytes", text.len());
    }
}
