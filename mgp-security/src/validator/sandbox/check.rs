//! The validator itself, which judges every string, and all strings together.

use super::{commands, metacharacters};
use crate::{
    profile::Leaves,
    validator::{Input, LeafKind, Validator, Violation, rejection::shown},
};

/// The validator `sandbox`.
#[derive(Debug, Clone, Copy)]
pub struct Sandbox;

impl Validator for Sandbox {
    fn name(&self) -> &str {
        "sandbox"
    }

    fn check(&self, input: &Input<'_>) -> Result<(), Violation> {
        if !input.profile.takes_commands && input.profile.leaves == Leaves::All {
            return Ok(());
        }
        let (mut violations, mut together, mut strings) = (Vec::new(), Vec::new(), 0);
        for leaf in input.leaves.iter().filter(|leaf| leaf.kind != LeafKind::Number && !leaf.is_plain_name())
        {
            let (words, mut wrong) = judge(&leaf.text);
            // A member can be named after a program, and hold the program's arguments.
            if wrong.is_empty() && leaf.kind == LeafKind::Text {
                wrong.extend(commands::find_named(leaf.key(), &words));
            }
            let say = |what| format!("{what} in {}: {:?}", leaf.place(), shown(&leaf.text));
            violations.extend(wrong.into_iter().map(say));
            together.extend(words);
            strings += 1;
        }
        if violations.is_empty()
            && strings > 1
            && let Some(what) = commands::find(&together)
        {
            violations.push(format!("{what} in the arguments together: {:?}", shown(&together.join(" "))));
        }
        Violation::unless_empty("the sandbox refuses the command", violations)
    }
}

/// Judges a string as commands between `&&`, each on its own. Returns the words of the string, and the problems with it.
fn judge(text: &str) -> (Vec<String>, Vec<&'static str>) {
    let parts: Vec<&str> = text.split("&&").collect();
    let (mut all, mut wrong) = (Vec::new(), Vec::new());
    for part in &parts {
        if parts.len() > 1 && part.trim().is_empty() {
            wrong.push("an operator (&&) without a command");
        }
        wrong.extend(metacharacters::find(part));
        match metacharacters::words(part) {
            Some(words) => {
                wrong.extend(commands::find(&words));
                all.extend(words);
            }
            None => wrong.push("quotes that do not close"),
        }
    }
    (all, wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        profile::{ConfiguredTool, ToolFacts, ToolProfile, assess},
        validator::Leaf,
    };
    use mgp_types::{context::TrustLevel, json::RawJson, mcp::Tool};

    fn profile() -> ToolProfile {
        let tool = Tool::new("t", RawJson::empty_object());
        let sandbox = ConfiguredTool { validator: Some("sandbox".into()), ..Default::default() };
        assess(&ToolFacts::new(&tool, TrustLevel::Trusted, &[], &sandbox))
    }

    fn check(texts: &[&str]) -> Result<(), Violation> {
        let leaves: Vec<_> =
            texts.iter().enumerate().map(|(i, text)| Leaf::new(format!("/{i}"), *text)).collect();
        Sandbox.check(&Input { leaves: &leaves, profile: &profile() })
    }

    #[test]
    fn ordinary_commands_pass() {
        for text in [
            "ls -la",
            "git log --oneline -n 5",
            "cargo test -p mgp-types",
            "grep -r 'fn main' src",
            "rm notes.txt",
            "echo it costs 5$",
            "cat /dev/null",
            "python3 build.py --release",
            "python --version",
            "find . -name '*.rs'",
            "",
            "über 日本語",
            "tar -czf a.tgz src",
            "cp -r src dst",
            "date +%s",
            "the rd and the su of a word list",
        ] {
            assert_eq!(check(&[text]), Ok(()), "{text}");
        }
    }

    #[test]
    fn dangerous_commands_are_refused_however_they_are_spelled() {
        for text in [
            "rm -rf /",
            "rm -fr /home",
            "rm -r -f x",
            "rm --recursive x",
            "rm --rec x",
            "rm x -R",
            "r\\m -r'f' /",
            "'rm' \"-rf\" /",
            "/bin/rm -rf x",
            "\\rm -rf x",
            "RM -RF /",
            "rm /",
            "rm ~",
            "rm /*",
            "rm ../*",
            "sudo ls",
            "env A=1 sudo ls",
            "nohup rm -rf x",
            "xargs rm -rf",
            "find / -delete",
            "find . -exec rm {} +",
            "sh script.sh",
            "bash -c ls",
            "env bash -c ls",
            "timeout 5 bash x",
            "busybox sh",
            "/usr/bin/env bash",
            "python -c 'import os'",
            "python3.12 -c x",
            "perl -e x",
            "node --eval x",
            "node --eval=x",
            "python -Ic x",
            "eval ls",
            "source x",
            ". x",
            "mkfs.ext4 /x",
            "dd if=/dev/zero of=/dev/sda",
            "cp x /dev/nvme0n1",
            "cp x /dev/../dev/sda",
            "shred x",
            "shutdown now",
            "chmod -R 777 /",
            "chown --recursive me /",
            "nc -e /bin/x 1.2.3.4",
            "rd /s x",
            "del /S /Q x",
            "Remove-Item -Recurse x",
            "powershell ls",
            "cmd.exe /c ls",
            "ls # rm -rf x",
        ] {
            assert!(check(&[text]).is_err(), "{text}");
        }
    }

    #[test]
    fn metacharacters_are_refused_even_in_quotes() {
        for text in [
            "a;b",
            "a|b",
            "a&b",
            "a>b",
            "a<b",
            "`a`",
            "$(a)",
            "${a}",
            "$a",
            "$'a'",
            "$\"a\"",
            "a\nb",
            "a\rb",
            "a\0b",
            "echo 'a;b'",
            ":(){ :|:& };:",
            "f ( ) { f }",
            "'unclosed",
            "trailing \\",
        ] {
            assert!(check(&[text]).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_command_that_is_spread_over_members_is_seen() {
        assert!(check(&["rm", "-rf", "x"]).is_err());
        assert!(check(&["-rf", "rm"]).is_err());
        assert!(check(&["bash", "-c", "ls"]).is_err());
        assert!(check(&["-c", "x", "python"]).is_err());
        assert_eq!(check(&["ls", "-la"]), Ok(()));
    }

    #[test]
    fn the_rejection_names_the_member_and_what_stands_there() {
        let violation = check(&["ls", "rm -rf /"]).unwrap_err();
        assert_eq!(violation.violations, [r#"recursive delete in "/1": "rm -rf /""#]);
    }
}
