//! The command line.

use crate::packages::Kind;
use std::path::PathBuf;

/// The usage of the command.
pub(crate) const USAGE: &str = "\
usage: cargo xtask dist [--only KIND[,KIND]] [--program PATH] [--target TRIPLE] [--check [--root FOLDER]]

Builds mgp in the profile `dist`, and makes these packages of it in target/packages, with their checksums in SHA256SUMS:
  archive  mgp-VERSION-TARGET.tar.gz, with manual pages, completions, licences and the list of dependencies
  deb      a package for Debian and Ubuntu, by cargo-deb
  rpm      a package for Fedora and its relatives, by cargo-generate-rpm
  npm      the main package, and the one of this platform
  pypi     a wheel
  image    an image of a container, by buildah, whose program also has the feature s3
  formula  the formula of Homebrew, from the archives of its four platforms in target/packages (only with --only)

With CI=true in the environment, a missing tool is a failure; otherwise its package is skipped.

  --only KIND[,KIND]  only these kinds
  --program PATH      take this program instead of building one
  --target TRIPLE     the platform of the program; by default, that of this machine
  --check             install each package for a fresh user, connect hosts' files, and make a first call by three hosts
  --root FOLDER       check in copies of this root folder, such as debootstrap makes, as a fresh user; needs root rights.
                      deb, rpm and image are checked only there, npm and pypi if it has npm and pip";

/// The parsed command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// The chosen kinds, in the order of [`Kind::ALL`]; empty means all that one machine can make.
    pub(crate) only: Vec<Kind>,
    pub(crate) program: Option<PathBuf>,
    pub(crate) target: Option<String>,
    pub(crate) check: bool,
    pub(crate) root: Option<PathBuf>,
}

impl Arguments {
    /// Reads the command line. Returns `None` for a request for help.
    pub(crate) fn parse(arguments: &[String]) -> Result<Option<Self>, String> {
        let mut parsed = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || {
                let value = rest.next().filter(|value| !value.is_empty() && !value.starts_with("--"));
                value.ok_or_else(|| format!("{argument} needs a value\n\n{USAGE}"))
            };
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--check" => parsed.check = true,
                "--only" => parsed.only = kinds(value()?)?,
                "--program" => parsed.program = Some(value()?.into()),
                "--target" => parsed.target = Some(value()?.clone()),
                "--root" => parsed.root = Some(value()?.into()),
                other => return Err(format!("unknown argument `{other}`\n\n{USAGE}")),
            }
        }
        if parsed.root.is_some() && !parsed.check {
            return Err("--root needs --check".to_owned());
        }
        Ok(Some(parsed))
    }

    /// Returns the kinds to make.
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        let is_chosen = |kind: &Kind| match self.only.is_empty() {
            true => *kind != Kind::Formula,
            false => self.only.contains(kind),
        };
        Kind::ALL.into_iter().filter(is_chosen).collect()
    }
}

fn kinds(list: &str) -> Result<Vec<Kind>, String> {
    let kind = |name: &str| {
        Kind::ALL.into_iter().find(|kind| kind.name() == name.trim()).ok_or_else(|| {
            let names: Vec<_> = Kind::ALL.iter().map(|kind| kind.name()).collect();
            format!("unknown kind `{name}`: expected one of {}", names.join(", "))
        })
    };
    list.split(',').map(kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Option<Arguments>, String> {
        let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        Arguments::parse(&words)
    }

    #[test]
    fn kinds_are_chosen_by_name() {
        assert_eq!(parse("--only npm,archive").unwrap().unwrap().kinds(), [Kind::Archive, Kind::Npm]);
        assert!(!parse("").unwrap().unwrap().kinds().contains(&Kind::Formula));
        assert!(
            parse("--only nmp").unwrap_err().contains("unknown kind `nmp`: expected one of archive, deb")
        );
        assert_eq!(parse("--check --help").unwrap(), None);
    }

    #[test]
    fn a_value_that_is_missing_is_named() {
        for line in ["--only", "--program --check", "--target", "--check --root"] {
            assert!(parse(line).unwrap_err().contains(" needs a value"), "{line}");
        }
        assert_eq!(parse("--root /r").unwrap_err(), "--root needs --check");
        assert!(parse("--chekc").unwrap_err().starts_with("unknown argument `--chekc`"));
    }
}
