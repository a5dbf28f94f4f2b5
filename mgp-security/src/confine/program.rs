//! The files of a program: the program itself, its interpreters, its libraries, its script.

use super::home_folders;
use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// The files that a program needs to start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramFiles {
    /// The program, and the interpreters and loaders that start it.
    pub executable: BTreeSet<PathBuf>,
    /// Its folder and libraries, and the script that it runs.
    pub readable: BTreeSet<PathBuf>,
    /// The paths by which the program, its interpreters and its script are named, which may be links.
    pub named: BTreeSet<PathBuf>,
}

/// The longest chain of interpreters.
const MAX_INTERPRETERS: usize = 4;

/// The bytes of a program that name its interpreter or its loader.
const HEAD: u64 = 4096;

/// The programs whose first argument that is not an option is a script.
const INTERPRETERS: &[&str] =
    &["bash", "bun", "dash", "deno", "node", "nodejs", "perl", "php", "python", "ruby", "sh", "tsx", "uv"];

/// The interpreters whose script may come after `run`.
const RUNNERS: &[&str] = &["bun", "deno", "uv"];

/// The programs that load a package from a registry and start it, each with the first arguments by which it does so; an empty list means
/// always.
const PACKAGE_RUNNERS: &[(&str, &[&str])] = &[
    ("bun", &["x"]),
    ("bunx", &[]),
    ("npm", &["exec", "x"]),
    ("npx", &[]),
    ("pipx", &["run"]),
    ("pnpm", &["dlx"]),
    ("pnpx", &[]),
    ("uv", &["run", "tool"]),
    ("uvx", &[]),
    ("yarn", &["dlx"]),
];

/// The programs that others start, and that are installed in the same folder.
const COMPANIONS: &[(&str, &[&str])] = &[
    ("bunx", &["bun"]),
    ("npm", &["node"]),
    ("npx", &["node", "npm"]),
    ("pipx", &["python3", "uv"]),
    ("pnpm", &["node"]),
    ("pnpx", &["node", "pnpm"]),
    ("uvx", &["uv"]),
    ("yarn", &["node"]),
];

/// The managers of versions that put shims into a folder of that name, and print the program behind one with `which`.
const VERSION_MANAGERS: &[&str] =
    &["asdf", "goenv", "jenv", "mise", "nodenv", "phpenv", "plenv", "pyenv", "rbenv"];

/// The options that may come before a script. After any other option, code, a module or the option's value may follow, and a file could be
/// input of the code.
const BEFORE_SCRIPT: &[&str] = &[
    "-A",
    "-u",
    "--allow-all",
    "--enable-source-maps",
    "--experimental-strip-types",
    "--no-deprecation",
    "--no-warnings",
];

/// The files that mark the folder of a package.
const PACKAGE_MARKS: &[&str] = &["package.json", "pyproject.toml", "setup.py", "deno.json", "node_modules"];

/// The number of folders above a script in which the mark of its package is sought.
const PACKAGE_DEPTH: usize = 4;

impl ProgramFiles {
    /// Finds the files of a program, which is looked up in `path` as a shell does. A relative program or script is sought in `cwd`. Of a
    /// missing program, which an image may have, only the script is found.
    #[must_use]
    pub fn find(program: &str, args: &[String], cwd: Option<&Path>, path: Option<&OsStr>) -> Self {
        let mut files = Self::default();
        let found = look_up(program, cwd, path);
        let named = found.as_deref().unwrap_or(program.as_ref());
        let name = named.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        if INTERPRETERS.contains(&name) {
            files.add_script(name, args, cwd);
        }
        if let Some(program) = &found {
            files.add(program, path, MAX_INTERPRETERS);
            files.add_companions(name, program, path);
        }
        files
    }

    /// Adds the programs that a program starts from its own folder, or from the folder of the file that its links lead to.
    fn add_companions(&mut self, name: &str, program: &Path, path: Option<&OsStr>) {
        let companions = COMPANIONS.iter().filter(|(of, _)| *of == name).flat_map(|(_, names)| *names);
        let real = program.canonicalize().ok();
        let places = [Some(program), real.as_deref()].into_iter().flatten();
        let folders: BTreeSet<&Path> = places.filter_map(Path::parent).collect();
        for companion in companions {
            for place in folders.iter().map(|folder| folder.join(companion)).filter(|place| is_program(place))
            {
                self.add(&place, path, MAX_INTERPRETERS);
            }
        }
    }

    /// Adds the files of another program.
    pub fn extend(&mut self, other: Self) {
        self.executable.extend(other.executable);
        self.readable.extend(other.readable);
        self.named.extend(other.named);
    }

