//! Judges files for an interpreter that are complete programs: package managers, frameworks, installed tools.

use super::judge::ScriptJudge;
use crate::validator::shell::Word;

/// A program in a project, with the first operands that are harmless. One that ends in `:` includes all operands with that prefix.
const FRAMEWORKS: &[(&str, &str)] = &[
    (
        "manage.py",
        "runserver test check makemigrations migrate showmigrations collectstatic startapp sqlmigrate findstatic compilemessages makemessages show_urls --help --version help",
    ),
    (
        "artisan",
        "serve test route:list migrate migrate:status make: list about optimize optimize:clear cache:clear view:clear config:clear route:clear queue:work schedule:list help --version event:list",
    ),
    (
        "rails",
        "test routes server s generate g db:migrate db:migrate:status spec zeitwerk:check about stats notes --version assets:precompile tmp:clear",
    ),
    (
        "rake",
        "test spec -T --tasks routes db:migrate db:migrate:status about stats notes lint rubocop default",
    ),
    (
        "console",
        "cache:clear cache:warmup debug: lint: list about make: doctrine:migrations:status doctrine:schema:validate router:match --version",
    ),
    (
        "setup.py",
        "build build_ext build_py test develop install sdist bdist_wheel bdist check egg_info clean --version --name --help",
    ),
];

/// Folders for installed programs.
const INSTALLED: &[&str] = &["node_modules", ".venv", "venv", ".yarn", "vendor", "site-packages"];

impl ScriptJudge<'_> {
    /// Judges the file that an interpreter runs, with the words after it.
    pub(super) fn script_file(&mut self, file: &Word, rest: &[Word]) {
        let path = file.text.as_str();
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_archive = |part: &str| [".whl", ".zip", ".egg", ".pyz"].iter().any(|end| part.ends_with(end));
        if path.split('/').any(is_archive) || name.starts_with("install-run") || name.starts_with("wp-cli") {
            return self.doubt("a program in an archive, or one that installs others");
        }
        if let Some((_, verbs)) = FRAMEWORKS.iter().find(|(framework, _)| *framework == name) {
            return self.framework(verbs, rest);
        }
        let installed = folders.split('/').any(|part| INSTALLED.contains(&part));
        if installed || name.ends_with(".phar") || ["bundle", "bundler"].contains(&name) {
            let stem = name.split('.').next().unwrap_or_default();
            let program = match stem.split_once('-').map_or(stem, |(start, _)| start) {
                "cli" | "index" => path
                    .rsplit('/')
                    .find(|part| !["cli.js", "index.js", "bin", "build", "dist", "lib"].contains(part))
                    .unwrap_or(stem),
                program => program,
            };
            self.run([&[Word::literal(program)], rest].concat());
        }
    }

    fn framework(&mut self, verbs: &str, rest: &[Word]) {
        let first = rest.first().map_or("", |word| word.text.as_str());
        let listed =
            verbs.split(' ').any(|verb| verb == first || verb.ends_with(':') && first.starts_with(verb));
        let odd = ["zero", "upload", "easy_install", "register", "--execute", "flush", "--fake"];
        let harms = rest.iter().any(|word| odd.iter().any(|odd| word.text.starts_with(odd)));
        if !(listed || first.is_empty()) || harms {
            self.doubt("a task of a framework that may change more than the project");
        }
    }
}
