//! The paths that a source text names: the names that its `use` lines import, and paths inside its code.

/// The paths of a source text. The first name of a path is as it is written, such as `crate` or `super`.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths {
    pub(super) bindings: Vec<Binding>,
    /// The paths of two names or more that stand outside `use` lines.
    pub(super) inline: Vec<Vec<String>>,
    /// The modules that `mod name;` declares.
    pub(super) modules: Vec<String>,
}

/// A name that a `use` line imports, `*` for all names of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Binding {
    pub(super) name: String,
    pub(super) path: Vec<String>,
}

impl Paths {
    /// Reads the paths of Rust source without comments, literals and tests.
    pub(super) fn of(bare: &str) -> Self {
        let mut reader = Reader { tokens: tokens(bare), ..Reader::default() };
        while reader.at < reader.tokens.len() {
            reader.read();
        }
        reader.paths
    }
}

#[derive(Default)]
struct Reader<'a> {
    tokens: Vec<&'a str>,
    at: usize,
    paths: Paths,
    /// The braces that are open.
    depth: usize,
    /// For each module with a body around the place, the braces that were open before it.
    bodies: Vec<usize>,
}

impl<'a> Reader<'a> {
    fn token(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.at + ahead).copied().unwrap_or_default()
    }

    fn token_before(&self, behind: usize) -> &'a str {
        self.at.checked_sub(behind).and_then(|at| self.tokens.get(at)).copied().unwrap_or_default()
    }

    /// Reads a path, a `use` line, a `mod` line, or one token of anything else.
    fn read(&mut self) {
        match self.token(0) {
            // `use<'a>` lists the lifetimes that a type captures.
            "use" if self.token(1) != "<" => {
                self.at += 1;
                self.read_use(&[]);
            }
            "mod" if self.token(2) == ";" => {
                self.paths.modules.push(self.token(1).to_owned());
                self.at += 3;
            }
            "mod" if self.token(2) == "{" => {
                self.bodies.push(self.depth);
                self.at += 2;
            }
            "{" => {
                self.depth += 1;
                self.at += 1;
            }
            "}" => {
                self.depth = self.depth.saturating_sub(1);
                if self.bodies.last() == Some(&self.depth) {
                    self.bodies.pop();
                }
                self.at += 1;
            }
            token if is_name(token) => self.read_inline(),
            _ => self.at += 1,
        }
    }

    /// Reads one tree of a `use` line, up to the `,`, `}` or `;` behind it.
    fn read_use(&mut self, prefix: &[String]) {
        let mut path = prefix.to_vec();
        loop {
            match self.token(0) {
                "#" => self.skip_attribute(),
                "{" => return self.read_group(&path),
                "*" => {
                    self.at += 1;
                    return self.bind("*", path);
                }
                "::" => {
                    // A path that starts at an outside crate.
                    if path.is_empty() {
                        path.push("::".to_owned());
                    }
                    self.at += 1;
                }
                token if is_name(token) => {
                    // `a::{self}` imports `a`.
                    if token != "self" || path.is_empty() {
                        path.push(token.to_owned());
                    }
                    self.at += 1;
                    match self.token(0) {
                        "::" => self.at += 1,
                        "as" => {
                            let name = self.token(1);
                            self.at += 2;
                            return self.bind(name, path);
                        }
                        _ => {
                            let name = path.last().cloned().unwrap_or_default();
                            return self.bind(&name, path);
                        }
                    }
                }
                _ => return,
            }
        }
    }

    fn read_group(&mut self, prefix: &[String]) {
        self.at += 1;
        while !matches!(self.token(0), "}" | "") {
            let before = self.at;
            self.read_use(prefix);
            // At a comma.
            if self.at == before {
                self.at += 1;
            }
        }
        self.at += 1;
    }

    fn skip_attribute(&mut self) {
        let mut depth = 0_usize;
        while !self.token(0).is_empty() {
            let token = self.token(0);
            self.at += 1;
            match token {
                "[" => depth += 1,
                "]" if depth <= 1 => return,
                "]" => depth -= 1,
                _ => {}
            }
        }
    }

    fn read_inline(&mut self) {
        let begins = match self.token_before(1) {
            // The end of `<T as A>::b`, or of `a::<T>::b`.
            "::" => false,
            // A field or a method, if it is not the end of a range.
            "." => self.token_before(2) == ".",
            _ => true,
        };
        let mut path = vec![self.token(0).to_owned()];
        self.at += 1;
        while self.token(0) == "::" && is_name(self.token(1)) {
            path.push(self.token(1).to_owned());
            self.at += 2;
        }
        if begins && path.len() > 1 {
            let path = self.seen_from_file(path);
            self.paths.inline.push(path);
        }
    }

    fn bind(&mut self, name: &str, path: Vec<String>) {
        let path = self.seen_from_file(path);
        self.paths.bindings.push(Binding { name: name.to_owned(), path });
    }

    /// Returns a path as the module of the file names it: `super` inside `mod a { .. }` is that module.
    fn seen_from_file(&self, mut path: Vec<String>) -> Vec<String> {
        let supers = path.iter().take_while(|name| *name == "super").count();
        let inside = supers.min(self.bodies.len());
        if inside > 0 {
            path.drain(..inside);
            path.insert(0, "self".to_owned());
        }
        path
    }
}