    fn add(&mut self, program: &Path, path: Option<&OsStr>, depth: usize) {
        let Ok(real) = program.canonicalize() else { return };
        for place in [program, &real] {
            self.add_libraries(place);
        }
        for interpreter in interpreters(&real).into_iter().filter(|_| depth > 0) {
            if let Some(interpreter) = look_up(&interpreter, None, path) {
                self.add(&interpreter, path, depth - 1);
            }
        }
        self.named.insert(program.to_owned());
        self.readable.insert(real.clone());
        self.executable.insert(real);
    }

    /// Adds the folders next to the `bin` that contains a program.
    fn add_libraries(&mut self, program: &Path) {
        let Some(bin) = program.parent().filter(|folder| folder.ends_with("bin")) else { return };
        let Some(prefix) = bin.parent().filter(|prefix| prefix.parent().is_some()) else { return };
        self.readable.insert(bin.to_owned());
        for name in ["lib", "lib64", "libexec", "pyvenv.cfg"] {
            self.readable.insert(prefix.join(name));
        }
    }

    /// Adds the script among the arguments, and the package that it belongs to.
    fn add_script(&mut self, interpreter: &str, args: &[String], cwd: Option<&Path>) {
        let is_run = RUNNERS.contains(&interpreter) && args.first().is_some_and(|arg| arg == "run");
        let first = args.iter().skip(is_run.into()).find(|arg| !BEFORE_SCRIPT.contains(&arg.as_str()));
        let Some(script) = first.filter(|arg| !arg.starts_with('-')) else { return };
        let script = cwd.map_or_else(|| PathBuf::from(script), |cwd| cwd.join(script));
        if !script.is_absolute() || !script.is_file() {
            return;
        }
        let Ok(real) = script.canonicalize() else { return };
        self.named.insert(script);
        let script = real;
        let homes: Vec<_> = home_folders().into_iter().filter_map(|home| home.canonicalize().ok()).collect();
        let is_package = |folder: &&Path| {
            let has_home = homes.iter().any(|home| home.starts_with(folder));
            !has_home && PACKAGE_MARKS.iter().any(|mark| folder.join(mark).exists())
        };
        let package = script.ancestors().skip(1).take(PACKAGE_DEPTH).find(is_package);
        self.readable.extend(package.filter(|folder| folder.parent().is_some()).map(Path::to_owned));
        // Node searches all parent folders for dependencies.
        let dependencies = script.ancestors().skip(1).map(|folder| folder.join("node_modules"));
        self.readable.extend(dependencies.filter(|folder| folder.is_dir()));
        self.readable.insert(script);
    }
}

/// Returns whether a command loads a package from a registry and starts it, as `npx` and `uvx` do. This fails if the command is confined
/// to its own program.
///
/// ```
/// use mgp_security::confine::loads_package;
/// assert!(loads_package("/home/ann/.local/bin/uvx", &["mcp-server-time"]) && loads_package("npm", &["exec", "x"]));
/// assert!(!loads_package("npm", &["start"]) && !loads_package("node", &["npx"]));
/// ```
#[must_use]
pub fn loads_package(program: &str, args: &[impl AsRef<str>]) -> bool {
    let Some(name) = Path::new(program).file_stem().and_then(OsStr::to_str) else { return false };
    PACKAGE_RUNNERS.iter().any(|(runner, ways)| {
        *runner == name && (ways.is_empty() || takes_way(args.iter().map(AsRef::as_ref), ways))
    })
}

/// Returns the command that prints the program behind a shim of a version manager; `None` for other programs. A confined shim fails,
/// because its manager starts further programs.
///
/// ```
/// use mgp_security::confine::behind_shim;
/// assert_eq!(behind_shim("/home/ann/.pyenv/shims/python3".as_ref()).as_deref(), Some("pyenv which python3"));
/// assert_eq!(behind_shim("/usr/bin/python3".as_ref()), None);
/// ```
#[must_use]
pub fn behind_shim(program: &Path) -> Option<String> {
    let shims = program.parent().filter(|folder| folder.ends_with("shims"))?;
    let manager = shims.parent()?.file_name()?.to_str()?.trim_start_matches('.');
    let name = program.file_name()?.to_str()?;
    VERSION_MANAGERS.contains(&manager).then(|| format!("{manager} which {name}"))
}

/// Returns whether the first argument that is neither an option nor its value is one of `ways`.
fn takes_way<'a>(args: impl Iterator<Item = &'a str>, ways: &[&str]) -> bool {
    let mut is_value = false;
    for arg in args {
        if arg.starts_with('-') {
            is_value = !arg.contains('=');
        } else if ways.contains(&arg) {
            return true;
        } else if !std::mem::take(&mut is_value) {
            return false;
        }
    }
    false
}

