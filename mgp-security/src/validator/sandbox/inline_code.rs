//! Judges code in an argument of an interpreter by the rules of §7, if they are compiled in.

use super::judge::ScriptJudge;
use crate::validator::shell::Word;

impl ScriptJudge<'_> {
    /// Returns whether the code in an argument is known to only compute and print. Only code that follows its option as one word
    /// is judged.
    pub(super) fn is_harmless_code(&self, name: &str, inline: &str, arguments: &[Word]) -> bool {
        let [option, code, rest @ ..] = arguments else { return false };
        let is_option = inline.split(' ').take(2).any(|inline| inline == option.text);
        // Options after the code could contain more code.
        let is_plain = |word: &Word| word.known().is_some_and(|text| !text.starts_with('-'));
        is_option && rest.iter().all(is_plain) && code.known().is_some_and(|code| self.computes(name, code))
    }

    #[cfg(not(feature = "code_safety"))]
    fn computes(&self, _: &str, _: &str) -> bool {
        false
    }

    #[cfg(feature = "code_safety")]
    fn computes(&self, name: &str, code: &str) -> bool {
        use crate::{code_safety::CodeRules, syntax::Interrupt};
        use mgp_types::code_safety::{CodeSafety, SafetyLevel};

        // Without modules and names that read files, because the sandbox judges which files are read.
        const PYTHON: &str = "json re math cmath datetime time calendar random statistics itertools functools collections string \
                          textwrap decimal fractions hashlib base64 binascii html unicodedata uuid operator pprint sys \
                          urllib.parse typing dataclasses enum bisect heapq secrets ipaddress";
        const HIDDEN: [&str; 10] =
            ["open", "main", "env", "argv", "input", "stdin", "file", "cwd", "mainModule", "breakpoint"];
        let (language, allowed) = match name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
            "python" => ("python", PYTHON),
            "node" | "nodejs" => ("javascript", "path url querystring"),
            _ => return false,
        };
        let rules = CodeSafety {
            level: SafetyLevel::Readonly,
            language: Some(language.to_owned()),
            allowed_imports: Some(allowed.split_whitespace().map(str::to_owned).collect()),
            blocked_patterns: Some(HIDDEN.map(str::to_owned).into()),
            ..CodeSafety::default()
        };
        let is_over = || self.is_over();
        CodeRules::of([&rules]).check_until(code, Interrupt::new(&is_over)).is_ok()
    }
}