/// Cuts a text into names, numbers, `::`, and single characters.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_of_names(first) {
            rest.find(|letter: char| !is_of_names(letter)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        let (token, behind) = rest.split_at(length);
        tokens.push(token);
        rest = behind.trim_start();
    }
    tokens
}

fn is_of_names(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| is_of_names(first) && !first.is_numeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bindings(text: &str) -> Vec<String> {
        let bindings = Paths::of(text).bindings.into_iter();
        bindings.map(|binding| format!("{} = {}", binding.name, binding.path.join(" "))).collect()
    }

    fn inline(text: &str) -> Vec<String> {
        Paths::of(text).inline.into_iter().map(|path| path.join(" ")).collect()
    }

    #[test]
    fn groups_renames_and_globs_are_read_name_by_name() {
        assert_eq!(
            bindings("pub use super::{a::{self, B as C}, d, #[cfg(x = [1])] e::*,};\nuse ::f::g as _;"),
            ["a = super a", "C = super a B", "d = super d", "* = super e", "_ = :: f g"]
        );
        assert_eq!(
            bindings("use {a, self::b::{c::{D}, e}}; use f;"),
            ["a = a", "D = self b c D", "e = self b e", "f = f"]
        );
    }

    #[test]
    fn only_paths_in_code_are_read() {
        assert_eq!(
            inline("fn a<T>(b: &crate::c::D) { 0..super::E; x.f::<g::H>(); <T as i::J>::k::l() }"),
            ["crate c D", "super E", "g H", "i J"]
        );
        assert_eq!(inline("a::b::<T>::c::d"), ["a b"]);
        assert_eq!(inline("$crate::a::b!(); self.c; fn d() -> impl E + use<'_, F> {}"), ["crate a b"]);
    }

    #[test]
    fn only_modules_with_a_file_are_declared() {
        assert_eq!(Paths::of("mod a; pub mod b { fn c() {} } mod d {}").modules, ["a"]);
    }

    #[test]
    fn super_in_the_body_of_a_module_is_the_file() {
        let text = "mod a { use super::b; mod c { use super::super::super::d; } } use super::e;";
        assert_eq!(bindings(text), ["b = self b", "d = self super d", "e = super e"]);
    }

    #[test]
    fn a_text_that_ends_early_is_read_to_its_end() {
        for text in ["use", "use a::", "use a::{b", "use {{", "use #[", "mod", "a::", "use a as", "}}"] {
            Paths::of(text);
        }
    }
}
