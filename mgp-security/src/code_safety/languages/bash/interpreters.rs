//! The options of programs that run scripts, by their manuals.

/// Returns the letters of the options of a program that take a value, which may be attached.
pub(super) fn valued_letters(program: &str) -> &'static str {
    match program {
        "curl" => "AbcCdDeEFHKmoPQrtTuUwxXyYz",
        "scp" | "sftp" | "ssh" => "BbcDEeFIiJLlmOopQRSWw",
        "php" => "dcz",
        "perl" => "ImMCDx",
        "ruby" => "IrCEFKTWx",
        "python" | "python2" | "python3" => "WXQcm",
        _ => "",
    }
}

/// Returns the number of arguments of an interpreter that come before those of its script. Without a certain script, these are all
/// arguments: a word after an option may be the option's value.
pub(super) fn before_script(program: &str, arguments: &[String]) -> usize {
    let is_python = program.starts_with("python") || program.starts_with("pypy");
    let flags = match program {
        _ if is_python => "uBSEIOvqb",
        "bash" | "sh" | "dash" | "zsh" | "ksh" => "eux",
        _ => "",
    };
    let is_flag = |word: &str| {
        word.strip_prefix('-')
            .is_some_and(|letters| !letters.is_empty() && letters.chars().all(|c| flags.contains(c)))
    };
    let Some(first) = arguments.iter().position(|word| !is_flag(word)) else { return arguments.len() };
    let word = arguments[first].as_str();
    let is_script = !word.starts_with(['-', super::words::OPAQUE])
        && word.contains(['.', '/'])
        && !word.starts_with("/dev/");
    match word {
        "-m" if is_python => arguments.len().min(first + 1),
        _ if is_script => first,
        _ => arguments.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_after_a_script_belong_to_the_script() {
        for (line, expected) in [
            ("python3 x.py -c a", 0),
            ("python3 -u ./x -i", 1),
            ("python -m pytest -c x", 1),
            ("bash -eu build.sh -c Release", 1),
            ("node cli.js -e prod", 0),
            // These options may take the next word.
            ("python -W a.b -c x", 4),
            ("bash -o x.y -c x", 4),
            ("node -r ./x -e y", 4),
            ("perl -e 'x'", 2),
            ("bash name -c x", 3),
            ("python /dev/stdin -c x", 3),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(before_script(&words[0], &words[1..]), expected, "{line}");
        }
    }
}