fn look_up(program: &str, cwd: Option<&Path>, path: Option<&OsStr>) -> Option<PathBuf> {
    if program.contains('/') {
        let place = cwd.map_or_else(|| PathBuf::from(program), |cwd| cwd.join(program));
        return place.is_file().then(|| std::path::absolute(place).ok()).flatten();
    }
    let folders = std::env::split_paths(path.unwrap_or_else(|| OsStr::new("/usr/local/bin:/usr/bin:/bin")));
    folders.map(|folder| folder.join(program)).find(|place| place.is_absolute() && is_program(place))
}

/// Returns whether a path leads to a file that can be started as a program.
#[must_use]
pub fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    let is_executable = |file: &std::fs::Metadata| {
        use std::os::unix::fs::PermissionsExt;
        file.permissions().mode() & 0o111 != 0
    };
    #[cfg(not(unix))]
    let is_executable = |_: &std::fs::Metadata| true;
    path.metadata().is_ok_and(|file| file.is_file() && is_executable(&file))
}

/// Returns the programs that start a program: those of its first line, or its loader.
fn interpreters(program: &Path) -> Vec<String> {
    let mut head = Vec::new();
    // A program that cannot be read has no head.
    let _ = File::open(program).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    match &head[..] {
        [b'#', b'!', line @ ..] => shebang(line),
        [0x7f, b'E', b'L', b'F', 2, ..] => loader(&head).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn shebang(line: &[u8]) -> Vec<String> {
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_ascii_whitespace();
    let Some(interpreter) = words.next() else { return Vec::new() };
    let mut programs = vec![interpreter.to_owned()];
    if interpreter.ends_with("/env") {
        programs.extend(words.find(|word| !word.starts_with('-') && !word.contains('=')).map(str::to_owned));
    }
    programs
}

/// Returns the loader that a 64-bit program for this machine's byte order names.
fn loader(head: &[u8]) -> Option<String> {
    const LOADER: u32 = 3;
    let bytes = |at: usize, length: usize| head.get(at..at.checked_add(length)?);
    let u16_at = |at| Some(u16::from_ne_bytes(bytes(at, 2)?.try_into().ok()?));
    let u64_at = |at| Some(u64::from_ne_bytes(bytes(at, 8)?.try_into().ok()?));
    let (table, size, count) = (u64_at(32)?, u16_at(54)?, u16_at(56)?);
    let entry = (0..usize::from(count)).find_map(|i| {
        let at = usize::try_from(table).ok()?.checked_add(i * usize::from(size))?;
        (bytes(at, 4)? == LOADER.to_ne_bytes()).then_some(at)
    })?;
    let (offset, length) =
        (usize::try_from(u64_at(entry + 8)?).ok()?, usize::try_from(u64_at(entry + 32)?).ok()?);
    let name = bytes(offset, length)?.split(|byte| *byte == 0).next()?;
    Some(String::from_utf8_lossy(name).into_owned())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::{
        fs,
        os::unix::fs::{PermissionsExt, symlink},
    };

    fn program(path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_package_runner_includes_the_programs_next_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["own/uvx", "own/uv", "own/other", "kept/uvx", "kept/uv", "node/npm"] {
            program(&root.join(name));
        }
        fs::create_dir_all(root.join("linked")).unwrap();
        symlink(root.join("kept/uvx"), root.join("linked/uvx")).unwrap();
        let started =
            |program: &str| ProgramFiles::find(root.join(program).to_str().unwrap(), &[], None, None);
        let expected = |names: &[&str]| names.iter().map(|name| root.join(name)).collect::<BTreeSet<_>>();
        assert_eq!(started("own/uvx").executable, expected(&["own/uvx", "own/uv"]));
        assert_eq!(started("linked/uvx").executable, expected(&["kept/uvx", "kept/uv"]));
        // A companion that does not exist is left out, and other programs have none.
        assert_eq!(started("node/npm").executable, expected(&["node/npm"]));
        assert_eq!(started("own/other").executable, expected(&["own/other"]));
    }

    #[test]
    fn a_command_loads_a_package_by_program_and_first_argument() {
        for line in [
            "npm -y exec x",
            "uv --offline tool run x",
            "uv --directory /a run y",
            "npx -y x",
            "/a/b/uvx x",
            "uv tool run x",
            "pnpm dlx x",
            "bun x y",
            "bunx y",
        ] {
            let words: Vec<_> = line.split(' ').collect();
            assert!(loads_package(words[0], &words[1..]), "{line}");
        }
        for line in
            ["node npx", "uv pip install x", "npm start", "npm", "", "npx2", "npm start exec", "npm -y"]
        {
            let words: Vec<_> = line.split(' ').collect();
            assert!(!loads_package(words[0], &words[1..]), "{line}");
        }
    }
}
